"""The JSON of a triage, made by hand."""

import pytest


@pytest.fixture
def sibling():
    def make(api, *, operation=None, verdict="bug", alias_of=None, edits=(), confidence=0.9):
        return {
            "api": api,
            "operation": operation or api,
            "verdict": verdict,
            "alias_of": alias_of,
            "edits": list(edits),
            "confidence": confidence,
            "file": f"cases/{api}.py",
        }

    return make


@pytest.fixture
def report():
    def make(number, *siblings, kind="status", api="torch.f", symptom=None, **others):
        return {
            "input": f"folder/{number}.json",
            "number": number,
            "title": "it fails",
            "skipped": None,
            "error": None,
            "cut": None,
            "tried": 100,
            "siblings": list(siblings),
            "case": {
                "api": api,
                "kind": kind,
                "reproduces": True,
                "symptom": symptom or {"kind": "raises", "exception": "ValueError"},
                "evidence": ["ran fence 1"],
                "doubts": [],
            },
            **others,
        }

    return make


@pytest.fixture
def document():
    def make(*reports, framework="torch", version="2.13.0+cpu (cpu)"):
        return {"target": {"framework": framework, "version": version}, "reports": list(reports)}

    return make
