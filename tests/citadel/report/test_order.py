from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from citadel.model import Channels, Finding, VerdictKind
from citadel.report.order import describe_channels, ranked, verdict_counts


def test_bugs_come_first_and_the_ranking_stands(make_finding: Callable[..., Finding]) -> None:
    findings = [
        make_finding("clean", VerdictKind.CLEAN, confidence=1.0),
        make_finding("far", context=Fraction(1, 10)),
        make_finding("near", context=Fraction(9, 10)),
        make_finding("sure", confidence=0.99, context=None),
        make_finding("other", VerdictKind.DIFFERENT),
    ]
    assert [f.api for f in ranked(findings)] == ["far", "near", "sure", "other", "clean"]


def test_every_verdict_has_a_place(make_finding: Callable[..., Finding]) -> None:
    findings = [make_finding(str(kind), kind) for kind in VerdictKind]
    assert set(verdict_counts(findings)) == set(VerdictKind)
    assert next(iter(verdict_counts(findings))) is VerdictKind.BUG


def test_silent_channels_are_not_named() -> None:
    assert describe_channels(Channels()) == "none"
    spoken = Channels(context=Fraction(3, 4), family="method")
    assert describe_channels(spoken) == "context 0.75, family (method)"
