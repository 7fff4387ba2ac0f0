"""The parameters of an API as a search sees them: where it starts, what it can try next.

In: rows of a signature (`signatures_tensorflow`), for operators also the definition. Out: `Slot`s,
whose `start` is the first gene for a given base shape and whose `mutate` is another one, with the
advice of a `Hint`. What a parameter's name says about its role is a fact of the framework's style:
`axis` is a dimension, `indices` and `segment_ids` are small integers, `shape` is a vector of sizes.
"""

import re

import opdefs_tensorflow as opdefs
from docs_tensorflow import described, dtypes_of
from genes_tensorflow import plain, tensor, vector
from handles_tensorflow import handle_kind, words

SHAPES = {
    0: ((),),
    1: ((3,), (2,), (4,), (1,), (0,)),
    2: ((2, 3), (3, 3), (4, 2), (2, 2), (1, 4)),
    3: ((2, 3, 4), (1, 3, 3), (4, 4, 3), (2, 2, 2)),
    4: ((1, 4, 4, 3), (2, 4, 4, 2), (3, 3, 3, 2), (1, 4, 4, 1)),
    5: ((1, 4, 4, 4, 2), (2, 2, 2, 3, 2)),
    6: ((1, 2, 2, 2, 2, 2),),
}
ROLES = (
    ("axis", "axis axe dim dimension"),
    ("index", "indice index id begin position offset coordinate row col column label"),
    ("shape", "shape dims size multiple paddings length"),
    (
        "scalar",
        "num n k lr alpha beta beta1 beta2 gamma rho momentum epsilon eps l1 l2 seed min max limit "
        "delta start stop step rate threshold factor scale power count depth ratio temperature "
        "tolerance lambda decay stddev mean_ probability prob lower upper maxval minval ddof axis_",
    ),
)
_ROLES = {word: role for role, found in ROLES for word in found.split()}
INTEGERS = (1, 2, 0, 3, -1, 4, 8)
FLOATS = (0.5, 1.0, 0.0, 2.0, -1.0)
STRINGS = ("a", "VALID", "SAME", "float32", "mean", "sum", "NHWC", "relu", "channels_last", "same")
LISTS = (
    (1,),
    (2,),
    (0,),
    (1, 1),
    (2, 2),
    (1, 0),
    (1, 1, 1),
    (1, 1, 1, 1),
    (1, 2, 2, 1),
    (),
    (1,) * 5,
)
DTYPES = ("float32", "int32", "int64", "string", "bool", "float64", "complex64", "uint8")


PREFERRED = (
    "float32 int32 int64 string float64 bool complex64 quint8 qint8 uint8 qint32 half".split()
)


def rank(dtype):
    """How late a dtype is tried."""
    return PREFERRED.index(dtype) if dtype in PREFERRED else len(PREFERRED)


def role_of(name):
    """What the name of a parameter says about its values; None where it says nothing."""
    for word in re.findall(r"[a-z]+\d*", name.lower())[::-1]:
        role = _ROLES.get(word) or _ROLES.get(word.rstrip("s"))
        if role:
            return role
    return None


