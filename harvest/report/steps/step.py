"""What a repair step is: a name, a function from text to text, and examples that are its tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One repair: `apply` returns its input where there is nothing to do; examples are pairs."""

    name: str
    apply: Callable[[str], str]
    examples: tuple[tuple[str, str], ...]


def without_lines(code: str, unwanted: Callable[[str], bool]) -> str:
    """Return `code` without the lines that are unwanted; itself where none is."""
    lines = code.split("\n")
    kept = [line for line in lines if not (line.strip() and unwanted(line))]
    return code if len(kept) == len(lines) else "\n".join(kept)
