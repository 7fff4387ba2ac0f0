"""A plan applied to live values and the same plan in text: the sibling's call comes to the same.

Reports, siblings, plans and ways to write them are sampled; `CITADEL_SEED` chooses the sample.
"""

import os
import random
from pathlib import Path

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits
from citadel.model import SymptomKind
from citadel.oracle import status
from citadel.plan.invocation import invocation
from citadel.propagate.candidates import candidates
from citadel.propagate.probe import ProbeOutcome, probe
from citadel.rewrite.rewriter import Rewriter
from citadel.traced import resolve
from citadel.verify.identify import failing_call
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified
from harvest.report.inputs import load
from harvest.report.understand import understand

pytestmark = [pytest.mark.torch, pytest.mark.slow]

REPORTS = Path(__file__).parents[2] / "data" / "reports"
SEED = int(os.environ.get("CITADEL_SEED", "4"))
SAMPLED = 12
SIBLINGS = 5
NEAREST = 60
"""As many siblings of a report may be sampled."""
LEAST = 40
"""Pairs of which something must have been seen: the sampling samples."""


def test_live_values_and_text_agree(bench, capsys):
    chance = random.Random(SEED)
    agreeing, differing = 0, []
    for verified in sampled(bench, chance):
        for plan, live, way, replayed in pairs(verified, bench, chance):
            if live == replayed:
                agreeing += 1
            else:
                said = f"{plan.target}: live {live}, text {replayed}, {plan.edits}\n{way.code}"
                differing.append(said)
    seen = agreeing + len(differing)
    with capsys.disabled():
        print(f"\nCITADEL_SEED={SEED}: {agreeing} of {seen} pairs agree")
    assert seen >= LEAST
    assert agreeing >= 0.95 * seen, "\n".join(differing)


def sampled(bench, chance):
    """Some of the reports that this build verifies, of whatever kind their bugs are."""
    files = sorted(REPORTS.glob("*/[0-9]*.json"))
    chance.shuffle(files)
    left = SAMPLED
    for file in files:
        (report,) = load([str(file)])
        reading = understand(report)
        if not any("import torch" in snippet.code for snippet in reading.candidates):
            continue
        catalog, session = bench.index.catalog, bench.replays[0]
        verified = verify(reading, session, catalog, bench.target.info, runs=1, limits=Limits())
        if not isinstance(verified, NotVerified):
            yield verified
            left -= 1
        if not left:
            return


def pairs(verified, bench, chance):
    """What sampled plans came to: on the live values, and in one of the texts."""
    source = invocation(verified.call, verified.api, verified.observation.calls)
    rewriter = Rewriter(verified.source, source)
    nearest = candidates(source, bench)[:NEAREST]
    chosen = chance.sample(nearest, min(SIBLINGS, len(nearest)))
    plans = [chance.choice(plans) for _, plans in chosen]
    attempts = {}

    def on_attempt(attempt):
        attempts[attempt.plan.target] = attempt

    limits, session = Limits(), bench.probes[0]
    probe(verified, plans, session, seconds=60, limits=limits, on_attempt=on_attempt, every=True)
    for plan in plans:
        attempt, ways = attempts.get(plan.target), list(rewriter.write(plan))
        if attempt is None or attempt.outcome is ProbeOutcome.BUDGET or not ways:
            continue
        way = chance.choice(ways)
        replayed = came(plan.target, way, verified, bench)
        if replayed is not None:
            yield plan, named(attempt.symptom), way, replayed


def came(target, way, verified, bench):
    """What the sibling's call comes to in a text; None where the run does not get there."""
    session, catalog, call = bench.replays[0], bench.index.catalog, verified.call
    seen = session.run(way.code, traced=instrument(way.code).traced, limits=Limits())
    site = way.sites.get(call.site)
    made = [c for c in seen.calls if c.site == site and c.occurrence == call.occurrence]
    failing = failing_call(seen)
    if not made and failing is not None and failing.occurrence == call.occurrence:
        api = resolve(failing, catalog)  # the construction of a layer, or a call within another
        made = [failing] if api is not None and api.name == target else []
    if not made:
        return None
    if made[0].raised is not None:
        return named(status.of_raised(made[0].raised))
    if made[0].result is not None and not goes_on(verified):
        return "returned"
    return named(status.capture(seen))


def goes_on(verified):
    """Whether the probe looks beyond the call: what its result is used for may be what fails."""
    crashes = verified.case.symptom.kind is SymptomKind.CRASHES
    return verified.deferred or (crashes and not verified.case.reproduces)


def named(symptom):
    return "returned" if symptom is None else symptom.headline()
