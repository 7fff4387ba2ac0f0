"""Crash candidates that are tried again alone. Sessions are played by a script."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from analysis.dynamic.confirm import confirmed
from analysis.target.session import TaskOutcome


class Alone:
    """A session in which the attempts of some numbers end as they are said to."""

    def __init__(self, ends):
        self.ends = ends
        self.asked = []

    def task(self, name, arguments, *, wall, preload):
        self.asked.append(arguments)
        number = arguments.get("number", arguments.get("text"))
        if number not in self.ends:
            return TaskOutcome(
                records=({"n": "torch.f", "f": "not there", "v": "synthesis"},), died=None
            )
        call = {"a": [], "k": {}}
        return TaskOutcome(records=({"at": "key", "call": call},), died=self.ends[number])


def crash(sample, how="crash SIGSEGV", api="torch.f"):
    return {"api": api, "names": [api, "torch.alias"], "sample": sample, "how": how}


def tried(crashes, ends, known=None):
    session = Alone(ends)
    with ThreadPoolExecutor(1) as pool:
        found = confirmed("torch", crashes, [session], pool, lambda *_: None, known)
    return [item["alone"] for item in found], session


@pytest.mark.parametrize(
    ("died", "expected"),
    [("signal SIGSEGV", True), ("signal SIGABRT", True), (None, False), ("signal SIGALRM", False)],
)
def test_a_crash_is_tried_alone(died, expected):
    alone, session = tried([crash("torch.f#synthesis3")], {3: died})
    assert alone == [expected]
    assert session.asked == [{"name": ["torch.f", "torch.alias"], "number": 3}]


def test_what_was_told_of_a_call_is_handed_back_with_what_was_learnt():
    told = {**crash("torch.f#7"), "text": "its arguments"}
    alone, session = tried([told], {"its arguments": "signal SIGSEGV"}, {"table": "how"})
    assert alone == [True]
    assert session.asked[0]["text"] == "its arguments"
    assert session.asked[0]["known"] == {"table": "how"}


def test_what_cannot_be_tried_stays_open():
    crashes = [crash("torch.f#example"), crash("torch.g#synthesis9", api="torch.g")]
    alone, session = tried(crashes, {})
    assert alone == [None, None]
    assert len(session.asked) == 1


def test_of_several_calls_those_count_that_were_made_again_one_by_one():
    alone, session = tried([crash("torch.f#8-71")], {})
    assert alone == [False]
    assert session.asked == []


def test_one_record_per_api_and_way_and_the_proven_one_wins():
    crashes = [
        crash("torch.f#synthesis1"),
        crash("torch.f#synthesis2"),
        crash("torch.f#synthesis3"),
        crash("torch.f#synthesis4", how="hang"),
        crash("torch.g#example", api="torch.g"),
    ]
    ends = {1: None, 2: "signal SIGSEGV", 3: "signal SIGSEGV", 4: None}
    session = Alone(ends)
    with ThreadPoolExecutor(1) as pool:
        found = confirmed("torch", crashes, [session], pool, lambda *_: None)
    assert [(item["sample"], item["alone"]) for item in found] == [
        ("torch.f#synthesis2", True),
        ("torch.f#synthesis4", False),
        ("torch.g#example", None),
    ]
    assert sorted(given["number"] for given in session.asked) == [1, 2, 4]
