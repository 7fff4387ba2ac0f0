"""Replay a generated case of a value bug and say what it shows.

The same expressions of the text are watched as in the report's own code. A check that compares the
sibling with the sibling speaks for itself. One that compares it with something of another making (a
reference, a literal) does so only if the sibling computes what the source computes: then it has the
very same wrong value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.rules import Registry
from analysis.target.instrument import instrument, watched
from analysis.target.observation import Call, Outcome
from analysis.target.session import Limits, Session
from citadel.judge.doubts import Doubts
from citadel.judge.relations import alike
from citadel.judge.replayed import Replayed
from citadel.judge.value_match import ValueMatch
from citadel.judge.value_replay import doubt as doubt_of
from citadel.judge.verdicts import rate, shown_in, verdict
from citadel.model import Channels, Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.oracle.value import shows
from citadel.plan.model import Adaptation
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of
from citadel.verify.identify import failing_call
from citadel.verify.witness import Witness
from harvest.report.text import shorten

RIGHT = "what is wrong in the report is right in the same place"


def judge_value(
    written: Rewritten,
    plan: Adaptation,
    target: Api,
    source: Witness,
    channels: Channels,
    session: Session,
    catalog: Catalog,
    *,
    runs: int,
    limits: Limits,
) -> Verdict:
    """Replay once traced and watched, then with other seeds."""
    try:
        case = watched(instrument(written.code), source.watched.points)
    except CitadelError as problem:
        return verdict(VerdictKind.NOT_ADAPTED, reason=problem.message)
    if case.missing & source.oracle.points:
        return verdict(VerdictKind.NOT_ADAPTED, reason="the rewritten code shows other values")
    replay = Replayed(written, case, target, source, session, catalog, limits)
    unreached = UNREACHED.settle(_Replay(replay, plan))
    if isinstance(unreached, Verdict):
        return unreached
    shown = shows(source.oracle, replay.first, replay.values)
    if shown is None:
        return _elsewhere(replay)
    if not shown:
        return verdict(VerdictKind.CLEAN, guards=(*replay.guards, RIGHT))
    seen = replay.symptom()
    as_source = alike(channels) and not plan.filled and not plan.drops
    match = ValueMatch(replay, plan, channels, same=as_source)
    doubt = doubt_of(match)
    if doubt is not None:
        return replace(doubt, symptom=seen, guards=(*replay.guards, *replay.silent))
    hits = replay.again(runs)
    moves = MOVING.settle(match)
    if isinstance(moves, Verdict):
        return replace(moves, symptom=seen)
    silent = replay.silent
    return Verdict(
        kind=shown_in(hits, runs, (source.hits, source.runs)),
        runs=(hits, runs),
        confidence=rate(hits, runs),
        symptom=replace(seen, expected=replay.right or seen.expected),
        guards=(*replay.guards, *silent, f"shown in {hits} of {runs} runs with seeds of their own"),
        rule=match.accepted_by,
    )


@dataclass(frozen=True, slots=True)
class _Replay:
    """The first run of a case, and what the sibling is given in it."""

    replay: Replayed
    plan: Adaptation


UNREACHED: Doubts[_Replay] = Doubts("doubt")


@UNREACHED.doubt("not-called")
def _not_called(one: _Replay) -> str | None:
    """The run does not come to the sibling's call."""
    return None if one.replay.calls else "the sibling is not reached"


@UNREACHED.doubt("gives-nothing")
def _gives_nothing(one: _Replay) -> str | None:
    """It is called for its effect, and the report's call gives a tensor."""
    accepts = one.replay.source.oracle.kind is SymptomKind.ACCEPTS
    if accepts and not one.plan.effect and one.replay.gives_nothing:
        return "gives nothing, where the report's call gives a value"
    return None


GIVES_NOTHING = _gives_nothing.id
"""The rule after which a sibling is tried for its effect alone."""


MOVING: Doubts[ValueMatch] = Doubts("doubt")


@MOVING.doubt("differs-by-seed")
def _differs_by_seed(match: ValueMatch) -> str | None:
    """Its values differ from run to run, which those of the source do not.

    Garbage differs from run to run; of the same function it is garbage all the same.
    """
    source = match.source
    any_value = source.random or source.oracle.kind is SymptomKind.ACCEPTS
    any_value = any_value or (match.same and source.oracle.of_finiteness)
    if match.replay.moved and not any_value:
        return "its values differ from seed to seed"
    return None


@dataclass(frozen=True, slots=True)
class _Ended:
    """A run that did not come to the place of the oracle: what it shows, and which call fails."""

    replay: Replayed
    seen: Symptom
    failing: Call | None


ENDINGS: Registry[[_Ended], VerdictKind] = Registry("value-ending")
"""What a sibling's exception says of it where the report shows a value."""


@ENDINGS.rule("unavailable")
def _unavailable(one: _Ended) -> VerdictKind | None:
    """This build has not got what was called."""
    return VerdictKind.NEEDS if status.unavailable(one.seen) else None


@ENDINGS.rule("another-call-fails")
def _another_call_fails(one: _Ended) -> VerdictKind | None:
    """What comes before or behind the sibling cannot go on with the case."""
    target, catalog = one.replay.target, one.replay.catalog
    own = one.failing is not None and is_call_of(one.failing, target, catalog)
    return None if own else VerdictKind.NOT_ADAPTED


@ENDINGS.rule("refuses-the-call")
def _refuses_the_call(one: _Ended) -> VerdictKind | None:
    """The sibling is called in a way that it does not know."""
    return VerdictKind.NOT_ADAPTED if status.refuses_arguments(one.seen) else None


@ENDINGS.rule("fails-internally")
def _fails_internally(one: _Ended) -> VerdictKind | None:
    """The process dies, or the framework calls the failure its own fault."""
    died = one.replay.first.outcome is not Outcome.EXCEPTION
    return VerdictKind.DIFFERENT if died or status.internal(one.seen) else None


@ENDINGS.rule("refuses")
def _refuses(one: _Ended) -> VerdictKind | None:
    """It refuses what the report wants refused."""
    accepts = one.replay.source.oracle.kind is SymptomKind.ACCEPTS
    return VerdictKind.REFUSED if accepts else None


@ENDINGS.rule("cannot-take-the-case")
def _cannot_take_the_case(_: _Ended) -> VerdictKind:
    """It refuses what the report's API takes."""
    return VerdictKind.NOT_ADAPTED


def _elsewhere(replay: Replayed) -> Verdict:
    """The verdict on a run that did not come to the place of the oracle.

    An exception is a refusal where the report wants one; else the sibling cannot take the case.
    """
    seen = status.capture(replay.first)
    if seen is None:
        reason = "does not come to the place where the report shows the value"
        return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
    found = ENDINGS.decided(_Ended(replay, seen, failing_call(replay.first)))
    rule, kind = found or ("", VerdictKind.NOT_ADAPTED)
    return verdict(kind, symptom=seen, reason=shorten(seen.headline()), rule=rule)
