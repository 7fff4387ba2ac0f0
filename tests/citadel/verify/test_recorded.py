"""Whether what a run shows is what a report recorded."""

from dataclasses import replace

import pytest

from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle import status
from citadel.verify.recorded import (
    as_told,
    bug_kind,
    drifted,
    recorded,
    reproduces,
    says_the_same,
)
from harvest.report.model import Claim, ClaimKind, ClaimSource

HANGS = Symptom(kind=SymptomKind.HANGS)
SEGV = status.crashes("SIGSEGV")
PLAIN = status.raises("RuntimeError", "bad width 3")
ASSERTION = status.raises("RuntimeError", 'x INTERNAL ASSERT FAILED at "a/b.cpp":1, please report')
NO_CUDA = status.raises("AssertionError", "Torch not compiled with CUDA enabled")
TWO_LINES = status.raises("RuntimeError", "f has no formula for forward mode\nPlease report a bug.")
ONE_LINE = status.raises(
    "RuntimeError", "f has no formula for forward mode INTERNAL ASSERT FAILED, please report"
)
NO_KERNEL = status.raises("NotFoundError", "Could not find device for node: {{node F}}")


LONG = "the value is not convertible to a tensor of this dtype"
WRAPPED = f"Error in a function passed to a map: ValueError: {LONG}, see above"


def claim(kind, **fields):
    return Claim(kind=kind, source=ClaimSource.LOG, **fields)


@pytest.mark.parametrize(
    ("wanted", "seen", "again"),
    [
        (None, None, False),
        (None, PLAIN, True),
        (None, SEGV, True),
        (PLAIN, None, False),
        (PLAIN, PLAIN, True),
        (PLAIN, status.raises("RuntimeError", "another text"), True),
        (PLAIN, status.raises("NotImplementedError", "another text"), True),
        (PLAIN, status.raises("TypeError", "bad width 7"), True),
        (PLAIN, status.raises("TypeError", "another text"), False),
        (PLAIN, SEGV, True),
        (PLAIN, HANGS, False),
        (SEGV, SEGV, True),
        (SEGV, status.crashes("SIGABRT"), True),
        (SEGV, PLAIN, False),
        (SEGV, HANGS, False),
        (status.crashes(), SEGV, True),
        (status.crashes(), PLAIN, False),
        (status.crashes(), NO_KERNEL, True),
        (SEGV, NO_KERNEL, False),
        (status.crashes(), NO_CUDA, False),
        (HANGS, HANGS, True),
        (HANGS, PLAIN, False),
        (HANGS, None, False),
        (ASSERTION, ASSERTION, True),
        (ASSERTION, PLAIN, False),
        (ASSERTION, SEGV, True),
        (PLAIN, ASSERTION, True),
        (ONE_LINE, TWO_LINES, True),
        (TWO_LINES, ONE_LINE, True),
        (ASSERTION, status.raises("RuntimeError", "x"), False),
        (status.raises("ValueError", LONG), status.raises("InternalError", WRAPPED), True),
    ],
)
def test_reproduces(wanted, seen, again):
    assert reproduces(wanted, seen) is again


@pytest.mark.parametrize(
    ("seen", "same"),
    [
        (status.raises("RuntimeError", "bad width 9"), True),
        (status.raises("NotImplementedError", "bad width 9"), True),
        (status.raises("TypeError", "bad width 9"), False),
        (status.raises("NotImplementedError", "another text"), False),
        (SEGV, False),
    ],
)
def test_of_what_is_guessed_the_message_has_to_be_the_same(seen, same):
    assert says_the_same(PLAIN, seen) is same


@pytest.mark.parametrize(
    ("wanted", "seen", "other"),
    [
        (PLAIN, PLAIN, False),
        (PLAIN, status.raises("RuntimeError", "another text"), True),
        (SEGV, ASSERTION, True),
        (None, PLAIN, False),
        (status.crashes(), ASSERTION, False),  # it records nothing that could be another
        (PLAIN, None, False),
    ],
)
def test_only_what_is_recorded_can_drift(wanted, seen, other):
    assert drifted(wanted, seen) is other


def test_any_crash_that_is_recorded_says_the_same():
    assert says_the_same(status.crashes(), SEGV)


