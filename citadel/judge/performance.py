"""Measure a generated case where the report measures, and say whether the ratio is the same bug."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument, watched
from analysis.target.observation import Call, Observation
from analysis.target.session import Limits, Session
from citadel.judge.doubts import Doubts
from citadel.judge.verdicts import rate, verdict
from citadel.model import Verdict, VerdictKind
from citadel.oracle import status
from citadel.oracle.backends import Runs
from citadel.oracle.measure import Form
from citadel.oracle.metering import LONG, Case, alone, judge
from citadel.oracle.numbers import same
from citadel.oracle.performance import Judged
from citadel.oracle.quantities import Topic
from citadel.oracle.samples import Decision
from citadel.plan.model import Adaptation
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of
from citadel.verify.guards import Rerun, Told
from citadel.verify.guards import told as told_of
from citadel.verify.performance import Measured, symptom
from harvest.report.text import shorten

KINDS = {
    Decision.BUG: VerdictKind.BUG,
    Decision.CLEAN: VerdictKind.CLEAN,
    Decision.NOISY: VerdictKind.NOISY,
    Decision.MORE: VerdictKind.NOISY,
    Decision.UNREACHED: VerdictKind.NOT_ADAPTED,
}


IN_PLACE = "inplace"
"""PyTorch's name for the flag of functions that may write to what they are given."""
NEEDS_INPUT = (
    "goes up and down: the input, on which its gradient depends, does not follow from the result"
)


