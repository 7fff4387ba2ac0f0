"""The numbers that a layer was given in a network: its weights, and the states that went into it.

LEMON (section 3.4) confirms a bug by a network of one layer "with the same parameters and input".
Numbers from a seed are shorter to write down; these are for what those do not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harvest.sources.backends import Execution
from harvest.sources.networks import Array, Layer, Weights


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Given:
    """The inputs of a layer in its order, and its weights in the order of `keras.Layer.weights`."""

    inputs: tuple[Array, ...]
    weights: tuple[Array, ...]

    @property
    def count(self) -> int:
        """How many numbers it takes to write them down."""
        return sum(one.size for one in (*self.inputs, *self.weights))

    def instance(self, number: int) -> Given:
        """The inputs of one instance of the batch."""
        return replace(self, inputs=tuple(one[number : number + 1] for one in self.inputs))

    def cut(self, shapes: Sequence[tuple[int, ...]]) -> Given:
        """Inputs of these shapes: the first elements along each axis."""
        parts = (
            one[tuple(slice(size) for size in shape)]
            for one, shape in zip(self.inputs, shapes, strict=True)
        )
        return replace(self, inputs=tuple(parts))

    def rounded(self, digits: int) -> Given:
        """All numbers with so many digits."""
        return self._with(_rounded(one, digits) for one in self._all)

    def moved(self) -> Given:
        """All numbers moved by one rounding, up or down."""
        random = np.random.default_rng(0)
        return self._with(_moved(one, random) for one in self._all)

    def scaled(self) -> Given:
        """The same proportions, with no magnitude above one."""
        return self._with(scaled(self._all)[0])

    @property
    def _all(self) -> tuple[Array, ...]:
        return (*self.inputs, *self.weights)

    def _with(self, arrays: Iterable[Array]) -> Given:
        made = tuple(arrays)
        count = len(self.inputs)
        return Given(inputs=made[:count], weights=made[count:])


def given_to(
    layer: Layer,
    execution: Execution,
    inputs: Mapping[str, Array],
    weights: Weights,
) -> Given | None:
    """What a layer of a network had in one execution; None where it did not come so far."""
    states = {**inputs, **execution.states}
    if layer.name not in weights or any(name not in states for name in layer.inputs):
        return None
    return Given(
        inputs=tuple(states[name] for name in layer.inputs), weights=tuple(weights[layer.name])
    )


def scaled(arrays: Sequence[Array]) -> tuple[list[Array], float]:
    """Arrays with all that is no index scaled into [-1, 1]; the largest magnitude there was."""
    sizes = (np.abs(each[np.isfinite(each)]) for each in arrays if each.dtype.kind == "f")
    largest = max((float(np.max(each, initial=0.0)) for each in sizes), default=0.0)

    def one(array: Array) -> Array:
        if array.dtype.kind != "f" or largest <= 1:
            return array
        return np.asarray(np.nan_to_num(array) / largest, array.dtype).clip(-1, 1)

    return [one(array) for array in arrays], largest


def _rounded(array: Array, digits: int) -> Array:
    if array.dtype.kind != "f":
        return array
    texts = (f"{float(one):.{digits - 1}e}" for one in array.ravel())
    return np.array([float(one) for one in texts], array.dtype).reshape(array.shape)


def _moved(array: Array, random: np.random.Generator) -> Array:
    if array.dtype.kind != "f":
        return array
    towards = np.where(random.random(array.shape) < 0.5, -np.inf, np.inf).astype(array.dtype)
    return np.asarray(np.nextafter(array, towards), array.dtype)