@pytest.mark.parametrize(
    ("kinds", "symptom", "expected"),
    [
        ((), None, BugKind.VALUE),
        ((), PLAIN, BugKind.STATUS),
        ((ClaimKind.VALUE,), PLAIN, BugKind.VALUE),
        ((ClaimKind.VALUE,), SEGV, BugKind.STATUS),
        ((ClaimKind.PERFORMANCE,), HANGS, BugKind.PERFORMANCE),
        ((), HANGS, BugKind.STATUS),
        ((ClaimKind.PERFORMANCE,), None, BugKind.PERFORMANCE),
        ((ClaimKind.RAISES, ClaimKind.VALUE), None, BugKind.STATUS),
        ((ClaimKind.VALUE, ClaimKind.RAISES), None, BugKind.VALUE),
        ((ClaimKind.CRASHES,), None, BugKind.STATUS),
        ((ClaimKind.HANGS,), None, BugKind.STATUS),
    ],
)
def test_bug_kind(kinds, symptom, expected):
    assert bug_kind(tuple(map(claim, kinds)), symptom) is expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("ValueError", BugKind.STATUS),
        ("errors.ValueError", BugKind.STATUS),
        ("KeyError", BugKind.VALUE),
        ("AssertionError", BugKind.VALUE),
    ],
)
def test_an_exception_that_the_report_names_outweighs_a_title(named, expected):
    """A title that speaks of "different shapes" speaks of no values that differ."""
    told = (
        Claim(kind=ClaimKind.VALUE, source=ClaimSource.TITLE),
        Claim(kind=ClaimKind.RAISES, source=ClaimSource.BODY, exception=named),
    )
    old = replace(told[1], text="In version 1.8 it used to raise ValueError")
    raised = "AssertionError" if named == "AssertionError" else "ValueError"
    seen = Symptom(kind=SymptomKind.RAISES, exception=raised, message="")
    assert bug_kind(told, seen) is expected
    assert bug_kind((told[0], old), seen) is BugKind.VALUE


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ((), None),
        ((claim(ClaimKind.VALUE),), None),
        ((claim(ClaimKind.RAISES),), None),
        (
            (claim(ClaimKind.RAISES, exception="ValueError", message="bad 3"),),
            status.raises("ValueError", "bad 3"),
        ),
        ((claim(ClaimKind.RAISES, exception="ValueError"),), status.raises("ValueError", "")),
        ((claim(ClaimKind.CRASHES, signal="SIGFPE"),), status.crashes("SIGFPE")),
        ((claim(ClaimKind.CRASHES),), status.crashes()),
        ((claim(ClaimKind.HANGS),), HANGS),
        ((claim(ClaimKind.VALUE), claim(ClaimKind.HANGS)), HANGS),
        (
            (claim(ClaimKind.CRASHES, signal="SIGFPE"), claim(ClaimKind.HANGS)),
            status.crashes("SIGFPE"),
        ),
    ],
)
def test_recorded(claims, expected):
    assert recorded(claims) == expected


OTHER = claim(ClaimKind.RAISES, exception="TypeError", message="must be int", text="TypeError")
OWN = claim(ClaimKind.RAISES, exception="RuntimeError", text="RuntimeError",
            message='x INTERNAL ASSERT FAILED at "a/b.cpp":1, please report')  # fmt: skip


def test_what_the_framework_calls_its_own_fault_counts_where_it_shows():
    plain = recorded((OTHER, OWN))
    assert plain.exception == "TypeError"
    assert as_told((OTHER, OWN), plain, ASSERTION) == ASSERTION
    assert as_told((OWN, OTHER), ASSERTION, plain) is None  # what should be raised, say
    assert as_told((OTHER,), SEGV, plain) is None


def test_another_release_may_raise_what_is_told_besides():
    pasted = claim(ClaimKind.RAISES, exception="ValueError", message="no room", text="with Keras 3")
    newer = replace(pasted, source=ClaimSource.BODY)
    seen, plain = status.raises("ValueError", "no room"), recorded((OTHER,))
    assert as_told((OTHER, newer), plain, seen) == seen
    assert as_told((OTHER, pasted), plain, seen) is None
    assert as_told((OTHER, newer), plain, status.raises("ValueError", "no time")) is None
    assert as_told((OTHER, newer), plain, SEGV) is None
    elsewhere = replace(newer, text="on older versions")
    assert as_told((OTHER, elsewhere), plain, seen) is None
