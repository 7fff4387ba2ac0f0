"""Coarse types: what a parameter takes and what a value is, as far as planning needs it."""

from __future__ import annotations

import re
from functools import lru_cache

from analysis.rules import Phrase
from analysis.values import Value

TENSOR, TENSORS, INT, INTS, FLOAT, FLOATS = "tensor", "tensors", "int", "ints", "float", "floats"
BOOL, STR, DTYPE, DEVICE, LAYOUT, NONE = "bool", "str", "dtype", "device", "layout", "none"
FUNCTION, OTHER, ANY = "function", "other", "any"

LISTS = frozenset((TENSORS, INTS, FLOATS))
"""What lists of one kind are."""
BROADCAST = "None"
"""What torch.jit's BroadcastingList, a number or a list of such, evaluates to as an annotation."""
ANY_OR_TENSOR = "Any, Tensor"
"""The declared type of what says nothing itself, but is given tensors in valid calls."""
SEED = Phrase(
    "plan/seed",
    r"^(?:\w+_)?seeds?\d?$",
    re.IGNORECASE,
    finds=("seed", "random_seed", "seed2"),
    spares=("seeded_by", "reseed"),
    meaning="Which random numbers to draw, and nothing of what they are like.",
)

_WORDS: tuple[tuple[Phrase, frozenset[str]], ...] = (
    (Phrase("type/any-or-tensor", rf"^{ANY_OR_TENSOR}$",
            finds=("Any, Tensor",), spares=("Tensor",)), frozenset((ANY, TENSOR))),
    (Phrase("type/tensors", r"(?:List|Sequence|Tuple|tuple|list|Iterable)\[(?:Optional\[)?Tensor"
            r"|Tensor\??\[|TensorList",
            finds=("List[Optional[Tensor]]", "Tensor[]", "TensorList"), spares=("Tensor?",)),
     frozenset((TENSORS,))),
    (Phrase("type/tensor", r"Tensor", finds=("Tensor?", "Optional[Tensor]"), spares=("int[]",)),
     frozenset((TENSOR,))),
    (Phrase("type/ints", r"(?:Sym)?[Ii]nt\[\]|(?:[Ll]ist|[Tt]uple|Sequence)\[int[^\]]*\]",
            finds=("SymInt[]", "List[int]", "tuple[int, ...]"), spares=("int[2]", "int")),
     frozenset((INTS,))),
    (Phrase("type/int-or-ints", r"(?:Sym)?[Ii]nt\[|BroadcastingList\d?\[int|_size_|_ratio_",
            finds=("int[2]", "BroadcastingList2[int]", "_size_2_t"), spares=("int", "float[2]")),
     frozenset((INTS, INT))),
    (Phrase("type/floats", r"[Ff]loat\[\]", finds=("float[]?",), spares=("float[2]", "float")),
     frozenset((FLOATS,))),
    (Phrase("type/float-or-floats",
            r"[Ff]loat\[|BroadcastingList\d?\[float|(?:[Ll]ist|[Tt]uple|Sequence)\[float",
            finds=("float[2]", "List[float]"), spares=("float", "List[int]")),
     frozenset((FLOATS, FLOAT))),
    (Phrase("type/number", r"\bScalar\b|\bnumber\b|\bNumber\b",
            finds=("Scalar?", "Union[Number, None]"), spares=("ScalarType",)),
     frozenset((INT, FLOAT, BOOL))),
    (Phrase("type/dtype", r"\bScalarType\b|dtype",
            finds=("ScalarType?", "torch.dtype"), spares=("Scalar",)), frozenset((DTYPE,))),
    (Phrase("type/int", r"\b(?:Sym)?[Ii]nt\b",
            finds=("SymInt?", "Union[int, None]"), spares=("Hint", "float")), frozenset((INT,))),
    (Phrase("type/float", r"\b[Ff]loat\b", finds=("float?",), spares=("bfloat16", "int")),
     frozenset((FLOAT, INT))),
    (Phrase("type/bool", r"\b[Bb]ool\b", finds=("bool?",), spares=("boolean",)),
     frozenset((BOOL,))),
    (Phrase("type/str", r"\bstr\b", finds=("str?", "Optional[str]"), spares=("string", "strict")),
     frozenset((STR,))),
    (Phrase("type/device", r"\b[Dd]evice\b", finds=("Device?",), spares=("device_type",)),
     frozenset((DEVICE,))),
    (Phrase("type/layout", r"\bLayout\b|layout", finds=("torch.layout", "Layout?"),
            spares=("Tensor",)), frozenset((LAYOUT,))),
    (Phrase("type/function", r"Callable|Module", finds=("Callable[[Tensor], Tensor]", "Module"),
            spares=("str",)), frozenset((FUNCTION,))),
    (Phrase("type/other-object", r"Generator|Storage|MemoryFormat|Stream|Dimname",
            finds=("Generator?", "MemoryFormat?"), spares=("Tensor",)), frozenset((OTHER,))),
)  # fmt: skip
"""Parts of declared types, and what they take. Each takes its text away from those behind it."""
_ATTRIBUTES: tuple[tuple[Phrase, frozenset[str]], ...] = (
    (Phrase("type/attribute-list-of-words", r"^(?:type|string)(?:\{[^}]*\})?\[\]$",
            finds=("type[]", "string{a,b}[]"), spares=("string", "shape[]")), frozenset((OTHER,))),
    (Phrase("type/attribute-dtype", r"^type(?:\{[^}]*\})?$",
            finds=("type", "type{float,double}"), spares=("type[]", "dtype")),
     frozenset((DTYPE, STR))),
    (Phrase("type/attribute-word", r"^string(?:\{[^}]*\})?$",
            finds=("string", "string{SAME,VALID}"), spares=("string[]", "str")), frozenset((STR,))),
    (Phrase("type/attribute-shapes", r"^shape\[\]$", finds=("shape[]",), spares=("shape",)),
     frozenset((INTS, OTHER))),
    (Phrase("type/attribute-shape", r"^shape$", finds=("shape",), spares=("shape[]",)),
     frozenset((INTS, INT, OTHER))),
    (Phrase("type/attribute-function", r"^func$", finds=("func",), spares=("function",)),
     frozenset((FUNCTION,))),
)  # fmt: skip
"""Attributes of TensorFlow's operators. What stands in braces are values, and no types."""
_CHOICES = re.compile(r"string\{([^}]+)\}")
_LISTED = re.compile(r"Tensor\{([^}]+)\}(?:\[\])?")