def judge_performance(
    written: Rewritten,
    plan: Adaptation,
    target: Api,
    source: Measured,
    session: Session,
    catalog: Catalog,
    *,
    close: bool,
    limits: Limits,
) -> Verdict:
    """Run once traced (is the sibling reached?), then measure as long as it takes.

    `close`: the sibling is a close relation of the source.
    """
    given = _Given(plan, source, close)
    if isinstance(unfit := UNFIT.settle(given), Verdict):
        return unfit
    try:
        parsed = instrument(written.code)
        traced_code = parsed.traced
        case = watched(parsed, source.watched.points)
    except CitadelError as problem:
        return verdict(VerdictKind.NOT_ADAPTED, reason=problem.message)
    if case.missing & set(source.oracle.measure.points):
        return verdict(VerdictKind.NOT_ADAPTED, reason="the rewritten code measures other things")
    with alone(gpu=source.oracle.gpu):
        traced = _traced(written.code, traced_code, target, source, session, limits)
    again = Rerun(code=written.code, watched=case, session=session, limits=limits)
    run = _Traced(given, again, traced, target, catalog, own_reference=bool(written.references))
    if isinstance(unequal := TRACED.settle(run), Verdict):
        return unequal
    told = judge(source.oracle, Case(code=written.code, watched=case), session, limits=limits)
    bug = told.decision is Decision.BUG
    if bug and isinstance(expected := MEASURED.settle(run), Verdict):
        shown = symptom(source.oracle, told.ratio)
        return replace(expected, symptom=shown, guards=_guards(source, told))
    return Verdict(
        kind=KINDS[told.decision],
        runs=(told.hits, told.runs),
        confidence=rate(told.hits, told.runs) if bug else 0.0,
        symptom=symptom(source.oracle, told.ratio),
        reason=told.reason or None,
        guards=_guards(source, told) if told.interval is not None else (),
        samples=_samples(source, told),
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """What a sibling is given, and how close it is."""

    plan: Adaptation
    source: Measured
    close: bool


@dataclass(frozen=True, slots=True)
class _Traced:
    """A traced run of a case. `own_reference`: what it is measured against is the sibling's own."""

    given: _Given
    again: Rerun
    observation: Observation
    target: Api
    catalog: Catalog
    own_reference: bool

    @property
    def calls(self) -> list[Call]:
        """The sibling's calls."""
        made = self.observation.calls
        return [call for call in made if is_call_of(call, self.target, self.catalog)]


UNFIT: Doubts[_Given] = Doubts("doubt")


@UNFIT.doubt("lacks-the-flag")
def _lacks_the_flag(given: _Given) -> str | None:
    """An API that has not got a flag which the report sets (`inplace=True`) promises nothing.

    A close relation that works in place by its name does.
    """
    plan = given.plan
    if plan.unset and not (given.close and _needs_no_flag(plan)):
        return f"has no {plan.unset[0]}, which the report sets"
    return None


TRACED: Doubts[_Traced] = Doubts("doubt")


@TRACED.doubt("does-not-run-through")
def _does_not_run_through(run: _Traced) -> Verdict | None:
    """The case raises, or dies."""
    seen = status.capture(run.observation)
    if seen is None:
        return None
    kind = VerdictKind.NEEDS if status.unavailable(seen) else VerdictKind.NOT_ADAPTED
    return verdict(kind, symptom=seen, reason=shorten(seen.headline()))


@TRACED.doubt("not-measured")
def _not_measured(run: _Traced) -> str | None:
    """The run does not come to the sibling's call."""
    return None if run.calls else "the sibling is not reached"


@TRACED.doubt("other-work-than-reference")
def _other_work_than_reference(run: _Traced) -> str | None:
    """It is measured against another computation, and does not do the same.

    It does the same if it takes the report's arguments alone, as a close relation or against a
    counterpart of its own; else if it comes to the very result.
    """
    plan, source = run.given.plan, run.given.source
    fair = (run.own_reference or run.given.close) and not plan.drops and not plan.filled
    if source.referred and not fair and not _comes_to_the_same(run.again, run.calls, source):
        return "need not be as fast as what the report measures beside it"
    return None


MEASURED: Doubts[_Traced] = Doubts("doubt")


@MEASURED.doubt("gradient-needs-input")
def _gradient_needs_input(run: _Traced) -> Verdict | None:
    """What works in place must keep its input, if the result does not tell it."""
    again = run.again
    kept = _kept_in_place(run.given.source)
    traced = instrument(again.code).traced if kept else ""
    if kept and _folds(again.code, traced, run.target, again.session, again.limits):
        return verdict(VerdictKind.EXPECTED, reason=NEEDS_INPUT)
    return None


def _comes_to_the_same(again: Rerun, calls: Sequence[Call], source: Measured) -> bool:
    """Whether the first of a sibling's calls gives what the first of the report's call does.

    Many functions come to one number everywhere, and to what they are given.
    """
    theirs = [call for call in source.observation.calls if call.name == source.call.name]
    own = replace(again, code=source.code, watched=source.watched)
    here, there = _told(again, calls[:1]), _told(own, theirs[:1])
    if here is None or there is None or same(here.made, there.made) is not True:
        return False
    made = here.made
    alike = made.numbers is None or made.numbers.low == made.numbers.high
    return not alike and not any(same(made, one) for one in here.given)


def _told(again: Rerun, calls: Sequence[Call]) -> Told | None:
    """What one of these calls is given and gives: another API may be called at the same place."""
    asked = {(one.site, one.occurrence) for one in calls}
    found = told_of(again, calls)
    return next((one for one in found if (one.site, one.occurrence) in asked), None)


def _traced(
    code: str, traced: str, target: Api, source: Measured, session: Session, limits: Limits
) -> Observation:
    """A run that shows whether the sibling is reached; a long one ends where it is."""
    if source.observation.wall < LONG:
        return session.run(code, traced=traced, limits=limits)
    names = {"names": [target.name, *target.aliases]}
    return session.run(code, traced=traced, limits=limits, entry="reached:run", arguments=names)


def _folds(code: str, traced: str, target: Api, session: Runs, limits: Limits) -> bool:
    """Whether a function of each element gives several of them the same, going up and down."""
    given = {"names": [target.name, *target.aliases]}
    seen = session.run(code, traced=traced, limits=limits, entry="monotone:run", arguments=given)
    return any(event.get("holds") is False for event in seen.extra)


def _guards(source: Measured, told: Judged) -> tuple[str, ...]:
    guards = ["the sibling is called", f"{told.runs} runs, each in a process of its own"]
    if told.interval is not None:
        low, high = told.interval.low, told.interval.high
        what = "growth per step" if _growing(source) else "log ratio"
        guards.append(f"{what} between {low:.3g} and {high:.3g} (99 %)")
    if told.machine:
        guards.append(told.machine)
    return tuple(guards)


def _samples(source: Measured, told: Judged) -> tuple[float, ...]:
    """Ratios, or bytes per step where memory grows."""
    return told.logs if _growing(source) else tuple(math.exp(log) for log in told.logs)


def _growing(source: Measured) -> bool:
    return source.oracle.measure.form is Form.GROWTH


def _kept_in_place(source: Measured) -> bool:
    """Whether the report is of memory that something keeps which it has work in place."""
    if source.oracle.topic is not Topic.MEMORY or _growing(source):
        return False
    given = [call.keywords for call in source.observation.calls]
    return any(
        name == IN_PLACE and value.value.text == "True" for one in given for name, value in one
    )


def _needs_no_flag(plan: Adaptation) -> bool:
    """Whether all that a sibling lacks is the flag to work in place, which it does by its name."""
    in_place = plan.target.endswith("_") and not plan.target.endswith("__")
    elsewhere = {name for name, _ in plan.renamed}
    return in_place and set(plan.unset) == {IN_PLACE} and IN_PLACE not in elsewhere
