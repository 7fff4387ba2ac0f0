"""Executions of one network on several backends -> where they part, how, and who is voted out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from harvest.sources.backends import Execution, Failure
from harvest.sources.metrics import TOLERANCE, relative_error
from harvest.sources.model import HitKind
from harvest.sources.networks import Array, Network
from harvest.sources.voting import Vote, vote

MARGIN = 0.1
"""Inputs of a layer that is to be blamed must agree so much better than its outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Where executions part: the layer, the oracle, the vote, the largest relative error.

    `failures` are those of the backends that did not get past the layer.
    """

    layer: str
    kind: HitKind
    vote: Vote
    error: float
    failures: Mapping[str, Failure]

    @property
    def accepts(self) -> bool:
        """Whether what was voted out is that something ran: the others refuse it."""
        refused = self.kind is HitKind.CRASH and bool(self.vote.odd)
        return refused and not any(name in self.failures for name in self.vote.odd)

    @property
    def parted(self) -> str:
        """Who does what, in words: "torch against tensorflow and jax", and what is raised."""
        if not self.vote.odd:
            return "nobody has a majority"
        odd, others = " and ".join(self.vote.odd), " and ".join(self.vote.majority)
        labels = sorted({one.label for one in self.failures.values()})
        if self.accepts:
            return f"{odd} accepts what {others} refuse ({labels[0]})"
        raised = f": {labels[0]}" if labels else ""
        return (f"{odd} against {others}" if others else odd) + raised


def judge(network: Network, executions: Mapping[str, Execution]) -> tuple[Judgement, ...]:
    """Every layer whose inputs agree in all executions, and whose outcomes do not.

    Executions that we ended ourselves have no say. All failing, in whichever way, is agreement.
    """
    told = {
        name: one for name, one in executions.items() if one.failure is None or not one.failure.ours
    }
    if len(told) < 2:
        return ()
    found = (_judged(network, layer.name, told) for layer in network.layers)
    return tuple(one for one in found if one is not None)


def _judged(network: Network, name: str, told: Mapping[str, Execution]) -> Judgement | None:
    given = [_states(before, told) for before in network.before(name)]
    if any(len(states) < len(told) for states in given):
        return None  # somebody did not come so far
    outcomes: dict[str, Array | Failure] = {}
    for backend, one in told.items():
        state = one.states.get(name)
        outcomes[backend] = state if state is not None else one.failure or Failure(layer=name)
    states = {each: out for each, out in outcomes.items() if not isinstance(out, Failure)}
    failures = {each: out for each, out in outcomes.items() if isinstance(out, Failure)}
    before = max((_spread(each) for each in given), default=0.0)
    error = _spread(states)
    limit = max(TOLERANCE, before / MARGIN)
    if before > MARGIN * TOLERANCE and not np.isfinite(before):
        return None
    crashed = any(one.died for one in failures.values())
    if failures and (states or crashed):
        odd = vote(
            {each: isinstance(out, Failure) for each, out in outcomes.items()},
            lambda one, other: one == other,
        )
        if not states:
            odd = Vote(odd=tuple(failures))
        return Judgement(layer=name, kind=HitKind.CRASH, vote=odd, error=0.0, failures=failures)
    if failures or error <= limit:
        return None
    voted = vote(states, lambda one, other: relative_error(one, other) <= limit)
    kind = HitKind.INCONSISTENCY if np.isfinite(error) else _of_infinite(states)
    return Judgement(layer=name, kind=kind, vote=voted, error=error, failures={})


def _of_infinite(states: Mapping[str, Array]) -> HitKind:
    """Shapes that differ are an inconsistency; else somebody has NaN where others have numbers."""
    shapes = {one.shape for one in states.values()}
    return HitKind.INCONSISTENCY if len(shapes) > 1 else HitKind.NON_FINITE


def _states(name: str, told: Mapping[str, Execution]) -> dict[str, Array]:
    return {each: one.states[name] for each, one in told.items() if name in one.states}


def _spread(states: Mapping[str, Array]) -> float:
    """The largest relative error between any two."""
    return max(
        (relative_error(one, other) for one, other in combinations(states.values(), 2)), default=0.0
    )
