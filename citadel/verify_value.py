"""Reproduce a report about values: find its oracle, whether it holds here, and whose fault it is.

The API to blame is the one that the value depends on: the case is run once more with that API's
results replaced by others, and what does not change then is a reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.target.instrument import Instrumented, Watched, watched
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Baseline, Limits, Session
from analysis.target.watch import Point
from citadel.disputed import Disputed, disputed
from citadel.guards import (
    Rerun,
    demanded,
    doubled,
    has_limit,
    ill_conditioned,
    let_in,
    made_backward,
    of_chance,
    of_ties,
    told,
    wider,
)
from citadel.identify import failing_call, leaf, resolve
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle.backends import OnBoth, Runs, differences
from citadel.oracle.capture import CHECKS, capture
from citadel.oracle.hints import bad_outcome, is_reference
from citadel.oracle.messages import first_line
from citadel.oracle.numbers import finite
from citadel.oracle.value import (
    ValueOracle,
    Values,
    has_nan_at,
    in_double,
    shows,
    symptom,
    unlike,
    values_of,
)
from citadel.oracle.versions import on_one
from citadel.suspects import MAKERS, named, spoken, suspects, titled
from harvest.report.model import Mention, Reading, Snippet

MOST_SUSPECTS = 8
MOST_SECONDS = 5.0
"""Seconds of a run beyond which a case is not examined in all the ways there are."""
FEW_SUSPECTS = 2
"""Suspects that such a case has."""
_FORM = re.compile(r"\.(?:shape|size|ndim|dim|dtype|device|layout|stride|is_\w+)\b(?! ?=[^=])")
_EMPTY = frozenset(("empty", "empty_like", "new_empty", "empty_strided"))
_RESULT = re.compile(r"\b(?:returns?|returned|gives?|produces?|yields?|wrong|garbage)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A value symptom and what its replays are compared with.

    `own` tells for each spot of the oracle whether it depends on the blamed API (None: unknown);
    `random` whether its values differ from seed to seed.
    """

    oracle: ValueOracle
    watched: Watched
    values: Values
    own: tuple[bool | None, ...]
    made_backward: bool
    """Whether NaN or infinities come up in the gradients that the API hands on."""
    random: bool
    symptom: Symptom
    observation: Observation
    call: Call
    api: Api
    reproduces: bool
    hits: int
    runs: int
    told: bool
    """Whether the report speaks of a result, rather than of a missing error alone."""
    precise: bool | None
    """Whether double precision cures it; None where that says nothing."""
    wider: bool | None
    """Whether double precision changes a value that is wrong by number (see `guards`)."""
    demanded: bool | None
    """Whether an infinity comes where the result is as large as numbers get (see `guards`)."""
    let_in: bool
    """Whether NaN or infinities come of those in the API's inputs."""
    has_limit: bool
    """Whether NaN comes of infinities, where large numbers show that the result tends somewhere."""
    gave_finite: frozenset[tuple[int, int]]
    """(site, occurrence) of the API's calls that have finite results, where finiteness is the bug:
    then it comes up behind them, in gradients, say."""
    uninitialised: bool
    """Whether the case reads memory that nothing has written to."""
    of_ties: bool
    """Whether the values differ only in which of several equal elements they point at."""
    ill_conditioned: bool
    """Whether the last digit of the API's inputs matters as much as what the report shows."""
    disputed: tuple[Disputed, ...]
    """The arguments that should be refused, where the report says which."""
    hurried: bool
    """Whether a run takes so long that no further ones were made to examine it."""
    unclaimed: bool
    """Whether nothing, in words or by an assertion, says that what the case shows is wrong."""

    @property
    def referred(self) -> bool:
        """Whether the value is compared with one that the API has no part in."""
        return self.oracle.paired and False in self.own

    @property
    def refused(self) -> bool:
        """Whether this build refuses the call, as the report wants it."""
        return self.oracle.kind is SymptomKind.ACCEPTS and not self.oracle.spots

    @property
    def evidence(self) -> tuple[str, ...]:
        """What in the report speaks for this symptom."""
        return tuple(filter(None, (self.oracle.why,)))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why what the report shows may be no bug; each halves the confidence of findings."""
        doubts = (
            (self.demanded, "becomes infinite where it is as large as its dtype allows"),
            (
                self.let_in and not self.has_limit,
                "what is not finite comes of what it is given",
            ),
            (self.uninitialised, "works on uninitialised memory"),
            (self.of_ties, "the indices differ, the elements that they select do not"),
            (self.ill_conditioned, "the last digit of the inputs matters as much"),
            (self.hurried, "a run takes so long that it was not examined further"),
            (self.unclaimed, "nothing says that what it shows is wrong"),
            (self.refused, "this build refuses the call: there is no result to compare with"),
        )
        return tuple(why for holds, why in doubts if holds)

    @property
    def tells(self) -> bool:
        """Whether there is a value by which siblings can be judged."""
        return bool(self.oracle.spots) or self.oracle.check is not None or self.refused

    @property
    def kind(self) -> BugKind:
        """A missing error is a status bug; a wrong result is one of values."""
        accepts = self.symptom.kind is SymptomKind.ACCEPTS
        return BugKind.STATUS if accepts and not self.told else BugKind.VALUE


def witness(
    reading: Reading,
    snippet: Snippet,
    source: Instrumented,
    session: Session,
    catalog: Catalog,
    *,
    runs: int,
    limits: Limits,
) -> Witness | str:
    """Run a snippet with its values watched; the reason, where they tell nothing."""
    trial = _Trial(snippet.code, watched(source), session, catalog, limits, reading.mentions)
    first = trial.run(0)
    observations = [first, *(trial.run(seed) for seed in range(1, runs))]
    oracles = capture(trial.case.points, first, reading)
    suspected = list(suspects(first, catalog, reading))
    if not suspected:
        return "no public API was called before the value was shown"
    found = _refused(first, suspected[0][0], reading)
    guessed = [one for one in oracles if one.guessed and session.beside is not None]
    found = found or _holding([one for one in oracles if one not in guessed], observations)
    if found is None and session.beside is not None:
        trial = trial.on_both(session.beside)
        observations = [trial.run(seed) for seed in range(max(runs, 2))]
        first = observations[0]
        differing = differences(trial.case.points, observations, session.beside.name)
        steady = [one for one in differing if not of_chance(trial.again, one, first.calls)]
        found = _holding([*steady, *guessed], observations[:runs])
    found = found or _fixed(oracles, first)
    if found is None and session.beside is not None and _ended_well(first):
        return f"runs, and what it shows is no other on the {session.beside.name} backend"
    if found is None:
        return _nothing(first, oracles)
    oracle, hits = found
    values = values_of(first)
    hurried = first.wall > MOST_SECONDS
    likeliest = suspected[: FEW_SUSPECTS if hurried else None]
    who = trial.blamed(oracle, values, first.calls, likeliest)
    told = named(who.api, reading.mentions) or spoken(who.api, reading.report.title)
    alone = all(leaf(call.name) in MAKERS for call, _ in suspected[1:])
    if True not in who.own and not told and not (alone and _of_form(oracle, trial.case.points)):
        return "no public API changes what is shown, and the report names none"
    again = [unlike(oracle, values, values_of(other)) for other in observations[1:]]
    blamed = [one for one in first.calls if resolve(one, catalog) is who.api]
    better = doubled(trial.again, oracle, blamed) if hits else None
    cured = better is not None and better.cures
    looked = hits > 0 and not hurried
    full = demanded(trial.again, oracle, blamed, values) if looked and not cured else None
    handed_on = looked and let_in(trial.again, oracle, blamed)
    seen = symptom(oracle, trial.case.points, values)
    if seen.expected is None and better is not None and better.cures:
        seen = replace(seen, expected=in_double(oracle, better.values))
    return Witness(
        oracle=oracle,
        watched=trial.case,
        values=values,
        own=who.own,
        made_backward=who.made_backward,
        random=any(True in changes for changes in again),
        symptom=seen,
        observation=first,
        call=who.call,
        api=who.api,
        reproduces=hits > 0,
        hits=hits,
        runs=runs,
        precise=None if better is None else better.cures,
        wider=wider(trial.again, oracle, blamed, values) if looked else None,
        demanded=full,
        gave_finite=_gave_finite(trial.again, oracle, blamed) if looked else frozenset(),
        let_in=handed_on,
        has_limit=handed_on
        and has_nan_at(oracle, values)
        and has_limit(trial.again, oracle, blamed),
        uninitialised=_reads_memory(trial.again, oracle, values, first.calls),
        of_ties=looked and of_ties(trial.again, oracle, blamed, values),
        ill_conditioned=looked and ill_conditioned(trial.again, oracle, blamed, values),
        disputed=_disputed(oracle, who, first.calls, reading),
        hurried=hurried,
        unclaimed=not _claimed(oracle, trial.case.points, reading),
        told=_RESULT.search(f"{reading.report.title} {reading.refusal or ''}") is not None,
    )


def _of_form(oracle: ValueOracle, points: Sequence[Point]) -> bool:
    """Whether shapes, dtypes and the like are shown, which other numbers do not change."""
    return any(_FORM.search(points[number].text) is not None for number in on_one(oracle.points))


def _gave_finite(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call]
) -> frozenset[tuple[int, int]]:
    found = told(again, calls) if oracle.of_finiteness else ()
    return frozenset((one.site, one.occurrence) for one in found if one.finite)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """Who is to blame: `own` and `made_backward` as in `Witness`."""

    call: Call
    api: Api
    own: tuple[bool | None, ...]
    made_backward: bool = False


def _disputed(
    oracle: ValueOracle, who: Blamed, calls: Sequence[Call], reading: Reading
) -> tuple[Disputed, ...]:
    accepts = oracle.kind is SymptomKind.ACCEPTS
    return disputed(who.call, who.api, calls, reading) if accepts else ()


class _Trial:
    """One case, run in several ways."""

    def __init__(
        self,
        code: str,
        case: Watched,
        session: Runs,
        catalog: Catalog,
        limits: Limits,
        mentions: Sequence[Mention],
    ) -> None:
        self._mentions = mentions
        self.case = case
        self.again = Rerun(code=code, watched=case, session=session, limits=limits)
        self._catalog = catalog

    def on_both(self, beside: Baseline) -> _Trial:
        """The same, run on another backend, too."""
        again = self.again
        runs = OnBoth(here=again.session, there=beside.session)
        limits = again.limits
        return _Trial(again.code, self.case, runs, self._catalog, limits, self._mentions)

    def run(self, seed: int) -> Observation:
        """With its values watched; the first run is traced as well."""
        text = self.case.traced if seed == 0 else self.case.text
        again = self.again
        return again.session.run(again.code, traced=text, limits=again.limits, seed=seed)

    def blamed(
        self,
        oracle: ValueOracle,
        values: Values,
        calls: Sequence[Call],
        suspected: Sequence[tuple[Call, Api]],
    ) -> Blamed:
        """The first suspect that the values depend on, and which of them do.

        Where they depend on none (a shape, say, or the slope of a slope), it is the first suspect.
        What makes a case's inputs is suspected only where nothing else is called, or the title
        names it.
        """
        doing = [
            pair
            for pair in suspected
            if leaf(pair[0].name) not in MAKERS or titled(pair[1], self._mentions)
        ]
        behind: Blamed | None = None  # who makes what the value should be
        for call, api in (doing or list(suspected))[:MOST_SUSPECTS]:
            of_api = [one for one in calls if resolve(one, self._catalog) is api]
            other = values_of(self.again.run("perturb:run", of_api))
            own = _changes(oracle, values, other)
            if oracle.against and own == (False, True) and not titled(api, self._mentions):
                behind = behind or Blamed(call=call, api=api, own=own)
                continue
            if True in own:
                return Blamed(call=call, api=api, own=own)
            made = made_backward(self.again, oracle, of_api)
            if made:
                return Blamed(call=call, api=api, own=tuple(True for _ in own), made_backward=True)
            if titled(api, self._mentions) and has_nan_at(oracle, values):
                break  # NaN stays NaN, whatever it depends on
        else:
            if behind is not None:
                return behind
            call, api = suspected[0]
        return Blamed(call=call, api=api, own=tuple(None for _ in oracle.spots))


def _changes(oracle: ValueOracle, one: Values, other: Values) -> tuple[bool | None, ...]:
    """For each spot of the oracle, whether its value has changed; NaN that stays tells nothing."""
    found = unlike(oracle, one, other)
    if not oracle.of_finiteness:
        return found
    fine = (spot not in other or finite(other[spot]) is not False for spot in oracle.spots)
    return tuple(change if ok else None for change, ok in zip(found, fine, strict=True))


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
    return leaf(call.name) in _EMPTY and made is not None and 0 not in (made.shape or ())


def _holding(
    oracles: Sequence[ValueOracle], observations: Sequence[Observation]
) -> tuple[ValueOracle, int] | None:
    """The first oracle that holds in the first run, and in how many runs it does."""
    for oracle in oracles:
        hits = [shows(oracle, seen, values_of(seen)) is True for seen in observations]
        if hits[0]:
            return oracle, sum(hits)
    return None


def _claimed(oracle: ValueOracle, points: Sequence[Point], reading: Reading) -> bool:
    """Whether words of the report, or around its check, say that something is wrong."""
    if reading.claims or reading.expectations or reading.refusal is not None:
        return True
    places = (*oracle.spots, *((oracle.check,) if oracle.check is not None else ()))
    found = [points[number] for number in on_one([spot.point for spot in places])]
    said = (one.asserted or one.label or is_reference(one) for one in found)
    return any(said) or any(bad_outcome(one) is not None for one in found)


def _refused(first: Observation, suspect: Call, reading: Reading) -> tuple[ValueOracle, int] | None:
    """Where a report wants a call to be refused, and here it is: the report no longer holds."""
    failed = failing_call(first)
    if reading.refusal is None or failed is None or failed.number != suspect.number:
        return None
    return ValueOracle(kind=SymptomKind.ACCEPTS, spots=(), why=reading.refusal), 0


def _fixed(oracles: Sequence[ValueOracle], first: Observation) -> tuple[ValueOracle, int] | None:
    """An oracle that would tell, on a build that no longer shows the bug."""
    if first.outcome is not Outcome.OK:
        return None
    telling = (o for o in oracles if o.how in CHECKS or o.expected is not None)
    return next(((oracle, 0) for oracle in telling), None)


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
