"""Fills a harvest file from a source, page by page, until the source or the limit ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harvest.tracker.harvest_file import HarvestFile
from harvest.tracker.pages import Entry, Page, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What a run did: issues in the file now, those that it brought (new or updated), its cost.

    `resumed` tells that the file held some before; `complete` that the source had no more.
    """

    issues: int
    fetched: int = 0
    broken: int = 0
    unreadable: int = 0
    withheld: int = 0
    pages: int = 0
    points: int = 0
    resumed: bool = False
    complete: bool = False


def gather(
    source: Source,
    path: Path,
    *,
    limit: int | None = None,
    prepare: Callable[[Page], Page] = lambda page: page,
    again: Callable[[Path], Iterable[Entry]] = lambda _path: (),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Gathered:
    """Go on with the harvest at `path` until it has `limit` issues or all that there are.

    `prepare` may add to a page before it is kept; `again` yields what of the file is to be prepared
    once more, as it was kept before anybody asked for that. `progress` is told the issues that are
    there and the expected total.

    Raises:
        CitadelError: when the source fails for good or the file cannot be written; what was kept
            by then is there at the next start. Where nothing was, no file is left.
    """
    with HarvestFile(path, source.identity) as file, _without_empty(file):
        done = Gathered(issues=len(file.seen), resumed=bool(file.seen))
        full = limit is not None and len(file.seen) >= limit
        if not full:
            for page in source.pages(file.checkpoint.position, file.seen):
                kept = prepare(page if limit is None else _cut(page, file, limit))
                file.append(kept)
                done = _counted(done, file, kept)
                progress(done.issues, min(page.total or 0, limit or 10**9))
                full = limit is not None and len(file.seen) >= limit
                if full:
                    break
        for entry in again(path):
            _prepare_anew(file, entry, prepare)
        if not full:
            file.finish()
        return replace(done, complete=not full, unreadable=file.unreadable)


@contextmanager
def _without_empty(file: HarvestFile) -> Iterator[None]:
    """Remove the file of a harvest that fails before it has anything."""
    try:
        yield
    except BaseException:
        if file.checkpoint.position is None and not file.checkpoint.size:
            file.remove()
        raise


def _prepare_anew(file: HarvestFile, entry: Entry, prepare: Callable[[Page], Page]) -> None:
    """Append what an entry of the file becomes, if that is more: a further version of the issue."""
    page = prepare(Page(entries=(entry,), position=file.checkpoint.position))
    if page.entries != (entry,):
        file.append(page)


def _counted(done: Gathered, file: HarvestFile, page: Page) -> Gathered:
    return replace(
        done,
        issues=len(file.seen),
        fetched=done.fetched + len(page.entries),
        broken=done.broken + sum(entry.issue is None for entry in page.entries),
        withheld=done.withheld + page.withheld,
        pages=done.pages + 1,
        points=done.points + page.points,
    )


def _cut(page: Page, file: HarvestFile, limit: int) -> Page:
    """Leave out what goes beyond the limit; a run with a larger one asks for the page again."""
    if len(file.seen) + len(page.entries) <= limit:
        return page
    known = set(file.seen)
    kept = []
    for entry in page.entries:
        if entry.issue is not None and entry.issue not in known:
            if len(known) >= limit:
                break
            known.add(entry.issue)
        kept.append(entry)
    if len(kept) == len(page.entries):
        return page
    return replace(page, entries=tuple(kept), position=file.checkpoint.position)
