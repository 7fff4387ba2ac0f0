"""The order in which every output shows findings, and what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from citadel.model import BugCase, Channels, Finding, Road, Triage, VerdictKind
from citadel.oracle import status
from citadel.report.severity import RANK as SEVERITY
from citadel.report.severity import is_raw, severity

MANY = 30
"""Operations with one symptom from which on it may be that of what all of them are given."""
_RANK = {
    kind: rank
    for rank, kind in enumerate(
        (
            VerdictKind.BUG,
            VerdictKind.ALIKE,
            VerdictKind.FLAKY,
            VerdictKind.NOISY,
            VerdictKind.DIFFERENT,
            VerdictKind.REFUSED,
            VerdictKind.CLEAN,
            VerdictKind.EXPECTED,
            VerdictKind.NEEDS,
            VerdictKind.NOT_ADAPTED,
        )
    )
}


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by verdict, bugs first and of these the worst and surest; else the ranking's own order
    stands."""
    return sorted(findings, key=_place)


def _place(finding: Finding) -> tuple[int, int, float]:
    verdict = finding.verdict
    place = _RANK.get(verdict.kind, len(_RANK))
    if verdict.kind is not VerdictKind.BUG:
        return place, 0, 0.0
    # A tenth is all that confidence tells apart.
    worst = SEVERITY[severity(verdict.symptom, finding.api)]
    return place, worst, -round(verdict.confidence, 1)


def verdict_counts(findings: Iterable[Finding]) -> dict[VerdictKind, int]:
    """Count the findings per verdict, bugs first; verdicts that did not occur are left out."""
    counts = Counter(finding.verdict.kind for finding in findings)
    return {kind: counts[kind] for kind in sorted(counts, key=lambda kind: _RANK[kind])}


def describe_channels(channels: Channels) -> str:
    """Name the channels that speak for a sibling, with their scores."""
    parts = []
    if channels.context is not None:
        parts.append(f"context {float(channels.context):.2f}")
    if channels.signature:
        parts.append(f"signature {channels.signature:.2f}")
    if channels.documentation:
        parts.append(f"documentation {channels.documentation:.2f}")
    if channels.family is not None:
        parts.append(f"family ({channels.family})")
    if channels.arguments is not None:
        parts.append(f"arguments {channels.arguments:.2f}")
    if channels.matched is not None:
        parts.append(f"matched ({channels.matched})")
    return ", ".join(parts) or "none"


def by_operation(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings of each operation, in the order in which the first of each comes; of an
    operation those come first that people call themselves."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.operation or finding.api, []).append(finding)
    return [sorted(forms, key=lambda one: is_raw(one.api)) for forms in found.values()]


def operations_told(case: BugCase, findings: Sequence[Finding]) -> str:
    """Of which operations findings are forms; "" where each is another operation."""
    own = case.operation or case.api
    operations = {finding.operation or finding.api for finding in findings}
    others = len(operations - {own})
    if others == len(findings):
        return ""
    if own not in operations:
        return f"forms of {_told(others)}"
    same = "forms of the same operation" if len(findings) > 1 else "a form of the same operation"
    return f"{same} and of {others} other{'s' if others > 1 else ''}" if others else same


def _told(count: int) -> str:
    return f"{count} operations" if count > 1 else "one operation"


INTENDED = (
    "the symptom is a plain exception: whether it is a bug or validation, in the source and in "
    "each sibling, is for a maintainer to say"
)


def may_be_intended(triage: Triage) -> bool:
    """Whether the symptom could be what the API is meant to do: no crash, no internal assertion."""
    return triage.case is not None and not status.internal(triage.case.symptom)


_RAN = frozenset(
    (
        *(VerdictKind.BUG, VerdictKind.ALIKE, VerdictKind.FLAKY),
        *(VerdictKind.DIFFERENT, VerdictKind.REFUSED),
        *(VerdictKind.CLEAN, VerdictKind.EXPECTED),
    )
)


def everywhere(triage: Triage) -> str:
    """That most of what ran shows the symptom, so that no single API need be its cause; else "".

    Counted are operations, however many forms of each were tried: an internal error for a kind of
    tensor that nothing supports has hundreds of siblings, and one cause.
    """
    first = [one for one in triage.findings if one.road is Road.CALL]
    ran = {one.operation or one.api for one in first if one.verdict.kind in _RAN}
    shown = {one.operation or one.api for one in first if one.verdict.kind is VerdictKind.BUG}
    if len(shown) < MANY or 2 * len(shown) <= len(ran):
        return ""
    return (
        f"{len(shown)} of the {len(ran)} operations that ran show the symptom: its cause may be in "
        "what all of them are given or call, rather than in each"
    )
