"""A harvest as an input of a triage: what its queue keeps, or all of it where there is no queue."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.errors import CitadelError
from harvest.report.model import BadInput, Report
from harvest.tracker.names import BESIDE, SUFFIX, harvest_of, other_part, queue_path
from harvest.tracker.queue import Linked, read_linked
from harvest.tracker.stored import read_harvest


def is_harvest(argument: str) -> bool:
    """Whether an argument names a file of one issue per line."""
    try:
        return argument.endswith(SUFFIX) and Path(argument).is_file()
    except (OSError, ValueError):
        return False


def without_parts(arguments: Sequence[str]) -> list[str]:
    """Arguments but for queues and hits named beside their harvests, as `*.jsonl` does."""
    named = {os.path.realpath(one) for one in arguments}
    return [
        one
        for one in arguments
        if other_part(one) is None or harvest_of(os.path.realpath(one)) not in named
    ]


def kept_reports(path: Path) -> Iterator[Report | BadInput]:
    """Yield the reports of a harvest that are to be run.

    Raises:
        CitadelError: when the file is none but lies beside one, cannot be read, or has a queue that
            does not fit it.
    """
    yield from (one for one in queued(path) if not isinstance(one, Linked))


def queued(path: Path) -> Iterator[Report | BadInput | Linked]:
    """Yield what `kept_reports` yields, and those that are linked to one of them.

    Raises:
        CitadelError: as `kept_reports`.
    """
    refuse_part(path)
    if not queue_path(path).is_file():
        yield from read_harvest(path)
        return
    try:
        yield from read_linked(path)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
        raise CitadelError(
            f"{queue_path(path)} does not fit its harvest: {problem}",
            f"write it anew: citadel mine {path}",
        ) from problem


def refuse_part(path: Path) -> None:
    """Raise a CitadelError for a queue or a record of hits."""
    part = other_part(path.name)
    if part is not None:
        told = f"{path} is the {BESIDE[part]} of a harvest"
        raise CitadelError(told, "name the harvest beside it")
