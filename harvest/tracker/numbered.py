"""`FILE#N` -> report number N of a harvest, or of an export that holds several.

The queue of a harvest is not asked: who names a report wants it run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harvest.report.inputs import load
from harvest.report.model import BadInput, Report
from harvest.report.text import clean
from harvest.tracker.kept import is_harvest
from harvest.tracker.names import SUFFIX
from harvest.tracker.stored import read_harvest

FORMS = (SUFFIX, ".json")
"""Endings of files, so that `harvests/eagle.jsonl#16` is no issue of a repository."""
MOST_RANGES = 8
"""Of numbers that a hint names."""
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")


def is_numbered(argument: str) -> bool:
    """Whether an argument names one report of a file: `harvest.jsonl#16`."""
    name, mark, _ = argument.rpartition("#")
    if not mark or not name or _is_file(argument):
        return False
    return _is_file(name) or name.endswith(FORMS)


def numbered_reports(argument: str) -> Iterator[Report | BadInput]:
    """Yield the report of that number, one of each repository that has it, or what is wrong.

    Raises:
        CitadelError: when a harvest cannot be read.
    """
    name, _, text = argument.rpartition("#")
    source = clean(argument)
    if not _NUMBER.fullmatch(text):
        told = f"{clean(text) or 'nothing'} is no number of a report"
        yield BadInput(source=source, error=told, hint="write FILE#N, with N from 1 on")
        return
    harvest = is_harvest(name)
    found = list(read_harvest(Path(name)) if harvest else load([name]))
    reports = [one for one in found if isinstance(one, Report)]
    wanted = [one for one in reports if one.number == int(text)]
    if wanted or not reports:  # of a file that cannot be read at all, its errors
        yield from wanted or found
        return
    numbers = sorted({one.number for one in reports if one.number is not None})
    told = f"there {'are' if len(numbers) > 1 else 'is'} {ranges(numbers)}"
    hint = told if numbers else f"its reports have no numbers: name {clean(name)} alone"
    yield BadInput(source=source, error=f"no report has the number {int(text)}", hint=hint)


def ranges(numbers: list[int]) -> str:
    """Sorted numbers in short.

    >>> ranges([1, 2, 3, 5, 8, 9])
    '1 to 3, 5, 8 to 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    told = [" to ".join(map(str, run)) for run in runs[:MOST_RANGES]]
    return ", ".join([*told, "..."] if len(runs) > MOST_RANGES else told)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False
