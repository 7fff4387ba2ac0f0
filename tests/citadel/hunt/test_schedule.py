"""What comes next: cheap and promising first, by priors, then by what the store has seen."""

import pytest

from citadel.hunt.schedule import Schedule
from citadel.store.items import Lot, Past, Stage


def lot(stage, topic, *, waiting=1, retried=False):
    return Lot(
        stage=stage, topic=topic, build="b", exclusive=False, retried=retried, waiting=waiting
    )


VERIFY, PROPAGATE = Stage.VERIFY, Stage.PROPAGATE


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (lot(PROPAGATE, "raises"), lot(VERIFY, "raises")),
        (lot(VERIFY, "raises"), lot(VERIFY, "value")),
        (lot(VERIFY, "value"), lot(VERIFY, "performance")),
        (lot(PROPAGATE, "crashes"), lot(PROPAGATE, "non_finite")),
        (lot(PROPAGATE, "non_finite"), lot(PROPAGATE, "slow")),
        (lot(PROPAGATE, "slow"), lot(PROPAGATE, "raises", retried=True)),
    ],
)
def test_before_anything_was_tried(better, worse):
    schedule = Schedule({})
    assert schedule.best([worse, better]) == schedule.best([better, worse]) == better


def test_what_brought_more_comes_first():
    rich = {(PROPAGATE, "slow"): Past(items=10, found=80, seconds=100.0)}
    poor = {(PROPAGATE, "raises"): Past(items=50, found=0, seconds=2000.0)}
    lots = [lot(PROPAGATE, "raises"), lot(PROPAGATE, "slow")]
    assert Schedule({**rich, **poor}).best(lots).topic == "slow"


def test_items_that_end_change_the_order():
    schedule = Schedule({})
    lots = [lot(VERIFY, "raises"), lot(VERIFY, "value")]
    assert schedule.best(lots).topic == "raises"
    for _ in range(40):
        schedule.learn(VERIFY, "raises", found=0, seconds=10.0)
    assert schedule.best(lots).topic == "value"


def test_nothing_open_is_nothing_next():
    assert Schedule({}).best([]) is None


def test_the_time_left_counts_what_follows():
    schedule = Schedule({(VERIFY, "raises"): Past(items=1000, found=0, seconds=1000.0)})
    few = schedule.seconds([lot(VERIFY, "raises", waiting=100)])
    assert 90 < few < 150  # none of them is expected to be carried over
    assert schedule.seconds([lot(VERIFY, "value", waiting=100)]) > 1000
