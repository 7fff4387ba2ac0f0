"""The reports that arguments name: files, folders, harvests, issues of a tracker; and umbrellas."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.errors import CitadelError
from citadel.family.known import Known, read_known
from citadel.family.umbrella import tasks
from citadel.report.text import plain
from harvest.report.correction import NO_CORRECTION, Correction
from harvest.report.inputs import load
from harvest.report.model import BadInput, Report
from harvest.tracker.kept import is_harvest, kept_reports, without_parts
from harvest.tracker.numbered import is_numbered, numbered_reports


def loaded(
    inputs: Sequence[str], correction: Correction = NO_CORRECTION
) -> list[Report | BadInput]:
    """The reports, and what is none.

    Raises:
        CitadelError: when there is no report at all, or a correction would be of several.
    """
    found = list(_loaded(inputs))
    if not found:
        places = ", ".join(map(plain, inputs))
        raise CitadelError(
            f"no reports in {places}", "reports are .json, .md and .py files, and lines of a .jsonl"
        )
    first = found[0]
    if isinstance(first, BadInput) and all(isinstance(entry, BadInput) for entry in found):
        raise CitadelError(f"{plain(first.source)}: {first.error}", first.hint)
    if correction and len(found) > 1:
        raise CitadelError(
            f"a correction is of one report, and these are {len(found)}",
            "write it into the report: <!-- citadel: api=torch.matmul -->",
        )
    return found


def read_known_issues(given: str) -> tuple[Known, ...]:
    """What is known: an umbrella list in TOML, or an umbrella issue with a list of tasks.

    Args:
        given: a TOML file; `owner/repo#N`, `harvest.jsonl#N`, or a file with one issue.

    Raises:
        CitadelError: when it cannot be read, or has no task that names an API.
    """
    if given.endswith(".toml"):
        return read_known(Path(given))
    issue, *more = loaded([given])
    if more or isinstance(issue, BadInput):
        raise CitadelError(f"{given} is no umbrella issue", "name one issue, or a file of TOML")
    numbered = issue.repository and issue.number is not None
    known = tuple(tasks(issue, f"{issue.repository}#{issue.number}" if numbered else given))
    if not known:
        raise CitadelError(
            f"{given} has no task that names an API", "a task is a line like: - [ ] `torch.add`"
        )
    return known


def _loaded(inputs: Sequence[str]) -> Iterator[Report | BadInput]:
    for given in without_parts(inputs):
        if is_numbered(given):
            yield from numbered_reports(given)
        elif is_harvest(given):
            yield from kept_reports(Path(given))
        else:
            yield from load([given], stdin=sys.stdin.buffer, fetch=_from_tracker)


def _from_tracker(repository: str, number: int) -> Report | BadInput:
    from harvest.tracker.single import fetch_issue  # GitHub's client is large

    return fetch_issue(repository, number)
