"""A layer under suspicion, alone: a one-layer network, confirmed and made small.

LEMON (section 3.4) confirms a bug of (library, layer) by a network of that layer only. Here inputs
and weights come from seeds, so that a few lines of code make the same again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harvest.sources.backends import COMPILING, Backends, Failure
from harvest.sources.judging import Judgement, judge
from harvest.sources.layers import specs
from harvest.sources.networks import Layer, Network, Weights, make_inputs, make_weights
from harvest.sources.voting import Vote

WEAKER = 10.0
"""What is smaller may show an error that is smaller by this factor."""
SECONDS = 20.0
"""What making one suspect smaller may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A layer's class and configuration, the shapes of its inputs, and the seed of all numbers."""

    kind: str
    config: Mapping[str, Any]
    shapes: tuple[tuple[int, ...], ...]
    domain: str | int = "real"
    seed: int = 0

    @property
    def network(self) -> Network:
        """The layer alone."""
        names = tuple(f"in{number}" for number in range(len(self.shapes)))
        layer = Layer(name="layer", kind=self.kind, config=self.config, inputs=names)
        return Network(
            name=self.kind,
            inputs=dict(zip(names, self.shapes, strict=True)),
            layers=(layer,),
            domain=self.domain,
        )

    @property
    def unusual(self) -> tuple[str, ...]:
        """The parameters that do not have their usual values."""
        usual = _usual(self.kind)
        given = self.config.items()
        return tuple(
            sorted(name for name, value in given if name in usual and usual[name] != value)
        )

    @property
    def setting(self) -> str:
        """The unusual parameters for a key: how large a number is, is no other bug."""
        return ",".join(
            name
            if isinstance(value := self.config[name], (int, float, tuple, list))
            and not isinstance(value, bool)
            else f"{name}={value}"
            for name in self.unusual
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """A suspect that shows its bug alone, with what the backends make of it."""

    suspect: Suspect
    judgement: Judgement
    weights: Weights


def suspected(network: Network, layer: Layer, shapes: Mapping[str, tuple[int, ...]]) -> Suspect:
    """A layer of a network, by the shapes of the states that it takes."""
    takes_inputs = all(name in network.inputs for name in layer.inputs)
    return Suspect(
        kind=layer.kind,
        config=layer.config,
        shapes=tuple(shapes[name] for name in layer.inputs),
        domain=network.domain if takes_inputs else "real",
    )


def confirm(
    backends: Backends, suspect: Suspect, only: tuple[str, ...] | None = None
) -> Confirmed | None:
    """Run the layer alone; None where the backends agree about it."""
    network = suspect.network
    inputs = make_inputs(network, suspect.seed)
    shapes = backends.describe(network, inputs)
    weights: Weights = {} if isinstance(shapes, Failure) else make_weights(shapes, suspect.seed)
    found = judge(network, backends.run(network, weights, inputs, only=only))
    return Confirmed(suspect=suspect, judgement=found[0], weights=weights) if found else None


def reduce(backends: Backends, confirmed: Confirmed, seconds: float = SECONDS) -> Confirmed:
    """The simplest configuration and the smallest inputs that still show the same.

    Looks for them with two backends only, one of each camp; all confirm the result.
    """
    odd = confirmed.judgement.vote.odd
    if not odd:
        return confirmed
    two = (odd[0], _quick(confirmed.judgement.vote))

    from harvest.sources.strategies import least, smaller  # imports Hypothesis

    def same(suspect: Suspect) -> bool:
        found = confirm(backends, suspect, two)
        return found is not None and _alike(found.judgement, confirmed.judgement)

    found = least(smaller(confirmed.suspect), same, seconds)
    again = None if found is None else confirm(backends, found)
    agreed = again is not None and again.judgement.vote == confirmed.judgement.vote
    return again if agreed and again is not None else confirmed


def _alike(one: Judgement, other: Judgement) -> bool:
    """Whether two failures are of one class, or two values about as far apart."""
    if one.kind != other.kind or one.error < other.error / WEAKER:
        return False
    labels = [{each.label for each in judged.failures.values()} for judged in (one, other)]
    return not labels[1] or bool(labels[0] & labels[1])


def _quick(found: Vote) -> str:
    """One of the majority, rather not the one that compiles each shape."""
    return min(found.majority, key=lambda name: (name in COMPILING, name))


def _usual(kind: str) -> dict[str, Any]:
    return {
        parameter.name: parameter.legal[0] for spec in specs(kind) for parameter in spec.parameters
    }
