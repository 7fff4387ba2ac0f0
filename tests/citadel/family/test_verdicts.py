"""Verdicts of several attempts, put together."""

import pytest

from citadel.family.verdicts import put_together
from citadel.model import Verdict, VerdictKind

BUG, FLAKY, CLEAN, NOISY = (
    VerdictKind.BUG,
    VerdictKind.FLAKY,
    VerdictKind.CLEAN,
    VerdictKind.NOISY,
)


@pytest.mark.parametrize(
    ("before", "now", "kind", "runs"),
    [
        ((BUG, 3, 3), (BUG, 3, 3), BUG, (6, 6)),
        ((FLAKY, 2, 3), (BUG, 3, 3), FLAKY, (5, 6)),
        ((BUG, 3, 3), (CLEAN, 0, 3), FLAKY, (3, 6)),
        ((CLEAN, 0, 3), (CLEAN, 0, 3), CLEAN, (0, 6)),
        ((NOISY, 1, 3), (BUG, 3, 3), BUG, (3, 3)),
        ((BUG, 3, 3), (NOISY, 1, 3), BUG, (3, 3)),
        ((NOISY, 1, 3), (NOISY, 0, 3), NOISY, (0, 3)),
        ((CLEAN, 0, 3), (VerdictKind.REFUSED, 0, 3), VerdictKind.REFUSED, (0, 6)),
    ],
)
def test_attempts(before, now, kind, runs):
    def verdict(one):
        return Verdict(kind=one[0], runs=one[1:], confidence=0.5)

    found = put_together(verdict(before), verdict(now))
    assert (found.kind, found.runs) == (kind, runs)
