"""Reproduce a report about values: find its oracle, whether it holds here, and whose fault it is.

The API to blame is the one that the value depends on: the case is run once more with that API's
results replaced by others, and what does not change then is a reference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api, Catalog
from analysis.target.instrument import Instrumented, Watched, watched
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.identify import failing_call, leaf, resolve
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle.capture import CHECKS, capture
from citadel.oracle.numbers import LARGEST, largest
from citadel.oracle.value import ValueOracle, Values, shows, symptom, unlike, values_of
from citadel.suspects import MAKERS, named, suspects
from harvest.report.model import Reading, Snippet

MOST_SUSPECTS = 8
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
    uninitialised: bool
    """Whether the case reads memory that nothing has written to."""

    @property
    def referred(self) -> bool:
        """Whether the value is compared with one that the API has no part in."""
        return self.oracle.paired and False in self.own

    @property
    def evidence(self) -> tuple[str, ...]:
        """What in the report speaks for this symptom."""
        warning = ("works on uninitialised memory",) if self.uninitialised else ()
        return (*filter(None, (self.oracle.why,)), *warning)

    @property
    def tells(self) -> bool:
        """Whether there is a value by which siblings can be judged."""
        return bool(self.oracle.spots) or self.oracle.check is not None

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
    trial = _Trial(snippet.code, watched(source), session, catalog, limits)
    observations = [trial.run(seed) for seed in range(runs)]
    first = observations[0]
    oracles = capture(trial.case.points, first, reading)
    suspected = list(suspects(first, catalog, reading))
    if not suspected:
        return "no public API was called before the value was shown"
    found = _refused(first, suspected[0][0], reading)
    found = found or _holding(oracles, observations) or _fixed(oracles, first)
    if found is None:
        return _nothing(first, oracles)
    oracle, hits = found
    values = values_of(first)
    call, api, own = trial.blamed(oracle, values, first.calls, suspected)
    if True not in own and not named(api, reading.mentions):
        return "no public API changes what is shown, and the report names none"
    again = [unlike(oracle, values, values_of(other)) for other in observations[1:]]
    return Witness(
        oracle=oracle,
        watched=trial.case,
        values=values,
        own=own,
        random=any(True in changes for changes in again),
        symptom=symptom(oracle, trial.case.points, values),
        observation=first,
        call=call,
        api=api,
        reproduces=hits > 0,
        hits=hits,
        runs=runs,
        precise=trial.cured(oracle, first.calls, api) if hits else None,
        uninitialised=any(map(_uninitialised, first.calls)),
        told=_RESULT.search(f"{reading.report.title} {reading.refusal or ''}") is not None,
    )


class _Trial:
    """One case, run in several ways."""

    def __init__(
        self, code: str, case: Watched, session: Session, catalog: Catalog, limits: Limits
    ) -> None:
        self.code = code
        self.case = case
        self._session = session
        self._catalog = catalog
        self._limits = limits

    def run(self, seed: int) -> Observation:
        """With its values watched; the first run is traced as well."""
        text = self.case.traced if seed == 0 else self.case.text
        return self._session.run(self.code, traced=text, limits=self._limits, seed=seed)

    def blamed(
        self,
        oracle: ValueOracle,
        values: Values,
        calls: Sequence[Call],
        suspected: Sequence[tuple[Call, Api]],
    ) -> tuple[Call, Api, tuple[bool | None, ...]]:
        """The first suspect that the values depend on, and which of them do.

        Where they depend on none (a shape, say, or the slope of a slope), it is the first suspect.
        What makes a case's inputs is suspected only where nothing else is called.
        """
        doing = [pair for pair in suspected if leaf(pair[0].name) not in MAKERS]
        for call, api in (doing or list(suspected))[:MOST_SUSPECTS]:
            sites = {one.site for one in calls if resolve(one, self._catalog) is api}
            seen = self._session.run(
                self.code,
                traced=self.case.traced,
                limits=self._limits,
                entry="perturb:run",
                arguments={"sites": sorted(sites)},
            )
            own = unlike(oracle, values, values_of(seen))
            if True in own:
                return call, api, own
        call, api = suspected[0]
        return call, api, tuple(None for _ in oracle.spots)

    def cured(self, oracle: ValueOracle, calls: Sequence[Call], api: Api) -> bool | None:
        """Whether the trouble goes away where the API is given double precision."""
        own = [one for one in calls if resolve(one, self._catalog) is api]
        return cured(oracle, self.code, self.case, own, self._session, self._limits)


def cured(
    oracle: ValueOracle,
    code: str,
    case: Watched,
    calls: Sequence[Call],
    session: Session,
    limits: Limits,
) -> bool | None:
    """Whether what is wrong goes away where these calls are given double precision.

    What stays then may be what mathematics demands (`exp` of a large number) rather than a bug, and
    so is what only double precision has room for (a product of large numbers); two values that
    then agree are of the same function. None: the oracle is of another kind, or the run comes to
    no value.
    """
    if not oracle.of_finiteness and not oracle.paired:
        return None
    seen = session.run(
        code,
        traced=case.traced,
        limits=limits,
        entry="perturb:doubled",
        arguments={"sites": sorted({call.site for call in calls})},
    )
    values = values_of(seen)
    shown = shows(oracle, seen, values)
    if shown is None:
        return None
    return not shown and (oracle.paired or _fits(oracle, values, _room(calls)))


def _fits(oracle: ValueOracle, values: Values, room: float) -> bool:
    """Whether the values of an oracle are of no larger size than `room`."""
    sizes = (largest(values[spot]) for spot in oracle.spots if spot in values)
    return all(size is None or size <= room for size in sizes)


def _room(calls: Sequence[Call]) -> float:
    """The largest number that fits the coarsest dtype which these calls are given."""
    given = [value.value.dtype for call in calls for value in call.inputs()]
    return min((LARGEST[dtype] for dtype in given if dtype in LARGEST), default=math.inf)


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


def _nothing(first: Observation, oracles: Sequence[ValueOracle]) -> str:
    if first.outcome is not Outcome.OK:
        raised = first.exception
        how = f"{raised.type}: {raised.message}" if raised is not None else str(first.outcome)
        return f"describes a wrong value, but the run ends by {how[:200]}"
    if oracles:
        return f"runs, and nothing that it shows is wrong ({oracles[0].why[:150]})"
    if not first.seen:
        return "describes a wrong value, but the code shows and compares none"
    return "describes a wrong value, but nothing tells which of those shown it is"
