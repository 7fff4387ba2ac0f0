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
from harvest.tracker.kept import is_harvest, queued, without_parts
from harvest.tracker.names import SUFFIX, other_part
from harvest.tracker.numbered import is_numbered, numbered_reports
from harvest.tracker.queue import Linked


def reports_of(inputs: Sequence[str]) -> Iterator[Report | BadInput | Linked]:
    """Yield the reports that the inputs name, in their order, and after each what it stands for.

    Raises:
        CitadelError: when an input is a harvest that cannot be read, or a queue without one.
    """
    for name in without_parts(inputs):
        if is_numbered(name):
            yield from numbered_reports(name)
            continue
        if is_harvest(name):
            yield from queued(Path(name))
            continue
        harvests = _beneath(Path(name))
        for path in harvests:
            yield from queued(path)
        found = load([name], stdin=sys.stdin.buffer, fetch=_from_tracker)
        yield from (one for one in found if not harvests or not _nothing(one, name))


def _beneath(folder: Path) -> list[Path]:
    """The harvests in a folder."""
    try:
        found = sorted(folder.rglob("*" + SUFFIX)) if folder.is_dir() else []
    except OSError:
        return []
    return [path for path in found if other_part(path.name) is None]


def _nothing(found: Report | BadInput, folder: str) -> bool:
    """Whether this only says that a folder has no reports of other kinds."""
    return isinstance(found, BadInput) and found.source == folder


def _from_tracker(repository: str, number: int) -> Report | BadInput:
    from harvest.tracker.single import fetch_issue  # GitHub's client is large

    return fetch_issue(repository, number)
