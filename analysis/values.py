"""Values that calls were given or returned, as recorded by `analysis/inside/values.py`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One recorded value.

    `kind`: tensor, array, int, float, complex, bool, str, bytes, none, ellipsis, slice, list,
    tuple, dict, dtype, layout, memory_format, device, shape, spec (of a tensor), module, class,
    function or other.
    `text` is Python source for scalars and the type's qualified name for objects; `items` are the
    elements of a list, tuple or dict (None when it was too long, then `length` tells); `shape`,
    `dtype`, `layout` (strided, sparse_coo, sparse_csr, mkldnn, quantized, ragged ...) are set for
    tensors; handles of TensorFlow are tensors of dtype resource or variant.
    """

    kind: str
    text: str | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    layout: str | None = None
    device: str | None = None
    requires_grad: bool = False
    keys: tuple[str, ...] = ()
    items: tuple[Value, ...] | None = None
    length: int | None = None

    @property
    def is_tensor(self) -> bool:
        """Whether this is a tensor of the framework (not a NumPy array)."""
        return self.kind == "tensor"

    @property
    def rank(self) -> int | None:
        """Number of dimensions of a tensor or array; None where it is unknown."""
        return None if self.shape is None else len(self.shape)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Value:
        """Read one record; unknown fields are ignored."""
        items = record.get("items")
        shape = record.get("shape")
        return cls(
            kind=str(record.get("k", "other")),
            text=record.get("v"),
            shape=None if shape is None else tuple(shape),
            dtype=record.get("dtype"),
            layout=record.get("layout"),
            device=record.get("device"),
            requires_grad=bool(record.get("grad", False)),
            keys=tuple(record.get("keys", ())),
            items=None if items is None else tuple(cls.from_json(item) for item in items),
            length=record.get("len"),
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
        if self.kind == "float" and self.text in ("inf", "-inf", "nan"):
            return f'float("{self.text}")'
        return self.text if self.text is not None and _plain(self.kind, self.text) else None


_PART = r"(?:None|-?\d+)"
_FORMS = {
    "int": r"-?(?:0x[0-9a-f]+|\d+)",
    "float": r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?",
    "complex": r"\(?[-+0-9.einfaj]+\)?",
    "bool": r"True|False",
    "none": r"None",
    "ellipsis": r"Ellipsis",
    "slice": rf"slice\({_PART}, {_PART}, {_PART}\)",
    "dtype": r"(?:torch|tf)\.[a-z]\w*",
    "layout": r"torch\.\w+",
    "memory_format": r"torch\.\w+",
    "device": r"'[a-z]+(?::\d+)?'",
    "shape": r"tf\.TensorShape\((?:None|\[[\dNone, ]*\])\)",
    "spec": r"tf\.TensorSpec\(shape=[\w(), ]*, dtype=tf\.\w+, name=(?:None|'\w*')\)",
}
"""What the text of each kind looks like; strings are parsed instead."""


def _plain(kind: str, text: str) -> bool:
    """Whether text is nothing but a literal of a kind."""
    if kind in ("str", "bytes"):
        try:
            return type(ast.literal_eval(text)).__name__ == kind
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return False
    form = _FORMS.get(kind)
    return form is not None and re.fullmatch(form, text, re.ASCII) is not None
