"""What becomes of reports that are rewritten for their likeliest siblings.

usage: python -m benchmarks.rewriting PYTHON PATH... [--siblings 20] [--show KIND]

PATH is a report or a folder of them. Each report that this build can verify is rewritten for the
best-ranked siblings that have a plan; each rewritten case is run, traced. Printed per report and in
all, as shares of the pairs:

  accepted   the sibling did not refuse how it was called
  reached    the trace shows a call of the sibling
  observed   the run says something about the sibling: it shows the symptom, ends well, or fails in
             a way of the sibling's own
  triggering share of the symptom among the pairs whose verdict it is, or that they are clean
             (reports that reproduce; a sibling that refuses what the report's API wrongly takes is
             neither)
  agreement  the same plan, tried on the live arguments of the failing call, ends the same way
             (status bugs: what the values are, and how fast, is seen in the rewritten case only)

Siblings of what is measured are measured only with --measure: each takes some seconds.

--show prints the pairs of a kind (refused, unreached, unobserved, disagreeing; among those that are
observed: different, clean), with their code.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from analysis.catalog.model import Api
from analysis.index import load_or_build
from analysis.target.instrument import instrument
from analysis.target.observation import Outcome
from analysis.target.session import Limits
from analysis.target.target import probe as probe_target
from citadel.judge.performance import judge_performance
from citadel.judge.relations import related
from citadel.judge.status import passed
from citadel.judge.values import judge_value
from citadel.match.rank import Candidate
from citadel.model import VerdictKind
from citadel.oracle import status
from citadel.plan.model import Adaptation
from citadel.propagate.candidates import candidates
from citadel.propagate.probe import Attempt, ProbeOutcome, probe
from citadel.propagate.uses import Uses
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import resolve
from citadel.verify.identify import failing_call
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified
from citadel.workbench import Workbench
from harvest.report.inputs import load
from harvest.report.model import BadInput, Report
from harvest.report.understand import understand

KINDS = ("refused", "unreached", "unobserved", "different", "clean", "disagreeing")
SECONDS = 120.0
MAX_WAYS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One rewritten case, run."""

    code: str
    reached: bool
    refused: bool
    ended: bool
    raw: str
    """Headline of what the run showed; empty where it ended well."""
    symptom: str
    """The same, of what counts: not of what follows the place where the report failed."""
    shows: bool
    clean: bool

    @property
    def worth(self) -> tuple[bool, bool, bool]:
        return (self.reached and not self.refused and self.ended, self.shows, self.reached)


@dataclass(slots=True)
class Tally:
    pairs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    written: int = 0

    def add(self, other: Tally) -> None:
        self.pairs += other.pairs
        self.counts += other.counts
        self.seconds += other.seconds
        self.written += other.written

    def line(self, name: str) -> str:
        n, c = max(1, self.pairs), self.counts
        judged = c["triggering"] + c["clean"]
        compared = c["agreeing"] + c["disagreeing"]
        agreement = f"{c['agreeing'] / compared:10.3f}" if compared else f"{'-':>10}"
        return (
            f"{name:34} {self.pairs:5} {1 - c['refused'] / n:9.3f} {1 - c['unreached'] / n:8.3f}"
            f" {c['observed'] / n:9.3f} {c['triggering'] / max(1, judged):11.3f}"
            f" {agreement} {1000 * self.seconds / max(1, self.written):8.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("python")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--siblings", type=int, default=20)
    parser.add_argument("--show", choices=KINDS, action="append", default=[])
    parser.add_argument("--measure", action="store_true")
    given = parser.parse_args()
    target = probe_target(given.python)
    index = load_or_build(target)
    total = Tally()
    head = ["pairs", "accepted", "reached", "observed", "triggering", "agreement", "ms/case"]
    print(f"{'report':34} {head[0]:>5} {head[1]:>9} {head[2]:>8} {head[3]:>9} {head[4]:>11}"
          f" {head[5]:>10} {head[6]:>8}")  # fmt: skip
    with Workbench(target, index, jobs=1) as bench:
        for report in reports(given.paths):
            counted = (report, bench, given.siblings, given.show)
            tally = measure(*counted, measuring=given.measure)
            if tally is not None:
                total.add(tally)
    print(total.line("all"))


def reports(paths: Sequence[Path]) -> Iterator[Report]:
    for path in paths:
        files = sorted(path.glob("[0-9]*.json")) if path.is_dir() else [path]
        for file in files:
            for report in load([str(file)]):
                if isinstance(report, BadInput):
                    raise SystemExit(report.error)
                yield report


def measure(
    report: Report,
    bench: Workbench,
    siblings: int,
    show: Sequence[str],
    *,
    measuring: bool = False,
) -> Tally | None:
    """The tally of one report, printed; None where it cannot be verified on this build."""
    name = Path(report.source).stem
    verified = verify(
        understand(report),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
        runs=1,
        limits=Limits(),
    )
    if isinstance(verified, NotVerified):
        print(f"{name:34} {verified.reason[:80]}")
        return None
    uses = Uses(verified, bench)
    entries = candidates(uses.invocation, bench)[:siblings]
    live = probed(verified, [plan for _, plans in entries for plan in plans], bench)
    began = time.process_time()
    written = [
        (candidate, [(plan, list(uses.write(shaped(plan, live)))) for plan in plans])
        for candidate, plans in entries
    ]
    tally = Tally(pairs=len(entries), seconds=time.process_time() - began)
    tally.written = sum(len(ways) for _, plans in written for _, ways in plans)
    for candidate, plans in written:
        api, best = candidate.api, None
        tried = [(plan, way) for plan, ways in plans for way in ways][:MAX_WAYS]
        for plan, way in tried:
            seen = run(way, api, verified, bench)
            if verified.measured is not None and not measuring:
                seen = replace(seen, shows=False, clean=False)
            elif verified.shown:
                seen = watched(seen, way, plan, candidate, verified, bench)
            if not verified.shown:
                agree(tally, plan, seen, live, show, api)
            if best is None or seen.worth > best.worth:
                best = seen
        count(tally, best, verified, api, show)
    print(tally.line(f"{name} {verified.api.name.removeprefix('torch.')}"[:34]), flush=True)
    return tally


