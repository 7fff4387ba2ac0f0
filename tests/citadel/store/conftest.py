"""A store, and triages that never ran, made from a few words."""

import pytest

from citadel.model import (
    BugCase,
    BugKind,
    Channels,
    Finding,
    Symptom,
    SymptomKind,
    Triage,
    Verdict,
    VerdictKind,
)
from citadel.store import reports
from citadel.store.database import open_to_write
from citadel.store.reports import Build
from harvest.report.model import Report

ASSERTION = Symptom(
    kind=SymptomKind.RAISES,
    exception="RuntimeError",
    message="self.has_storage() INTERNAL ASSERT FAILED",
    pattern="self.has_storage() INTERNAL ASSERT FAILED at TensorShape.cpp",
)
NAN = Symptom(kind=SymptomKind.NON_FINITE, where="y", observed="nan")


def make_build(key="b1", framework="torch", version="2.13.0"):
    return Build(
        key=key,
        framework=framework,
        version=version,
        python="/venv/bin/python",
        backend="",
        devices=("cpu",),
        sandbox="bubblewrap",
        apis=4000,
        index="torch.json",
    )


def make_finding(api, kind=VerdictKind.BUG, *, symptom=None, runs=(3, 3), code=None):
    return Finding(
        api=api,
        verdict=Verdict(kind=kind, runs=runs, confidence=0.9, symptom=symptom),
        channels=Channels(signature=0.5, arguments=1.0),
        edits=(f"renamed to {api}",),
        code=f"import torch\n{api}(x)\n" if code is None else code,
    )


def make_triage(api, *findings, symptom=ASSERTION, runs=(3, 3), build="b1", framework="torch"):
    kind = BugKind.STATUS if symptom.kind is SymptomKind.RAISES else BugKind.VALUE
    case = BugCase(
        id=f"{api}-{build}",
        origin="report.md",
        framework=framework,
        build=build,
        api=api,
        code=f"import torch\n{api}(x)\n",
        kind=kind,
        symptom=symptom,
        reproduces=True,
        runs=runs,
    )
    return Triage(input="report.md", case=case, findings=findings, tried=len(findings))


@pytest.fixture
def store(tmp_path):
    with open_to_write(tmp_path / "citadel.db") as opened:
        yield opened


@pytest.fixture
def known(store):
    """A store with the builds b1 and b2 and a function that adds reports by number."""
    with store.transaction():
        reports.add_build(store, make_build())
        reports.add_build(store, make_build("b2", version="2.14.0"))

    def add(number):
        report = Report(
            source=f"{number}.md", title="t", body="b", repository="some/where", number=number
        )
        with store.transaction():
            return reports.add_report(store, report, ())

    return add
