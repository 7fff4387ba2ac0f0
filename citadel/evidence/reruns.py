"""Run a case with some of its call's arguments changed, and say what it shows then.

In: a text with the calls that matter, and what tells the symptom. Out: an `Under` per run, and what
the call gave where it went well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import Any, Protocol, TypeGuard

from analysis.target.observation import Observation, Outcome, Raised
from analysis.target.session import Limits
from analysis.values import Value
from citadel.evidence.variations import BESIDE, Variation
from citadel.evidence.written import Made
from citadel.experiment import Job, Under
from citadel.model import Symptom
from citadel.oracle import samples, status
from citadel.oracle.backends import Runs
from citadel.oracle.samples import Decision
from citadel.oracle.value import ValueOracle, Values, shows, unlike, values_of

NEW, CALL = "new", "call"
"""The two calls of a layer; all else has the second one alone."""
KINDS = {"f": "float", "b": "bool", "c": "complex", "u": "integer", "i": "integer"}
_KEY = re.compile(r"recv|arg:\d{1,3}|kw:\w{1,100}")


class Oracle(Protocol):
    """Tells whether a run shows the symptom."""

    @property
    def of_values(self) -> bool:
        """Whether by what expressions come to, rather than by how the blamed call ends."""

    @property
    def of_same_input(self) -> bool:
        """Whether it can tell only of changes that preserve the right result."""

    def shown(self, seen: Observation, raised: Raised | None, *, returned: bool) -> bool | None:
        """Whether it does; None where it failed in another way, or did not come so far. `raised`
        is what the changed call raised; where it neither did nor `returned`, the process died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusOracle:
    """The symptom is how the run ends. `late`: it shows behind the call, which returns."""

    wanted: Symptom
    apis: tuple[str, str]
    renamed: tuple[tuple[str, str], ...] = ()
    late: bool = False
    of_values: bool = False

    @property
    def of_same_input(self) -> bool:
        """See `Oracle`: a failure is one whatever the right result is."""
        return False

    def shown(self, seen: Observation, raised: Raised | None, *, returned: bool) -> bool | None:
        """See `Oracle`."""
        if returned and not self.late:
            return False  # whatever comes behind it
        symptom = status.capture(seen) if raised is None else status.of_raised(raised)
        if status.matches(self.wanted, symptom, self.apis, self.renamed):
            return True
        return False if returned and seen.outcome is Outcome.OK else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesOracle:
    """The symptom is what the watched expressions come to; `values` are those of the plain run."""

    oracle: ValueOracle
    values: Values
    of_values: bool = True

    @property
    def of_same_input(self) -> bool:
        """Whether the report tells no more than that a value is wrong: then another value is a
        cure, as long as the right one stays the same."""
        oracle = self.oracle
        if oracle.of_finiteness or oracle.paired:
            return False
        return oracle.check is None and oracle.bounds is None and oracle.expected is None

    def shown(self, seen: Observation, raised: Raised | None, *, returned: bool) -> bool | None:
        """See `Oracle`."""
        found = values_of(seen)
        if not self.of_same_input:
            return shows(self.oracle, seen, found)
        changes = unlike(self.oracle, self.values, found)
        return None if not changes or None in changes else True not in changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """The symptom is that the watched expressions come to other values than in a `reference` run,
    which has a cure that keeps the right result."""

    oracle: ValuesOracle
    reference: Values
    of_values: bool = True

    @property
    def of_same_input(self) -> bool:
        """See `Oracle`: the reference has the same input."""
        return False

    def shown(self, seen: Observation, raised: Raised | None, *, returned: bool) -> bool | None:
        """See `Oracle`."""
        changes = unlike(self.oracle.oracle, self.reference, values_of(seen))
        return None if not changes or None in changes else True in changes


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOracle:
    """The symptom is the time of one call: it is gone where the same job takes a part of it.

    `wanted`: the logarithm of how many times as long the call has to take then."""

    wanted: float = math.log(samples.LEAST)
    of_values: bool = True
    of_same_input: bool = True

    def shown(self, seen: Observation, raised: Raised | None, *, returned: bool) -> bool | None:
        """See `Oracle`."""
        decision = samples.decide(list(_gains(seen)), self.wanted, last=True)
        return {Decision.BUG: False, Decision.CLEAN: True}.get(decision)


