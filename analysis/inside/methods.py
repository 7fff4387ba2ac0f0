"""Run a case up to one of its calls, and tell what else the object can do that it is called on.

Emits {"e": "method", "n": public name, "p": rows of `parameters`} for each public method of the
framework, the called one among them.
"""

import inspect

import case
import parameters
import side


def run(emit, code, traced, site, occurrence):
    """Execute the case as `case.run` does, until the call at `site` is made the `occurrence`th
    time."""
    names = side.module("names")
    side.module("live").pin()

    def hook(at, nth, function, args, kwargs):
        if (at, nth) != (site, occurrence):
            return None
        for name, rows in _methods(getattr(function, "__self__", None), names):
            emit({"e": "method", "n": name, "p": rows})
        raise case.Stop

    return case.run(emit, code, traced, hook)


def _methods(owner, names):
    """Name and parameters, the receiver first, of the methods that the framework gives an object.

    Those of a case's own class are nobody's.
    """
    kind = type(owner)
    for name in sorted(dir(kind)):
        thing = inspect.getattr_static(kind, name, None)
        if name.startswith("_") or not inspect.isfunction(thing):
            continue
        try:
            found = names.identify(getattr(owner, name))
        except Exception:  # an object that is only half made
            continue
        rows = parameters.inspected(thing)
        if found is not None and found[1] == "method" and rows:
            yield found[0], rows
