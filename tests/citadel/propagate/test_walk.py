"""Which APIs a walk along the ranking takes, and when it ends."""

from types import SimpleNamespace

import pytest

from citadel.propagate.probe import ProbeOutcome
from citadel.propagate.walk import (
    AT_LEAST,
    FIRST_ROUND,
    MOST_IN_ROUND,
    UNIT,
    Progress,
    Walk,
    as_if_probed,
    units,
    unprobed,
)


def entry(number, plans=1):
    api = SimpleNamespace(name=f"api{number}")
    return SimpleNamespace(api=api), ("plan",) * plans


ENTRIES = [entry(number) for number in range(1000)]


def walk(**limits):
    return Walk(**limits).among(measured=False)


def taken(progress):
    """How far a walk gets that finds nothing."""
    reached = 0
    while chunk := progress.take():
        reached += len(chunk)
        progress.attempts += sum(len(plans) for _, plans in chunk)
    return reached


def test_walk_without_patience_takes_all():
    assert taken(Progress(ENTRIES, walk(patience=None))) == 1000


def test_walk_takes_no_more_siblings_than_asked_for():
    assert taken(Progress(ENTRIES, walk(patience=None, siblings=70))) == 70


@pytest.mark.parametrize(("patience", "least"), [(10, AT_LEAST), (500, 500)])
def test_walk_ends_when_nothing_hits(patience, least):
    assert 0 <= taken(Progress(ENTRIES, walk(patience=patience))) - least < MOST_IN_ROUND


def test_walk_stops_before_the_plans_exceed_the_attempts():
    entries = [entry(number, plans=3) for number in range(100)]
    progress = Progress(entries, walk(patience=None, attempts=100))
    assert taken(progress) == 33
    assert progress.more
    assert progress.exhausted


def test_walk_stops_when_the_replays_are_spent():
    progress = Progress(ENTRIES, walk(patience=None, replays=10))
    assert progress.take()
    progress.replays += 10
    assert progress.take() == ()
    assert progress.more


def test_first_rounds_are_small_and_later_ones_larger():
    progress = Progress(ENTRIES, walk(patience=None))
    sizes = [len(progress.take()) for _ in range(5)]
    assert sizes == [FIRST_ROUND, 48, 96, MOST_IN_ROUND, MOST_IN_ROUND]


def test_round_is_probed_in_units_that_do_not_depend_on_the_machine():
    progress = Progress(ENTRIES, walk(patience=None))
    progress.take()
    assert [len(unit) for unit in units(progress.take())] == [UNIT, UNIT]


def test_hit_prolongs_a_walk():
    progress = Progress(ENTRIES, walk(patience=200))
    for _ in range(3):
        progress.take()
    progress.hit("api140")
    assert progress.next + taken(progress) >= 340


def test_finding_prolongs_a_walk_that_had_ended():
    progress = Progress(ENTRIES, walk(patience=100))
    reached = taken(progress)
    progress.found(reached - 1, set())
    assert taken(progress) > 0


def test_kin_of_a_finding_come_next():
    progress = Progress(ENTRIES[:300], walk(patience=100))
    first = progress.take()
    progress.found(3, {"api2", "api250", "api240"})
    names = [candidate.api.name for candidate, _ in progress.take()]
    assert names[:3] == ["api240", "api250", f"api{len(first)}"]
    assert len({one[0].api.name for one in progress.entries}) == 300


def test_kin_that_comes_early_does_not_prolong_a_walk():
    progress = Progress(ENTRIES[:300], walk(patience=100))
    progress.take()
    progress.found(3, {"api250"})
    progress.take()
    progress.found(250, set())
    assert progress.last_hit == progress.next < 250


@pytest.mark.parametrize(("measured", "replays"), [(True, 120), (False, 1000)])
def test_measured_siblings_are_replayed_less_often(measured, replays):
    assert Walk().among(measured=measured).replays == replays
    assert Walk(replays=7).among(measured=measured).replays == 7


def case(**facts):
    usual = {"witness": None, "measured": None, "shown": True, "observation": None, "call": None}
    usual["observation"] = SimpleNamespace(on_gpu=False)
    return SimpleNamespace(**(usual | facts))


@pytest.mark.parametrize(("seconds", "expected"), [(0.01, False), (1.0, True)])
def test_siblings_of_a_slow_call_are_replayed_without_a_probe(seconds, expected):
    slow = case(measured=object(), call=SimpleNamespace(seconds=seconds))
    assert unprobed(slow) is expected


def test_siblings_of_what_shows_untraced_only_are_replayed_without_a_probe():
    untraced = case(witness=SimpleNamespace(untraced=True))
    assert unprobed(untraced)
    assert [one.outcome for one in as_if_probed(untraced, [entry(1)])] == [ProbeOutcome.CLEAN]