@lru_cache(maxsize=4096)
def accepted(declared: str | None) -> frozenset[str]:
    """The coarse types that a declared type takes; {"any"} where nothing is declared.

    >>> sorted(accepted("Tensor?"))
    ['none', 'tensor']
    """
    if not declared or declared == BROADCAST:
        return frozenset((ANY,))
    for attribute, kinds in _ATTRIBUTES:
        if attribute.fullmatch(declared):
            return kinds
    found: set[str] = set()
    rest = declared
    for pattern, kinds in _WORDS:
        if pattern.search(rest):
            found |= kinds
            rest = pattern.sub(" ", rest)
    if "?" in declared or "Optional" in declared or "None" in declared:
        found.add(NONE)
    return frozenset(found or (ANY,))


def kind_of(value: Value) -> str:
    """The coarse type of a recorded value."""
    if value.kind in ("list", "tuple"):
        kinds = {kind_of(item) for item in value.items or ()}
        if kinds and kinds <= {TENSOR, NONE}:
            return TENSORS
        if kinds <= {INT, BOOL}:
            return INTS
        return FLOATS if kinds <= {INT, FLOAT} else OTHER
    simple = {
        "tensor": TENSOR, "int": INT, "float": FLOAT, "bool": BOOL, "str": STR, "dtype": DTYPE,
        "device": DEVICE, "layout": LAYOUT, "none": NONE, "function": FUNCTION,
        "module": FUNCTION, "complex": FLOAT,
    }  # fmt: skip
    return simple.get(value.kind, OTHER)


def fits(value: Value, declared: str | None) -> bool:
    """Whether a value is of a kind that the declared type takes."""
    kinds = accepted(declared)
    return ANY in kinds or kind_of(value) in kinds


def wraps(value: Value, declared: str | None) -> bool:
    """Whether a value fits as the only element of a list that the declared type takes."""
    kinds = accepted(declared)
    one = {TENSOR: TENSORS, INT: INTS, FLOAT: FLOATS}.get(kind_of(value))
    return one in kinds and not fits(value, declared)


def becomes_tensor(value: Value, declared: str | None) -> bool:
    """Whether a value is a number, and the declared type takes tensors alone.

    A flag is no number: `bias=False` says that there is no such tensor.
    """
    number = value.kind in ("int", "float", "complex")
    return number and takes_tensor(declared) and not fits(value, declared)


def becomes_number(value: Value, declared: str | None) -> str | None:
    """What a tensor of no dimensions has to be made, where the declared type takes numbers alone:
    "int" or "float"; None of all else.

    >>> becomes_number(Value(kind="tensor", shape=(), dtype="int64"), "int?")
    'int'
    """
    kinds = accepted(declared)
    if not value.is_tensor or value.shape != () or kinds & {TENSOR, TENSORS, ANY}:
        return None
    if INT in kinds and re.match(r"u?int\d", value.dtype or ""):
        return "int"
    return "float" if FLOAT in kinds and "float" in (value.dtype or "") else None


def choices(declared: str | None) -> tuple[str, ...]:
    """The words of which an operator of TensorFlow takes one.

    >>> choices("string{SAME,VALID}")
    ('SAME', 'VALID')
    """
    found = _CHOICES.fullmatch(declared or "")
    return () if found is None else tuple(found[1].split(","))


def listed_dtypes(declared: str | None) -> tuple[str, ...]:
    """The dtypes that a tensor of TensorFlow is declared to have.

    >>> listed_dtypes("Tensor{int32,int64}")
    ('int32', 'int64')
    """
    found = _LISTED.fullmatch(declared or "")
    return () if found is None else tuple(found[1].split(","))


def takes_tensor(declared: str | None) -> bool:
    """Whether a parameter is declared as a tensor."""
    return TENSOR in accepted(declared)