class Slot:
    """One parameter. `place` is "call" or "constructor"."""

    def __init__(self, row, place="call", note="", operator=None):
        self.name, self.kind, self.default, self.flag = row
        self.kind = self.kind or ""
        self.place = place
        self.operator = operator
        self.optional = self.default is not None
        self.role = role_of(self.name)
        self.dtypes = dtypes_of(note)
        self.quoted = re.findall(r"[\"'`]([A-Za-z_]\w{1,20})[\"'`]", note)
        self.words = re.findall(r"[\"']([A-Za-z_]\w{1,20})[\"']", note)
        inner = self.kind.partition("{")[2].partition("}")[0]
        self.choices = inner.split(",") if inner else []
        self.base = self.kind.partition("{")[0].rstrip("[]").lower()
        self.listed = self.kind.endswith("[]")
        self.attribute = None  # the attribute that is this tensor's dtype
        self.fixed = False
        self.handles = None
        self.candidates = ()  # operators that may make the handle that is wanted

    @property
    def makers(self):
        """The operators that may make the handle, without those nobody knows how to call."""
        return [name for name in self.candidates if not self.handles.useless(name)]

    def dtype(self):
        """The dtype that a tensor starts with."""
        if self.attribute:
            return "@" + self.attribute
        if self.choices:
            return min(self.choices, key=rank)
        whole = self.role in ("axis", "index", "shape")
        usual = ("int32", "int64") if whole else ("float32", "int32")
        return next((name for name in (*usual, *self.dtypes) if name in self.dtypes), usual[0])

    def first(self, shape):
        """What is tried first: nothing where a call may do without, save that layers train."""
        if self.name == "training":
            return plain(True)
        return None if self.optional else self.start(shape)

    def start(self, shape):
        """A gene for a base shape."""
        if self.flag == "*":
            return ("list", (tensor("float32", shape), tensor("float32", shape)))
        if self.operator is None and not self.kind:
            return self.guess(shape)
        gene = self.typed(shape)
        if self.listed and gene[0] not in ("plain", "dtypes"):
            return ("list", (gene, gene))
        return gene

    def typed(self, shape):
        """The first gene of a parameter whose type is known."""
        base = self.base
        if base == "ref":
            if self.makers:
                return ("handle", self.makers[0], False)
            return ("ref", self.dtype(), shape, "unit")
        if base == "variable":
            return ("variable", "float32", shape, "unit")
        if base == "tensor":
            return self.value(shape)
        if base in ("sparsetensor", "raggedtensor", "indexedslices", "tensorarray"):
            kind = {"tensorarray": "tensor array", "indexedslices": "slices"}
            return (kind.get(base, base.replace("tensor", "")), "float32", shape or (2, 3), "unit")
        if base == "dataset":
            return ("dataset", "float32", shape, "unit")
        if base in ("func", "callable"):
            if self.operator is not None:
                return ("graph function", "same", ("float32",))
            return ("function", "same")
        if base in ("type", "dtype"):
            names = (self.choices or ["float32"])[0]
            if self.operator is not None and not self.listed:
                return ("dtype", "@" + self.name)
            return ("dtypes", (names,)) if self.listed else ("dtype", names)
        if base == "shape":
            return plain([list(shape)]) if self.listed else plain(list(shape))
        return self.scalar(shape)

    def scalar(self, shape):
        """The first gene of a number, text or constant."""
        base = self.base
        if base == "int":
            first = 0 if self.role == "axis" else 2 if self.operator is None else 1
            return plain([1] * max(len(shape), 1) if self.listed else first)
        if base == "float":
            return plain([0.5] if self.listed else 0.5)
        if base == "bool":
            return plain([True] if self.listed else True)
        if base in ("string", "str"):
            word = (self.choices or self.quoted or ["a"])[0]
            return plain([word] if self.listed else word)
        if base == "proto":
            return ("proto", "@dtype")
        if base == "list":
            return ("list", (tensor("float32", shape), tensor("float32", shape)))
        return self.guess(shape)

    def value(self, shape):
        """The first gene of a tensor."""
        dtype = self.dtype()
        if dtype == "resource":
            if self.makers and not self.of_variable():
                return ("handle", self.makers[0], True)
            return ("resource", self.attribute_of_content, shape, "unit")
        if dtype == "variant":
            return ("handle", (self.makers or ("RangeDataset",))[0], True)
        if self.role == "axis":
            return tensor(dtype, (), "zeros")
        if self.role == "index":
            return tensor(dtype, shape[:1] or (2,), "index")
        if self.role == "shape":
            return vector([size or 1 for size in shape] or [2], dtype)
        if self.role == "scalar":
            return tensor(dtype, (), "unit" if dtype not in DTYPES[1:3] else "ones")
        return tensor(dtype, shape)

    def of_variable(self):
        """Whether a handle is by its name that of a variable, which most handles are."""
        return bool(words(self.name) & {"var", "variable", "accum"}) or (
            self.name == "resource" or self.operator.startswith("Resource")
        )

    attribute_of_content = "float32"

    def guess(self, shape):
        """The first gene where only the name is known."""
        if self.role == "axis":
            return plain(0)
        if self.role == "shape":
            return plain([size or 1 for size in shape])
        if self.role == "index":
            return tensor("int32", shape[:1] or (2,), "index")
        if self.role == "scalar":
            return plain(2 if self.name.startswith(("num", "n", "k", "count", "depth")) else 0.5)
        for part, gene in GUESSES:
            if part in self.name.lower():
                return gene
        return plain(self.words[0]) if self.words else tensor("float32", shape)