def _gains(seen: Observation) -> Iterator[float]:
    """How many times as long the plain call takes, as logarithms; a case may forge such."""
    for event in seen.extra:
        pairs = event.get("pairs") if event.get("e") == "timed" else None
        for pair in pairs if isinstance(pairs, list) else ():
            numbers = isinstance(pair, list) and [*map(type, pair)] == [int, int]
            if numbers and min(pair) > 0:
                yield math.log(pair[0] / pair[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What a case shows with changes, which changes these were, and what the call gave; of a slow
    one what is gained (see `Cure`)."""

    outcome: Under = Under.UNCHANGED
    made: tuple[Made, ...] = ()
    job: Job | None = None
    gain: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reruns:
    """A case that can be run with arguments changed. `sites` has the places of the text at which
    its calls stand, by stage (`NEW`, `CALL`). `timed`: the number of the call at a blamed place
    that is timed, with and without changes; the case ends there."""

    code: str
    traced: str
    session: Runs
    limits: Limits
    sites: Mapping[str, frozenset[int]]
    oracle: Oracle
    timed: int | None = None
    runs: list[Under] = field(default_factory=list, compare=False)

    @property
    def blamed(self) -> frozenset[int]:
        """The places of the calls that the symptom is of: a layer's call, if it is called."""
        return self.sites.get(CALL) or self.sites.get(NEW) or frozenset()

    def under(self, root: str, changes: Iterable[tuple[str, str, Variation]]) -> Rerun:
        """Run it with the variation made at (stage, keys), as the framework `root` writes it."""
        changes = list(changes)
        if self.oracle.of_same_input and not all(one.preserves for _, _, one in changes):
            return Rerun()
        ran = self._seen(root, changes)
        if ran is None:
            return Rerun()
        seen, known = ran
        found = self._told(seen, known)
        self.runs.append(found.outcome)
        return found

    def values(self, root: str, changes: Iterable[tuple[str, str, Variation]]) -> Values | None:
        """What the watched expressions come to with changes; None where the run ends otherwise, or
        one of them finds nothing to alter."""
        changes = list(changes)
        ran = self._seen(root, changes)
        self.runs.append(Under.OTHERWISE)
        if ran is None or ran[0].outcome is not Outcome.OK:
            return None
        seen, known = ran
        events = [one for one in seen.extra if one.get("e") in ("varied", "returned", "failed")]
        made = {text for _, _, text in _made(events, known)}
        wrote = any(one.get("wrote") for one in events)
        texts = [[text for _, text in one.ways_in(root)] for _, _, one in changes]
        each = all(any(is_one_of(one, known) for one in made) for known in texts)
        return values_of(seen) if each and not wrote else None

    def _seen(
        self, root: str, changes: Iterable[tuple[str, str, Variation]]
    ) -> tuple[Observation, set[str]] | None:
        """A run with changes, and the expressions that make them; None where there is no call."""
        wanted: dict[str, list[list[Any]]] = {}
        for stage, keys, one in changes:
            for site in self.sites.get(stage, frozenset()):
                wanted.setdefault(str(site), []).append([keys, one.ways_in(root), one.preserves])
        if not wanted:
            return None
        arguments: dict[str, Any] = {"changes": wanted, "blamed": sorted(self.blamed)}
        if self.timed is not None:
            arguments["nth"] = self.timed
        seen = self.session.run(
            self.code,
            traced=self.traced,
            limits=self.limits,
            entry="vary:run" if self.timed is None else "vary:timed",
            arguments=arguments,
        )
        return seen, {text for ones in wanted.values() for _, ways, _ in ones for _, text in ways}

    def _told(self, seen: Observation, known: Collection[str]) -> Rerun:
        events = [one for one in seen.extra if one.get("e") in ("varied", "returned", "failed")]
        made = tuple(dict.fromkeys(_made(events, known)))
        if not made or (not self.oracle.of_values and not self._reaches(events, made)):
            return Rerun()
        last = events[-1]
        raised = Raised.from_json(last) if last["e"] == "failed" else None
        shown = self.oracle.shown(seen, raised, returned=last["e"] == "returned")
        if shown is None:
            return Rerun(outcome=Under.OTHERWISE, made=made)
        if shown:
            return Rerun(outcome=Under.SHOWN, made=made)
        returned = [one for one in events if one["e"] == "returned"]
        # What died before the blamed call was reached is not cured; nor is what wrote to a copy.
        wrote = self.oracle.of_values and any(one.get("wrote") for one in returned)
        if not returned or wrote:
            return Rerun(outcome=Under.OTHERWISE, made=made)
        gain = None if self.timed is None else math.exp(median(_gains(seen)))
        return Rerun(outcome=Under.CURED, made=made, job=job_of(returned[-1]), gain=gain)

    def _reaches(self, events: Sequence[Mapping[str, Any]], made: Sequence[Made]) -> bool:
        """Whether the last blamed call that was reached is changed, or made of what is."""
        built = {site for site, _, _ in made} - self.blamed
        reached = [one for one in events if one["e"] == "varied" and one.get("site") in self.blamed]
        return bool(reached) and (bool(built) or bool(reached[-1].get("made")))


def _made(events: Iterable[Mapping[str, Any]], known: Collection[str]) -> Iterator[Made]:
    """What was changed, by one of the expressions that were asked for; a case may forge others."""
    for event in events:
        site, told = event.get("site"), event.get("made")
        if event["e"] != "varied" or type(site) is not int or not isinstance(told, list):
            continue
        for one in told:
            if not isinstance(one, list) or len(one) != 2 or not isinstance(one[1], str):
                continue
            if site >= 0 and is_one_of(one[1], known) and is_key(one[0]):
                yield site, one[0], one[1]


def is_one_of(made: str, known: Iterable[str]) -> bool:
    """Whether an expression is one of those of variations, for each tensor of a list or for one,
    with numbers for what these say of the other arguments.

    >>> is_one_of("x.repeat(3)[:3]", ["x.repeat(first)[:first]"])
    True
    >>> is_one_of("x.repeat(f())[:3]", ["x.repeat(first)[:first]"])
    False
    """
    return any(_pattern(text).fullmatch(made) for text in known)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    told = re.escape(text)
    for name, kind in BESIDE.items():
        told = re.sub(rf"\b{name}\b", kind.replace("\\", "\\\\"), told)
    return re.compile(rf"{told}|\[{told} for x in x\]")


def is_key(key: object) -> TypeGuard[str]:
    """Whether something is a key of an argument (see `analysis.inside.vary`)."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def job_of(event: Mapping[str, Any]) -> Job:
    """What a call gives, by the event of its return."""
    value = Value.from_json(event.get("value"))
    rank = event.get("rank")
    given = rank if type(rank) is int else 0
    return Job(kind=_kind(value), rank=(value.rank or 0) - given if value.is_shaped else 0)


def _kind(value: Value) -> str:
    if value.is_shaped:
        dtype = value.dtype or ""
        name = "float" if dtype.startswith("bfloat") else KINDS.get(dtype[:1], "other")
        return "bool" if dtype == "bool" else name
    if value.kind in ("list", "tuple"):
        return "several"
    if value.kind in ("int", "float", "bool", "complex", "none"):
        return {"int": "integer"}.get(value.kind, value.kind)
    return "other"
