"""Run a watched case with some of its calls made otherwise.

`run` replaces their results: what depends on them? `doubled` hands them their numbers in double
precision (`widened`: whole numbers, too): does the trouble stay? `nudged` changes the last digit of
their inputs: is it more than that which is wrong? `scaled` makes their inputs smaller: from where
on is it wrong? `cleaned` gives them numbers for NaN and infinities: did the trouble just go
through? `bounded` gives them large numbers for infinities: is there a limit? `reseeded` has them
draw other random numbers: do they? `omitted` leaves them out: is it wrong without them?
`defaulted` leaves an argument of theirs out: is it wrong for this one? `gradients` and `told`
change nothing: the one listens to what goes back through these calls, the other tells of what they
are given and give (or would give for other numbers).
"""

import ast
import functools
import inspect

import case
import changed_numbers
import child
import contents
import side
from copies import Copies

DEPTH = 3
"""Lists in lists that are looked into."""
MOST_TOLD = 64
"""Calls that `told` tells of."""


def run(emit, code, traced, sites):
    """Run a case as `case.run` does, the results of the calls at `sites` being replaced.

    A tensor of the result that is one of the arguments (`out=`, in-place) gets other content
    instead. Assertions end nothing: what the report asserts on the way need not hold any more.
    """
    live = side.module("live")

    def call(function, args, kwargs):
        result = function(*args, **kwargs)
        given = list(_parts((*args, *kwargs.values(), getattr(function, "__self__", None))))

        def changed(value):
            other = live.perturbed(value)
            if not any(value is one for one in given):
                return other
            live.overwrite(value, other)
            return value

        return _mapped(result, changed)

    return _run(emit, code, _Tested().visit(ast.parse(traced)), sites, call)


class _Tested(ast.NodeTransformer):
    """Code that evaluates what it asserts, whatever it comes to."""

    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(node.test), node)


def _parts(value, depth=DEPTH):
    """A value, or what is in a list or tuple."""
    if not isinstance(value, (list, tuple)) or not depth:
        yield value
        return
    for item in value:
        yield from _parts(item, depth - 1)


def _mapped(value, change, depth=DEPTH):
    """The value, each part of which is changed if it is a list or tuple, named ones included."""
    if not isinstance(value, (list, tuple)) or not depth:
        return change(value)
    items = [_mapped(item, change, depth - 1) for item in value]
    if all(new is old for new, old in zip(items, value)):
        return value
    try:
        return getattr(type(value), "_make", type(value))(items)
    except Exception:  # a class that is made in some other way
        return value


def doubled(emit, code, traced, sites, off=False):
    """Run a case as `case.run` does, the calls at `sites` being given double precision.

    What they construct computes in it, if it is told a dtype. `off`: what they are given is a
    little off first, as by `nudged`.
    """
    return _in_double(emit, code, traced, sites, "fc", off)


def widened(emit, code, traced, sites):
    """Run a case as `doubled` does, whole numbers of tensors and arrays being doubles as well."""
    return _in_double(emit, code, traced, sites, "fciu")


def _in_double(emit, code, traced, sites, kinds, off=False):
    def changed(value):
        return changed_numbers.double(changed_numbers.nudged(value) if off else value, kinds)

    def call(function, args, kwargs):
        if isinstance(function, type) and "dtype" in kwargs:
            kwargs = dict(kwargs, dtype=changed_numbers.double_dtype(kwargs["dtype"]))
        return _call_given(function, args, kwargs, changed)

    return _run(emit, code, traced, sites, call)


def nudged(emit, code, traced, sites):
    """Run a case as `case.run` does, what the calls at `sites` are given being a little off.

    Each element is moved by a unit in its last place, up or down without pattern.
    """
    return _given(emit, code, traced, sites, changed_numbers.nudged)


def scaled(emit, code, traced, sites, factor):
    """Run a case as `case.run` does, what the calls at `sites` are given being times `factor`."""
    return _given(
        emit,
        code,
        traced,
        sites,
        lambda value: changed_numbers.times(value, lambda order, _: 0 * order + factor),
    )


