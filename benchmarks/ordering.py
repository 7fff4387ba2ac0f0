"""What it takes to learn the order of a hunt from outcomes: seconds by step.

usage: python -m benchmarks.ordering [OUTCOMES] [WAITING]

Reports are of random words, as frequent as those of a text are and as long as an issue (3 KB);
some words decide what became of them, with noise. The store is on disk, so that reading it counts.
"""

import itertools
import random
import sys
import tempfile
import time
from pathlib import Path

from citadel.hunt import words
from citadel.hunt.forecast import order_waiting
from citadel.store import items, outcomes, reports
from citadel.store.database import Store, open_to_write
from citadel.store.items import Key, Stage, State
from citadel.store.reports import Build
from harvest.report.model import Report
from harvest.report.understand import understand

VOCABULARY = [f"word{number}" for number in range(30_000)]
WEIGHTS = list(itertools.accumulate(1 / (number + 10) for number in range(len(VOCABULARY))))
LENGTH = 350
NOISE = 0.15
BUILD = Build(
    key="b1",
    framework="torch",
    version="2.13.0",
    python="/venv/bin/python",
    backend="",
    devices=("cpu",),
    sandbox="bubblewrap",
    apis=1,
    index="i",
)


def main() -> None:
    given = [int(one) for one in sys.argv[1:3]]
    known, waiting = [*given, *(10_000, 10_000)[len(given) :]]
    with tempfile.TemporaryDirectory() as folder, open_to_write(Path(folder, "s.db")) as store:
        with store.transaction():
            reports.add_build(store, BUILD)
            for number in range(known + waiting):
                _add(store, number, ended=number < known)
        started, used = time.perf_counter(), time.process_time()
        figures = order_waiting(store)
        seconds, cpu = time.perf_counter() - started, time.process_time() - used
        told = f"{seconds:.1f} s ({cpu:.1f} s of CPU)"
        print(f"learnt from {known:,} outcomes, {waiting:,} reports put in order: {told}")
        for one in figures:
            print(f"{one.target}: {one.positives:,} of {one.reports:,}, AUC {one.auc} {one.reason}")


def _add(store: Store, number: int, *, ended: bool) -> None:
    chance = random.Random(number)
    text = chance.choices(VOCABULARY, cum_weights=WEIGHTS, k=LENGTH)
    body = f"{' '.join(text)}\n\n```python\nimport torch\ntorch.ones({number})\n```\n"
    given = Report(source=f"{number}.md", title=" ".join(text[:8]), body=body, number=number)
    key = reports.add_report(store, given, ())
    outcomes.keep_traits(store, key, words.traits(understand(given)))
    case = ("word60" in text) != (chance.random() < NOISE)
    siblings = ("word90" in text) != (chance.random() < NOISE)
    for stage, found in ((Stage.VERIFY, case), (Stage.PROPAGATE, siblings)):
        if stage is Stage.PROPAGATE and not (case and ended):
            continue
        items.add(
            store,
            Key(report=key, build="b1", stage=stage),
            "raises",
            cost=float(number),
            exclusive=False,
        )
        if ended:
            store.db.execute(
                "UPDATE items SET state = ?, attempts = 1, found = ? WHERE report = ?"
                " AND stage = ?",
                [State.DONE, found, key, stage],
            )
            if stage is Stage.PROPAGATE and found:
                store.db.execute("INSERT OR IGNORE INTO families VALUES (1, 'torch', 'r')")
                _sighted(store, key, number)


def _sighted(store: Store, report: str, number: int) -> None:
    """As few rows as make a finding of a report."""
    db = store.db
    db.execute("INSERT OR IGNORE INTO symptoms (id, kind) VALUES ('s', 'raises')")
    db.execute("INSERT OR IGNORE INTO pairs VALUES (1, 'b1', 'torch.a', 'torch.b', 0.5, 0.5, '')")
    db.execute(
        "INSERT OR IGNORE INTO findings (id, framework, api, kind, state, symptom, family, added)"
        " VALUES ('f', 'torch', 'torch.b', 'status', 's', 's', 1, 0)"
    )
    (code,) = db.execute("SELECT content FROM reports WHERE id = ?", [report]).fetchone()
    case = db.execute(
        "INSERT INTO cases (report, build, content, api, kind, state, symptom, reproduces, hits,"
        " replays, observed, code, evidence)"
        " VALUES (?, 'b1', ?, 'torch.a', 'status', 's', 's', 1, 3, 3, '', ?, '')",
        [report, str(number), code],
    ).lastrowid
    variant = db.execute(
        "INSERT INTO variants (\"case\", pair, called, edits) VALUES (?, 1, 1, '[]')", [case]
    ).lastrowid
    db.execute("INSERT INTO sightings VALUES ('f', 'b1', ?, ?)", [report, variant])


if __name__ == "__main__":
    main()
