"""Ids, order, counters and switches of decision rules."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from analysis import rules
from analysis.errors import CitadelError
from analysis.rules import Phrase, Registry, Rule, Tally

SIZES: Registry[[int], str] = Registry("test-sizes")


@SIZES.rule("negative", examples=[(-1, "negative")])
def _negative(number: int) -> str | None:
    """Below zero."""
    return "negative" if number < 0 else None


@SIZES.rule("small")
def _small(number: int) -> str | None:
    return "small" if number < 10 else None


CATS = Phrase("test-words/cats", r"\bcats?\b", finds=("a cat", "cats"), spares=("concatenate",))


def test_first_answer_wins_and_counts() -> None:
    before = rules.counts()
    assert SIZES.first(-3) == "negative"
    assert SIZES.decided(3) == ("test-sizes/small", "small")
    assert SIZES.first(30) is None
    assert list(SIZES.each(-3)) == ["negative", "small"]
    found = rules.counted_since(before)
    assert found["test-sizes/negative"] == Tally(tried=4, fired=2, decided=2)
    assert found["test-sizes/small"] == Tally(tried=3, fired=2, decided=2)
    assert rules.deciding(before) == ("test-sizes/negative", "test-sizes/small")


def test_answer_that_is_only_looked_at_fires_without_deciding() -> None:
    before = rules.counts()
    rule = next(iter(SIZES))
    assert rule.ask(False, -1) == "negative"
    assert rules.counted_since(before)[rule.id] == Tally(tried=1, fired=1)
    assert rules.deciding(before) == ()


def test_rule_switched_off_leaves_its_turn_to_the_next() -> None:
    with rules.switched_off("test-sizes/negative"):
        assert SIZES.first(-3) == "small"
    assert SIZES.first(-3) == "negative"


def test_phrase_finds_nothing_when_switched_off() -> None:
    with rules.switched_off(CATS.id):
        assert CATS.search("a cat") is None
        assert CATS.match("cat") is None
        assert CATS.fullmatch("cat") is None
        assert list(CATS.finditer("a cat")) == []
        assert CATS.findall("a cat") == []
        assert CATS.sub("dog", "a cat") == "a cat"
        assert CATS.split("a cat") == ["a cat"]
    assert CATS.sub("dog", "a cat") == "a dog"
    assert CATS.split("a cat") == ["a ", ""]


def test_two_rules_with_one_id_are_an_error() -> None:
    with pytest.raises(ValueError, match="two rules test-sizes/small"):
        Rule("test-sizes/small", _small.act)


@pytest.mark.parametrize("name", ["small", "Test/small", "test/", "test/a b"])
def test_id_without_a_room_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="ROOM/NAME"):
        Phrase(name, "x")


def test_unknown_id_is_an_error_that_names_its_neighbours() -> None:
    with pytest.raises(CitadelError, match="no rule test-sizes/large") as problem:
        rules.check_known(["test-sizes/large"])
    assert "test-sizes/small" in problem.value.hint


@pytest.mark.parametrize("value", ["", "x/a"])
def test_variable_is_handed_on_where_it_is_set(monkeypatch, value) -> None:
    monkeypatch.setenv(rules.VARIABLE, value)
    assert rules.given() == ({rules.VARIABLE: value} if value else {})


def test_environment_switches_off_in_a_new_process() -> None:
    code = (
        "from analysis.rules import Phrase\n"
        "a, b = Phrase('x/a', 'cat'), Phrase('x/b', 'cat')\n"
        "print(a.search('cat') is None, b.search('cat') is None)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, rules.VARIABLE: "x/a, y/z"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["True", "False"]
