"""Run a case with some of its call's arguments changed, and say what it shows then.

In: a text with the calls that matter, and what tells the symptom. Out: an `Under` per run, and what
the call gave where it went well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from analysis.target.observation import Observation, Outcome, Raised
from analysis.target.session import Limits
from analysis.values import Value
from citadel.experiment import Job, Under
from citadel.model import Symptom
from citadel.oracle import status
from citadel.oracle.backends import Runs
from citadel.oracle.value import ValueOracle, shows, values_of

NEW, CALL = "new", "call"
"""The two calls of a layer; all else has the second one alone."""
KINDS = {"f": "float", "b": "bool", "c": "complex", "u": "integer", "i": "integer"}
Ways = Sequence[Sequence[str]]


class Oracle(Protocol):
    """Tells whether a run shows the symptom."""

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
    """The symptom is what the watched expressions come to."""

    oracle: ValueOracle

    def shown(self, seen: Observation, raised: Raised | None, *, returned: bool) -> bool | None:
        """See `Oracle`."""
        return shows(self.oracle, seen, values_of(seen))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reruns:
    """A case that can be run with arguments changed. `sites` has the places of the text at which
    its calls stand, by stage (`NEW`, `CALL`)."""

    code: str
    traced: str
    session: Runs
    limits: Limits
    sites: Mapping[str, frozenset[int]]
    oracle: Oracle
    runs: list[Under] = field(default_factory=list, compare=False)

    def under(self, changes: Iterable[tuple[str, str, Ways]]) -> tuple[Under, Job | None]:
        """Run it with (stage, keys, ways) changed."""
        wanted: dict[str, list[list[Any]]] = {}
        for stage, keys, ways in changes:
            for site in self.sites.get(stage, frozenset()):
                wanted.setdefault(str(site), []).append([keys, ways])
        if not wanted:
            return Under.UNCHANGED, None
        seen = self.session.run(
            self.code,
            traced=self.traced,
            limits=self.limits,
            entry="vary:run",
            arguments={"changes": wanted},
        )
        found = self._told(seen)
        self.runs.append(found[0])
        return found

    def _told(self, seen: Observation) -> tuple[Under, Job | None]:
        events = [one for one in seen.extra if one.get("e") in ("varied", "returned", "failed")]
        if not any(one.get("altered") is True for one in events):
            return Under.UNCHANGED, None
        last = events[-1]
        raised = Raised.from_json(last) if last["e"] == "failed" else None
        shown = self.oracle.shown(seen, raised, returned=last["e"] == "returned")
        if shown is None:
            return Under.OTHERWISE, None
        if shown:
            return Under.SHOWN, None
        returned = [one for one in events if one["e"] == "returned"]
        # What died, or was left behind, before the changed call was reached is no cure.
        return (Under.CURED, job_of(returned[-1])) if returned else (Under.OTHERWISE, None)


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
