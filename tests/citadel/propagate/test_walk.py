"""When a walk along the ranking ends, and what it waits for."""

import threading
import time
from types import SimpleNamespace

import pytest

from analysis.target.session import Limits
from citadel.propagate.probe import ProbeOutcome
from citadel.propagate.walk import AT_LEAST, MOST_AHEAD, Progress, Walk, walk

ENTRIES = [(f"candidate {number}", ()) for number in range(1000)]


class Waiting:
    """Replays of which as many wait as a test says."""

    def __init__(self, first=0, later=0):
        self.first, self.later = first, later

    def waiting(self):
        return self.first + self.later

    def ahead(self):
        return self.first


def taken(progress):
    """How far a walk gets that finds nothing by itself."""
    reached = 0
    while chunk := progress.take()[1]:
        reached += len(chunk)
    return reached


@pytest.mark.parametrize(
    ("walk", "reached"),
    [
        (Walk(patience=None), 1000),
        (Walk(patience=None, siblings=70), 70),
        (Walk(patience=10), AT_LEAST),
        (Walk(patience=500), 500),
        (Walk(patience=None, seconds=0.0), 0),
    ],
)
def test_a_walk_ends(walk, reached):
    assert 0 <= taken(Progress(ENTRIES, walk)) - reached < 48


def test_a_hit_prolongs_a_walk():
    progress = Progress(ENTRIES, Walk(patience=200))
    progress.hit(140)
    assert 340 <= taken(progress) < 340 + 48


def test_the_kin_of_a_finding_come_next():
    entries = [(SimpleNamespace(api=SimpleNamespace(name=f"api{n}")), ()) for n in range(300)]
    progress = Progress(entries, Walk(patience=100))
    _, first = progress.take()
    progress.found(3, {"api2", "api250", "api240"})
    start, chunk = progress.take()
    assert start == len(first)
    names = [candidate.api.name for candidate, _ in chunk]
    assert names[:3] == ["api240", "api250", f"api{len(first)}"]
    progress.found(250, set())
    assert taken(progress) < AT_LEAST + 48, "it came early for being kin of another"
    assert len({one[0].api.name for one in progress.entries}) == len(entries)


def test_a_walk_waits_for_replays_which_may_prolong_it():
    waiting = Waiting(later=1)

    def replayed():
        time.sleep(0.1)
        progress.hit(100)
        waiting.later = 0

    progress = Progress(ENTRIES, Walk(patience=100), waiting)
    threading.Thread(target=replayed).start()
    assert taken(progress) >= 200


def test_a_walk_does_not_run_ahead_of_replays():
    few = Walk(seconds=5.0, siblings=30)
    assert taken(Progress(ENTRIES, Walk(seconds=0.2), Waiting(first=MOST_AHEAD))) == 0
    assert taken(Progress(ENTRIES, few, Waiting(first=MOST_AHEAD - 1))) == 30
    assert taken(Progress(ENTRIES, few, Waiting(later=MOST_AHEAD))) == 30, "those can wait"


def test_findings_are_told_while_a_walk_waits():
    """Who follows a walk that waits for replays has a turn, and may tell what they found."""
    waiting = Waiting(first=MOST_AHEAD)
    progress = Progress((), Walk(seconds=30.0), waiting)
    case = SimpleNamespace(observation=SimpleNamespace(on_gpu=False), measured=None, witness=None)
    for turn in walk(case, progress, SimpleNamespace(probes=[None]), Limits()):
        assert turn is None
        waiting.first = 0
    assert waiting.first == 0


@pytest.mark.parametrize(("seconds", "probed"), [(0.01, True), (1.0, False)])
def test_siblings_of_a_slow_call_are_replayed_without_a_probe(seconds, probed):
    case = SimpleNamespace(
        observation=SimpleNamespace(on_gpu=False),
        witness=None,
        measured=object(),
        shown=True,
        call=SimpleNamespace(seconds=seconds),
    )
    entry = (SimpleNamespace(api=SimpleNamespace(name="torch.sort")), ["plan"])
    bench = SimpleNamespace(probes=[])  # nothing that could probe
    found = list(walk(case, Progress([entry], Walk(seconds=5.0)), bench, Limits()))
    assert [one.outcome for one in found] == ([] if probed else [ProbeOutcome.CLEAN])


def test_siblings_of_what_shows_untraced_only_are_replayed_without_a_probe():
    case = SimpleNamespace(
        observation=SimpleNamespace(on_gpu=False),
        witness=SimpleNamespace(untraced=True),
        measured=None,
        shown=True,
    )
    entry = (SimpleNamespace(api=SimpleNamespace(name="torch.sort")), ["plan"])
    found = list(
        walk(case, Progress([entry], Walk(seconds=5.0)), SimpleNamespace(probes=[]), Limits())
    )
    assert [one.outcome for one in found] == [ProbeOutcome.CLEAN]


@pytest.mark.parametrize(
    ("measured", "measuring", "seconds"),
    [(True, 180.0, 180.0), (False, 180.0, 60.0), (True, None, 60.0)],
)
def test_what_has_to_be_measured_has_a_time_of_its_own(measured, measuring, seconds):
    assert Walk(seconds=60.0, measuring=measuring).among(measured=measured).seconds == seconds


def test_how_far_a_walk_may_be_ahead_is_said():
    few = Walk(seconds=0.2, siblings=30)
    assert taken(Progress(ENTRIES, few, Waiting(first=60), ahead=61)) == 30
    assert taken(Progress(ENTRIES, few, Waiting(first=60), ahead=60)) == 0
