"""Kernels that a build has not got: whose bug that is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, ApiKind
from citadel.judge.doubts import Doubts
from citadel.judge.relations import related
from citadel.judge.verdicts import verdict
from citadel.match.rank import Candidate
from citadel.model import Symptom, Verdict, VerdictKind
from citadel.oracle import status
from citadel.verify.verified import Verified

_NO_SUBJECT = re.compile(r"\.(?:compat|raw_ops)\.")


@dataclass(frozen=True, slots=True)
class _Lack:
    """A bug that shows as `symptom`, perhaps that a kernel is missing."""

    symptom: Symptom
    candidate: Candidate
    source: Verified | None


KERNELS: Doubts[_Lack] = Doubts("doubt")


@KERNELS.guard("kernel-is-there")
def _kernel_is_there(lack: _Lack) -> str | None:
    """The bug is none of a missing kernel."""
    return None if status.unavailable(lack.symptom) else "no kernel is missing"


@KERNELS.guard("close-relation-lacks-kernel")
def _close_relation_lacks_kernel(lack: _Lack) -> str | None:
    """Close relations should have the same kernels."""
    return "is a close relation" if related(lack.candidate.channels) else None


@KERNELS.guard("same-kernel-missing")
def _same_kernel_missing(lack: _Lack) -> str | None:
    """Both run into the very same operator without a kernel."""
    source = lack.source
    if source is not None and status.same_kernel(lack.symptom, source.case.symptom):
        return "lacks the same kernel"
    return None


@KERNELS.guard("neighbour-lacks-kernel")
def _neighbour_lacks_kernel(lack: _Lack) -> str | None:
    """Both stand in one namespace, and lack kernels for the same dtypes.

    Indices have dtypes of their own.
    """
    source = lack.source
    if source is None or not _beside(lack.candidate.api, source.api):
        return None
    lacking = status.lacking(source.case.symptom)
    alike = lacking and lacking <= status.lacking(lack.symptom)
    return "lacks kernels for the same dtypes" if alike else None


@KERNELS.doubt("any-api-may-lack-kernel")
def _any_api_may_lack_kernel(_: _Lack) -> Verdict:
    """Any API may lack a kernel."""
    reason = "has no such kernel either, but is no close relation"
    return verdict(VerdictKind.NEEDS, reason=reason)


def of_kernels(verdict: Verdict, candidate: Candidate, source: Verified | None = None) -> Verdict:
    """A kernel that is missing is the bug of who runs into the very same, and of close relations:
    any API may lack one."""
    symptom = verdict.symptom if verdict.kind is VerdictKind.BUG else None
    found = None if symptom is None else KERNELS.settle(_Lack(symptom, candidate, source))
    if not isinstance(found, Verdict):
        return verdict
    return replace(verdict, kind=found.kind, confidence=0.0, reason=found.reason, rule=found.rule)


def _beside(one: Api, other: Api) -> bool:
    """Whether two APIs stand in one namespace that has a subject, under any of their names; raw
    operators' has none, nor has that of a release (`tf.compat.v1`)."""
    raw = ApiKind.OP in (one.kind, other.kind)
    both = [{name.rpartition(".")[0] for name in (a.name, *a.aliases)} for a in (one, other)]
    shared = (where for where in both[0] & both[1] if "." in where)
    return not raw and not all(_NO_SUBJECT.search(f"{where}.") for where in shared)
