"""Which PyTorch API a callable object is; the clean parent imports it: no operation here."""

import sys
import types

import torch
from public_torch import PUBLIC

NAMESPACES = (*PUBLIC, "torch._C._nn")
PRIVATE = ("torch", "torch._C._nn")
"""Where operators with `_` before their name can be called; see `catalog_torch.private`."""
TENSOR = "torch.Tensor"
_NAMES = {}
_TENSOR_METHODS = {}


def prepare():
    """Build the table from object to name; one walk, before any fork."""
    for namespace in NAMESPACES:
        module = sys.modules.get(namespace)
        for name, thing in sorted(vars(module).items()) if module is not None else ():
            if callable(thing) and not name.startswith("_") and not isinstance(thing, type):
                _NAMES.setdefault(id(thing), "{}.{}".format(namespace, name))
    for namespace in PRIVATE:
        module = sys.modules.get(namespace)
        for name, thing in sorted(vars(module).items()) if module is not None else ():
            if name.startswith("_") and isinstance(thing, types.BuiltinFunctionType):
                _NAMES.setdefault(id(thing), "{}.{}".format(namespace, name))
    for name in dir(torch.Tensor):
        thing = getattr(torch.Tensor, name, None)
        if callable(thing) and not isinstance(thing, type):
            _TENSOR_METHODS.setdefault(id(thing), "torch.Tensor." + name)


def identify(function):
    """(public name, form, receiver) of a callable of PyTorch, or None for a foreign one."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.Tensor):
        return "torch.Tensor." + function.__name__, "method", owner
    if isinstance(function, torch.nn.Module):
        return _class_name(type(function)), "module", function
    name = _NAMES.get(id(function))
    if name is not None:
        return name, "function", None
    name = _TENSOR_METHODS.get(id(function))
    if name is not None:
        return name, "unbound", None
    if isinstance(function, type):
        name = _class_name(function)
        return (name, "class", None) if name.startswith("torch.") else None
    return _by_module(function)


def _by_module(function):
    kind = type(function).__name__
    if kind in ("OpOverloadPacket", "OpOverload"):
        parts = str(function).split(".")
        return "torch.ops." + ".".join(parts[:2]), "function", None
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] != "torch":
        return None
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", kind)
    return "{}.{}".format(module, name), "function", None


def _class_name(kind):
    return "{}.{}".format(kind.__module__, kind.__qualname__)


def layers(function):
    """The layers of a plain `Sequential` without hooks, else None."""
    if type(function) is not torch.nn.Sequential:
        return None
    return None if function._forward_hooks or function._forward_pre_hooks else list(function)


def interesting(value):
    """Whether the tracer follows this object: tensors and layers."""
    return isinstance(value, (torch.Tensor, torch.nn.Module))
