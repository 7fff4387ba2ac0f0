"""Lists of doubts and guards: the first answer ends a list, and names its rule."""

from __future__ import annotations

import pytest

from analysis import rules
from citadel.judge.doubts import Doubts, Guard
from citadel.judge.verdicts import verdict
from citadel.model import Verdict, VerdictKind

NUMBERS: Doubts[int] = Doubts("doubt")


@NUMBERS.doubt("test-negative")
def _negative(number: int) -> str | None:
    return "below zero" if number < 0 else None


@NUMBERS.guard("test-even")
def _even(number: int) -> str | None:
    return "even" if number % 2 == 0 else None


@NUMBERS.doubt("test-large")
def _large(number: int) -> Verdict | None:
    return verdict(VerdictKind.EXPECTED, reason="large") if number > 9 else None


@pytest.mark.parametrize(
    ("number", "kind", "reason", "rule"),
    [
        (-2, VerdictKind.NOT_ADAPTED, "below zero", "doubt/test-negative"),
        (11, VerdictKind.EXPECTED, "large", "doubt/test-large"),
    ],
)
def test_verdict_names_the_rule_that_decided(
    number: int, kind: VerdictKind, reason: str, rule: str
) -> None:
    assert NUMBERS.settle(number) == verdict(kind, reason=reason, rule=rule)


def test_guard_ends_the_list() -> None:
    assert NUMBERS.settle(12) == Guard("even", "guard/test-even")


def test_no_rule_has_an_answer() -> None:
    assert NUMBERS.settle(3) is None


def test_rule_that_is_switched_off_leaves_the_answer_to_the_next() -> None:
    with rules.switched_off("guard/test-even"):
        assert NUMBERS.settle(12) == verdict(
            VerdictKind.EXPECTED, reason="large", rule="doubt/test-large"
        )
