"""Reproduce a report about values: find its oracle, whether it holds here, and whose fault it is.

The API to blame is the one that the value depends on: the case is run once more with that API's
results replaced by others, and what does not change then is a reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.catalog.model import Api, Catalog
from analysis.target.instrument import Instrumented, watched
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits, Session
from analysis.target.watch import Point
from citadel.model import SymptomKind
from citadel.oracle.backends import differences
from citadel.oracle.capture import capture
from citadel.oracle.compilers import is_compiler
from citadel.oracle.hints import bad_outcome, is_form, is_reference
from citadel.oracle.messages import first_line
from citadel.oracle.numbers import has_nan
from citadel.oracle.value import (
    ValueOracle,
    Values,
    becomes_infinite,
    has_nan_at,
    unlike,
    values_of,
)
from citadel.oracle.versions import on_one
from citadel.plan.invocation import invocation
from citadel.traced import leaf, resolve
from citadel.verify.blame import Blamed, Trial
from citadel.verify.causes import causes, not_finite_inputs, not_finite_itself, of_inputs
from citadel.verify.contrast import refuses
from citadel.verify.disputed import Disputed, disputed
from citadel.verify.guards import (
    Rerun,
    doubled,
    ill_conditioned,
    loose,
    of_chance,
    of_ties,
    told,
    widened,
)
from citadel.verify.holding import (
    DIFFERS_BY_BACKEND,
    FIXED_HERE,
    HOLDS_HERE,
    HOLDS_UNTRACED,
    REFUSED_HERE,
    holding,
)
from citadel.verify.identify import CONSTRUCTORS, MAKERS
from citadel.verify.infinities import demanded, hands_on, let_in, mixes, spreads, tends_to
from citadel.verify.laws import law
from citadel.verify.precision import OTHERWISE_IN_DOUBLE
from citadel.verify.suspects import compiled_first, named, spoken, suspects, titled
from citadel.verify.witness import Witness, seen_at
from harvest.report.model import Reading, Snippet

MOST_SECONDS = 5.0
"""Seconds of a run beyond which a case is not examined in all the ways there are."""
FEW_SUSPECTS = 2
"""Suspects that such a case has."""
_EMPTY = frozenset(("empty", "empty_like", "new_empty", "empty_strided"))


def witness(
    reading: Reading,
    snippet: Snippet,
    source: Instrumented,
    session: Session,
    catalog: Catalog,
    *,
    runs: int,
    limits: Limits,
    only: SymptomKind | None = None,
) -> Witness | str:
    """Run a snippet with its values watched; the reason, where they tell nothing. `only`: the kind
    of symptom that counts."""
    title = reading.report.title
    trial = Trial(snippet.code, watched(source), session, catalog, limits, reading.mentions, title)
    first = trial.run(0)
    observations = [first, *(trial.run(seed) for seed in range(1, runs))]
    oracles = capture(trial.case.points, first, reading)
    oracles = tuple(one for one in oracles if only in (None, one.kind))
    put_in = of_inputs(trial.again, oracles, first, catalog) if first.wall <= MOST_SECONDS else []
    oracles = tuple(one for one in oracles if one not in put_in)
    suspected = list(suspects(first, catalog, reading))
    if not suspected and first.exception is not None:
        return _nothing(first, oracles)
    if not suspected:
        return "no public API was called before the value was shown"
    found = REFUSED_HERE(observations, suspected[0][0], reading)
    guessed = [one for one in oracles if one.guessed and session.beside is not None]
    found = found or HOLDS_HERE([one for one in oracles if one not in guessed], observations)
    whole = None
    if session.beside is None and (found is None or found[0].kind is SymptomKind.ACCEPTS):
        whole = HOLDS_UNTRACED(trial.case.points, observations, reading, found and found[0])
    if whole is not None:
        first, found = whole
        suspected = compiled_first(suspected, reading)
    if found is None and session.beside is not None:
        trial = trial.on_both(session.beside)
        observations = [trial.run(seed) for seed in range(max(runs, 2))]
        first = observations[0]
        differing = differences(trial.case.points, observations, session.beside.name)
        steady = [one for one in differing if not of_chance(trial.again, one, first.calls)]
        found = DIFFERS_BY_BACKEND([*steady, *guessed], observations[:runs])
    found = found or FIXED_HERE(oracles, first, reading)
    if found is None and not oracles and session.beside is None and first.wall <= MOST_SECONDS:
        found = OTHERWISE_IN_DOUBLE(
            trial.again, trial.case.points, observations, suspected, catalog
        )
    if found is None and session.beside is not None and _ended_well(first):
        return f"runs, and what it shows is no other on the {session.beside.name} backend"
    if found is None:
        return _nothing(first, oracles)
    oracle, hits = found
    values = values_of(first)
    hurried = first.wall > MOST_SECONDS
    likeliest = suspected[: 1 if whole is not None else FEW_SUSPECTS if hurried else None]
    who = trial.blamed(oracle, values, first.calls, likeliest)
    for other in _beside_its_own(oracle, oracles, observations[:runs], hits):
        both = trial.blamed(other, values, first.calls, likeliest)
        if both.api is who.api and all(both.own):
            oracle, who = other, both
            break
    compared = oracle
    oracle, who = _without_reference(oracle, who, values, observations[:runs], hits)
    who = _accepted(oracle, who, first.calls, suspected, reading, catalog)
    told = named(who.api, reading.mentions) or spoken(who.api, reading.report.title)
    lone = all(leaf(call.name) in MAKERS for call, _ in suspected[1:])
    # A call that is refused by now has shown nothing.
    sole = len(suspected) == 1 and who.call.form == "class"  # an object, which nothing replaces
    sole = sole or (whole is not None and who.call.compiled)  # a trace does not reach its result
    known = told or sole or not oracle.points
    known = known or (lone and any(is_form(trial.case.points[n]) for n in on_one(oracle.points)))
    if True not in who.own and not known:
        return "no public API changes what is shown, and the report names none"
    again = [unlike(oracle, values, values_of(other)) for other in observations[1:]]
    blamed = [one for one in first.calls if resolve(one, catalog) is who.api]
    arguments = invocation(who.call, who.api, first.calls)
    looked = hits > 0 and not hurried
    random = any(True in changes for changes in again)
    free = loose(trial.again, oracle, blamed) if looked and random else ()
    better = doubled(trial.again, oracle, blamed) if hits else None
    cured = better is not None and better.cures
    full = demanded(trial.again, oracle, blamed, values) if looked and not cured else None
    cleaned = let_in(trial.again, oracle, blamed) if looked else {}
    handed_on = bool(cleaned)
    spread = handed_on and spreads(trial.again, oracle, blamed, values)
    nothing: frozenset[tuple[int, int]] = frozenset()
    gave = _gave(trial.again, oracle, blamed, values) if looked else (nothing, nothing)
    gave_finite, gave_numbers = gave
    return Witness(
        oracle=oracle,
        watched=trial.case,
        values=values,
        own=who.own,
        made_backward=who.made_backward,
        random=random,
        loose=free,
        symptom=seen_at(oracle, compared, trial.case.points, values, better),
        observation=first,
        call=who.call,
        api=who.api,
        reproduces=hits > 0,
        hits=hits,
        runs=runs - (whole is not None),
        precise=None if better is None else better.cures,
        becomes_infinite=better is not None and becomes_infinite(oracle, values, better.values),
        widened=widened(trial.again, oracle, blamed) if looked else None,
        demanded=full,
        gave_finite=gave_finite,
        gave_numbers=gave_numbers,
        let_in=handed_on,
        infinite=not_finite_inputs(trial.again, arguments, catalog.operands())
        if handed_on and not spread
        else (),
        cleaned=cleaned,
        limits=tends_to(trial.again, oracle, blamed)
        if handed_on and has_nan_at(oracle, values)
        else None,
        hands_on=looked and hands_on(trial.again, oracle, blamed, values),
        spreads=spread,
        apart=handed_on and mixes(trial.again, blamed) is False,
        uninitialised=_reads_memory(trial.again, oracle, values, first.calls),
        of_ties=looked and of_ties(trial.again, oracle, blamed, values),
        ill_conditioned=looked and ill_conditioned(trial.again, oracle, blamed, values, free),
        disputed=_disputed(oracle, who, first.calls, reading, catalog),
        causes=causes(trial.again, oracle, arguments, blamed) if looked else (),
        refused_by=_refused_by(oracle, session, trial.again, who.api, catalog) if hits else "",
        law=law(trial.again, oracle, blamed, who.own) if looked else None,
        hurried=hurried,
        untraced=whole is not None,
        steady=who.steady,
        unclaimed=not _claimed(oracle, trial.case.points, reading),
    )


def _beside_its_own(
    oracle: ValueOracle, oracles: Sequence[ValueOracle], runs: Sequence[Observation], hits: int
) -> list[ValueOracle]:
    """Where a value is not what the text expects: comparisons with another value of the run.

    A sibling is compared with itself in their place, and need not come to the very same value.
    """
    if oracle.expected is None or not hits:
        return []
    paired = [one for one in oracles if one.paired and not one.against and one.check is None]
    meant = [one for one in paired if set(oracle.spots) < set(one.spots)]
    return [one for one in meant if holding([one], runs) == (one, hits)]


def _gave(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], values: Values
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """The calls with finite results, if all are so, and those without NaN, if none has any."""
    found = told(again, calls) if oracle.of_finiteness else ()
    known = [one for one in found if one.finite is not None]
    places = frozenset((one.site, one.occurrence) for one in known)
    # Otherwise it comes up in these calls, not behind them.
    finite = places if all(one.finite for one in known) else frozenset()
    numbers = has_nan_at(oracle, values) and not any(has_nan(one.made) for one in known)
    return finite, places if numbers else frozenset()


def _without_reference(
    oracle: ValueOracle, who: Blamed, values: Values, runs: Sequence[Observation], hits: int
) -> tuple[ValueOracle, Blamed]:
    """Where a value is not finite, and the reference that it is compared with is: that it is not.

    For what other functions come to, there may be no reference.
    """
    alone = not_finite_itself(oracle, who.own, values) if hits else None
    if alone is None or holding([alone], runs) != (alone, hits):
        return oracle, who
    return alone, replace(who, own=(True,))


def _accepted(
    oracle: ValueOracle,
    who: Blamed,
    calls: Sequence[Call],
    suspected: Sequence[tuple[Call, Api]],
    reading: Reading,
    catalog: Catalog,
) -> Blamed:
    """Of what is accepted in one place and refused in another, the call that is accepted: it is
    in its place that siblings are tried. Who refuses wherever it is called is a contrast. What is
    shown in the end others may have computed: it is the title that says what accepts."""
    if oracle.kind is not SymptomKind.ACCEPTS or not oracle.spots:
        return who

    def meant(api: Api) -> bool:
        return titled(api, reading.mentions) or spoken(api, reading.report.title)

    returned = [(call, api) for call, api in suspected if call.result is not None]
    if who.call.raised is None:
        told = [pair for pair in returned if meant(pair[1])]
        if meant(who.api) or not told:
            return who
        call, api = told[-1]
        return replace(who, call=call, api=api)
    fine = [c for c in calls if c.result is not None and resolve(c, catalog) is who.api]
    if fine:
        return replace(who, call=fine[-1])
    if meant(who.api):
        return who  # compiled whole, which no trace shows, it may well be accepted
    doing = [pair for pair in returned if leaf(pair[0].name) not in MAKERS]
    others = [(call, api) for call, api in doing if not is_compiler(api.name)]
    others.sort(key=lambda pair: not meant(pair[1]))
    call, api = next(iter(others), (who.call, who.api))
    return replace(who, call=call, api=api)


def _disputed(
    oracle: ValueOracle, who: Blamed, calls: Sequence[Call], reading: Reading, catalog: Catalog
) -> tuple[Disputed, ...]:
    if oracle.kind is not SymptomKind.ACCEPTS:
        return ()
    found = disputed(who.call, who.api, calls, reading)
    operands = catalog.operands() if found else ()
    return tuple(replace(one, operand=one.name in operands) for one in found)


def _refused_by(
    oracle: ValueOracle, session: Session, again: Rerun, api: Api, catalog: Catalog
) -> str:
    other = session.beside
    if other is None or oracle.kind is not SymptomKind.ACCEPTS:
        return ""
    refused = refuses(other.session, again.code, again.watched.traced, again.limits, api, catalog)
    return other.name if refused else ""


def _reads_memory(again: Rerun, oracle: ValueOracle, values: Values, calls: Sequence[Call]) -> bool:
    """Whether values depend on what nothing has written to; what is filled later does not."""
    made = list(filter(_uninitialised, calls))
    if not made:
        return False
    other = values_of(again.run("perturb:run", made))
    return any(change is not False for change in unlike(oracle, values, other))


def _uninitialised(call: Call) -> bool:
    """Whether a call makes a tensor of whatever is in memory."""
    made = call.result.value if call.result is not None else None
    sized = all(argument.value.kind == "int" for argument in call.arguments)
    # `torch.Tensor(2)` has two elements, `torch.tensor(2)` is a number.
    old = sized and call.name.rpartition(".")[2] in {*CONSTRUCTORS, "new"}
    empty = old or leaf(call.name) in _EMPTY
    return empty and made is not None and 0 not in (made.shape or ())


def _claimed(oracle: ValueOracle, points: Sequence[Point], reading: Reading) -> bool:
    """Whether words of the report, or around its check, say that something is wrong."""
    if reading.claims or reading.expectations or reading.refusal is not None:
        return True
    places = (*oracle.spots, *((oracle.check,) if oracle.check is not None else ()))
    found = [points[number] for number in on_one([spot.point for spot in places])]
    said = (one.asserted or one.label or is_reference(one) for one in found)
    return any(said) or any(bad_outcome(one) is not None for one in found)


def _ended_well(run: Observation) -> bool:
    return bool(run.seen) and run.outcome is Outcome.OK


def _nothing(first: Observation, oracles: Sequence[ValueOracle]) -> str:
    if first.outcome is not Outcome.OK:
        raised = first.exception
        how = str(first.outcome)
        if raised is not None:
            how = f"{raised.type}: {first_line(raised.message)}"
        return f"describes a wrong value, but the run ends by {how[:200]}"
    if oracles:
        return f"runs, and nothing that it shows is wrong ({oracles[0].why[:150]})"
    if not first.seen:
        return "describes a wrong value, but the code shows and compares none"
    return "describes a wrong value, but nothing tells which of those shown it is"
