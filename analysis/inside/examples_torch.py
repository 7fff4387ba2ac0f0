"""Run the examples of docstrings and record what each API runs, for APIs without other samples.

In: `[name, alias, ...]` per API. Out: the records of `tested_torch`; none of what has no example.
An example is executed one statement after the other with a recorder in the API's place; its calls
are then profiled alone. Classes that are no layers are exercised as `exercises_torch` says.
"""

import contextlib
import doctest
import io
import math
from unittest.mock import patch

import torch
from public_torch import is_called
from recorder_torch import Recorder, copied
from tested_torch import MOST_SAMPLES, Tested, alarm, prepare

PROVIDER = "example"
SECONDS_PER_EXAMPLE = 5.0


def profile(names, part=0, parts=1, first=0, skip=()):
    """Run the examples of every `parts`-th API from number `first` on, without those in `skip`."""
    prepare()
    skip, recorder = frozenset(skip), Recorder()
    for number in range(part, len(names), parts):
        if number < first:
            continue
        yield {"entry": number, "of": len(names)}
        places = [place for place in map(located, names[number]) if place is not None]
        if not places:
            continue
        name, thing = names[number][0], getattr(*places[0])
        examples = statements(thing.__doc__)
        key = name + "#example"
        if not examples or key in skip:
            continue
        yield {"at": key}
        torch.default_generator.manual_seed(0)
        alarm(SECONDS_PER_EXAMPLE)
        calls = recorded(thing, places, examples)
        alarm(0)
        if not calls:
            yield {"n": name, "f": "example without a call", "v": PROVIDER}
            continue
        tested = Tested(name, thing, recorder, PROVIDER, name.endswith("_"))
        for record in tested.run(calls[:MOST_SAMPLES], skip):
            yield record


def located(name):
    """(parent object, attribute) of a dotted name, None where there is no such thing."""
    thing = torch
    parts = name.split(".")[1:]
    for part in parts[:-1]:
        thing = getattr(thing, part, None)
    return (thing, parts[-1]) if parts and getattr(thing, parts[-1], None) is not None else None


def statements(doc):
    """Source of the examples in a docstring."""
    try:
        return [example.source for example in doctest.DocTestParser().get_examples(doc or "")]
    except ValueError:  # the indentation of some is broken
        return []


def recorded(thing, places, examples):
    """The calls of an API that its examples make: (arguments, keywords, constructor's)."""
    calls = []
    recording = patched_class if isinstance(thing, type) else patched_function
    scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math}
    quiet = contextlib.redirect_stdout(io.StringIO())
    with quiet, patch.object(torch, "empty", empty), recording(thing, places, calls):
        # Examples name what lies beside the API, and the API itself, without their namespace.
        scope.update((name, item) for name, item in vars(places[0][0]).items() if name[0] != "_")
        for source in examples:
            try:
                exec(compile(source, "<example>", "exec"), scope)
            except Exception:
                continue  # examples refer to files and devices that are not here
    return calls


def empty(*args, make=torch.empty, **kwargs):
    """What `torch.empty` makes, but zero: what memory holds by chance differs from run to run."""
    with torch.no_grad():
        return make(*args, **kwargs).zero_()


@contextlib.contextmanager
def patched_function(function, places, calls):
    """Put a recorder in every place that shows a function."""

    def recorder(*args, **kwargs):
        calls.append((copied(args), dict(kwargs), None))
        return function(*args, **kwargs)

    before = [(parent, name, name in vars(parent)) for parent, name in places]
    try:
        for parent, name in places:
            setattr(parent, name, recorder)
        yield
    finally:
        for parent, name, own in before:
            if own:
                setattr(parent, name, function)
            else:
                delattr(parent, name)  # a method that the tensor class inherits


@contextlib.contextmanager
def patched_class(kind, places, calls):
    """Record how instances of a class are made and, of layers and such, called."""
    layer = is_called(kind)
    call = "forward" if issubclass(kind, torch.nn.Module) else "__call__"
    changed = ("__init__", call) if layer else ("__init__",)
    own = {name: vars(kind)[name] for name in changed if name in vars(kind)}
    init, forward = kind.__init__, getattr(kind, call, None)
    built = {}

    def recording_init(self, *args, **kwargs):
        if type(self) is kind:
            given = copied(args), copied(kwargs)
            built.setdefault(id(self), (self, given))
            if not layer:
                calls.append(((), {}, given))
        init(self, *args, **kwargs)

    def recording_forward(self, *args, **kwargs):
        if id(self) in built:
            calls.append((copied(args), dict(kwargs), built[id(self)][1]))
        return forward(self, *args, **kwargs)

    try:
        kind.__init__ = recording_init
        if layer:
            setattr(kind, call, recording_forward)
        yield
    finally:
        for name in changed:
            if name in own:
                setattr(kind, name, own[name])
            else:
                delattr(kind, name)