GUESSES = (
    ("shape", plain([2, 3])),
    ("dtype", ("dtype", "float32")),
    ("fn", ("function", "same")),
    ("func", ("function", "same")),
    ("function", ("function", "same")),
    ("variable", ("variable", "float32", (2, 3), "unit")),
    ("var_list", ("list", (("variable", "float32", (2, 3), "unit"),))),
    ("optimizer", ("optimizer",)),
    ("initializer", ("initializer",)),
    ("layer", ("layer",)),
    ("cell", ("cell",)),
    ("dataset", ("dataset", "float32", (2, 3), "unit")),
    ("name", plain("a")),
    ("mode", plain("constant")),
    ("string", tensor("string", (3,))),
    ("text", tensor("string", (3,))),
    ("sp_", ("sparse", "float32", (2, 3), "unit")),
    ("sparse", ("sparse", "float32", (2, 3), "unit")),
    ("ragged", ("ragged", "float32", (2, 3), "unit")),
    ("rt_", ("ragged", "float32", (2, 3), "unit")),
    ("mask", tensor("bool", (2, 3))),
    ("cond", tensor("bool", (2, 3))),
    ("tensors", ("list", (tensor("float32", (2, 3)), tensor("float32", (2, 3))))),
    ("inputs", tensor("float32", (2, 3))),
    ("kernel_size", plain(2)),
    ("strides", plain(1)),
    ("padding", plain("SAME")),
)
"""What untyped parameters with such a part in their names usually are."""


def of_operator(name, rows, handles):
    """The slots of an operator of `tf.raw_ops`."""
    definition = opdefs.definition(name)
    inputs = {item.name: item for item in definition.input_arg}
    contents = [item.name for item in definition.attr if item.type == "type"]
    preferred = [item for item in ("dtype", "T", "Tparams", "value_dtype") if item in contents]
    slots = []
    for row in rows:
        slot = Slot(row, operator=name)
        argument = inputs.get(slot.name)
        if argument is not None:
            slot.attribute = argument.type_attr or None
            kind = handle_kind(argument)
            if kind:
                slot.handles = handles
                slot.candidates = tuple(handles.candidates(name, slot.name, kind))
            if preferred or contents:
                slot.attribute_of_content = "@" + (preferred or contents)[0]
        elif slot.base == "tensor":
            slot.base = "proto"
        slots.append(slot)
    return slots


def of_rows(rows, doc, place="call"):
    """The slots of a Python function or constructor."""
    told = described(doc)
    unnamed = [row for row in rows if row[0] != "name" and row[3] != "**"]
    variadic = all(row[3] in ("*", "**", "k") for row in unnamed)
    return [Slot(row, place, told.get(row[0], "")) for row in unnamed if row[3] != "*" or variadic]


def alternatives(shape):
    """Genes of all kinds, for parameters whose type is not known; the likeliest first."""
    wide = shape if len(shape) > 1 else (2, 3)
    return [
        tensor("float32", shape),
        plain(2),
        tensor("int32", (3,), "index"),
        ("list", (tensor("float32", shape), tensor("float32", shape))),
        plain(0.5),
        plain([2, 3]),
        plain("float32"),
        tensor("string", (3,)),
        tensor("bool", shape),
        ("function", "same"),
        ("variable", "float32", shape, "unit"),
        ("sparse", "float32", wide, "unit"),
        ("ragged", "float32", wide, "unit"),
        ("dtype", "float32"),
        ("list", (("variable", "float32", shape, "unit"),)),
        plain(True),
        plain(None),
        plain((1, 1)),
        ("dataset", "float32", wide, "unit"),
        ("list", (("function", "none"), ("function", "none"))),
        ("slices", "float32", wide, "unit"),
        ("layer",),
        ("cell",),
        ("initializer",),
        tensor("complex64", shape),
        ("array", "float32", wide, "unit"),
        plain({"a": 1}),
    ]
