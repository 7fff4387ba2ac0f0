"""An exhaustive probe: every API of the build, tried on one failing call."""

import time
from collections.abc import Sequence
from functools import partial

from analysis.index import load_or_build
from analysis.target.session import Session
from analysis.target.target import Target
from benchmarks.cases import FAILS
from citadel.options import Options
from citadel.plan.invocation import Invocation, invocation
from citadel.propagate.candidates import candidates
from citadel.propagate.pool import Pool, as_they_end
from citadel.propagate.probe import ProbeOutcome
from citadel.propagate.walk import Entry, Probed, probed, units
from citadel.rewrite.rewriter import Rewriter
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified
from citadel.workbench import Workbench
from harvest.report import understand
from harvest.report.model import Report

SECONDS = 600.0
WRITTEN = 200
"""Siblings that one case is rewritten for."""


def measure(target: Target) -> None:
    index = load_or_build(target)
    code = FAILS[target.info.framework]
    reading = understand(Report(source="bench", title="bench", body="", code=code))
    with Workbench(target, index) as bench:
        verified = verify(reading, bench.replays[0], index.catalog, target.info)
        if isinstance(verified, NotVerified):
            raise SystemExit(f"the benchmark's own report does not verify: {verified.reason}")
        for session in bench.probes:
            session.start()
        started = time.perf_counter()
        call = invocation(verified.call, verified.api, verified.observation.calls)
        entries = candidates(call, bench)
        planning = time.perf_counter() - started
        best = [(candidate, plans[:1]) for candidate, plans in entries]
        first, writing = _rewritten(verified, call, best), _rewritten(verified, call, entries)
        seen = _probed(verified, entries, bench)
        spent = time.perf_counter() - started
    print(
        f"rewriting: one case for {WRITTEN} siblings in {first:.2f} s of processor time, "
        f"{writing:.2f} s for every plan in every way"
    )
    hits = sum(result.outcome is ProbeOutcome.HIT for result in seen)
    print(
        f"exhaustive probe: {len(seen)} APIs with a plan of {len(index.catalog.apis)} in "
        f"{spent:.1f} s (planning and ranking {planning:.1f} s), {hits} hits"
    )


def _probed(verified: Verified, entries: Sequence[Entry], bench: Workbench) -> list[Probed]:
    """What becomes of all APIs, in all processes that probe."""

    def run(unit: Sequence[Entry], session: Session) -> list[Probed]:
        return probed(verified, unit, session, deadline=deadline, limits=Options().limits)

    deadline = time.monotonic() + SECONDS
    pool = Pool(bench.probes)
    try:
        work = [pool.submit(partial(run, unit)) for unit in units(entries)]
        return [one for future in as_they_end(work, deadline) for one in future.result()]
    finally:
        pool.close()


def _rewritten(verified: Verified, call: Invocation, entries: list[Entry]) -> float:
    """Seconds of processor time to write the plans of the best-ranked siblings down."""
    started = time.process_time()
    rewriter = Rewriter(verified.source, call)
    for _, plans in entries[:WRITTEN]:
        for plan in plans:
            list(rewriter.write(plan))
    return time.process_time() - started
