"""The cases of one sibling: which come, how many, and which verdict counts."""

from types import SimpleNamespace

import pytest

from citadel.model import Verdict, VerdictKind
from citadel.propagate.trial import WAYS, Trial

API = SimpleNamespace(name="torch.sort", aliases=())
CANDIDATE = SimpleNamespace(api=API, channels=None)


def written(text):
    return SimpleNamespace(code=text, edits=("renamed",))


def trial(*plans, most=20, ways=1):
    def write(plan):
        return (written(f"{plan.name}{way}") for way in range(ways))

    named = [SimpleNamespace(name=name, edits=("none",)) for name in plans]
    return Trial(candidate=CANDIDATE, plans=named, write=write, most=most)


def codes(one):
    return [case.code for _, case in one.cases]


def verdict(kind):
    return Verdict(kind=kind, runs=(0, 1), confidence=0.0)


def test_plans_come_in_their_order_each_in_a_few_ways():
    assert codes(trial("a", "b", ways=2)) == ["a0", "a1", "b0", "b1"]
    assert len(codes(trial("a", ways=9))) == WAYS
    assert codes(trial("a", "b", "c", most=2)) == ["a0", "b0"]


def test_a_plan_that_comes_up_meanwhile_is_the_next_to_be_written():
    one = trial("a", "c")
    assert next(one.cases)[1].code == "a0"
    one.next(SimpleNamespace(name="b", edits=()))
    assert codes(one) == ["b0", "c0"]


def test_what_comes_up_meanwhile_counts_and_comes_once():
    one, other = trial("a", "c", most=3, ways=2), SimpleNamespace(name="b", edits=())
    seen = []
    for _, case in one.cases:
        seen.append(case.code)
        one.next(other)
    assert seen == ["a0", "b0", "b1"]


def test_the_most_telling_verdict_is_kept_the_first_of_equals():
    one = trial("a")
    for kind, text in (
        (VerdictKind.NOT_ADAPTED, "1"),
        (VerdictKind.CLEAN, "2"),
        (VerdictKind.CLEAN, "3"),
        (VerdictKind.EXPECTED, "4"),
    ):
        assert one.note(verdict(kind), written(text)).code == text
    assert (one.end().code, one.end().verdict.kind) == ("2", VerdictKind.CLEAN)


def test_what_cannot_be_written_is_no_finding():
    found = trial("a", ways=0).end()
    assert found.verdict.kind is VerdictKind.NOT_ADAPTED
    assert (found.code, found.edits) == ("", ("none",))


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        (VerdictKind.EXPECTED, VerdictKind.REFUSED, VerdictKind.EXPECTED),
        (VerdictKind.CLEAN, VerdictKind.REFUSED, VerdictKind.REFUSED),
        (VerdictKind.EXPECTED, VerdictKind.BUG, VerdictKind.BUG),
        (VerdictKind.BUG, VerdictKind.CLEAN, VerdictKind.BUG),
    ],
)
def test_the_verdict_that_tells_most_stands(first, then, told):
    one = trial("a", "b")
    for kind in (first, then):
        one.note(verdict(kind), written("x"))
    assert one.end().verdict.kind is told


def test_a_case_in_front_is_the_next_one_and_the_only_one():
    one = trial("a", "b")
    plan, _ = next(one.cases)
    one.front(plan, written("in front"))
    assert one.fronted
    assert codes(one) == ["in front", "b0"]


@pytest.mark.parametrize("then", [VerdictKind.NOT_ADAPTED, VerdictKind.CLEAN])
def test_what_is_mended_tells_nothing_once_the_mended_plan_does(then):
    """That several numbers are no single one, where the largest of them is tried next."""
    one = trial("a")
    next(one.cases)
    one.note(verdict(VerdictKind.DIFFERENT), written("several"))
    one.next(SimpleNamespace(name="b", edits=()))
    next(one.cases)
    one.note(verdict(then), written("largest"))
    assert (one.end().code, one.end().verdict.kind) == ("largest", then)


def test_what_is_mended_tells_where_the_mended_plan_cannot_be_tried():
    one = trial("a", most=1)
    next(one.cases)
    one.note(verdict(VerdictKind.DIFFERENT), written("several"))
    one.next(SimpleNamespace(name="b", edits=()))
    assert codes(one) == []
    assert one.end().code == "several"


def test_what_was_found_before_the_mended_one_still_counts():
    one = trial("a", "b")
    for kind, text in ((VerdictKind.CLEAN, "first"), (VerdictKind.DIFFERENT, "several")):
        next(one.cases)
        one.note(verdict(kind), written(text))
    one.next(SimpleNamespace(name="c", edits=()))
    next(one.cases)
    one.note(verdict(VerdictKind.NOT_ADAPTED), written("largest"))
    assert one.end().code == "first"


def test_what_is_mended_a_second_time_tells_nothing_either():
    """Two ways of one plan, which the same other plan mends."""
    one, mended = trial("a", ways=2), SimpleNamespace(name="b", edits=())
    kinds = iter(
        (VerdictKind.DIFFERENT, VerdictKind.CLEAN, VerdictKind.CLEAN, VerdictKind.DIFFERENT)
    )
    for _, case in one.cases:
        kind = next(kinds)
        one.note(verdict(kind), written(case.code))
        if kind is VerdictKind.DIFFERENT:
            one.next(mended)
    assert (one.end().code, one.end().verdict.kind) == ("b0", VerdictKind.CLEAN)


def test_what_is_to_be_mended_tells_until_that_is_tried():
    one = trial("a", "c")
    next(one.cases)
    one.note(verdict(VerdictKind.DIFFERENT), written("several"))
    one.next(SimpleNamespace(name="b", edits=()))
    assert one.best.code == "several"
