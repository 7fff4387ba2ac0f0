"""An exhaustive probe: every API of the build, tried on one failing call."""

import time

from analysis.index import load_or_build
from analysis.target.target import Target
from benchmarks.cases import FAILS
from citadel.options import Options
from citadel.plan.invocation import Invocation, invocation
from citadel.propagate.candidates import candidates
from citadel.propagate.probe import ProbeOutcome
from citadel.propagate.walk import Entry, Progress, Walk, walk
from citadel.rewrite.rewriter import Rewriter
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified
from citadel.workbench import Workbench
from harvest.report import understand
from harvest.report.model import Report

WRITTEN = 200
"""Siblings that one case is rewritten for."""


def measure(target: Target) -> None:
    index = load_or_build(target)
    code = FAILS[target.info.framework]
    reading = understand(Report(source="bench", title="bench", body="", code=code))
    options = Options(walk=Walk(seconds=600, patience=None))
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
        told = walk(verified, Progress(entries, options.walk), bench, options.limits)
        probed = [result for result in told if result is not None]
        spent = time.perf_counter() - started
    print(
        f"rewriting: one case for {WRITTEN} siblings in {first:.2f} s of processor time, "
        f"{writing:.2f} s for every plan in every way"
    )
    hits = sum(result.outcome is ProbeOutcome.HIT for result in probed)
    print(
        f"exhaustive probe: {len(probed)} APIs with a plan of {len(index.catalog.apis)} in "
        f"{spent:.1f} s (planning and ranking {planning:.1f} s), {hits} hits"
    )


def _rewritten(verified: Verified, call: Invocation, entries: list[Entry]) -> float:
    """Seconds of processor time to write the plans of the best-ranked siblings down."""
    started = time.process_time()
    rewriter = Rewriter(verified.source, call)
    for _, plans in entries[:WRITTEN]:
        for plan in plans:
            list(rewriter.write(plan))
    return time.process_time() - started
