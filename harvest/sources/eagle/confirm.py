"""Run the script of a finding alone, in a fresh process: only what it shows is a case."""

from __future__ import annotations

from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits, Session
from analysis.target.target import TargetInfo
from harvest.importers.model import Case
from harvest.sources.eagle.finding import CRASH, STATUS, Finding
from harvest.sources.eagle.scripts import case, script

SECONDS = 120.0
"""Scripts that compile take long; all others end within one."""
NOT_SHOWN = "its script, run alone, does not show it"
SLOW = "its script, run alone, ends: it is slow, and does not hang"
STARVED = "its script, run alone, does not end in time, but other work had the processor"
BUSY, ASLEEP = 0.5, 1.0
"""What hangs has had this share of its time, or hardly a second: it waits for nothing."""
_ENDS = (Outcome.OK, Outcome.EXCEPTION)


def confirmed(
    finding: Finding, info: TargetInfo, session: Session, planted: str = ""
) -> tuple[Case | None, str]:
    """The case of a finding, or the reason why it has none.

    `planted` is code that goes before the script when it is run, and is no part of it.
    """
    if finding.unwritten:
        return None, finding.unwritten
    text = script(finding, info.framework)
    seen = session.run(planted + "\n" + text, limits=Limits(wall=SECONDS))
    if not _shows(finding, seen):
        if finding.state == CRASH and seen.outcome is Outcome.TIMEOUT:
            return None, STARVED
        return None, SLOW if finding.hangs and seen.outcome in _ENDS else NOT_SHOWN
    return case(finding, info.framework, info.version, _end_of(seen)), ""


def _shows(finding: Finding, seen: Observation) -> bool:
    if finding.state == CRASH:
        hangs = seen.cpu >= BUSY * SECONDS or seen.cpu < ASLEEP
        return seen.outcome is Outcome.SIGNAL or (seen.outcome is Outcome.TIMEOUT and hangs)
    if seen.outcome is not Outcome.EXCEPTION or seen.exception is None:
        return False
    if finding.state == STATUS:
        return seen.exception.type == finding.types[0]
    # Where shapes or structures differ, comparisons raise more than one kind of exception.
    return seen.exception.type == "AssertionError" or finding.kind in ("shape", "structure")


def _end_of(seen: Observation) -> str:
    """The traceback as the script printed it, or how it died."""
    if seen.outcome is Outcome.EXCEPTION:
        start = seen.stderr.rfind("Traceback (most recent call last)")
        return seen.stderr[max(start, 0) :].strip()[-3000:]
    return seen.stderr.strip()[-1500:] or str(seen.outcome)
