"""Run a watched case with some of its calls made otherwise.

`run` replaces their results: what depends on them? `doubled` hands them their tensors in double
precision: does the trouble stay? `nudged` changes the last digit of their inputs: is it more than
that which is wrong?
"""

import sys

import case
import side
from values import describe

EPSILON = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "complex64": 2.0**-23,
    "float64": 2.0**-52,
    "complex128": 2.0**-52,
}
"""The distance from 1 to the next number, by dtype."""


def run(emit, code, traced, sites):
    """Run a case as `case.run` does, the results of the calls at `sites` being replaced.

    A result that is one of the arguments (`out=`, in-place) gets other content instead.
    """
    live = side.module("live")

    def call(function, args, kwargs):
        result = function(*args, **kwargs)
        other = live.perturbed(result)
        given = (*args, *kwargs.values(), getattr(function, "__self__", None))
        if any(result is value for value in given):
            live.overwrite(result, other)
            return result
        return other

    return _run(emit, code, traced, sites, call)


def doubled(emit, code, traced, sites):
    """Run a case as `case.run` does, the calls at `sites` being given double precision."""
    return _given(emit, code, traced, sites, side.module("live").doubled)


def nudged(emit, code, traced, sites):
    """Run a case as `case.run` does, what the calls at `sites` are given being a little off.

    Each element is moved by a unit in its last place, up or down without pattern.
    """
    return _given(emit, code, traced, sites, _nudged)


def _nudged(value):
    numpy = sys.modules.get("numpy")
    record = describe(value)
    step = EPSILON.get(record.get("dtype"))
    if numpy is None or step is None or record.get("layout", "strided") != "strided":
        return value
    shape = record.get("shape") or ()
    order = numpy.arange(int(numpy.prod(shape, dtype=numpy.int64)), dtype=numpy.int64)
    up = (order * 1103515245 + 12345) // 65536 % 2  # the usual linear congruence: no period shows
    return side.module("live").scaled(value, (1 + step * (2 * up - 1)).reshape(shape))


def _given(emit, code, traced, sites, change):
    """Run a case with what the calls at `sites` are given changed, their own tensor included."""
    live = side.module("live")

    def call(function, args, kwargs):
        owner = getattr(function, "__self__", None)
        if live.is_tensor(owner):
            function = getattr(change(owner), function.__name__)
        named = {name: change(value) for name, value in kwargs.items()}
        return function(*[change(value) for value in args], **named)

    return _run(emit, code, traced, sites, call)


def _run(emit, code, traced, sites, call):
    side.module("live").pin()
    wanted = frozenset(sites)

    def hook(site, occurrence, function, args, kwargs):
        return (call(function, args, kwargs),) if site in wanted else None

    return case.run(emit, code, traced, hook)
