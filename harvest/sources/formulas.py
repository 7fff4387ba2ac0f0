"""What layers and functions come to by their documented formulas, in NumPy, as code.

In: a suspect. Out: lines that set `expected` by the formula and `actual` by the layer, for
`formulations`; None where no formula is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harvest.sources.layers import FUNCTION
from harvest.sources.suspects import Suspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Formulation:
    """`why` the two must agree, `lines` that end by assigning `expected` and `actual`.

    `shapes` and `config` stand in the place of the suspect's own, where they must be others.
    `other` is the configuration of another layer with the same weights, which lines call so.
    """

    why: str
    lines: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...] = ()
    config: Mapping[str, Any] | None = None
    other: Mapping[str, Any] | None = None


ACTUAL = "actual = keras.ops.convert_to_numpy(layer(x))"
"""As NumPy's, because PyTorch's would want a gradient."""


def normalised(found: Suspect) -> Formulation | None:
    """BatchNormalization, LayerNormalization and UnitNormalization by their formulas."""
    config = found.config
    if config.get("axis", -1) != -1:
        return None
    epsilon = config.get("epsilon", 1e-3)
    lines: tuple[str, ...]
    if found.kind == "UnitNormalization":
        lines = ("expected = x / np.sqrt(np.sum(x**2, axis=-1, keepdims=True))",)
    elif not (config.get("center", True) and config.get("scale", True)):
        return None
    elif found.kind == "BatchNormalization":
        lines = (
            "gamma, beta, mean, variance = layer.get_weights()",
            f"expected = (x - mean) / np.sqrt(variance + {epsilon!r}) * gamma + beta",
        )
    elif found.kind == "LayerNormalization":
        lines = (
            "gamma, beta = layer.get_weights()",
            "mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)",
            f"expected = (x - mean) / np.sqrt(variance + {epsilon!r}) * gamma + beta",
        )
    else:
        return None
    return Formulation(why="The documented formula.", lines=(*lines, ACTUAL))


_ACTIVATIONS = {
    "relu": "np.maximum(x, 0)",
    "relu6": "np.clip(x, 0, 6)",
    "tanh": "np.tanh(x)",
    "sigmoid": "1 / (1 + np.exp(-x))",
    "softplus": "np.log1p(np.exp(x))",
    "softsign": "x / (1 + np.abs(x))",
    "exponential": "np.exp(x)",
    "hard_sigmoid": "np.clip(x / 6 + 0.5, 0, 1)",
    "softmax": "np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)",
    "elu": "np.where(x > 0, x, np.expm1(x))",
    "swish": "x / (1 + np.exp(-x))",
}


def element_wise(found: Suspect) -> Formulation | None:
    """Activations, embeddings, dense layers and padding by their formulas."""
    config, kind = found.config, found.kind
    plain = config.get("activation") in (None, "linear")
    formula = {
        "Activation": _ACTIVATIONS.get(str(config.get("activation")), ""),
        "Softmax": _ACTIVATIONS["softmax"] if config.get("axis", -1) == -1 else "",
        "Dense": "x @ layer.get_weights()[0] + layer.get_weights()[1]"
        if plain and config.get("use_bias", True)
        else "",
        "Embedding": "layer.get_weights()[0][x]",
        "LeakyReLU": f"np.where(x > 0, x, {config.get('negative_slope', 0.3)!r} * x)",
        "Rescaling": f"x * {config.get('scale')!r} + {config.get('offset', 0.0)!r}",
    }.get(kind, "")
    if kind.startswith("Global"):
        how = "max" if "Max" in kind else "mean"
        keep = bool(config.get("keepdims", False))
        formula = f"x.{how}(axis=tuple(range(1, x.ndim - 1)), keepdims={keep})"
    if not formula:
        return None
    lines = (f"expected = {formula}", ACTUAL)
    return Formulation(why="The documented formula.", lines=lines)


def windows(found: Suspect) -> Formulation | None:
    """Pooling without padding, by its windows."""
    size = found.config.get("pool_size")
    strides = found.config.get("strides") or size
    if found.config.get("padding", "valid") != "valid" or not isinstance(size, int):
        return None
    if not isinstance(strides, int):
        return None
    how = "max" if "Max" in found.kind else "mean"
    rank = len(found.shapes[0]) - 2
    each = ", ".join([f"::{strides}"] * rank)
    lines = (
        f"view = np.lib.stride_tricks.sliding_window_view(x, ({size},) * {rank},"
        f" axis={tuple(range(1, rank + 1))})",
        f"expected = view[:, {each}].{how}(axis={tuple(range(-rank, 0))})",
        ACTUAL,
    )
    return Formulation(why="The windows, one by one.", lines=lines)


def of_numpy(found: Suspect) -> Formulation | None:
    """F(x) = np.F(x): functions of `keras.ops` are documented by NumPy's of the same name."""
    name = found.kind.removeprefix(FUNCTION)
    if name == found.kind or not hasattr(np, name) or {"x1", "x2"} & found.config.keys():
        return None  # those are parameters by place only there
    given = ("*x" if len(found.shapes) > 1 else "x", as_literal(found.config))
    lines = (
        f"expected = np.{name}({', '.join(filter(None, given))})",
        ACTUAL,
        "assert actual.shape == np.shape(expected)",
    )
    return Formulation(why="NumPy has the same function.", lines=lines)


def as_literal(config: Mapping[str, Any]) -> str:
    """A configuration as arguments of a call."""
    return ", ".join(f"{name}={_literal(value)}" for name, value in config.items())


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)
