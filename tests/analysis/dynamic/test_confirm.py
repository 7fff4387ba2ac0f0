"""Crash candidates that are tried again alone. Sessions are played by a script."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from analysis.dynamic.confirm import confirmed, distinct
from analysis.target.session import TaskOutcome


class Alone:
    """A session in which the attempts of some numbers end as they are said to."""

    def __init__(self, ends):
        self.ends = ends
        self.asked = []

    def task(self, name, arguments, *, wall, preload):
        self.asked.append(arguments["name"])
        number = arguments["number"]
        if number not in self.ends:
            return TaskOutcome(
                records=({"n": "torch.f", "f": "not there", "v": "synthesis"},), died=None
            )
        call = {"a": [], "k": {}}
        return TaskOutcome(records=({"at": "key", "call": call},), died=self.ends[number])


def crash(sample, how="crash SIGSEGV", api="torch.f"):
    return {"api": api, "names": [api, "torch.alias"], "sample": sample, "how": how}


def tried(crashes, ends):
    session = Alone(ends)
    with ThreadPoolExecutor(1) as pool:
        found = confirmed("torch", crashes, [session], pool, lambda *_: None)
    return [item["alone"] for item in found], session


@pytest.mark.parametrize(
    ("died", "expected"),
    [("signal SIGSEGV", True), ("signal SIGABRT", True), (None, False), ("signal SIGALRM", False)],
)
def test_a_crash_is_tried_alone(died, expected):
    alone, session = tried([crash("torch.f#synthesis3")], {3: died})
    assert alone == [expected]
    assert session.asked == [["torch.f", "torch.alias"]]


def test_what_cannot_be_tried_stays_open():
    alone, session = tried([crash("torch.f#example"), crash("torch.f#synthesis9")], {})
    assert alone == [None, None]
    assert len(session.asked) == 1


def test_one_record_per_api_and_way_and_the_proven_one_wins():
    crashes = [
        {**crash("torch.f#synthesis1"), "alone": False},
        {**crash("torch.f#synthesis2"), "alone": True},
        {**crash("torch.f#synthesis3"), "alone": None},
        {**crash("torch.f#synthesis4", how="hang"), "alone": False},
        {**crash("torch.g#synthesis1", api="torch.g"), "alone": None},
    ]
    found = distinct(crashes)
    assert [(item["sample"], item["alone"]) for item in found] == [
        ("torch.f#synthesis2", True),
        ("torch.f#synthesis4", False),
        ("torch.g#synthesis1", None),
    ]
