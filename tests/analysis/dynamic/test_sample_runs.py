"""Crashes, hangs and refusals of samples cost only themselves. A session is played by a script."""

import pytest

from analysis.dynamic.run import MOST_RESTARTS, reason, run_part
from analysis.target.session import TaskOutcome


class Script:
    """Stands in for a session: two entries of two calls, of which some die."""

    def __init__(self, deadly=None, *, in_making=()):
        self.deadly = dict(deadly or {})
        self.in_making = dict(in_making)
        self.asked = []

    def task(self, name, arguments, *, wall):
        assert (name, arguments["names"]) == ("examples", [])
        self.asked.append(arguments)
        records = []
        for entry in range(arguments["first"], 2):
            records.append({"entry": entry, "of": 2})
            if entry in self.in_making:
                return TaskOutcome(records=tuple(records), died=self.in_making[entry])
            worked = []
            for number in range(2):
                key = f"torch.f{entry}#{number}"
                if key in arguments["skip"]:
                    continue
                records.append({"at": key})
                if key in self.deadly:
                    return TaskOutcome(records=tuple(records), died=self.deadly[key])
                worked.append({"a": [], "k": {}})
            if worked:
                records.append({"n": f"torch.f{entry}", "o": ["aten::f"], "x": worked})
            else:
                records.append({"n": f"torch.f{entry}", "f": "no samples"})
        return TaskOutcome(records=tuple(records), died=None)


def run(script):
    seen = []
    part = run_part(
        script, "examples", {"names": []}, part=0, parts=1, progress=lambda *step: seen.append(step)
    )
    return part, seen


def test_all_is_well():
    part, seen = run(Script())
    assert set(part.operators) == {"torch.f0", "torch.f1"}
    assert part.whole
    assert not part.failures
    assert seen[-1] == (2, 2)


def test_a_crash_costs_one_sample_and_earlier_entries_are_not_repeated():
    script = Script({"torch.f1#0": "signal SIGSEGV"})
    part, _ = run(script)
    assert part.failures == {"crash SIGSEGV": 1}
    assert len(part.samples["torch.f1"]) == 1
    assert len(part.samples["torch.f0"]) == 2
    assert [arguments["first"] for arguments in script.asked] == [0, 1]
    assert part.whole


def test_a_hang_and_a_crash_of_one_entry_leave_the_other_entry():
    script = Script({"torch.f0#0": "signal SIGALRM", "torch.f0#1": "signal SIGABRT"})
    part, _ = run(script)
    assert part.failures == {"hang": 1, "crash SIGABRT": 1, "no samples": 1}
    assert set(part.operators) == {"torch.f1"}


def test_an_entry_whose_samples_cannot_be_made_is_passed_over():
    part, _ = run(Script(in_making={0: "signal SIGSEGV"}))
    assert set(part.operators) == {"torch.f1"}
    assert part.whole


def test_a_target_that_dies_at_once_is_not_asked_for_ever():
    class Dead:
        asked = 0

        def task(self, name, arguments, *, wall):
            self.asked += 1
            return TaskOutcome(records=(), died="lost")

    dead = Dead()
    part, _ = run(dead)
    assert dead.asked < MOST_RESTARTS
    assert not part.whole
    assert part.failures == {"lost": 1}


@pytest.mark.parametrize(
    ("died", "expected"),
    [
        ("timeout", "hang"),
        ("signal SIGALRM", "hang"),
        ("signal SIGFPE", "crash SIGFPE"),
        ("exception ImportError: no module", "exception ImportError"),
    ],
)
def test_reasons(died, expected):
    assert reason(died) == expected
