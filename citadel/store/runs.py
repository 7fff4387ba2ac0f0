"""Single runs, the latest first: what was replayed, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from citadel.model import VerdictKind
from citadel.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One attempt at one generated case: `hits` of `replays` showed the symptom."""

    source: str
    api: str
    build: str
    report: str
    attempt: int
    verdict: VerdictKind
    hits: int
    replays: int
    file: str | None


_COLUMNS = (
    "SELECT p.source, p.target, c.build, c.report, r.attempt, r.verdict, r.hits, r.replays, v.file"
)
_JOINS = (
    " JOIN variants v ON v.id = r.variant JOIN pairs p ON p.id = v.pair"
    ' JOIN cases c ON c.id = v."case"'
)
_ALL = f"{_COLUMNS} FROM runs r {_JOINS} ORDER BY r.id DESC LIMIT ?"
_BY_VERDICT = f"{_COLUMNS} FROM runs r {_JOINS} WHERE r.verdict = ? ORDER BY r.id DESC LIMIT ?"
# From the API to its runs: the other way around, all runs would be looked at.
_BY_API = (
    f"{_COLUMNS} FROM pairs p CROSS JOIN variants v ON v.pair = p.id CROSS JOIN runs r"
    ' ON r.variant = v.id JOIN cases c ON c.id = v."case"'
    " WHERE p.target = ? AND (? IS NULL OR r.verdict = ?) ORDER BY r.id DESC LIMIT ?"
)


def runs(
    store: Store, *, verdict: str | None = None, api: str | None = None, limit: int
) -> list[RunRow]:
    """The latest runs, of all APIs or of one, with all verdicts or with one."""
    if api is not None:
        rows = store.db.execute(_BY_API, [api, verdict, verdict, limit])
    elif verdict is not None:
        rows = store.db.execute(_BY_VERDICT, [verdict, limit])
    else:
        rows = store.db.execute(_ALL, [limit])
    return [
        RunRow(
            source=source,
            api=target,
            build=build,
            report=report,
            attempt=attempt,
            verdict=VerdictKind(kind),
            hits=hits,
            replays=replays,
            file=file,
        )
        for source, target, build, report, attempt, kind, hits, replays, file in rows
    ]
