"""Functions that the case's text does not call itself, but hands over: `map(torch.abs, xs)`.

Where a foreign function is called, the framework's functions among its arguments are replaced by
watched ones, whose calls are traced at the site at which they were handed over.
"""

import functools
import types

CALLERS = frozenset(
    "map filter starmap reduce assertRaises assertRaisesRegex raises submit to_thread".split()
)
"""Functions that call what they are given, be it a layer or a class."""
BUILTINS = frozenset(("map", "filter", "sorted", "min", "max"))
"""Of Python's own functions, those that call what they are given."""
EXAMINERS = (
    "functools inspect copy pickle typing weakref operator types abc dataclasses multiprocessing "
    "torch.jit torch.fx torch.export torch.onnx torch.compiler torch._dynamo torch.overrides "
    "torch.multiprocessing torch.library torch.package torch.utils._pytree torch.serialization"
).split()
"""Modules whose functions look at a function, or keep it, rather than calling it."""
CONTAINERS = (list, dict, set, tuple, str)


class Handed:
    """The watched functions of one run."""

    def __init__(self, tracer):
        self.tracer = tracer
        self.originals = {}
        self.kept = []

    def original(self, function):
        """The function behind a watched one."""
        return self.originals.get(id(function), function)

    def watched(self, site, function, args, kwargs):
        """The arguments for a call, the functions among them watched."""
        names = self.tracer.names
        if names is None or not calls_arguments(function):
            return args, kwargs
        layers = getattr(function, "__name__", "") in CALLERS

        def watch(value):
            if names.operation(value) or (layers and names.layer(value)):
                return self.watch(site, value)
            return value

        return [watch(value) for value in args], {k: watch(v) for k, v in kwargs.items()}

    def watch(self, site, function):
        """A function that calls another one, and is traced."""

        def call(*args, **kwargs):
            return self.tracer.call(site, function, args, kwargs, within="handed")

        try:
            functools.update_wrapper(call, function)
            # A method of a class in C++ tells its module by its class alone.
            call.__module__ = getattr(function, "__module__", None) or of_class(function)
        except Exception:
            pass
        self.originals[id(call)] = function
        self.kept.append(call)
        return call


def of_class(function):
    """The module of the class whose method a function is."""
    return getattr(getattr(function, "__objclass__", None), "__module__", __name__)


def unbound(function, args, kwargs):
    """A call of a partial function as a call of the function: what is bound is an argument."""
    while type(function) is functools.partial:
        args = (*function.args, *args)
        function, kwargs = function.func, dict(function.keywords, **kwargs)
    return function, args, kwargs


def calls_arguments(function):
    """Whether functions that are handed to a function may be called by it, out of the text."""
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or ""
    if name in CALLERS:
        return True
    if module == "__main__" or own_code(function):
        return False
    if module in ("builtins", "") or isinstance(getattr(function, "__self__", None), CONTAINERS):
        return name in BUILTINS
    if module == "torch" and name == "compile":
        return False
    return not any(module == one or module.startswith(one + ".") for one in EXAMINERS)


def own_code(function):
    """Whether a function is part of the case, which is traced as it is."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    return isinstance(code, types.CodeType) and code.co_filename.endswith("case.py")