def cleaned(emit, code, traced, sites, number):
    """Run a case as `case.run` does, the calls at `sites` being given `number` in place of each NaN
    and infinity."""
    return _given(emit, code, traced, sites, changed_numbers.cleaning(number))


def bounded(emit, code, traced, sites, falling, power=0.0, number=1.0):
    """Run a case as `case.run` does, the calls at `sites` being given large numbers for infinities.

    These are `number` times the largest one to the `power`: whither does the result go? Of several
    arguments with infinities the first one alone is changed (`falling`: the last one), and its
    numbers rise from element to element (`falling`: fall).
    """
    live = side.module("live")

    def size(largest):
        return number * largest**power

    def call(function, args, kwargs):
        owner = getattr(function, "__self__", None)
        given = [owner] if live.is_tensor(owner) else []
        given += _inputs(function, args, kwargs)
        infinite = [
            place for place, part in enumerate(given) if changed_numbers.infinite(live.array(part))
        ]
        chosen = infinite[-1 if falling else 0] if infinite else None
        places = iter(range(len(given)))

        def change(value):
            return live.bounded(value, size, falling) if next(places) == chosen else value

        return _call_given(function, args, kwargs, change)

    return _run(emit, code, traced, sites, call)


def gradients(emit, code, traced, sites):
    """Run a case as `case.run` does; `{"e": "gradients", "made": ...}` is emitted at its end.

    `made` tells whether a call at `sites` that had a finite result, and was given finite gradients,
    handed on others. Nothing is emitted where no gradient goes through these calls.
    """
    live = side.module("live")
    heard = []

    def call(function, args, kwargs):
        given, handed_on = [], []
        heard.append((given, handed_on))

        def source(value):
            return live.listened(value, handed_on.append)

        owner = getattr(function, "__self__", None)
        if live.is_tensor(owner):
            function = _of(function, source(owner))
        for parameter in live.parameters(function).values():
            live.listened(parameter, handed_on.append, alias=False)
        named = {name: _mapped(value, source) for name, value in kwargs.items()}
        result = function(*[_mapped(value, source) for value in args], **named)
        given += [
            changed_numbers.finite(live.array(part))
            for part in _parts(result)
            if live.is_tensor(part)
        ]
        return _mapped(result, lambda part: live.listened(part, given.append, alias=False))

    end = _run(emit, code, traced, sites, call)
    told = [(all(given), all(handed_on)) for given, handed_on in heard if handed_on]
    if told:
        emit({"e": "gradients", "made": any(fine and not kept for fine, kept in told)})
    return end


def reseeded(emit, code, traced, sites, number):
    """Run a case as `case.run` does, the calls at `sites` drawing the random numbers of a seed.

    What is drawn behind each of them is the same whatever `number` is.
    """

    def call(function, args, kwargs):
        child.seeded(number)
        try:
            return function(*args, **kwargs)
        finally:
            child.seeded(0)

    return _run(emit, code, traced, sites, call)


def omitted(emit, code, traced, sites):
    """Run a case as `case.run` does, the calls at `sites` being left out: the first tensor that
    they are given stands for what they give. Assertions end nothing, as in `run`."""
    live = side.module("live")

    def call(function, args, kwargs):
        given = (getattr(function, "__self__", None), *args, *kwargs.values())
        first = next(filter(live.is_tensor, _parts(given)), None)
        return function(*args, **kwargs) if first is None else first

    return _run(emit, code, _Tested().visit(ast.parse(traced)), sites, call)


def defaulted(emit, code, traced, sites, name):
    """Run a case as `case.run` does, the calls at `sites` being made without the argument for a
    parameter, where they have it; what is not named is looked up in the signature."""

    return _run(emit, code, traced, sites, functools.partial(_without, name))


def _without(name, function, args, kwargs):
    """Make a call without the argument for a parameter."""
    if name in kwargs:
        kwargs = {key: value for key, value in kwargs.items() if key != name}
        return function(*args, **kwargs)
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # of a function written in C, say
        return function(*args, **kwargs)
    if not any(one.kind is one.VAR_POSITIONAL for one in bound.signature.parameters.values()):
        bound.arguments.pop(name, None)  # what stands behind it can be named then
    return function(*bound.args, **bound.kwargs)


