"""A hunt whose workers do what reports tell them: real processes and a real store, no framework.

A report's body holds words: `finds N`, `cut` (below 100 seconds it finds one), `clean`, `flaky`,
`dies once`, `dies`, `raises`, `measures`, `sleeps S`, `waits` (until there is a file `go`). Run as
a script it hunts: `scripted.py STORE JOBS BUDGET`.
"""

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from citadel.hunt.builds import Site
from citadel.hunt.enlist import enlist
from citadel.hunt.executor import Answer, Where
from citadel.hunt.hunt import Hunt, HuntRequest
from citadel.hunt.local import LocalPool
from citadel.model import (
    BugCase,
    BugKind,
    Channels,
    Cut,
    Finding,
    Symptom,
    SymptomKind,
    TargetSummary,
    Triage,
    Verdict,
    VerdictKind,
)
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.store import items
from citadel.store.database import open_to_write
from citadel.store.findings import Kin
from citadel.store.items import Stage
from citadel.store.reports import Build
from harvest.report.model import Report

KEY = "b1"
SITE = Site(
    build=Build(
        key=KEY,
        framework="torch",
        version="2.13.0",
        python="/python",
        backend="",
        devices=("cpu",),
        sandbox="bubblewrap",
        apis=1,
        index="i",
    ),
    where=Where(python="/python", framework="torch", backend=""),
    summary=TargetSummary(
        python="/python",
        framework="torch",
        version="2.13.0",
        devices=("cpu",),
        sandbox="bubblewrap",
    ),
)


@dataclass
class OneBuild:
    sites: dict = field(default_factory=lambda: {KEY: SITE})

    def of(self, _reading):
        return [SITE]


@dataclass(frozen=True)
class Scripted:
    """Leaves a line in `folder`/log when a job begins and when it ends."""

    folder: str

    def __call__(self, job):
        words = job.report.body.split()
        log = Path(self.folder, "log")
        told = f"{job.report.number} {job.stage} {int(job.exclusive)}"
        _append(log, f"{time.monotonic()} begin {told}")
        if "sleeps" in words:
            time.sleep(float(words[words.index("sleeps") + 1]))
        if "waits" in words:
            _append(Path(self.folder, "waiting"), f"{os.getppid()} {os.getpid()}")
            while not Path(self.folder, "go").exists():
                time.sleep(0.05)
        if "dies" in words:
            marker = Path(self.folder, f"died-{job.report.number}")
            if "once" not in words or not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGSEGV)
        answer = _answer(job, words)
        _append(log, f"{time.monotonic()} end {told}")
        return answer


def _append(log, line):
    with log.open("a") as file:
        file.write(line + "\n")


def _answer(job, words):
    report = job.report
    row = Triage(input=report.source, repository=report.repository, number=report.number)
    if "raises" in words:
        return Answer(triage=_with(row, error="internal error: KeyError: 1"), kin=Kin(marks={}))
    if "clean" in words:
        return Answer(triage=_with(row, skipped="nothing shows"), kin=Kin(marks={}))
    measured = "measures" in words
    symptom = (
        Symptom(kind=SymptomKind.SLOW, where="f(x)", observed="9x", ratio=9.0)
        if measured
        else Symptom(
            kind=SymptomKind.RAISES,
            exception="RuntimeError",
            message=f"internal failure of group {report.number % 3}",
            pattern=f"internal failure of group {'abc'[report.number % 3]}",
        )
    )
    case = BugCase(
        id=f"case{report.number}",
        origin=report.source,
        framework="torch",
        build=KEY,
        api=f"torch.source{report.number}",
        code="import torch\n",
        kind=BugKind.PERFORMANCE if measured else BugKind.STATUS,
        symptom=symptom,
        reproduces=True,
        runs=(3, 3),
    )
    found = ()
    if job.stage is Stage.PROPAGATE:
        number = int(words[words.index("finds") + 1]) if "finds" in words else 0
        kind = VerdictKind.FLAKY if "flaky" in words else VerdictKind.BUG
        found = tuple(
            Finding(
                api=f"torch.sibling{(report.number + n) % 17}",
                verdict=Verdict(kind=kind, runs=(2 if "flaky" in words else 3, 3), confidence=1),
                channels=Channels(signature=0.5),
                code="import torch\n",
            )
            for n in range(number)
        )
    cut = "cut" in words and job.stage is Stage.PROPAGATE and job.options.walk.seconds < 100
    return Answer(
        triage=_with(
            row, case=case, findings=found[:1] if cut else found, cut=Cut.SECONDS if cut else None
        ),
        kin=Kin(marks={}),
        misplaced=measured and not job.exclusive,
    )


def _with(row, **changes):
    return Triage(input=row.input, repository=row.repository, number=row.number, **changes)


def report(number, body):
    fence = f"{body}\n\n```python\nimport torch\ntorch.source{number}(1)\n```\n"
    return Report(
        source=f"{number}.md", title="it fails", body=fence, repository="some/where", number=number
    )


def enlisted(store, bodies):
    return enlist(store, [report(n, body) for n, body in enumerate(bodies, 1)], OneBuild())


def hunt(store, folder, *, jobs=2, budget=None, retries=1, seconds=60.0, told=lambda _ended: None):
    options = Options(walk=Walk(seconds=seconds))
    request = HuntRequest(
        options=options, out=Path(folder, "cases"), budget=budget, retries=retries
    )
    with LocalPool(partial(Scripted, str(folder)), jobs) as pool:
        return Hunt(store, pool, {KEY: SITE}, request, told=told).run()


def main():
    path, jobs, budget = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    with open_to_write(path) as store:
        items.requeue(store)
        print("hunting", flush=True)
        try:
            done = hunt(store, path.parent, jobs=jobs, budget=budget or None)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            raise SystemExit(130) from None
        print(f"done {done.done} waiting {done.waiting} dropped {done.dropped}", flush=True)


if __name__ == "__main__":
    main()
