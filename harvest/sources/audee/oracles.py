"""Fitness and oracles of Audee (sections 4.2 and 4.3) on executions of one network.

Fitness looks at the logits: how far two backends are apart, or how far the numbers of one are
spread, which leads to overflow and so to NaN. Oracles: crash, NaN in any layer, another label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from harvest.sources.backends import Execution
from harvest.sources.judging import Judgement, judge
from harvest.sources.metrics import EPSILON, delta
from harvest.sources.networks import Array, Layer, Network

LOGITS = "logits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """What is wrong with executions: layers that part, a layer that makes NaN, other labels.

    `nan` is the first layer that makes NaN, in every execution, of inputs without any.
    """

    parted: tuple[Judgement, ...] = ()
    nan: str = ""
    labels: bool = False

    def __bool__(self) -> bool:
        return bool(self.parted or self.nan or self.labels)


def with_logits(network: Network) -> Network:
    """The same classifier with its softmax as a layer of its own, so that logits have a name."""
    last = network.output
    if last.config.get("activation") != "softmax":
        return network
    config = {**last.config, "activation": None}
    logits = Layer(name=LOGITS, kind=last.kind, config=config, inputs=last.inputs)
    softmax = Layer(name=last.name, kind="Softmax", config={}, inputs=(LOGITS,))
    return network.with_layers((*network.layers[:-1], logits, softmax))


def logits(network: Network, execution: Execution) -> Array | None:
    """The state before the softmax, or of the last layer where there is none."""
    named = any(layer.name == LOGITS for layer in network.layers)
    return execution.states.get(LOGITS if named else network.output.name)


def apart(network: Network, executions: Mapping[str, Execution]) -> float:
    """Fitness for inconsistencies: the mean |difference| of the logits of the first two."""
    states = [logits(network, one) for one in executions.values()][:2]
    first, second, *_ = (*states, None, None)
    if first is None or second is None or first.shape != second.shape:
        return np.nan
    return delta(first, second)


def spread(network: Network, executions: Mapping[str, Execution]) -> float:
    """Fitness for NaN: max - min of the logits of one execution; the others have no part in it."""
    state = logits(network, next(iter(executions.values())))
    if state is None or not state.size or np.isnan(state).any():
        return np.nan
    if np.isinf(state).any():
        return np.inf  # one step before NaN
    return float(np.max(state.astype("float64")) - np.min(state.astype("float64")))


def failing(network: Network, executions: Mapping[str, Execution]) -> Failing:
    """Ask all oracles."""
    return Failing(
        parted=judge(network, executions),
        nan=makes_nan(network, executions),
        labels=labels_differ(network, executions),
    )


def makes_nan(network: Network, executions: Mapping[str, Execution]) -> str:
    """The first layer that has NaN in every execution, and none in what comes in; "" if none."""
    if not executions:
        return ""
    for layer in network.layers:
        if not all(_has_nan(one, layer.name) for one in executions.values()):
            continue
        before = network.before(layer.name)
        if not any(_has_nan(one, name) for one in executions.values() for name in before):
            return layer.name
    return ""


def labels_of(network: Network, executions: Mapping[str, Execution]) -> dict[str, Array]:
    """The most likely labels by execution; only classifiers have labels."""
    if not any(layer.name == LOGITS for layer in network.layers):
        return {}
    states = {name: one.states.get(LOGITS) for name, one in executions.items()}
    return {
        name: np.argmax(one, axis=-1)
        for name, one in states.items()
        if one is not None and one.size
    }


def labels_differ(network: Network, executions: Mapping[str, Execution]) -> bool:
    """Whether the most likely labels differ."""
    found = [*labels_of(network, executions).values()]
    return any(not np.array_equal(found[0], other) for other in found[1:])


def rate_alone(one: Array, other: Array) -> float:
    """R of a layer alone, whose inputs are equal: its delta over eps.

    Delta is taken relative to the largest magnitude above one: the search raises magnitudes
    without limit, and rounding grows with them.
    """
    if one.shape != other.shape:
        return np.inf
    if not one.size:
        return 0.0
    largest = max(float(np.max(np.abs(each.astype("float64")))) for each in (one, other))
    return delta(one, other) / max(1.0, largest) / EPSILON


def _has_nan(execution: Execution, name: str) -> bool:
    state = execution.states.get(name)
    return state is not None and state.dtype.kind == "f" and bool(np.isnan(state).any())
