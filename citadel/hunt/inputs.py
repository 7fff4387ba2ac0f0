"""What a hunt works on: harvests, report files and folders -> reports.

In: what the user named. Out: reports, and what could not be read. A harvest, of a tracker or of
another fuzzer's output, yields what its queue keeps; anything else is read as `citadel triage`
reads it. Further kinds of input belong here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from harvest.report.inputs import load
from harvest.report.model import BadInput, Report
from harvest.tracker.kept import is_harvest, kept_reports


def reports_of(inputs: Sequence[str]) -> Iterator[Report | BadInput]:
    """Yield the reports that the inputs name, in their order.

    Raises:
        CitadelError: when an input is a harvest that cannot be read, or a queue without one.
    """
    for name in inputs:
        if is_harvest(name):
            yield from kept_reports(Path(name))
        else:
            yield from load([name], stdin=sys.stdin.buffer, fetch=_from_tracker)


def _from_tracker(repository: str, number: int) -> Report | BadInput:
    from harvest.tracker.single import fetch_issue  # GitHub's client is large

    return fetch_issue(repository, number)