def told(emit, code, traced, sites, number=None, name=None):
    """Run a case as `case.run` does; each of the first calls at `sites` that returns is told of.

    `{"e": "told", "site", "occurrence", "given", "made"}`: records of the tensors and arrays that
    it is given, and of its result; of what `number` in place of each NaN and infinity makes of it,
    or the default of the parameter `name`, if there is one.
    """
    side.module("live").pin()
    wanted, told = frozenset(sites), []

    def hook(site, occurrence, function, args, kwargs):
        if site not in wanted or len(told) == MOST_TOLD:
            return None
        told.append(site)
        given = (getattr(function, "__self__", None), *_inputs(function, args, kwargs))
        kept = [contents.recorded(one) for one in given]
        if name is not None:
            result = _without(name, function, args, kwargs)
        elif number is None:
            result = function(*args, **kwargs)
        else:
            result = _call_given(function, args, kwargs, changed_numbers.cleaning(number))
        record = {"given": [one for one in kept if one["k"] in ("tensor", "array")]}
        record.update(e="told", site=site, occurrence=occurrence, made=contents.recorded(result))
        emit(record)
        return (result,)

    return case.run(emit, code, traced, hook)


def _given(emit, code, traced, sites, change):
    """Run a case with what the calls at `sites` are given changed, their own tensor included."""

    def call(function, args, kwargs):
        return _call_given(function, args, kwargs, change)

    return _run(emit, code, traced, sites, call)


def _call_given(function, args, kwargs, change):
    """Make a call with other arguments; what it writes to them reaches the case's own."""
    live, copies = side.module("live"), Copies(change)
    owner = getattr(function, "__self__", None)
    if live.is_tensor(owner):
        function = _of(function, copies.of(owner))
    made = _numbers(function, args, kwargs)

    def other(value):
        tensor = made.get(id(value))
        if tensor is None:
            return _mapped(value, copies.of)
        changed = copies.of(tensor)
        if changed is tensor:
            return value
        # Lists in a list may be several tensors: what takes one makes it of them all the same.
        several = isinstance(value, (list, tuple)) and isinstance(value[0], (list, tuple))
        return [changed[place] for place in range(len(value))] if several else changed

    given = [other(value) for value in args]
    named = {name: other(value) for name, value in kwargs.items()}
    result = function(*given, **named)
    copies.write_back()
    return result


def _inputs(function, args, kwargs):
    """What a call is given, part by part, of numbers the tensor that it makes of them."""
    made = _numbers(function, args, kwargs)
    for value in (*args, *kwargs.values()):
        if id(value) in made:
            yield made[id(value)]
        else:
            yield from _parts(value)


def _numbers(function, args, kwargs):
    """The tensors that a call makes of arrays and lists of numbers, by the `id` of these.

    A number alone is one where the call is given nothing else; classes keep what they are given.
    """
    if isinstance(function, type):
        return {}
    live = side.module("live")
    values = (*args, *kwargs.values())
    made = {id(value): live.of_numbers(value) for value in values if type(value) is not float}
    found = {number: tensor for number, tensor in made.items() if tensor is not None}
    owner = getattr(function, "__self__", None)
    if found or live.is_tensor(owner) or any(map(live.is_tensor, _parts(values))):
        return found
    alone = {id(value): live.of_numbers(value) for value in values if type(value) is float}
    return {number: tensor for number, tensor in alone.items() if tensor is not None}


def _of(method, owner):
    """The same method of another object; one written in Python may go by another name in it."""
    made = getattr(method, "__func__", None)
    return getattr(owner, method.__name__) if made is None else made.__get__(owner)


def _run(emit, code, traced, sites, call):
    side.module("live").pin()
    wanted = frozenset(sites)

    def hook(site, occurrence, function, args, kwargs):
        return (call(function, args, kwargs),) if site in wanted else None

    return case.run(emit, code, traced, hook)
