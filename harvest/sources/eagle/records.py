"""Calls that the index has seen to work, as `analysis/inside/eagle_samples` makes them again."""

from __future__ import annotations

from typing import Any

from analysis import parsing
from analysis.dynamic.model import CallValues
from analysis.values import Value

Record = dict[str, Any]


def call_record(call: CallValues) -> list[Any] | None:
    """Arguments and keywords of a call; None where they cannot be made again."""
    arguments = [record(value) for value in call.arguments]
    keywords = {key: record(value) for key, value in call.keywords.items()}
    return None if None in (*arguments, *keywords.values()) else [arguments, keywords]


def record(value: Value) -> Record | None:
    """A value; None where it cannot be made again."""
    if value.kind in ("tensor", "array"):
        plain = value.layout in (None, "strided") and "Variable" not in str(value.text)
        if not plain or value.shape is None:
            return None
        content = None if value.content is None else parsing.literal(value.content)
        return {"t": [value.dtype, list(value.shape), content]}
    if value.kind in ("list", "tuple") and value.items is not None:
        items = [record(item) for item in value.items]
        return None if None in items else {"l" if value.kind == "list" else "u": items}
    text = value.literal()
    return None if text is None else {"e": text}
