"""What a hunt works on: harvests, report files and folders -> reports.

In: what the user named. Out: reports, and what could not be read. A harvest yields what its queue
keeps; anything else is read as `citadel triage` reads it. Further kinds of input belong here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.errors import CitadelError
from harvest.report.inputs import load
from harvest.report.model import BadInput, Report
from harvest.tracker.harvest_file import checkpoint_path
from harvest.tracker.queue import queue_path, read_queue

_QUEUE = ".queue.jsonl"


def reports_of(inputs: Sequence[str]) -> Iterator[Report | BadInput]:
    """Yield the reports that the inputs name, in their order.

    Raises:
        CitadelError: when an input is a harvest that cannot be read, or a queue without one.
    """
    for name in inputs:
        if _is_harvest(name):
            yield from _kept(Path(name))
        else:
            yield from load([name], stdin=sys.stdin.buffer, fetch=_from_tracker)


def _is_harvest(name: str) -> bool:
    if name.endswith(_QUEUE):
        raise CitadelError(
            f"{name} is the queue of a harvest", f"name the harvest: {harvest_of(name)}"
        )
    return name != "-" and "\0" not in name and checkpoint_path(Path(name)).is_file()


def harvest_of(queue: str) -> str:
    """The harvest that a queue lies beside."""
    return queue.removesuffix(_QUEUE) + ".jsonl"


def _kept(harvest: Path) -> Iterator[Report]:
    if not queue_path(harvest).is_file():
        raise CitadelError(f"{harvest} has no queue beside it", f"make it: citadel mine {harvest}")
    try:
        yield from read_queue(harvest)
    except ValueError as problem:
        raise CitadelError(
            f"{queue_path(harvest)} is not the queue of this harvest",
            f"make it anew: citadel mine {harvest}",
        ) from problem


def _from_tracker(repository: str, number: int) -> Report | BadInput:
    from harvest.tracker.single import fetch_issue  # GitHub's client is large

    return fetch_issue(repository, number)
