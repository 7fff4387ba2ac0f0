"""The operators of TensorFlow as their definitions (OpDef) declare them.

Types of parameters are written in a small language, in signatures as in synthesis:
`Tensor`, `Tensor{float32,int32}` (allowed dtypes; `resource` and `variant` are handles, `Ref`
instead of `Tensor` is a variable of version 1), `Tensor[]` (a list), `int`, `float`, `bool`,
`string`, `string{SAME,VALID}`, `shape`, `type`, `type{float32,int32}`, `func`, `tensor` (a
constant) and lists of these such as `int[]`.
"""

import functools

import tensorflow as tf
from public_tensorflow import unwrapped
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import kernels, op_def_registry

MOST_DTYPES = 8
"""Longer lists of dtypes are left out of a type's text."""
_KERNELS = {}


def definition(name):
    """The definition of an operator, None where there is none."""
    return op_def_registry.get(name)


@functools.lru_cache(maxsize=None)
def by_code():
    """The operator of each generated Python function: its code object -> operator name.

    The function in `tf.raw_ops` is a wrapper with the name of the operator around a function
    that shares its code with the one elsewhere (`tf.bitwise.invert`).
    """
    found = {}
    for name in dir(tf.raw_ops):
        code = getattr(unwrapped(getattr(tf.raw_ops, name)), "__code__", None)
        if code is not None and not name.startswith("_"):
            found[code] = name
    return found


def operator_of(thing, codes):
    """The operator that a generated function runs, None for any other function."""
    return codes.get(getattr(unwrapped(thing), "__code__", None))


def dtype_name(number):
    """`float32` for the number of a dtype in a protocol buffer."""
    try:
        return tf.as_dtype(number).name
    except TypeError:
        return types_pb2.DataType.Name(number).replace("DT_", "").lower()


def allowed(attribute):
    """Names of the values that an attribute may take; empty where it may take any."""
    values = attribute.allowed_values.list
    return [dtype_name(item) for item in values.type] or [
        item.decode("utf-8", "replace") for item in values.s
    ]


def attribute_type(attribute):
    """Text of an attribute's type."""
    kind, listed = attribute.type, ""
    if kind.startswith("list("):
        kind, listed = kind[5:-1], "[]"
    return kind + braces(allowed(attribute)) + listed


def input_type(argument, attributes):
    """Text of an input's type."""
    base = "Ref" if argument.is_ref else "Tensor"
    listed = "[]" if argument.number_attr or argument.type_list_attr else ""
    if argument.type:
        return base + "{" + dtype_name(argument.type) + "}" + listed
    choices = attributes.get(argument.type_attr or argument.type_list_attr)
    return base + braces(allowed(choices) if choices is not None else []) + listed


def braces(choices):
    """The part of a type that lists what is allowed."""
    return "{" + ",".join(choices) + "}" if 0 < len(choices) <= MOST_DTYPES else ""


def types(definition_):
    """Type of each input and attribute of an operator: name -> text."""
    attributes = {item.name: item for item in definition_.attr}
    found = {item.name: input_type(item, attributes) for item in definition_.input_arg}
    for item in definition_.attr:
        found.setdefault(item.name, attribute_type(item))
    return found


def on_cpu(name):
    """What the CPU's kernels of an operator accept: a list of `{attribute: dtype names}`.

    Empty where no kernel runs on a CPU; functions and the like have no kernel, but still run.
    """
    if name not in _KERNELS:
        registered = kernels.get_registered_kernels_for_op(name).kernel
        _KERNELS[name] = [
            {
                item.name: [dtype_name(number) for number in item.allowed_values.list.type]
                for item in kernel.constraint
            }
            for kernel in registered
            if kernel.device_type in ("CPU", "DEFAULT")
        ]
    return _KERNELS[name]


def is_distributed(definition_):
    """Whether an operator waits for other machines or devices."""
    return bool(getattr(definition_, "is_distributed_communication", False))


def is_removed(definition_):
    """Whether an operator is kept for old graphs only; new ones may not have it."""
    version = definition_.deprecation.version
    return 0 < version <= tf.version.GRAPH_DEF_VERSION


def usual(attribute):
    """The dtype that an attribute has by default, None where it has none."""
    given = attribute.HasField("default_value") and attribute.default_value.type
    return dtype_name(given) if given else None


def names():
    """All operators in `tf.raw_ops` that have a definition."""
    listed = (name for name in sorted(dir(tf.raw_ops)) if not name.startswith("_"))
    return [name for name in listed if definition(name) is not None]
