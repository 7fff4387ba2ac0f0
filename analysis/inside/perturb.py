"""Run a watched case with some of its calls made otherwise.

`run` replaces their results: what depends on them? `doubled` hands them their tensors in double
precision: does the trouble stay?
"""

import case
import side


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
    live = side.module("live")

    def call(function, args, kwargs):
        owner = getattr(function, "__self__", None)
        if live.is_tensor(owner):
            function = getattr(live.doubled(owner), function.__name__)
        named = {name: live.doubled(value) for name, value in kwargs.items()}
        return function(*[live.doubled(value) for value in args], **named)

    return _run(emit, code, traced, sites, call)


def _run(emit, code, traced, sites, call):
    side.module("live").pin()
    wanted = frozenset(sites)

    def hook(site, occurrence, function, args, kwargs):
        return (call(function, args, kwargs),) if site in wanted else None

    return case.run(emit, code, traced, hook)
