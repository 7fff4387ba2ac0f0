"""What the files of a harvest are called: the harvest itself, and what lies beside it."""

from __future__ import annotations

from pathlib import Path

SUFFIX = ".jsonl"
QUEUE = ".queue.jsonl"
HITS = ".hits.jsonl"
FILES = ".files"
SEARCH = ".search"
BESIDE = {QUEUE: "queue", HITS: "record of hits"}


def queue_path(harvest: Path) -> Path:
    """Where the queue of a harvest lies: what of it is to be run."""
    return _beside(harvest, QUEUE)


def hits_path(harvest: Path) -> Path:
    """Where a search keeps the record of all that it hit upon."""
    return _beside(harvest, HITS)


def files_path(harvest: Path) -> Path:
    """The folder of the files that hits bring along."""
    return _beside(harvest, FILES)


def search_path(harvest: Path) -> Path:
    """Where a search notes how far it is."""
    return _beside(harvest, SEARCH)


def other_part(name: str) -> str | None:
    """How the name of a queue or of a record of hits ends, which also end as harvests do."""
    return next((suffix for suffix in BESIDE if name.endswith(suffix)), None)


def harvest_of(name: str) -> str:
    """The harvest beside which a queue or a record of hits lies, by the name of that."""
    return name.removesuffix(other_part(name) or SUFFIX) + SUFFIX


def _beside(harvest: Path, suffix: str) -> Path:
    return harvest.with_name(harvest.name.removesuffix(SUFFIX) + suffix)
