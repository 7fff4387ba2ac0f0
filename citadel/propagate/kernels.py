"""Kernels that a build has not got: whose bug that is."""

from __future__ import annotations

import re
from dataclasses import replace

from analysis.catalog.model import Api, ApiKind
from citadel.judge.relations import related
from citadel.match.rank import Candidate
from citadel.model import Verdict, VerdictKind
from citadel.oracle import status
from citadel.verify.verified import Verified

_NO_SUBJECT = re.compile(r"\.(?:compat|raw_ops)\.")


def of_kernels(verdict: Verdict, candidate: Candidate, source: Verified | None = None) -> Verdict:
    """A kernel that is missing is the bug of who runs into the very same, and of close relations:
    any API may lack one."""
    symptom = verdict.symptom if verdict.kind is VerdictKind.BUG else None
    if symptom is None or related(candidate.channels) or not status.unavailable(symptom):
        return verdict
    if source is not None and status.same_kernel(symptom, source.case.symptom):
        return verdict
    if source is not None and _beside(candidate.api, source.api):
        lacking = status.lacking(source.case.symptom)
        if lacking and lacking <= status.lacking(symptom):  # indices have dtypes of their own
            return verdict
    reason = "has no such kernel either, but is no close relation"
    return replace(verdict, kind=VerdictKind.NEEDS, confidence=0.0, reason=reason)


def _beside(one: Api, other: Api) -> bool:
    """Whether two APIs stand in one namespace that has a subject, under any of their names; raw
    operators' has none, nor has that of a release (`tf.compat.v1`)."""
    raw = ApiKind.OP in (one.kind, other.kind)
    both = [{name.rpartition(".")[0] for name in (a.name, *a.aliases)} for a in (one, other)]
    shared = (where for where in both[0] & both[1] if "." in where)
    return not raw and not all(_NO_SUBJECT.search(f"{where}.") for where in shared)
