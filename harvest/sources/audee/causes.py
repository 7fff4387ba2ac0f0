"""Algorithm 2 of Audee (section 4.4): which parameters of which layer cause an inconsistency.

In comes a network and what its executions show; out come (layer, parameter) pairs. A parameter is
a cause (set X) if another legal value makes the layer alone agree, whatever inputs a search finds
for it. One with which the layer alone crashes or makes NaN cannot be told (set Y).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Any

from harvest.sources.audee.oracles import Failing
from harvest.sources.audee.variants import others
from harvest.sources.backends import Execution
from harvest.sources.metrics import localisation_map
from harvest.sources.model import HitKind
from harvest.sources.networks import Layer, Network
from harvest.sources.suspects import Suspect

T1, T2 = 1000.0, 2.0
"""R above t1 is a layer at fault; R below t2, amplified, is rounding."""
TRIED = 2
"""Other legal values that are tried for a parameter."""
ROUNDS = 4
"""How often a network is mended and looked at again."""
_NONE = object()


class Effect(StrEnum):
    """What a layer alone shows, amplified."""

    SHOWS = "shows"
    GONE = "gone"
    FAILS = "fails"


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """A layer at fault, and how; `rate` is its R where it has one.

    `everywhere` says that every execution does it, so that nobody can be voted out.
    """

    layer: str
    kind: HitKind
    rate: float = 0.0
    everywhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """X with the value that mends each parameter, and Y, of one layer of a class `kind`."""

    kind: str
    mends: Mapping[str, Any] = field(default_factory=dict)
    fails: tuple[str, ...] = ()


def culprit(
    network: Network, executions: Mapping[str, Execution], found: Failing
) -> Culprit | None:
    """The first layer at fault: it fails or makes NaN in some, its R is above t1, or it parts.

    None where only labels differ and no layer is to blame.
    """
    for judged in found.parted:
        if judged.kind is not HitKind.INCONSISTENCY:
            return Culprit(layer=judged.layer, kind=judged.kind)
    first, other = [one.states for one in executions.values()][:2]
    rates = localisation_map(network, first, other)
    above = first_above(network, rates)
    if above:
        return Culprit(layer=above, kind=HitKind.INCONSISTENCY, rate=rates[above])
    if found.parted:
        # R is small where a predecessor differs a little, and the border of an image is few of it.
        name = found.parted[0].layer
        return Culprit(layer=name, kind=HitKind.INCONSISTENCY, rate=rates.get(name, 0.0))
    if found.nan:
        return Culprit(layer=found.nan, kind=HitKind.NON_FINITE, everywhere=True)
    return None


def first_above(network: Network, rates: Mapping[str, float], threshold: float = T1) -> str:
    """The first layer of the network with R above t1, "" if none."""
    names = (layer.name for layer in network.layers)
    return next((name for name in names if rates.get(name, 0.0) > threshold), "")


def find_causes(suspect: Suspect, effect: Callable[[Suspect], Effect]) -> Causes:
    """Replace each parameter in turn by other legal values, the rest as it was."""
    mends: dict[str, Any] = {}
    fails: list[str] = []
    for name, value in suspect.config.items():
        for other in islice(others(suspect.kind, name, value), TRIED):
            told = effect(replace(suspect, config={**suspect.config, name: other}))
            if told is Effect.GONE:
                mends[name] = other
                break
            if told is Effect.FAILS and name not in fails:
                fails.append(name)
    undecided = tuple(name for name in fails if name not in mends)
    return Causes(kind=suspect.kind, mends=mends, fails=undecided)


def plainer(suspect: Suspect, causes: Causes, shows: Callable[[Suspect], bool]) -> Suspect:
    """The suspect with what is no cause as usual, one parameter after the other, if it still shows.

    All at once is tried first.
    """
    told = {*causes.mends, *causes.fails}
    usual = {
        name: next(others(suspect.kind, name, _NONE), suspect.config[name])
        for name in suspect.unusual
    }
    free = {name: value for name, value in usual.items() if name not in told}
    if free:
        made = replace(suspect, config={**suspect.config, **free})
        if shows(made):
            return made
    for name, value in usual.items():
        made = replace(suspect, config={**suspect.config, name: value})
        if name not in causes.mends and shows(made):
            suspect = made
    return suspect


def mended(network: Network, layer: Layer, causes: Causes) -> Network:
    """The network with the parameters of X replaced in a layer."""
    changed = replace(layer, config={**layer.config, **causes.mends})
    return network.with_layers(changed if one.name == layer.name else one for one in network.layers)


def localise(
    network: Network,
    look: Callable[[Network], Culprit | None],
    find: Callable[[Network, Culprit], Causes | None],
) -> list[tuple[str, Causes]]:
    """All of Algorithm 2: find the causes in the first layer at fault, mend it, look again.

    It ends when nothing is at fault, or when what is cannot be mended.
    """
    told: list[tuple[str, Causes]] = []
    for _ in range(ROUNDS):
        fault = look(network)
        causes = find(network, fault) if fault is not None else None
        if fault is None or causes is None:
            break
        told.append((fault.layer, causes))
        if not causes.mends:
            break
        network = mended(network, network.find(fault.layer), causes)
    return told
