"""Crash states across reports: which symptoms tell a cause, and which frames count."""

import pytest

from citadel.family.crash_state import state_of
from citadel.model import Symptom, SymptomKind


def raises(pattern):
    return Symptom(kind=SymptomKind.RAISES, exception="RuntimeError", pattern=pattern)


@pytest.mark.parametrize(
    ("symptom", "telling"),
    [
        (raises("self.has_storage() INTERNAL ASSERT FAILED at TensorShape.cpp"), True),
        (raises("Expected all tensors to be on the same device"), True),
        (raises("SHAPE N"), False),
        (raises("API() DTYPE OP"), False),
        (Symptom(kind=SymptomKind.CRASHES, signal="SIGSEGV"), False),
        (
            Symptom(
                kind=SymptomKind.CRASHES,
                signal="SIGABRT",
                pattern="tensor.cc: Check failed: N == NumElements() Must have one element",
            ),
            True,
        ),
        (Symptom(kind=SymptomKind.HANGS), False),
        (Symptom(kind=SymptomKind.NON_FINITE, where="y", observed="nan"), False),
    ],
)
def test_what_tells_a_cause_by_itself(symptom, telling):
    assert state_of(symptom).telling is telling


def test_values_and_places_in_the_report_are_no_part_of_a_state():
    one = Symptom(kind=SymptomKind.NON_FINITE, where="y", observed="nan")
    other = Symptom(kind=SymptomKind.NON_FINITE, where="out.sum()", observed="inf")
    assert state_of(one) == state_of(other)
