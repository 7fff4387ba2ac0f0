"""Walk the public names of PyTorch: one record per object, with aliases and signatures.

Out, per object: `{"n": canonical name, "k": kind, "a": aliases, "s": signatures, "c": signatures of
the call, "d": documented}`; see `signatures_torch` for the signatures. The canonical name lies in
the most specific public namespace that has the object. Operators with `_` before their name are
listed too, as undocumented: people call them, fuzzers above all.
"""

import importlib
import re
import sys
import types

import signatures_torch
import torch
from schemas_torch import Schemas

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
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils",
    "torch.nn.init",
    "torch.nn",
    "torch.distributions",
    "torch.optim.lr_scheduler",
    "torch.optim",
    "torch.autograd",
    "torch",
)
# Where the same objects can be seen too; these only give aliases.
PRIVATE = (
    "torch.functional",
    "torch._VF",
    "torch._C._nn",
    "torch._C._linalg",
    "torch._C._fft",
    "torch._C._special",
    "torch._C._sparse",
    "torch._C._nested",
)
SPECIAL_METHODS = frozenset(
    "__%s%s__" % (prefix, name)
    for name in "add sub mul matmul truediv floordiv mod pow and or xor lshift rshift div".split()
    for prefix in ("", "r", "i")
) | frozenset(
    "__%s__" % name
    for name in "neg pos abs invert eq ne lt le gt ge getitem setitem contains len".split()
)
CONFIGURES = re.compile(r"(set|get|is|are|has|use|enable|disable|init)_")


def walk():
    """Yield the record of every public object."""
    schemas = Schemas()
    entries = {}
    for namespace in PUBLIC:
        module = loaded(namespace)
        for name, thing in public(namespace, module):
            entries.setdefault(id(thing), (thing, []))[1].append(namespace + "." + name)
    for name, thing in private(torch, schemas):
        entries.setdefault(id(thing), (thing, []))[1].append("torch." + name)
    for namespace in PRIVATE:
        for name, thing in sorted(vars(loaded(namespace) or torch.hub).items()):
            if id(thing) in entries and not name.startswith("__"):
                entries[id(thing)][1].append(namespace + "." + name)
    for thing, names in entries.values():
        record = describe(thing, names, schemas)
        if record is not None:
            yield record
    for record in methods(schemas):
        yield record
    for record in operators(schemas):
        yield record


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
        if isinstance(thing, type):
            if offered_class(thing) and (name in exported or at_home(thing, namespace)):
                yield name, thing
        elif is_function(thing) and (name in exported or at_home(thing, namespace)):
            yield name, thing


def private(module, schemas):
    """(name, built-in) of the operators that a namespace has with `_` before their name."""
    for name, thing in sorted(vars(module).items()):
        builtin = is_private(name) and isinstance(thing, types.BuiltinFunctionType)
        if builtin and schemas.overloads(name):
            yield name, thing


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


def describe(thing, names, schemas):
    """The record of a function or class, None for what only configures the framework."""
    hidden = is_private(names[0].rpartition(".")[2])
    record = {"n": names[0], "d": not hidden and bool(getattr(thing, "__doc__", None))}
    if isinstance(thing, type):
        record["k"] = "module" if issubclass(thing, torch.nn.Module) else "class"
        record["s"] = signatures_torch.constructor(thing)
        record["c"] = signatures_torch.call(thing) if record["k"] == "module" else []
    else:
        record["k"], record["c"] = "function", []
        record["s"] = signatures_torch.function(thing, schemas)
        if configures(names[0].rpartition(".")[2], record["s"]):
            return None
    home = "{}.{}".format(thing.__module__, getattr(thing, "__qualname__", thing.__name__))
    if home.startswith("torch.") and "<locals>" not in home:
        names.append(home)
    record["a"] = sorted(set(names[1:]) - {names[0]})
    return record


def configures(name, signatures):
    """Whether a function has no tensor to work on, but a setting to read or write."""
    rows = [row for signature in signatures for row in signature["p"]]
    if any("Tensor" in (row[1] or "") for row in rows):
        return False
    return CONFIGURES.match(name) is not None or (bool(signatures) and not rows)


def methods(schemas):
    """Records of the methods of the tensor class, operators of the language included."""
    seen = {}
    inherited = set(dir(object)) - SPECIAL_METHODS
    for name in sorted(set(dir(torch.Tensor)) - inherited):
        if name.startswith("_") and name not in SPECIAL_METHODS:
            continue
        thing = getattr(torch.Tensor, name, None)
        if thing is None or not is_function(thing):
            continue
        if id(thing) in seen:
            seen[id(thing)]["a"].append("torch.Tensor." + name)
            continue
        seen[id(thing)] = {
            "n": "torch.Tensor." + name,
            "k": "method",
            "a": [base + name for base in ("torch._tensor.Tensor.", "torch._C.TensorBase.")],
            "s": signatures_torch.method(name, thing, schemas),
            "c": [],
            "d": bool(thing.__doc__),
        }
    return list(seen.values())


def operators(schemas):
    """Records of the operators of the aten library that Python can reach."""
    for name in schemas.names():
        if name.startswith("__"):
            continue
        found = signatures_torch.operator(name, schemas)
        if not found or getattr(torch.ops.aten, name, None) is None:
            continue
        full = "torch.ops.aten." + name
        aliases = [full + "." + (overload or "default") for overload, _ in found]
        if hasattr(torch._C._nn, name) and not hasattr(torch.nn.functional, name):
            aliases.append("torch._C._nn." + name)
        yield {
            "n": full,
            "k": "op",
            "a": aliases,
            "s": [signature for _, signature in found],
            "c": [],
            "d": False,
        }