def probed(verified: Verified, plans: Sequence[Adaptation], bench: Workbench) -> dict[str, Attempt]:
    """Per plan, by its text, what it came to on the live arguments."""
    found: dict[str, Attempt] = {}

    def on_attempt(attempt: Attempt) -> None:
        found[text(plans[attempt.number])] = attempt

    # One group per plan: no plan spares another.
    probe(
        verified,
        plans,
        bench.probes[0],
        seconds=SECONDS,
        limits=Limits(),
        on_attempt=on_attempt,
        every=True,
    )
    return found


def text(plan: Adaptation) -> str:
    return json.dumps(plan.to_json())


def shaped(plan: Adaptation, live: Mapping[str, Attempt]) -> Adaptation:
    """The plan with as many outputs as the live values show that the report wants."""
    attempt = live.get(text(plan))
    return plan if attempt is None else plan.shaped(attempt.plan)


def run(way: Rewritten, api: Api, verified: Verified, bench: Workbench) -> Seen:
    code = way.code
    try:
        traced = instrument(code).traced
    except Exception as problem:
        return Seen(
            code=code, reached=False, refused=False, ended=False, raw=str(problem),
            symptom=str(problem), shows=False, clean=False,
        )  # fmt: skip
    observation = bench.replays[0].run(code, traced=traced, limits=Limits())
    symptom = status.capture(observation)
    failing = failing_call(observation)
    blamed = resolve(failing, bench.index.catalog) if failing is not None else None
    reached = any(
        (found := resolve(call, bench.index.catalog)) is not None and found.name == api.name
        for call in observation.calls
    )
    wanted = verified.case.symptom
    own = blamed is not None and blamed.name == api.name
    raw = "" if symptom is None else symptom.headline()
    shows = status.matches(wanted, symptom, (verified.case.api, api.name))
    past = not shows and passed(observation, way, verified)
    symptom = None if past else symptom
    refuses = symptom is not None and status.refuses_arguments(symptom) and own and not shows
    known = observation.outcome in (
        Outcome.OK, Outcome.EXCEPTION, Outcome.SIGNAL, Outcome.TIMEOUT, Outcome.EXIT,
    )  # fmt: skip
    return Seen(
        code=code,
        reached=reached,
        refused=refuses,
        ended=known and (symptom is None or shows or own),
        raw=raw,
        symptom="" if symptom is None else symptom.headline(),
        shows=shows,
        clean=symptom is None,
    )


def watched(
    seen: Seen,
    way: Rewritten,
    plan: Adaptation,
    candidate: Candidate,
    verified: Verified,
    bench: Workbench,
) -> Seen:
    """The same, where values or measurements tell whether the symptom shows."""
    api, channels = candidate.api, candidate.channels
    session, catalog, limits = bench.replays[0], bench.index.catalog, Limits()
    if verified.witness is not None:
        verdict = judge_value(
            way, plan, api, verified.witness, channels, session, catalog, runs=1, limits=limits
        )
    elif verified.measured is not None:
        close = related(channels)
        verdict = judge_performance(
            way, plan, api, verified.measured, session, catalog, close=close, limits=limits
        )
    else:
        return seen
    shows, clean = verdict.kind is VerdictKind.BUG, verdict.kind is VerdictKind.CLEAN
    told = shows or clean or verdict.kind is VerdictKind.REFUSED
    return replace(seen, shows=shows, clean=clean, ended=seen.ended or told)


def count(
    tally: Tally, best: Seen | None, verified: Verified, api: Api, show: Sequence[str]
) -> None:
    counts = tally.counts
    if best is None:
        kinds = ["unreached", "unobserved"]
    else:
        kinds = ["refused"] * best.refused + ["unreached"] * (not best.reached)
        seen = best.reached and best.ended and not best.refused
        kinds.append("observed" if seen else "unobserved")
        if seen and verified.case.reproduces:
            kinds.append("triggering" if best.shows else "clean" if best.clean else "different")
    counts.update(kinds)
    for kind in set(kinds) & set(show):
        print(f"--- {kind}: {api.name}: {best.symptom if best else 'cannot be written'}")
        print(best.code if best else "")


def agree(
    tally: Tally,
    plan: Adaptation,
    seen: Seen,
    live: Mapping[str, Attempt],
    show: Sequence[str],
    api: Api,
) -> None:
    attempt = live.get(text(plan))
    if attempt is None or attempt.outcome is ProbeOutcome.BUDGET:
        return
    headline = "" if attempt.symptom is None else attempt.symptom.headline()
    hit = attempt.outcome is ProbeOutcome.HIT
    # What follows the failing call may be seen or not: it was written for another result.
    same = hit == seen.shows and bool(headline) in (bool(seen.raw), bool(seen.symptom))
    tally.counts["agreeing" if same else "disagreeing"] += 1
    if not same and "disagreeing" in show:
        print(f"--- disagreeing: {api.name}: live: {headline!r}; text: {seen.raw!r}")
        print(text(plan))
        print(seen.code)


if __name__ == "__main__":
    main()
