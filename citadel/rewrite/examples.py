"""The rules' examples as tables: `python -m citadel.rewrite.examples` renews docs/rewriting.md.

In: the page, with a line `<!-- examples: NAME -->` in front of each table. Out: the page with the
tables made anew; the prose around them is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from analysis.values import Value
from citadel.plan.model import Step
from citadel.rewrite import imports, messages, references, shapes, steps

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "rewriting.md"
_TABLE = re.compile(r"(<!-- examples: (\w+) -->\n)(?:\|.*\n)*")


def page(text: str) -> str:
    """The page with its tables made from the rules' examples."""
    tables = {
        "imports": _table(("imports", "API", "written"), imports.EXAMPLES),
        "steps": _table(
            ("expression", "change", "result"),
            ((text, _said(given), result) for text, given, result in steps.EXAMPLES),
        ),
        "values": _table(
            ("expression", "which was", "change", "result"),
            (
                (text, _described(value), _said([step]), result)
                for text, value, step, result in steps.WITH_VALUES
            ),
        ),
        "references": _table(
            ("compared with", "API", "sibling", "compared with then"), references.EXAMPLES
        ),
        "messages": _table(("said", "API", "sibling", "said then"), messages.EXAMPLES),
        "shapes": _table(
            ("made by", "its shape", "change", "result"),
            (
                (text, str(shape), _said([step]), result)
                for text, shape, step, result in shapes.EXAMPLES
            ),
        ),
    }
    return _TABLE.sub(lambda found: found[1] + tables[found[2]], text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    lines = [head, ["---"] * len(head), *(map(_cell, row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str | None) -> str:
    """Code in a cell; a line break is shown as one."""
    if text is None:
        return "left alone"
    lines = text.replace("|", "\\|").split("\n")
    return "<br>".join(f"`{line}`" if line else "" for line in lines)


def _said(given: Sequence[Step]) -> str:
    return ", ".join(" ".join(str(part) for part in step.to_json()) for step in given)


def _described(value: Value) -> str:
    if value.shape is not None:
        kind = (value.layout or "") if value.text is None else value.text.partition(".")[0]
        return " ".join(filter(None, (kind, f"tensor of shape {value.shape}")))
    return value.literal() or f"a {value.kind} of {value.length}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
