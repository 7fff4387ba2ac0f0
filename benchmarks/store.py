"""A store of a million runs: how fast it is written, and how long each question takes.

usage: python -m benchmarks.store [RUNS] [FILE]

The store is filled as a hunt fills it, one transaction per report; then each question is asked
several times, warm, and the slowest answer counts: the exit status is 1 if it is above the limit.
With FILE the store is kept, and used as it is where it is there already.
"""

import itertools
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from citadel.model import (
    BugCase,
    BugKind,
    Channels,
    Finding,
    Symptom,
    SymptomKind,
    Triage,
    Verdict,
    VerdictKind,
)
from citadel.store import items, labels, reports, results
from citadel.store.database import Store, open_to_read, open_to_write
from citadel.store.findings import Kin
from citadel.store.items import Key, Stage, State
from citadel.store.labels import LabelKind
from citadel.store.queries import Filter, families, findings, latest_builds
from citadel.store.reports import Build
from citadel.store.runs import runs
from citadel.store.summary import kinds, yields
from harvest.report.model import Report

PER_REPORT = 500
APIS = 4000
BUGS = 0.04
"""Share of the runs that show a bug."""
ASKED = 5
LIMIT_MS = 200.0

KINDS = (
    (BugKind.STATUS, SymptomKind.RAISES),
    (BugKind.STATUS, SymptomKind.CRASHES),
    (BugKind.VALUE, SymptomKind.NON_FINITE),
    (BugKind.PERFORMANCE, SymptomKind.SLOW),
)
VALUES = {LabelKind.FIXED_IN: "2.14.0", LabelKind.DUPLICATE_OF: "some/where#1"}
CODE = "import torch\n\n# case {number}\nx = torch.ones(3, 4)\nprint({api}(x, dim=1))\n" + "#" * 120


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    sys.exit(not measure(wanted, kept))


def measure(wanted: int = 1_000_000, kept: Path | None = None) -> bool:
    """Print what a store of so many runs takes; whether each question stays below the limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = kept or Path(folder, "citadel.db")
        if not path.exists():
            _fill(path, wanted)
        size = path.stat().st_size / 1e6
        with open_to_read(path) as store:
            (count,) = store.db.execute("SELECT count(*) FROM runs").fetchone()
            print(f"{count:,} runs in {size:,.0f} MB")
            return _ask(store) <= LIMIT_MS


def _fill(path: Path, wanted: int) -> None:
    random.seed(1)
    started = time.perf_counter()
    with open_to_write(path) as store:
        with store.transaction():
            for key, version in (("b1", "2.12.0"), ("b2", "2.13.0")):
                reports.add_build(store, _build(key, version))
        for number in range(wanted // PER_REPORT):
            _item(store, number)
        seconds = time.perf_counter() - started
        known = list(findings(store, Filter(), latest_builds(store), limit=2000))
        for row, kind in zip(known, itertools.cycle(LabelKind), strict=False):
            labels.add(store, row.id, kind, VALUES.get(kind), "")
    print(f"written in {seconds:.0f} s: {wanted / seconds:,.0f} runs per second")


def _build(key: str, version: str) -> Build:
    return Build(
        key=key,
        framework="torch",
        version=version,
        python="/venv/bin/python",
        backend="",
        devices=("cpu",),
        sandbox="bubblewrap",
        apis=APIS,
        index="i",
    )


def _item(store: Store, number: int) -> None:
    """One report, verified and propagated, in one transaction as in a hunt."""
    build = ("b1", "b2")[number % 2]
    report = Report(
        source=f"{number // 2}.json",
        title=f"report {number // 2}",
        body="x",
        repository="pytorch/pytorch",
        number=number // 2,
    )
    kind, shown = KINDS[number // 2 % len(KINDS)]
    group = number // 2 % 97
    symptom = Symptom(
        kind=shown,
        exception="RuntimeError",
        message=f"internal failure of group {group}",
        pattern=f"internal failure of {'abcdefgh'[group % 8] * 5} {'xyz'[group % 3] * 4}",
    )
    case = BugCase(
        id=f"case{number}",
        origin=report.source,
        framework="torch",
        build=build,
        api=f"torch.api{random.randrange(APIS)}",
        code=CODE.format(number=number, api="torch.a"),
        kind=kind,
        symptom=symptom,
        reproduces=True,
        runs=(3, 3),
    )
    found = tuple(_finding(number, api, symptom) for api in random.sample(range(APIS), PER_REPORT))
    with store.transaction():
        key = reports.add_report(store, report, ())
        for stage in Stage:
            items.add(
                store,
                Key(report=key, build=build, stage=stage),
                str(shown),
                cost=float(number),
                exclusive=False,
            )
        store.db.execute(
            "UPDATE items SET state = ?, attempts = 1, seconds = 5, ended = ? WHERE report = ?",
            [State.DONE, float(number), key],
        )
        triage = Triage(input=report.source, case=case, findings=found)
        results.save_findings(store, key, build, triage, Kin(marks={}))


def _finding(number: int, api: int, symptom: Symptom) -> Finding:
    bug = random.random() < BUGS
    name = f"torch.api{api}"
    return Finding(
        api=name,
        verdict=Verdict(
            kind=VerdictKind.BUG if bug else VerdictKind.CLEAN,
            runs=(3, 3) if bug else (0, 3),
            confidence=0.9,
            symptom=symptom if bug else None,
        ),
        channels=Channels(signature=0.5, arguments=1.0),
        edits=(f"renamed to {name}",),
        code=CODE.format(number=number, api=name),
    )


def _ask(store: Store) -> float:
    """Print how long each question takes; milliseconds of the slowest answer."""
    builds = latest_builds(store)
    questions: dict[str, Callable[[], object]] = {
        "summary: findings by kind": lambda: kinds(store, Filter(), builds),
        "summary: cases and time by build": lambda: yields(store),
        "list: first 50 findings": lambda: list(findings(store, Filter(), builds, limit=50)),
        "list: 20 largest families": lambda: families(store, Filter(), limit=20),
        "list: last 100 runs": lambda: runs(store, limit=100),
        "filter: 50 new findings": lambda: list(
            findings(store, Filter(only_new=True), builds, limit=50)
        ),
        "filter: 50 findings of a kind": lambda: list(
            findings(store, Filter(kind="value"), builds, limit=50)
        ),
        "filter: findings of one API": lambda: list(
            findings(store, Filter(api="torch.api77"), builds, limit=50)
        ),
        "filter: last 100 runs that show a bug": lambda: runs(store, verdict="bug", limit=100),
        "filter: runs of one API": lambda: runs(store, api="torch.api77", limit=100),
        "what is open": lambda: items.lots(
            store, items.Allowed(retries=1, seconds=60.0), list(builds.values())
        ),
    }
    slowest = 0.0
    for name, question in questions.items():
        question()
        times = []
        for _ in range(ASKED):
            started = time.perf_counter()
            question()
            times.append((time.perf_counter() - started) * 1000)
        slowest = max(slowest, *times)
        print(f"{name:40} {max(times):7.1f} ms", flush=True)
    print(f"slowest {slowest:.0f} ms, limit {LIMIT_MS:.0f} ms")
    return slowest


if __name__ == "__main__":
    main()
