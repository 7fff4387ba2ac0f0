"""Symptoms in few words."""

import pytest

from citadel.model import Symptom, SymptomKind
from citadel.report.headline import figure, headline

LONG = "norm(" + "x, " * 100 + ")"


def symptom(kind, **fields):
    return Symptom(kind=kind, **fields)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (symptom(SymptomKind.SLOW, where="a / b", ratio=5.234), "ratio 5.23"),
        (symptom(SymptomKind.MEMORY, where="a", observed="512 bytes per step"),
         "512 bytes per step"),
        (symptom(SymptomKind.SLOW, where="a"), ""),
        (symptom(SymptomKind.DISAGREES, where="a", observed="3"), ""),
        (symptom(SymptomKind.RAISES, exception="ValueError", message="m"), ""),
    ],
)  # fmt: skip
def test_figures(given, shown):
    assert figure(given) == shown


@pytest.mark.parametrize("limit", [60, 100, 300])
@pytest.mark.parametrize("where", [LONG, "a", f"{LONG}\x1b[2J"])
def test_what_came_out_is_shown_however_long_the_expression_is(where, limit):
    slow = symptom(SymptomKind.SLOW, where=where, observed="5.2", expected="about 1", ratio=5.2)
    wrong = symptom(SymptomKind.DISAGREES, where=where, observed="inf", expected="2e20")
    for text, part in (
        (headline(slow, limit), "ratio 5.2, expected about 1: "),
        (headline(wrong, limit), " is inf, expected 2e20"),
    ):
        assert part in text
        assert len(text) <= limit
        assert text.isprintable()


def test_other_symptoms_are_cut_at_their_end():
    raised = symptom(SymptomKind.RAISES, exception="ValueError", message="m" * 300)
    assert headline(raised, 40).startswith("ValueError: mmm")
    assert len(headline(raised, 40)) <= 40
