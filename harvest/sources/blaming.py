"""A layer at which backends part -> a hit: confirmed alone, made small, explained or handed over.

What CRADLE, LEMON and whatever else runs whole networks have in common after their own search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harvest.sources.backends import Backends, Execution
from harvest.sources.given import Given, given_to
from harvest.sources.handover import Handed
from harvest.sources.judging import Judgement
from harvest.sources.known_limits import limit_of
from harvest.sources.layers import api
from harvest.sources.model import Hit, State
from harvest.sources.networks import Array, Network, Weights
from harvest.sources.settling import handed, settle
from harvest.sources.suspects import Confirmed, Suspect, confirm, suspected

ALONE = "a network of this layer alone does not show it"
ROUNDING = "no layer by itself is apart by more than rounding, of which the metric makes much"
UNCONFIRMED = "unconfirmed"
TRIES = 3
"""How often a layer of a setting is looked at that is not confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A network, what it was run with, and what came of it."""

    network: Network
    inputs: Mapping[str, Array]
    weights: Weights
    executions: Mapping[str, Execution]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Those of inputs and states."""
        shapes = dict(self.network.inputs)
        for one in self.executions.values():
            shapes.update({name: state.shape for name, state in one.states.items()})
        return shapes

    def given(self, judged: Judgement) -> Given | None:
        """What the layer that is judged was given, on a backend of the majority if there is one."""
        names = judged.vote.majority or tuple(self.executions)
        layer = self.network.find(judged.layer)
        return given_to(layer, self.executions[names[0]], self.inputs, self.weights)


class Blame:
    """Makes hits of judgements, each bug once.

    What is not confirmed may be rounding, and hide a bug that other numbers show: it is looked at
    again a few times.
    """

    def __init__(self, backends: Backends) -> None:
        self._backends = backends
        self._tried: Counter[str] = Counter()
        self._keys: set[str] = set()

    @property
    def state(self) -> dict[str, Any]:
        """What has been made and looked at, to be remembered."""
        return {"tried": dict(self._tried), "keys": self._keys}

    def resume(self, state: State) -> None:
        """Take what an earlier one has made and looked at for done."""
        self._tried.update(state["tried"])
        self._keys |= state["keys"]

    def hit(
        self,
        ran: Ran,
        judged: Judgement,
        *,
        origin: str,
        measures: Mapping[str, float],
        files: tuple[tuple[str, str], ...] = (),
    ) -> Hit | None:
        """The hit of a layer; None where an equal one has been made."""
        suspect = suspected(ran.network, ran.network.find(judged.layer), ran.shapes)
        found = _key(suspect, judged)
        if self._tried[found] >= TRIES:
            return None
        confirmed = self._confirmed(suspect, ran.given(judged))
        self._tried[found] += TRIES if confirmed is not None else 1
        settled = None if confirmed is None else settle(self._backends, confirmed)
        if settled is not None:
            suspect, judged = settled.small.suspect, settled.small.judgement
        key = _key(suspect, judged, "" if settled is not None else UNCONFIRMED)
        if key in self._keys:
            return None
        self._keys.add(key)
        limit, given = limit_of(suspect.kind, dict(suspect.config), judged), Handed(case=None)
        if settled is not None:
            told = "; ".join(f"{name} {value:.4g}" for name, value in measures.items())
            limit = settled.limit
            given = handed(self._backends, settled, f"Found by: {origin}. {told}.")
        elif not limit:
            given = Handed(case=None, reason=ALONE)
        return Hit(
            key=key,
            kind=judged.kind,
            subject=api(suspect.kind),
            title=_title(suspect, judged),
            origin=origin,
            measures=(*measures.items(), ("relative error alone", judged.error)),
            case=given.case,
            limit=limit,
            no_case=given.reason,
            files=files,
        )

    def _confirmed(self, suspect: Suspect, given: Given | None) -> Confirmed | None:
        """The layer alone: with numbers from a seed, else with those that it had."""
        found = confirm(self._backends, suspect)
        if found is not None or given is None:
            return found
        return confirm(self._backends, suspect, given=given)


def _key(suspect: Suspect, judged: Judgement, stage: str = "") -> str:
    """(library, layer) of LEMON, with the oracle and the parameters that matter."""
    odd = "+".join(judged.vote.odd) or "unknown"
    labels = sorted({one.label for one in judged.failures.values()})
    return ":".join(filter(None, (stage, judged.kind, suspect.kind, odd, *labels, suspect.setting)))


def _title(suspect: Suspect, judged: Judgement) -> str:
    values = ", ".join(f"{name}={suspect.config[name]!r}" for name in suspect.unusual)
    return f"({values}) {judged.parted}" if values else judged.parted
