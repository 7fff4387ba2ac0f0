"""Which namespaces of PyTorch are public, and which of the objects in them are APIs.

In: a namespace's name. Out: (name, object) of the functions, layers and such classes in it. The
order of the namespaces says which of an object's names is canonical.
"""

import enum
import importlib
import inspect
import re
import sys

import torch

# Most specific first: the first one that has an object names it.
PUBLIC = (
    "torch.nn.functional",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.sparse",
    "torch.signal.windows",
    "torch.nested",
    "torch.masked",
    "torch.func",
    "torch.autograd.functional",
    "torch.autograd.graph",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.prune",
    "torch.nn.utils.stateless",
    "torch.nn.utils",
    "torch.nn.init",
    "torch.nn.attention.bias",
    "torch.nn.attention.flex_attention",
    "torch.nn.attention",
    "torch.nn",
    "torch.nn.parallel",
    "torch.ao.nn.quantized.functional",
    "torch.ao.nn.quantized.dynamic",
    "torch.ao.nn.quantized",
    "torch.ao.nn.intrinsic",
    "torch.ao.nn.qat",
    "torch.ao.quantization",
    "torch.distributions",
    "torch.distributions.transforms",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.optim",
    "torch.amp",
    "torch.utils.data",
    "torch.utils.checkpoint",
    "torch.quasirandom",
    "torch.jit",
    "torch.fx",
    "torch.autograd",
    "torch",
)
# Where the same objects can be seen too; these only give aliases.
ALSO = (
    "torch.functional",
    "torch.utils.dlpack",
    "torch.distributions.kl",
    "torch.nn.modules",
    "torch.nn.quantized",
    "torch.nn.quantized.dynamic",
    "torch.nn.quantized.functional",
    "torch.nn.intrinsic",
    "torch.nn.qat",
    "torch.quantization",
    "torch._VF",
    "torch._C._nn",
    "torch._C._linalg",
    "torch._C._fft",
    "torch._C._special",
    "torch._C._sparse",
    "torch._C._nested",
)
NO_MORE_CLASSES = ("torch", "torch.autograd", "torch.jit", "torch.fx")
"""Namespaces whose further classes are settings, or belong to compilers and tracers."""
LEGACY = type(torch.FloatTensor)
"""What the constructors are of that make tensors of one dtype."""
CONFIGURES = re.compile(r"(set|get|is|are|has|use|enable|disable|init)_")


def loaded(namespace):
    """The module or namespace object of that name, None where this build lacks it."""
    try:
        return importlib.import_module(namespace)
    except ImportError:
        pass
    parent, _, name = namespace.rpartition(".")
    return getattr(sys.modules.get(parent), name, None)


def public(namespace, module):
    """(name, object) of what a namespace offers: functions, layers and such classes."""
    if module is None:
        return
    exported = set(getattr(module, "__all__", ()))
    for name in sorted(exported | set(dir(module))):
        thing = getattr(module, name, None)
        if name.startswith("_") or not callable(thing):
            continue
        if name not in exported and not at_home(thing, namespace):
            continue
        if is_constructor(thing):
            if namespace == thing.__module__:  # `torch.fft` exports `Tensor`, too
                yield name, thing
        elif isinstance(thing, type):
            if offered_class(thing) or (namespace not in NO_MORE_CLASSES and useful_class(thing)):
                yield name, thing
        elif is_function(thing):
            yield name, thing


def is_constructor(thing):
    """Whether it is one of the constructors from before `torch.tensor`: they make plain tensors."""
    return thing is torch.Tensor or isinstance(thing, LEGACY)


def is_called(kind):
    """Whether the objects of a class are functions of what they are called with: layers, transforms
    of distributions; not decorators and contexts."""
    if issubclass(kind, torch.nn.Module):
        return True
    call = next((vars(base)["__call__"] for base in kind.__mro__ if "__call__" in vars(base)), None)
    other = hasattr(kind, "__enter__") or issubclass(kind, torch.autograd.Function)
    return inspect.isfunction(call) and not other


def is_private(name):
    """Whether a name begins with `_` and is none of the language's own."""
    return name.startswith("_") and not name.startswith("__")


def is_function(thing):
    """Whether an object is a plain function or method, built in or not."""
    return type(thing).__name__ in (
        "function",
        "builtin_function_or_method",
        "method_descriptor",
        "wrapper_descriptor",
    )


def at_home(thing, namespace):
    """Whether an object is defined in the namespace or below it, not merely imported there.

    Built-in functions have no home but the namespaces that show them.
    """
    module = getattr(thing, "__module__", None)
    if type(thing).__name__ == "builtin_function_or_method":
        return module in (None, "torch", namespace) or module.startswith("torch._C")
    if module is None:
        return False
    if any(part.startswith("_") for part in module.split(".")):
        return module.rpartition(".")[0] == namespace and bool(thing.__doc__)
    return module == namespace or module.startswith(namespace + ".")


def offered_class(kind):
    """Layers, optimisers, schedules, distributions and tensor wrappers; no internals."""
    if (kind.__module__ or "").startswith("torch._C") or kind is torch.Tensor:
        return False
    schedules = torch.optim.lr_scheduler
    bases = (
        torch.nn.Module,
        torch.nn.Parameter,
        torch.optim.Optimizer,
        getattr(schedules, "LRScheduler", schedules._LRScheduler),
        torch.distributions.Distribution,
        torch.distributions.Transform,
    )
    return issubclass(kind, bases)


def useful_class(kind):
    """Documented classes of other kinds whose instances are made from something.

    Errors, enumerations, protocols and contexts that only switch settings are left out.
    """
    if (kind.__module__ or "").startswith("torch._C") or not kind.__doc__:
        return False
    others = (BaseException, enum.Enum, type, torch.autograd.Function)
    if kind.__name__.endswith("_") or issubclass(kind, others):
        return False
    try:
        given = [p for p in inspect.signature(kind).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return False
    switches = all(isinstance(item.default, bool) or item.annotation is bool for item in given)
    return bool(given) and not (switches and hasattr(kind, "__enter__"))
