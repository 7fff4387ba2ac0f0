"""Which PyTorch API a callable object is; the clean parent imports it: no operation here."""

import sys
import types

import torch
from identity import Known
from overlooked_torch import overlook
from public_torch import PUBLIC, is_called, is_constructor

__all__ = ["overlook"]

NAMESPACES = (*PUBLIC, "torch._C._nn")
PRIVATE = ("torch", "torch._C._nn")
"""Where operators with `_` before their name can be called; see `catalog_torch.private`."""
TENSOR = "torch.Tensor"
_NAMES = Known()
_TENSOR_METHODS = Known()


def prepare():
    """Build the table from object to name; one walk, before any fork."""
    for namespace in NAMESPACES:
        module = sys.modules.get(namespace)
        for name, thing in sorted(vars(module).items()) if module is not None else ():
            if callable(thing) and not name.startswith("_") and _is_own(thing):
                _NAMES.setdefault(thing, "{}.{}".format(namespace, name))
    for namespace in PRIVATE:
        module = sys.modules.get(namespace)
        for name, thing in sorted(vars(module).items()) if module is not None else ():
            if name.startswith("_") and isinstance(thing, types.BuiltinFunctionType):
                _NAMES.setdefault(thing, "{}.{}".format(namespace, name))
    for name in dir(torch.Tensor):
        thing = getattr(torch.Tensor, name, None)
        if callable(thing) and not isinstance(thing, type):
            _TENSOR_METHODS.setdefault(thing, "torch.Tensor." + name)


def _is_own(thing):
    """Whether a function is PyTorch's; modules have what they import, too (`copy.deepcopy`)."""
    module = getattr(thing, "__module__", None) or "torch"
    return not isinstance(thing, type) and module.split(".")[0] == "torch"


def coded():
    """`(public name, function)` of functions, methods of tensors and layers: what calls run."""
    for namespace in NAMESPACES:
        module = sys.modules.get(namespace)
        for name, thing in sorted(vars(module).items()) if module is not None else ():
            if isinstance(thing, type) and issubclass(thing, torch.nn.Module):
                yield _class_name(thing), vars(thing).get("forward")
            elif thing in _NAMES:
                yield _NAMES[thing], thing
    for name in dir(torch.Tensor):
        thing = getattr(torch.Tensor, name, None)
        if thing in _TENSOR_METHODS:
            yield _TENSOR_METHODS[thing], thing


def identify(function):
    """(public name, form, receiver) of a callable of PyTorch, or None for a foreign one."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.Tensor):
        return _method_name(function), "method", owner
    if isinstance(function, torch.nn.Module):
        return _class_name(_public(type(function), "forward")), "module", function
    if isinstance(owner, torch.nn.Module):
        found = _own(function, owner)
        if found is not None:
            return found
    name = _NAMES.get(function)
    if name is not None:
        return name, "function", None
    name = _TENSOR_METHODS.get(function)
    if name is not None:
        return name, "unbound", None
    if _is_called(type(function)):
        return _class_name(type(function)), "module", function
    if is_constructor(function):
        return _class_name(function), "function", None
    if isinstance(function, type):
        name = _class_name(_public(function, "__init__"))
        return (name, "class", None) if name.startswith("torch.") else None
    if getattr(function, "__wrapped__", None) in _NAMES:
        return None  # what was made of an operation (`vmap(torch.abs)`) is another one
    return _by_module(function)


def _is_called(kind):
    """Whether a class is one of distributions whose objects are called: a transform, say."""
    return str(kind.__module__).startswith("torch.distributions.") and is_called(kind)


def _method_name(method):
    """`x.__pow__` is a wrapper that calls itself `pow`."""
    made_by = getattr(method, "__func__", None)
    if made_by is None or getattr(torch.Tensor, method.__name__, None) is made_by:
        return "torch.Tensor." + method.__name__
    return _TENSOR_METHODS.get(made_by, "torch.Tensor." + method.__name__)


def _own(function, layer):
    """`layer.forward(x)`, `super().forward(x)` and `super().__init__(...)` of a layer."""
    name = function.__name__
    made_by = getattr(function, "__func__", None)
    if name not in ("forward", "__init__") or made_by is None:
        return None
    kinds = type(layer).__mro__
    maker = next((kind for kind in kinds if vars(kind).get(name) is made_by), None)
    public = next((kind for kind in kinds if _is_layer(kind)), None)
    if maker is None or public is None or not maker.__module__.startswith("torch."):
        return None
    return _class_name(public), "module" if name == "forward" else "class", layer


def _public(kind, method):
    """The framework's class that a case's class inherits `method` from, else the class itself."""
    if kind.__module__.split(".")[0] == "torch" or not issubclass(kind, torch.nn.Module):
        return kind
    base = next((base for base in kind.__mro__ if _is_layer(base)), None)
    return base if base is not None and _inherits(kind, base, method) else kind


def _inherits(kind, base, method):
    return getattr(kind, method) is getattr(base, method)


def _is_layer(kind):
    """Whether a class is one of the framework's layers, and no mere frame for layers."""
    frames = (torch.nn.Module, torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)
    inside = kind.__module__.startswith("torch.") and issubclass(kind, torch.nn.Module)
    return inside and kind not in frames and not kind.__name__.startswith("_")


def _by_module(function):
    kind = type(function).__name__
    if kind in ("OpOverloadPacket", "OpOverload"):
        parts = str(function).split(".")
        return "torch.ops." + ".".join(parts[:2]), "function", None
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] != "torch":
        return None
    owner = getattr(function, "__self__", None)
    if kind == "method" and type(owner).__module__.split(".")[0] == "torch":
        return "{}.{}".format(_class_name(type(owner)), function.__name__), "method", owner
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", kind)
    return "{}.{}".format(module, name), "function", None


def _class_name(kind):
    return "{}.{}".format(kind.__module__, kind.__qualname__)


def layers(function):
    """The layers of a plain `Sequential` without hooks, else None."""
    sequential = torch.nn.Sequential
    if not isinstance(function, sequential) or type(function).forward is not sequential.forward:
        return None
    return None if function._forward_hooks or function._forward_pre_hooks else list(function)


def parts(function):
    """Layers that are gone through only when the whole fails; `layers` does it at once here."""
    return None


def interesting(value):
    """Whether the tracer follows this object: tensors, layers and such."""
    return isinstance(value, (torch.Tensor, torch.nn.Module)) or _is_called(type(value))


def compiled_from(function):
    """The Python function that TorchScript was made from, where that is known (from 2.0 on)."""
    if isinstance(function, torch.jit.ScriptFunction):
        return getattr(function, "_torchdynamo_inline", None)
    return None


def compiled(function):
    """Whether a compiler made this of a function or a layer."""
    if isinstance(function, types.FunctionType):
        return "_torchdynamo_orig_callable" in function.__dict__
    scripted = isinstance(function, (torch.jit.ScriptFunction, torch.jit.ScriptModule))
    return scripted or type(function).__name__ == "OptimizedModule"


def operation(thing):
    """Whether a value is one of the framework's functions."""
    if isinstance(thing, (type, torch.nn.Module, torch.jit.ScriptFunction)):
        return False
    if thing in _NAMES or thing in _TENSOR_METHODS:
        return True
    return type(thing).__name__ in ("OpOverloadPacket", "OpOverload")


def layer(thing):
    """Whether a value is a layer or a class of layers."""
    kind = thing if isinstance(thing, type) else type(thing)
    return issubclass(kind, torch.nn.Module)
