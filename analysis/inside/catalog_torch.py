"""Walk the public names of PyTorch: one record per object, with aliases and signatures.

Out, per object: `{"n": canonical name, "k": kind, "a": aliases, "s": signatures, "c": signatures of
the call, "d": documented, "w": words of its documentation, "o": aten operators behind it, "out":
takes `out=`}`; see `signatures_torch` for the signatures. The canonical name lies in the most
specific public namespace that has the object. Operators and methods with `_` before their name are
listed too, as undocumented: people call them, fuzzers above all.
"""

import inspect
import types

import signatures_torch
import torch
import words
from identity import Known
from public_torch import (
    ALSO,
    CONFIGURES,
    PUBLIC,
    is_called,
    is_constructor,
    is_function,
    is_private,
    loaded,
    public,
)
from schemas_torch import ATEN, Schemas

SPECIAL_METHODS = frozenset(
    "__%s%s__" % (prefix, name)
    for name in "add sub mul matmul truediv floordiv mod pow and or xor lshift rshift div".split()
    for prefix in ("", "r", "i")
) | frozenset(
    "__%s__" % name
    for name in "neg pos abs invert eq ne lt le gt ge getitem setitem contains len".split()
)


def walk():
    """Yield the record of every public object."""
    schemas = Schemas()
    entries = Known()
    for namespace in PUBLIC:
        module = loaded(namespace)
        for name, thing in public(namespace, module):
            entries.setdefault(thing, []).append(namespace + "." + name)
    for name, thing in private(torch, schemas):
        entries.setdefault(thing, []).append("torch." + name)
    for namespace in ALSO:
        module = loaded(namespace)
        for name, thing in sorted(vars(module).items()) if module is not None else ():
            if thing in entries and not name.startswith("__"):
                entries[thing].append(namespace + "." + name)
    for thing, names in entries.items():
        record = describe(thing, names, schemas)
        if record is not None:
            yield record
    for record in methods(schemas):
        yield record
    for record in operators(schemas):
        yield record


def private(module, schemas):
    """(name, built-in) of the operators that a namespace has with `_` before their name."""
    for name, thing in sorted(vars(module).items()):
        builtin = is_private(name) and isinstance(thing, types.BuiltinFunctionType)
        if builtin and schemas.overloads(name):
            yield name, thing


def describe(thing, names, schemas):
    """The record of a function or class, None for what only configures the framework."""
    hidden = is_private(names[0].rpartition(".")[2])
    record = {"n": names[0], "d": not hidden and bool(getattr(thing, "__doc__", None))}
    record["w"], record["o"], record["out"] = words.of(thing), [], False
    if is_constructor(thing):
        record["k"], record["c"] = "function", []
        record["s"] = signatures_torch.legacy()
    elif isinstance(thing, type):
        record["k"] = "module" if is_called(thing) else "class"
        record["s"] = signatures_torch.constructor(thing)
        record["c"] = signatures_torch.call(thing) if record["k"] == "module" else []
    else:
        record["k"], record["c"] = "function", []
        record["s"] = signatures_torch.function(thing, schemas)
        record["o"] = schemas.known(getattr(thing, "__name__", "")) if operative(names[0]) else []
        record["out"] = takes_out(thing, record["o"], schemas)
        if configures(names[0].rpartition(".")[2], record["s"]):
            return None
    home = "{}.{}".format(thing.__module__, getattr(thing, "__qualname__", thing.__name__))
    if home.startswith("torch.") and "<locals>" not in home:
        names.append(home)
    record["a"] = sorted(set(names[1:]) - {names[0]})
    return record


def operative(name):
    """Whether a function of that name stands for the operator of the same name, if there is one."""
    return not name.startswith(("torch.ao.", "torch.nn.init.", "torch.nn.utils.", "torch.jit."))


def takes_out(thing, operators, schemas):
    """Whether a function takes `out=`: it says so, or its operator was declared with it."""
    if isinstance(thing, types.BuiltinFunctionType):
        return any(name in schemas.with_out for name in operators)
    try:
        return "out" in inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return False


def configures(name, signatures):
    """Whether a function has no tensor to work on, but a setting to read or write."""
    rows = [row for signature in signatures for row in signature["p"]]
    if any("Tensor" in (row[1] or "") for row in rows):
        return False
    return CONFIGURES.match(name) is not None or (bool(signatures) and not rows)


def methods(schemas):
    """Records of the methods of the tensor class, operators of the language included."""
    seen = Known()
    inherited = set(dir(object)) - SPECIAL_METHODS
    names = set(dir(torch.Tensor)) - inherited
    for name in sorted(names, key=lambda name: (name.startswith("_"), name)):
        thing = getattr(torch.Tensor, name, None)
        hidden = name.startswith("_") and name not in SPECIAL_METHODS
        if hidden and not (is_private(name) and schemas.overloads(name)):
            continue
        if thing is None or not is_function(thing):
            continue
        if thing in seen:
            seen[thing]["a"].append("torch.Tensor." + name)
            continue
        seen[thing] = {
            "n": "torch.Tensor." + name,
            "k": "method",
            "a": [base + name for base in ("torch._tensor.Tensor.", "torch._C.TensorBase.")],
            "s": signatures_torch.method(name, thing, schemas),
            "c": [],
            "d": bool(thing.__doc__) and not hidden,
            "w": words.of(thing),
            "o": schemas.known(name) or signatures_torch.stands_for(name, schemas),
            "out": False,
        }
    return seen.values()


def operators(schemas):
    """Records of the operators that Python can reach."""
    for name in schemas.names():
        if name.startswith("__"):
            continue
        found = signatures_torch.operator(name, schemas)
        library, _, leaf = name.rpartition("::")
        library = library or ATEN
        if not found or getattr(getattr(torch.ops, library), leaf, None) is None:
            continue
        full = "torch.ops.{}.{}".format(library, leaf)
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
            "w": "",
            "o": [name],
            "out": schemas.has_out(name),
        }
