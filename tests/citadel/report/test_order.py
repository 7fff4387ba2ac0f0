from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from citadel.model import Channels, Finding, Symptom, SymptomKind, Triage, VerdictKind
from citadel.report.order import (
    by_operation,
    describe_channels,
    everywhere,
    operations_told,
    ranked,
    verdict_counts,
)


def test_bugs_come_first_the_worst_and_surest_of_them(make_finding: Callable[..., Finding]) -> None:
    crash = Symptom(kind=SymptomKind.CRASHES, signal="SIGSEGV")
    wrong = Symptom(kind=SymptomKind.NON_FINITE, where="y", observed="nan")
    findings = [
        make_finding("clean", VerdictKind.CLEAN, confidence=1.0),
        make_finding("far", context=Fraction(1, 10)),
        make_finding("near", context=Fraction(9, 10)),
        make_finding("sure", confidence=0.99, context=None),
        make_finding("torch.ops.aten.add", symptom=crash),
        make_finding("torch.add", symptom=crash),
        make_finding("wrong", confidence=0.5, symptom=wrong),
        make_finding("alike", VerdictKind.ALIKE),
        make_finding("other", VerdictKind.DIFFERENT),
    ]
    worst = ["wrong", "torch.add", "torch.ops.aten.add"]
    rest = ["sure", "far", "near", "alike", "other", "clean"]
    assert [f.api for f in ranked(findings)] == [*worst, *rest]


def test_every_verdict_has_a_place(make_finding: Callable[..., Finding]) -> None:
    findings = [make_finding(str(kind), kind) for kind in VerdictKind]
    assert set(verdict_counts(findings)) == set(VerdictKind)
    assert next(iter(verdict_counts(findings))) is VerdictKind.BUG


def test_silent_channels_are_not_named() -> None:
    assert describe_channels(Channels()) == "none"
    spoken = Channels(context=Fraction(3, 4), family="method")
    assert describe_channels(spoken) == "context 0.75, family (method)"


def test_findings_are_counted_by_operation(make_finding: Callable[..., Finding]) -> None:
    names = {"f": "sin", "g": "cos", "f_": "sin", "h": ""}
    found = [make_finding(api, operation=operation) for api, operation in names.items()]
    assert [[one.api for one in forms] for forms in by_operation(found)] == [
        ["f", "f_"],
        ["g"],
        ["h"],
    ]


@pytest.mark.parametrize(
    ("operations", "told"),
    [
        (("b", "c"), ""),
        (("b",), ""),
        (("", ""), ""),  # nothing is known of them
        (("b", "b"), "forms of one operation"),
        (("b", "b", "c"), "forms of 2 operations"),
        (("own",), "a form of the same operation"),
        (("own", "own"), "forms of the same operation"),
        (("own", "b"), "forms of the same operation and of 1 other"),
        (("own", "b", "b", "c"), "forms of the same operation and of 2 others"),
    ],
)
def test_operations_are_told(
    operations: tuple[str, ...],
    told: str,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    case = make_triage().case
    assert case is not None
    found = [make_finding(f"api{at}", operation=one) for at, one in enumerate(operations)]
    assert operations_told(replace(case, operation="own"), found) == told


@pytest.mark.parametrize(
    ("bugs", "clean", "forms", "told"),
    [(30, 29, 1, True), (30, 30, 1, False), (29, 0, 1, False), (29, 0, 2, False)],
)
def test_a_symptom_that_most_operations_show(
    bugs: int,
    clean: int,
    forms: int,
    told: bool,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    found = [
        make_finding(f"{at}.{form}", kind, operation=str(at))
        for kind, places in (
            (VerdictKind.BUG, range(bugs)),
            (VerdictKind.CLEAN, range(bugs, bugs + clean)),
            (VerdictKind.NOT_ADAPTED, range(bugs + clean, 200)),
        )
        for at in places
        for form in range(forms)
    ]
    said = everywhere(replace(make_triage(), findings=tuple(found)))
    assert said.startswith(f"{bugs} of the {bugs + clean} operations") is told
    assert bool(said) is told
