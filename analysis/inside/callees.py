"""Run a case and tell which public functions of the framework one of its calls calls in turn.

Emits {"e": "callee", "f": public name, "given": {parameter: value}} for each, as soon as it is
called: what runs before a crash is known, too. It is told again where it is given something else,
a few times; nothing is known of what functions in C are given. The call itself is none of them.
"""

import inspect
import sys
import types

import case
import side
from described import elements, product
from values import describe

MOST_TOLD = 8
"""How often a function that is called with ever other arguments is told."""
MOST_ELEMENTS = 16


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
        self.told = {}

    def __call__(self, frame, event, function):
        name, given = None, {}
        if event == "call":
            name = self.codes.get(frame.f_code)
        elif event == "c_call":
            name = self.of_builtin(function)
        told = self.told.setdefault(name, [])
        if name is None or len(told) >= MOST_TOLD:
            return
        if event == "call":
            given = _given(frame)
        if given not in told:
            told.append(given)
            self.emit({"e": "callee", "f": name, "given": given})

    def of_builtin(self, function):
        """The public name of a function in C; most are Python's own."""
        try:
            found = self.names.identify(function)
        except Exception:  # an object that is only half made
            return None
        return None if found is None else found[0]


def _given(frame):
    """Parameter -> record of what a function in Python is given, small arrays with elements."""
    code, found = frame.f_code, {}
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if name not in frame.f_locals:
            continue
        value = frame.f_locals[name]
        try:
            found[name] = record = describe(value, 1)
            shape = record.get("shape")
            if shape is not None and product(shape) <= MOST_ELEMENTS:
                content = elements(value)
                if content is not None:
                    record["data"] = content
        except Exception:  # an object that is only half made
            found.pop(name, None)
    return found


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
