"""A harvest as an input of a triage: what its queue keeps, or all of it where there is no queue."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.errors import CitadelError
from harvest.report.model import BadInput, Report
from harvest.tracker.queue import Linked, queue_path, read_linked
from harvest.tracker.stored import read_harvest

SUFFIX = ".jsonl"
QUEUE = ".queue.jsonl"


def is_harvest(argument: str) -> bool:
    """Whether an argument names a file of one issue per line."""
    try:
        return argument.endswith(SUFFIX) and Path(argument).is_file()
    except (OSError, ValueError):
        return False


def without_queues(arguments: Sequence[str]) -> list[str]:
    """Arguments but for queues that are named beside their harvests, as `*.jsonl` does."""
    named = {os.path.realpath(one) for one in arguments}
    return [
        one
        for one in arguments
        if not one.endswith(QUEUE)
        or os.path.realpath(one).removesuffix(QUEUE) + SUFFIX not in named
    ]


def kept_reports(path: Path) -> Iterator[Report | BadInput]:
    """Yield the reports of a harvest that are to be run.

    Raises:
        CitadelError: when the file is a queue, cannot be read, or has a queue that does not fit it.
    """
    yield from (one for one in queued(path) if not isinstance(one, Linked))


def queued(path: Path) -> Iterator[Report | BadInput | Linked]:
    """Yield what `kept_reports` yields, and those that are linked to one of them.

    Raises:
        CitadelError: as `kept_reports`.
    """
    if path.name.endswith(QUEUE):
        raise CitadelError(f"{path} is the queue of a harvest", "name the harvest beside it")
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
