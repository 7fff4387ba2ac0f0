"""Triages to render: ordinary ones and ones whose every text is hostile."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from citadel.model import (
    BugCase,
    BugKind,
    Channels,
    Family,
    Finding,
    Seconds,
    Symptom,
    SymptomKind,
    TargetSummary,
    Triage,
    Verdict,
    VerdictKind,
)

RAISES = Symptom(
    kind=SymptomKind.RAISES,
    exception="ValueError",
    message="bad width 3",
    pattern="bad width <N>",
)


def finding(
    api: str,
    kind: VerdictKind = VerdictKind.BUG,
    *,
    code: str = "",
    confidence: float = 0.9,
    context: Fraction | None = Fraction(1, 2),
    edits: tuple[str, ...] = ("renamed",),
    reason: str | None = None,
    symptom: Symptom | None = RAISES,
    file: str | None = None,
    samples: tuple[float, ...] = (),
    operation: str = "",
) -> Finding:
    return Finding(
        api=api,
        verdict=Verdict(
            kind=kind,
            runs=(3, 3),
            confidence=confidence,
            symptom=symptom,
            reason=reason,
            samples=samples,
        ),
        channels=Channels(context=context, signature=0.25, family="dimension", arguments=1.0),
        edits=edits,
        code=code or f"{api}(3)\n",
        file=file,
        aliases=(f"{api}.alias",),
        operation=operation,
    )


def triage(
    *findings: Finding,
    title: str = "int fails",
    api: str = "builtins.int",
    code: str = "raise ValueError('bad width 3')\n",
    symptom: Symptom = RAISES,
    reproduces: bool = True,
    observed: str = "",
    doubts: tuple[str, ...] = (),
    number: int | None = 9000001,
    case_id: str = "0123456789abcdef",
    **fields: object,
) -> Triage:
    case = BugCase(
        id=case_id,
        origin="report.json",
        framework="torch",
        build="2.13.0",
        api=api,
        code=code,
        kind=BugKind.STATUS,
        symptom=symptom,
        reproduces=reproduces,
        runs=(3, 3) if reproduces else (0, 3),
        observed=observed,
        doubts=doubts,
    )
    apis = (api, *(f.api for f in findings if f.verdict.kind is VerdictKind.BUG))
    return Triage(
        input="report.json",
        repository="example/example",
        number=number,
        title=title,
        case=case,
        findings=findings,
        families=(Family(key="k", apis=apis, root="check_width"),),
        seconds=Seconds(verify=0.44, siblings=6.12, first_finding=1.2),
        tried=120,
        **fields,  # type: ignore[arg-type]
    )


@pytest.fixture
def target() -> TargetSummary:
    return TargetSummary(
        python="/usr/bin/python3",
        framework="torch",
        version="2.13.0",
        devices=("cpu",),
        sandbox="bubblewrap",
    )


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    return finding


@pytest.fixture
def make_triage() -> Callable[..., Triage]:
    return triage
