"""Values that calls were given or returned, as recorded by `analysis/inside/values.py`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, TypeGuard

from analysis import parsing

MOST_DEPTH, MOST_ITEMS, MOST_CONTENT = 8, 64, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What is in a tensor or array, as recorded by `analysis/inside/contents.py`.

    `nan`, `inf` and `ninf` count elements; `low`, `high`, `mean` and `norm` (root of the mean
    square) are of the finite elements' values, or magnitudes where they are complex, and None where
    there are none. `signed` depends on their order as well. `few` are all elements row by row,
    where they are few.
    """

    count: int
    nan: int = 0
    inf: int = 0
    ninf: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    norm: float | None = None
    signed: float | None = None
    digest: str = ""
    few: tuple[complex, ...] | None = None

    @property
    def finite(self) -> bool:
        """Whether all elements are finite."""
        return not (self.nan or self.inf or self.ninf)

    @classmethod
    def from_json(cls, record: object) -> Numbers | None:
        """Read one record; a forged one may hold anything."""
        if not isinstance(record, dict) or type(record.get("count")) is not int:
            return None
        return cls(
            count=record["count"],
            nan=_count(record.get("nan")),
            inf=_count(record.get("inf")),
            ninf=_count(record.get("ninf")),
            low=_real(record.get("low")),
            high=_real(record.get("high")),
            mean=_real(record.get("mean")),
            norm=_real(record.get("norm")),
            signed=_real(record.get("signed")),
            digest=str(record.get("digest", ""))[:64],
            few=_few(record.get("few")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One recorded value.

    `kind`: tensor, array, int, float, complex, bool, str, bytes, none, ellipsis, slice, list,
    tuple, dict, dtype, layout, memory_format, device, shape, spec (of a tensor), module, class,
    function or other.
    `text` is Python source for scalars and the type's qualified name for objects; `items` are the
    elements of a list, tuple or dict (None when it was too long, then `length` tells); `shape`,
    `dtype`, `layout` (strided, sparse_coo, sparse_csr, mkldnn, quantized, ragged ...) are set for
    tensors; handles of TensorFlow are tensors of dtype resource or variant. `content` is Python
    source of a small tensor's elements, where they were read; `numbers` tells of those of a watched
    value. `unit` is what a measured number counts: s, ns, B or ratio.
    """

    kind: str
    text: str | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    layout: str | None = None
    device: str | None = None
    requires_grad: bool = False
    content: str | None = None
    keys: tuple[str, ...] = ()
    items: tuple[Value, ...] | None = None
    length: int | None = None
    numbers: Numbers | None = None
    unit: str | None = None

    @property
    def is_tensor(self) -> bool:
        """Whether this is a tensor of the framework (not a NumPy array)."""
        return self.kind == "tensor"

    @property
    def is_shaped(self) -> bool:
        """Whether this is a tensor of the framework, or a NumPy array."""
        return self.kind in ("tensor", "array")

    @property
    def rank(self) -> int | None:
        """Number of dimensions of a tensor or array; None where it is unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def nesting(self) -> int | None:
        """How deep lists of numbers are nested, all alike; None for other things.

        >>> Value(kind="list", items=(Value(kind="float", text="0.5"),)).nesting
        1
        """
        if self.kind not in ("list", "tuple") or not self.items:
            return None
        numbers = all(item.kind in ("int", "float", "complex", "bool") for item in self.items)
        depths = {0} if numbers else {item.nesting for item in self.items}
        deepest = depths.pop()
        return None if deepest is None or depths else deepest + 1

    @property
    def has_fractions(self) -> bool:
        """Whether it is a floating-point or complex number, or holds one in lists."""
        inside = any(item.has_fractions for item in self.items or ())
        return self.kind in ("float", "complex") or inside

    @classmethod
    def from_json(cls, record: object, depth: int = MOST_DEPTH) -> Value:
        """Read one record; it may come from a hostile process: wrong types are left out, and what
        is deeper or longer than `analysis/inside/values.py` makes it."""
        given = record if isinstance(record, dict) else {}
        items, shape, keys = given.get("items"), given.get("shape"), given.get("keys")
        length = given.get("len")
        return cls(
            kind=_text(given.get("k")) or "other",
            text=_text(given.get("v")),
            shape=tuple(shape) if _all(shape, int) and len(shape) <= MOST_ITEMS else None,
            dtype=_word(given.get("dtype")),
            layout=_word(given.get("layout")),
            device=_word(given.get("device")),
            requires_grad=given.get("grad") is True,
            content=_content(given.get("data")),
            keys=tuple(keys) if _all(keys, str) else (),
            items=_items(items, depth),
            length=length if type(length) is int else None,
            numbers=Numbers.from_json(given.get("n")),
            unit=_word(given.get("unit")),
        )

    def to_json(self) -> dict[str, Any]:
        """The record that `from_json` reads; what is not set is left out."""
        fields = {
            "v": self.text,
            "shape": None if self.shape is None else list(self.shape),
            "dtype": self.dtype,
            "layout": self.layout,
            "device": self.device,
            "grad": self.requires_grad or None,
            "data": None if self.content is None else parsing.literal(self.content),
            "keys": list(self.keys) or None,
            "items": None if self.items is None else [item.to_json() for item in self.items],
            "len": self.length,
        }
        return {
            "k": self.kind,
            **{key: value for key, value in fields.items() if value is not None},
        }

    def literal(self) -> str | None:
        """Python source that makes an equal value, or None where text cannot (tensors, objects).

        It is written into generated code, and the record may come from a hostile process: text that
        is more than a plain literal of its kind makes none.
        """
        if self.kind in ("list", "tuple") and self.items is not None:
            parts = [item.literal() for item in self.items]
            if any(part is None for part in parts):
                return None
            inner = ", ".join(part for part in parts if part is not None)
            if self.kind == "list":
                return f"[{inner}]"
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        if self.text is None or self.length is not None:
            return None  # an object, or a text that was cut
        return _literal(self.kind, self.text)


_PART = r"(?:None|-?\d+)"
_SIZES = r"(?:None|\d+)(?:, (?:None|\d+))*"
_FORMS = {
    "bool": r"True|False",
    "none": r"None",
    "ellipsis": r"Ellipsis",
    "slice": rf"slice\({_PART}, {_PART}, {_PART}\)",
    "dtype": r"(?:torch|tf)\.[a-z]\w*",
    "layout": r"torch\.\w+",
    "memory_format": r"torch\.\w+",
    "device": r"'[a-z]+(?::\d+)?'",
    "shape": rf"tf\.TensorShape\((?:None|\[(?:{_SIZES})?\])\)",
    "spec": (
        rf"tf\.TensorSpec\(shape=(?:None|\((?:{_SIZES},?)?\)), dtype=tf\.[a-z]\w*,"
        r" name=(?:None|'\w*')\)"
    ),
}
"""What the text of these kinds looks like; numbers and strings are parsed and written anew."""


def _literal(kind: str, text: str) -> str | None:
    """Source of the value that a text stands for, None where it is not plainly one of its kind."""
    try:
        if kind == "int":
            return repr(int(text, 16 if "0x" in text else 10))
        if kind == "float":
            return _float(float(text))
        if kind == "complex":
            number = complex(text)
            return f"complex({_float(number.real)}, {_float(number.imag)})"
        if kind in ("str", "bytes"):
            found = parsing.literal(text)
            return repr(found) if type(found).__name__ == kind else None
    except (ValueError, SyntaxError, RecursionError, MemoryError, OverflowError):
        return None
    form = _FORMS.get(kind)
    return text if form is not None and re.fullmatch(form, text, re.ASCII) else None


def _float(number: float) -> str:
    return repr(number) if math.isfinite(number) else f'float("{number}")'


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _items(items: object, depth: int) -> tuple[Value, ...] | None:
    if not isinstance(items, list) or len(items) > MOST_ITEMS or depth == 0:
        return None
    return tuple(Value.from_json(item, depth - 1) for item in items)


def _content(value: object) -> str | None:
    """Source of numbers, or of nested lists of them; None for all else."""
    text = repr(_short(value)) if value is not None and _numbers(value, MOST_DEPTH) else None
    return text if text is not None and len(text) <= MOST_CONTENT else None


def _short(value: object) -> object:
    """Numbers as people write them: what is 0.1 in single precision is 0.1."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


def _numbers(value: object, depth: int) -> bool:
    if isinstance(value, list):
        return depth > 0 and all(_numbers(item, depth - 1) for item in value)
    return type(value) in (bool, int) or (isinstance(value, float) and math.isfinite(value))


def _count(value: object) -> int:
    return value if type(value) is int else 0


def _real(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, (int, float)) else None
    except OverflowError:  # nothing of ours writes such an integer
        return None


def _few(items: object) -> tuple[complex, ...] | None:
    if not isinstance(items, list) or len(items) > MOST_ITEMS:
        return None
    found = [_element(item) for item in items]
    return None if None in found else tuple(item for item in found if item is not None)


def _element(item: object) -> complex | None:
    """A real number as it is, a complex one from its pair."""
    if isinstance(item, (int, float)):
        return item if _real(item) is not None else None
    parts = (
        [part for part in item if isinstance(part, (int, float))] if isinstance(item, list) else []
    )
    pair = [real for part in parts if (real := _real(part)) is not None]
    return complex(*pair) if len(pair) == 2 else None


def _word(value: object) -> str | None:
    """A name as dtypes, layouts and devices have: it becomes part of source text."""
    return value if isinstance(value, str) and re.fullmatch(r"\w+", value, re.ASCII) else None


def _all(value: object, kind: type) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and all(type(item) is kind for item in value)
