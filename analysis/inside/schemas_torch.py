"""Operator schemas as signatures; the most trusted source.

In: operator names. Out: lists of `[name, type, default, flag]`, one list per overload that works on
tensors; `flag` is "k" for keyword-only parameters, else "". Types are the schema's own ("Tensor?",
"int[2]", "Scalar"), defaults are Python source text, None where the argument is required.
"""

import os
import re

import torch

ALIAS_SET = re.compile(r"\([a-z*]!?(?:\|[a-z*]!?)*(?: -> [a-z*|!]+)?\)")
DECLARED = re.compile(r"^- func: (\w+)\.\w+\(.*\* *,.*!\)", re.M)
DTYPES = (
    "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool"
    " qint8 quint8 qint32 bfloat16"
).split()
FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
LAYOUTS = ("strided", "sparse_coo")
ATEN = "aten"
LIBRARIES = (ATEN, "quantized")
"""The libraries whose operators people call; the others' are those of compilers, of communication
and of TorchScript."""


class Schemas:
    """All schemas by operator name, read once: `add` of aten, `quantized::add` of another library.

    `with_out` names the operators whose Python functions take `out=`.
    """

    def __init__(self):
        self.by_name = {}
        self.with_out = declared_with_out()
        for schema in torch._C._jit_get_all_schemas():
            library, _, name = schema.name.partition("::")
            if library in LIBRARIES:
                name = name if library == ATEN else schema.name
                self.by_name.setdefault(name, []).append(schema)

    def names(self):
        """Operator names, sorted."""
        return sorted(self.by_name)

    def known(self, name):
        """The operator of that name, as a list of at most one."""
        return [name] if self.overloads(name) else []

    def has_out(self, name):
        """Whether the operator itself has an overload for output arguments."""
        return any(map(for_output, self.by_name.get(name, ())))

    def overloads(self, name):
        """`[(overload name, parameters)]` of the overloads that Python callers can mean."""
        found = [schema for schema in self.by_name.get(name, ()) if wanted(schema)]
        if any(takes_tensor(schema) for schema in found) or self.generic(name):
            found = [schema for schema in found if takes_tensor(schema)]
        return [(schema.overload_name, parameters(schema)) for schema in found]

    def generic(self, name):
        """Whether TorchScript has its own, differently named, version for lists of any type."""
        return any(text(schema)[0].startswith("t[] ") for schema in self.by_name.get(name, ()))


def wanted(schema):
    """Whether an overload is not for output arguments and works on tensors at all."""
    if for_output(schema) or ", ...)" in str(schema) or "hacked_twin" in schema.overload_name:
        return False
    return takes_tensor(schema) or any("Tensor" in str(item.type) for item in schema.returns)


def for_output(schema):
    """Whether an overload writes to arguments that are given for it."""
    if any(getattr(argument, "is_out", False) for argument in schema.arguments):
        return True
    return schema.overload_name == "out" or schema.overload_name.endswith("_out")


def declared_with_out():
    """Names of the operators that the framework declares with `out`; its wheel has the list.

    Schemas do not tell: for many operators an overload for outputs is generated that no Python
    function knows.
    """
    parts = "torchgen", "packaged", "ATen", "native", "native_functions.yaml"
    path = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), *parts)
    try:
        with open(path, encoding="utf-8") as file:
            return set(DECLARED.findall(file.read()))
    except OSError:
        return set()


def takes_tensor(schema):
    """Whether one of the arguments is a tensor or holds tensors."""
    return any("Tensor" in str(argument.type) for argument in schema.arguments)


def text(schema):
    """The argument list of a schema as text, one piece for each argument."""
    line = ALIAS_SET.sub("", str(schema)).partition(" -> ")[0]
    return split(line[line.index("(") + 1 : line.rindex(")")])


def split(line):
    """Split at commas outside brackets and quotes; the bare `*` is dropped.

    >>> split('Tensor a, *, int[2] b=[1, 1]')
    ['Tensor a', 'int[2] b=[1, 1]']
    """
    parts, depth, quoted, start = [], 0, False, 0
    for at, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(line[start:at].strip())
            start = at + 1
    parts.append(line[start:].strip())
    return [part for part in parts if part and part != "*"] or [""]


def parameters(schema):
    """`[name, type, default, flag]` of each argument."""
    pieces = text(schema)
    rows = []
    for argument, piece in zip(schema.arguments, pieces):
        kind = piece.split(" ")[0].replace("SymInt", "int")
        default = None
        if argument.has_default_value():
            default = literal(argument.default_value, kind)
        rows.append([argument.name, kind, default, "k" if argument.kwarg_only else ""])
    return rows


def literal(value, kind):
    """Python source of a schema's default; enumerations are stored as numbers there."""
    base = kind.rstrip("?")
    names = {"ScalarType": DTYPES, "MemoryFormat": FORMATS, "Layout": LAYOUTS}.get(base)
    if names is not None and type(value) is int and 0 <= value < len(names):
        return "torch." + names[value]
    if type(value) is float and (value != value or value in (float("inf"), float("-inf"))):
        return 'float("{}")'.format(value)
    if isinstance(value, (type(None), bool, int, float, complex, str, list, tuple)):
        return repr(value)
    return "..." if "object at" in repr(value) else repr(value)
