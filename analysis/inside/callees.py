"""Run a case and tell which public functions of the framework one of its calls calls in turn.

Emits {"e": "callee", "f": public name} for each, once, as soon as it is called: what runs before a
crash is known, too. The call itself is none of them.
"""

import inspect
import sys
import types

import case
import side


def run(emit, code, traced, site, occurrence):
    """Execute the case as `case.run` does; `site` and `occurrence` are those of the call."""
    names = side.module("names")
    side.module("live").pin()

    def hook(at, nth, function, args, kwargs):
        if (at, nth) != (site, occurrence):
            return None
        follow = Follower(emit, names, _codes(names))
        sys.setprofile(follow)
        try:
            return (function(*args, **kwargs),)
        finally:
            sys.setprofile(None)

    return case.run(emit, code, traced, hook)


class Follower:
    """A profile function: Python functions are known by their code, those in C by themselves."""

    def __init__(self, emit, names, codes):
        self.emit = emit
        self.names = names
        self.codes = codes
        self.told = set()

    def __call__(self, frame, event, function):
        name = None
        if event == "call":
            name = self.codes.get(frame.f_code)
        elif event == "c_call":
            name = self.of_builtin(function)
        if name is not None and name not in self.told:
            self.told.add(name)
            self.emit({"e": "callee", "f": name})

    def of_builtin(self, function):
        """The public name of a function in C; most are Python's own."""
        try:
            found = self.names.identify(function)
        except Exception:  # an object that is only half made
            return None
        return None if found is None else found[0]


def _codes(names):
    """Code -> public name, of functions in Python; code that several share is nobody's."""
    found, shared = {}, set()
    for name, function in names.coded():
        code = _code(function)
        if code is not None and found.setdefault(code, name) != name:
            shared.add(code)
    return {code: name for code, name in found.items() if code not in shared}


def _code(function):
    """The code that a function runs below its decorators."""
    try:
        code = getattr(inspect.unwrap(function), "__code__", None)
    except Exception:  # decorated in a circle, or no function
        return None
    return code if isinstance(code, types.CodeType) else None
