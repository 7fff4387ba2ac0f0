"""An exhaustive probe: every API of the build, tried on one failing call."""

import time

from analysis.index import load_or_build
from analysis.target.target import Target
from citadel.candidates import candidates
from citadel.plan.invocation import invocation
from citadel.probe import ProbeOutcome
from citadel.triage import Options
from citadel.verify import NotVerified, verify
from citadel.walk import Walk, walk
from citadel.workbench import Workbench
from harvest.report import understand
from harvest.report.model import Report

CODE = """\
import torch
import torch.nn.functional as F

signal = torch.arange(12.).view(1, 2, 6)
F.conv1d(signal, torch.full((2, 2, 3), 0.5), groups=0)
"""


def measure(target: Target) -> None:
    index = load_or_build(target)
    reading = understand(Report(source="bench", title="conv1d(groups=0)", body="", code=CODE))
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
        probed = list(walk(verified, entries, bench, options.walk, options.limits))
        spent = time.perf_counter() - started
    hits = sum(result.outcome is ProbeOutcome.HIT for result in probed)
    print(
        f"exhaustive probe: {len(probed)} APIs with a plan of {len(index.catalog.apis)} in "
        f"{spent:.1f} s (planning and ranking {planning:.1f} s), {hits} hits"
    )
