"""All variations: `python -m citadel.evidence.page` renews docs/variations.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from citadel.evidence.variations import VARIATIONS, Variation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "variations.md"
_HEAD = """\
# Variations

A variation takes one fact about one argument away and leaves all others as they are. Citadel makes
each of them on the report's failing call, to find what brings the bug about (its *trigger*), and
those that cure it on each sibling's call (its *control*, see [evidence.md](evidence.md)). It
*preserves* where the right result must stay the same; else it *repairs*. Each example is a test, in
which a tensor of shape (2, 3, 4) is given, too.

This page is made by `python -m citadel.evidence.page` from the variations themselves.

| variation | takes away | puts there | preserves | example |
| --- | --- | --- | --- | --- |
"""


def page() -> str:
    """docs/variations.md: a row for each variation."""
    return _HEAD + "".join(_rows())


def _rows() -> Iterator[str]:
    for one in VARIATIONS:
        preserves = "yes" if one.preserves else ""
        cells = (f"`{one.name}`", one.fact, one.puts, preserves, _example(one))
        yield f"| {' | '.join(cells)} |\n"


def _example(variation: Variation) -> str:
    pairs = list(variation.examples.values())
    return f"`{pairs[0][0]}` becomes `{pairs[0][1]}`" if pairs else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
