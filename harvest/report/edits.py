"""Code and what is to change in it -> the code changed at just these places, layout kept."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """New text for a node of the code's tree; "" takes a statement away."""

    node: ast.expr | ast.stmt
    text: str


def apply_edits(code: str, edits: Iterable[Edit]) -> str:
    """Return `code` with `edits` made, which must not overlap.

    A statement that is taken away leaves `pass` where others stand on its line.
    """
    lines = code.split("\n")
    for edit in sorted(edits, key=lambda one: (one.node.lineno, one.node.col_offset), reverse=True):
        first, last = edit.node.lineno - 1, (edit.node.end_lineno or edit.node.lineno) - 1
        # The parser counts columns in bytes.
        head = lines[first].encode()[: edit.node.col_offset].decode()
        tail = lines[last].encode()[edit.node.end_col_offset :].decode()
        alone = not head.strip() and tail.lstrip()[:1] in ("", "#")
        if edit.text or not alone:
            lines[first : last + 1] = [head + (edit.text or "pass") + tail]
        else:
            del lines[first : last + 1]
    return "\n".join(lines)
