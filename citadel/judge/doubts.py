"""Lists of rules that speak against a bug (`doubt/...`) or for it (`guard/...`).

A rule answers None where it has nothing to say. The first answer ends a list: a verdict, or a
`Guard`, after which no further doubt of this list counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Generic, TypeVar

from analysis.rules import Registry, Rule
from citadel.judge.verdicts import verdict
from citadel.model import Verdict, VerdictKind

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Guard:
    """What speaks for a bug, in words, and the rule that says so."""

    text: str
    rule: str = ""


Answer = Verdict | Guard


class Doubts(Registry[[C], Answer], Generic[C]):
    """Doubts and guards, in the order in which they are asked, about one context."""

    def doubt(
        self, name: str
    ) -> Callable[[Callable[[C], Verdict | str | None]], Rule[[C], Answer]]:
        """Decorator: the function becomes the rule `doubt/NAME`. It returns a verdict, or the
        reason why the symptom says nothing of the sibling."""

        def register(act: Callable[[C], Verdict | str | None]) -> Rule[[C], Answer]:
            @wraps(act)
            def against(context: C) -> Verdict | None:
                found = act(context)
                if isinstance(found, str):
                    return verdict(VerdictKind.NOT_ADAPTED, reason=found)
                return found

            return self._add(Rule(f"doubt/{name}", against))

        return register

    def guard(self, name: str) -> Callable[[Callable[[C], str | None]], Rule[[C], Answer]]:
        """Decorator: the function becomes the rule `guard/NAME`. It returns what speaks for the
        bug, in words."""

        def register(act: Callable[[C], str | None]) -> Rule[[C], Answer]:
            @wraps(act)
            def speaks_for(context: C) -> Guard | None:
                found = act(context)
                return None if found is None else Guard(found)

            return self._add(Rule(f"guard/{name}", speaks_for))

        return register

    def settle(self, context: C) -> Answer | None:
        """The first answer, with the id of its rule."""
        found = self.decided(context)
        return None if found is None else replace(found[1], rule=found[0])

    def _add(self, rule: Rule[[C], Answer]) -> Rule[[C], Answer]:
        self._rules.append(rule)
        return rule
