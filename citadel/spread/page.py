"""All facts that can be spread: `python -m citadel.spread.page` renews docs/facts.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from citadel.spread.fact import Fact
from citadel.spread.facts import FACTS, TAKEN
from citadel.spread.modes import MODES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "facts.md"
_HEAD = """\
# Facts that can be spread

What `citadel spread --trigger 'ROLE: FACT'` and `--ways` know (see [spreading.md](spreading.md)). A
fact about an argument can be both: brought into a call, or one of two ways to make it. One about
the call as a whole is a way. *Brings back*: the [variations](variations.md) that take it away, by
which a triage comes to it. Each example is a test.

This page is made by `python -m citadel.spread.page` from the facts themselves.

| fact | says of an argument | frameworks | brings back | example |
| --- | --- | --- | --- | --- |
"""
_TAIL = """\

As ways, all variations that keep the right result can be named, too: {names}; and `plain`.
"""
_NAMES = {"torch": "PyTorch", "tf": "TensorFlow"}


def page() -> str:
    """docs/facts.md: a row for each fact."""
    names = ", ".join(f"`{one.name}`" for one in TAKEN)
    return _HEAD + "".join(_rows()) + _TAIL.format(names=names)


def _rows() -> Iterator[str]:
    for one in (*FACTS, *MODES):
        name = f"`{one.name} {one.takes.upper()}`".replace(" `", "`")
        has = ", ".join(told for root, told in _NAMES.items() if one.available(root))
        taken = ", ".join(dict.fromkeys((*one.brings_back, *one.of_numbers)))
        says = one.says.replace("{value}", one.takes.upper())
        yield f"| {' | '.join((name, says, has, taken, _example(one)))} |\n"


def _example(fact: Fact) -> str:
    for value, before, after in fact.examples.values():
        named = f" (`{fact.name} {value}`)" if value else ""
        return f"`{before}` becomes `{after}`{named}"
    return ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
