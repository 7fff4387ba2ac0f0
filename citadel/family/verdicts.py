"""Verdicts of several attempts at one generated case, put together.

In: the verdict so far and a further one. Out: their sum. What showed in some runs only stays flaky,
however the others came out; what could not be measured before may be measured now.
"""

from __future__ import annotations

from dataclasses import replace

from citadel.model import Verdict, VerdictKind

SHOWN = frozenset((VerdictKind.BUG, VerdictKind.ALIKE, VerdictKind.FLAKY))
ALWAYS = frozenset((VerdictKind.BUG, VerdictKind.ALIKE))
"""Shown in all runs, whatever it is held for."""
UNDECIDED = frozenset((VerdictKind.NOISY, VerdictKind.NOT_ADAPTED, VerdictKind.NEEDS))


def put_together(before: Verdict, now: Verdict) -> Verdict:
    """The verdict of both attempts; runs are added up where both were decided."""
    if before.kind in UNDECIDED:
        return now
    if now.kind in UNDECIDED:
        return before
    runs = (before.runs[0] + now.runs[0], before.runs[1] + now.runs[1])
    if before.kind is now.kind or {before.kind, now.kind} <= ALWAYS:
        return replace(now, runs=runs, confidence=max(before.confidence, now.confidence))
    if SHOWN & {before.kind, now.kind}:
        shown = before if before.kind in SHOWN else now
        return replace(
            shown,
            kind=VerdictKind.FLAKY,
            runs=runs,
            confidence=min(before.confidence, now.confidence),
            reason="shows in some attempts only",
        )
    return replace(now, runs=runs)
