"""Call what neither samples nor examples reach with values made from types; record what runs.

In: `[name, alias, ...]` per API. Out: the records of `tested_torch`. Functions, methods and
operators are called as their signatures allow, overload by overload; classes are constructed and
exercised (`exercises_torch`). An attempt is a number: it can be repeated, and `{"at":
"name#synthesis<number>"}` stands before it, so that a crash names it. Calls that run no operator
teach nothing and do not count.
"""

from collections import Counter
from functools import partial
from time import process_time

import signatures_torch
import torch
from described import describe_call
from examples_torch import located
from makers_torch import PRESETS, SIZE, Maker
from public_torch import is_called, is_constructor
from recorder_torch import Recorder
from schemas_torch import ATEN, Schemas
from tested_torch import Tested, prepare

PROVIDER = "synthesis"
MOST_ATTEMPTS = 28
MOST_WORKING = 3
MOST_DEATHS = 2
"""After so many attempts that ended the process, an API is left alone."""
SECONDS_PER_API = 4.0
UNKNOWN = [[["input", "Tensor", None, ""]], [["input", "Tensor", None, ""]] * 2]
"""Signatures to try where none is known."""


def profile(names, part=0, parts=1, first=0, skip=()):
    """Try every `parts`-th API from number `first` on, without the attempts in `skip`."""
    prepare()
    skip, recorder, schemas = frozenset(skip), Recorder(), Schemas()
    deaths = Counter(key.partition("#")[0] for key in skip)
    for number in range(part, len(names), parts):
        if number < first:
            continue
        yield {"entry": number, "of": len(names)}
        place = reachable(names[number])
        if place is None or deaths[names[number][0]] >= MOST_DEATHS:
            continue
        name, thing = names[number][0], getattr(*place)
        in_place = name.endswith("_") and not name.endswith("__")
        deadline = process_time() + SECONDS_PER_API
        tested = Tested(name, thing, recorder, PROVIDER, in_place, deadline)
        tries = promising(tested, attempts(name, thing, schemas))
        for record in tested.run(tries, skip, label="synthesis", enough=MOST_WORKING):
            yield record if "s" not in record or tested.has_operators() else nothing(name)


def attempt(name, number):
    """Make one attempt alone: `{"at": key, "call": its values}`, then what came of it.

    `name` may be a list, `[name, alias, ...]`, as `profile` takes them: some things are there under
    an alias only. Whether a crash is that attempt's own shows here: earlier ones may have corrupted
    the memory.
    """
    prepare()
    names = [name] if isinstance(name, str) else name
    name, place = names[0], reachable(names)
    if place is None:
        yield {"n": name, "f": "not reachable", "v": PROVIDER}
        return
    thing = getattr(*place)
    make = attempts(name, thing, Schemas())[number]
    yield {"at": "{}#synthesis{}".format(name, number), "call": describe_call(make())}
    in_place = name.endswith("_") and not name.endswith("__")
    tested = Tested(name, thing, Recorder(), PROVIDER, in_place)
    tested.attempt(make)
    for record in tested.result():
        yield record


def reachable(names):
    """(parent object, attribute) of the first of these names that shows a thing, None if none."""
    return next(filter(None, map(located, names)), None)


def nothing(name):
    """The record of an API whose calls worked, but ran no operator."""
    return {"n": name, "f": "runs no operator", "v": PROVIDER}


def promising(tested, tries):
    """The attempts, None instead of those in vain.

    What has no kernel for any of the first ranks, types and layouts has none here at all.
    """
    for number, call in enumerate(tries):
        lacking = tested.problem == "NotImplementedError" and not tested.worked
        yield None if lacking and number >= len(PRESETS) else call


def attempts(name, thing, schemas):
    """Functions that make the calls of all attempts, in order; the overloads take turns."""
    makers = calls(name, thing, schemas)
    return [partial(makers[number % len(makers)], number) for number in range(MOST_ATTEMPTS)]


def calls(name, thing, schemas):
    """Functions from an attempt's number to a call, one per overload."""
    doc = getattr(thing, "__doc__", None) or ""
    if isinstance(thing, type) and not is_constructor(thing):
        return constructed(thing, doc)
    if isinstance(thing, type):
        found = signatures_torch.legacy()
    elif name.startswith("torch.ops."):
        library, leaf = name.split(".")[2:4]
        leaf = leaf if library == ATEN else "{}::{}".format(library, leaf)
        found = [item for _, item in signatures_torch.operator(leaf, schemas)]
    elif name.startswith("torch.Tensor."):
        found = signatures_torch.method(name.split(".")[-1], thing, schemas)
    else:
        found = signatures_torch.function(thing, schemas)
    overloads = [signature["p"] for signature in found] or UNKNOWN
    return [lambda number, rows=rows: made(rows, None, number, doc) for rows in overloads]


def made(rows, built, number, doc):
    """One call; `built` makes the constructor's arguments where there is one."""
    maker = Maker(number, doc)
    construction = built(maker) if built is not None else None
    args, kwargs = maker.call(rows)
    return args, kwargs, construction


def constructed(kind, doc):
    """Calls of a class, by its base class: what it is made from, and what it is then given."""
    if issubclass(kind, torch.distributions.Distribution) and constrained(kind):
        return [lambda number: made([], lambda maker: ((), satisfying(kind, number)), number, doc)]
    rows = [signature["p"] for signature in signatures_torch.constructor(kind)] or [[]]
    given = []
    if is_called(kind):
        given = [signature["p"] for signature in signatures_torch.call(kind)]
        given = given or UNKNOWN[:1]
    return [
        lambda number, own=own, call=call: made(call, lambda maker: maker.call(own), number, doc)
        for own in rows
        for call in given or [[]]
    ]


def constrained(kind):
    """The constraints of a distribution's parameters, empty where it has none of its own."""
    found = kind.arg_constraints
    return found if isinstance(found, dict) else {}


def satisfying(kind, number):
    """Parameters of a distribution that satisfy its constraints.

    One of those that have no default but need not be given goes with what is required, as some want
    one of them; later attempts are without.
    """
    torch.default_generator.manual_seed(number)
    rows = signatures_torch.constructor(kind)
    required = {row[0] for signature in rows for row in signature["p"] if row[2] is None}
    named = constrained(kind)
    given = [name for name in named if name in required]
    alternatives = [name for name in named if name not in required]
    choices = [[name] for name in alternatives] + ([[]] if given else [])
    given += choices[number % len(choices)] if choices else []
    shape = (SIZE,) * (1 + number % 2)
    return {name: satisfied(named[name], shape) for name in given}


def satisfied(constraint, shape):
    """A value within a constraint."""
    if constraint.is_discrete:
        return torch.full(shape, 3.0)
    free = torch.randn(shape if constraint.event_dim < 2 else (SIZE, SIZE))
    try:
        value = torch.distributions.transform_to(constraint)(free)
    except NotImplementedError:
        value = free.abs()
    return value.detach().requires_grad_()
