"""What a repair step is: a name, a function from text to text, and examples that are its tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from analysis.rules import Rule


class Step:
    """One repair: a rule `repair/NAME`, which is None where there is nothing to do.

    It is made of a function that returns its input then; examples are pairs of texts.
    """

    def __init__(
        self, *, name: str, apply: Callable[[str], str], examples: tuple[tuple[str, str], ...]
    ) -> None:
        def change(code: str) -> str | None:
            changed = apply(code)
            return None if changed == code else changed

        change.__doc__ = apply.__doc__
        self.name = name
        self.examples = examples
        self.rule: Rule[[str], str] = Rule(f"repair/{id_of(name)}", change, examples)
        self.rule.meaning = self.rule.meaning or f"Repair of {name}."

    def apply(self, code: str) -> str:
        """The code with the repair made; itself where there is nothing to do."""
        changed = self.rule(code)
        return code if changed is None else changed


def id_of(name: str) -> str:
    """The name of a repair as part of a rule's id.

    >>> id_of("python -c"), id_of("no_code")
    ('python-c', 'no-code')
    """
    return re.sub(r"[\W_]+", "-", name.lower())


def without_lines(code: str, unwanted: Callable[[str], bool]) -> str:
    """Return `code` without the lines that are unwanted; itself where none is."""
    lines = code.split("\n")
    kept = [line for line in lines if not (line.strip() and unwanted(line))]
    return code if len(kept) == len(lines) else "\n".join(kept)
