"""A layer under suspicion, alone: a one-layer network, confirmed and made small.

LEMON (section 3.4) confirms a bug of (library, layer) by a network of that layer only. Inputs and
weights come from seeds, so that a few lines of code make the same again; what these do not show is
confirmed with the numbers that the layer was given in the network (`given`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from harvest.sources.backends import COMPILING, Backends, Failure
from harvest.sources.given import Given
from harvest.sources.judging import Judgement, judge
from harvest.sources.layers import specs
from harvest.sources.metrics import relative_error
from harvest.sources.model import HitKind
from harvest.sources.networks import Array, Layer, Network, Weights, make_inputs, make_weights
from harvest.sources.voting import Vote

WEAKER = 10.0
"""What is smaller may show an error that is smaller by this factor."""
SECONDS = 20.0
"""What making one suspect smaller may take."""
DIGITS = (1, 2, 3, 4, 6)
"""Given numbers are rounded to as few of these as still show the same."""


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
    """A suspect that shows its bug alone, with what the backends make of it.

    `given` are the numbers that it takes, where those of the seed do not show it, `states` what
    each backend made of them.
    """

    suspect: Suspect
    judgement: Judgement
    weights: Weights
    given: Given | None = None
    states: Mapping[str, Array] = field(default_factory=dict)


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
    backends: Backends,
    suspect: Suspect,
    only: tuple[str, ...] | None = None,
    given: Given | None = None,
) -> Confirmed | None:
    """Run the layer alone, with numbers of its seed or those given; None where backends agree.

    Given numbers are anything, also such that make much of rounding, which is no bug.
    """
    found = looked(backends, suspect, only, given)
    return None if found is None or is_rounding(backends, found) else found


def looked(
    backends: Backends,
    suspect: Suspect,
    only: tuple[str, ...] | None = None,
    given: Given | None = None,
) -> Confirmed | None:
    """The same, rounding or not."""
    network = suspect.network
    weights: Weights
    if given is None:
        inputs = make_inputs(network, suspect.seed)
        shapes = backends.describe(network, inputs)
        weights = {} if isinstance(shapes, Failure) else make_weights(shapes, suspect.seed)
    else:
        given = given.cut(suspect.shapes)
        weights, inputs = _arranged(network, given)
    done = backends.run(network, weights, inputs, only=only)
    found = judge(network, done)
    if not found:
        return None
    ran = {name: one.states["layer"] for name, one in done.items() if "layer" in one.states}
    return Confirmed(suspect=suspect, judgement=found[0], weights=weights, given=given, states=ran)


def is_rounding(backends: Backends, found: Confirmed) -> bool:
    """Whether given numbers that are moved by one rounding change the result as much."""
    judged, given = found.judgement, found.given
    if given is None or judged.kind is not HitKind.INCONSISTENCY or not np.isfinite(judged.error):
        return False
    name = min(judged.vote.majority or found.states, key=_quickly)
    arranged = _arranged(found.suspect.network, given.moved())
    moved = backends.run(found.suspect.network, *arranged, only=(name,))[name]
    other = moved.states.get("layer")
    return other is None or relative_error(found.states[name], other) >= judged.error / WEAKER


def reduce(backends: Backends, confirmed: Confirmed, seconds: float = SECONDS) -> Confirmed:
    """The simplest configuration and the smallest inputs that still show the same.

    Looks for them with two backends only, one of each camp; all confirm the result. Of given
    numbers the one instance of the batch that is worst is left, and few digits.
    """
    odd = confirmed.judgement.vote.odd
    if not odd:
        return confirmed
    two = (odd[0], _quick(confirmed.judgement.vote))
    whole = confirmed
    if confirmed.given is not None:
        confirmed = _worst(backends, confirmed, two)

    from harvest.sources.strategies import least, smaller  # imports Hypothesis

    def same(suspect: Suspect) -> bool:
        found = confirm(backends, suspect, two, confirmed.given)
        return found is not None and alike(found.judgement, whole.judgement)

    # What has given weights cannot have fewer channels.
    fixed = confirmed.given is not None and bool(confirmed.given.weights)
    found = least(smaller(confirmed.suspect, fixed=fixed), same, seconds)
    if found is not None:
        confirmed = _again(backends, confirmed, found, confirmed.given) or confirmed
    given = confirmed.given
    if given is None:
        return confirmed
    shorter = (
        _again(backends, confirmed, confirmed.suspect, given.rounded(digits)) for digits in DIGITS
    )
    return next((one for one in shorter if one is not None), confirmed)


def _again(
    backends: Backends, confirmed: Confirmed, suspect: Suspect, given: Given | None
) -> Confirmed | None:
    """Another one of which all backends say the same, if they do."""
    again = confirm(backends, suspect, given=given)
    if again is None or again.judgement.vote != confirmed.judgement.vote:
        return None
    return again if alike(again.judgement, confirmed.judgement) else None


def _worst(backends: Backends, confirmed: Confirmed, two: tuple[str, str]) -> Confirmed:
    """The instance of the batch that shows it best, alone, if it does."""
    suspect, given = confirmed.suspect, confirmed.given
    batches = {shape[:1] for shape in suspect.shapes}
    if given is None or len(batches) > 1 or batches in ({()}, {(1,)}):
        return confirmed
    done = backends.run(suspect.network, *_arranged(suspect.network, given), only=two)
    states = [one.states.get("layer") for one in done.values()]
    ((batch,),) = batches
    numbers = list(range(batch))
    if all(state is not None and len(state) == batch for state in states):
        numbers.sort(key=lambda n: -relative_error(*(s[n] for s in states if s is not None)))
    for number in numbers:
        shapes = tuple((1, *shape[1:]) for shape in suspect.shapes)
        alone = replace(suspect, shapes=shapes)
        found = _again(backends, confirmed, alone, given.instance(number))
        if found is not None:
            return found
    return confirmed


def _arranged(network: Network, given: Given) -> tuple[Weights, dict[str, Array]]:
    """Given numbers as backends run a layer alone: its weights, and its inputs."""
    return {"layer": given.weights}, dict(zip(network.inputs, given.inputs, strict=True))


def alike(one: Judgement, other: Judgement) -> bool:
    """Whether two failures are of one class, or two values about as far apart."""
    if one.kind != other.kind or one.error < other.error / WEAKER:
        return False
    labels = [{each.label for each in judged.failures.values()} for judged in (one, other)]
    return not labels[1] or bool(labels[0] & labels[1])


def _quick(found: Vote) -> str:
    """One of the majority, rather not the one that compiles each shape."""
    return min(found.majority, key=_quickly)


def _quickly(name: str) -> tuple[bool, str]:
    return name in COMPILING, name


def _usual(kind: str) -> dict[str, Any]:
    return {
        parameter.name: parameter.legal[0] for spec in specs(kind) for parameter in spec.parameters
    }
