"""Findings with one likely root cause."""

import pytest

from citadel.family.group import families
from citadel.model import BugCase, BugKind, Channels, Finding, Triage, Verdict, VerdictKind
from citadel.oracle import status

HERE = "a.cc:1] Check failed: rank < N (4 vs. 4)"
THERE = "b.cc:7] Check failed: index >= 0"


def triage(symptom, found):
    case = BugCase(
        id="1", origin="report", framework="tensorflow", build="b", api="tf.source", code="",
        kind=BugKind.STATUS, symptom=symptom, reproduces=True, runs=(1, 1),
    )  # fmt: skip
    findings = tuple(
        Finding(
            api=api,
            verdict=Verdict(kind=VerdictKind.BUG, runs=(1, 1), confidence=0.9, symptom=seen),
            channels=Channels(),
        )
        for api, seen in found.items()
    )
    return Triage(input="report", case=case, findings=findings)


def aborts(message):
    return status.crashes("SIGABRT", message)


def test_another_check_is_another_family_without_the_source():
    found = {"tf.a": aborts(HERE), "tf.b": aborts(THERE), "tf.c": aborts(HERE.replace("4", "3"))}
    one, other = families(triage(aborts(HERE), found))
    assert one.apis == ("tf.source", "tf.a", "tf.c")
    assert other.apis == ("tf.b",)
    assert "Check failed: index" in other.root


@pytest.mark.parametrize("source", [aborts(None), aborts(HERE)])
def test_crashes_without_words_belong_to_the_source(source):
    (family,) = families(triage(source, {"tf.a": aborts(None), "tf.b": aborts(None)}))
    assert family.apis == ("tf.source", "tf.a", "tf.b")
