"""What LEMON's LA and MLA insert (section 3.2): layers of the table, drawn parameters and all.

With a few fixed configurations these rules would visit well-tested code only, so a parameter is
fixed only where the shape demands a value. Shapes have the batch first and the channels last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from harvest.sources.layers import LAYERS, LayerSpec, draw, specs

_T = TypeVar("_T")
_Shape = tuple[int, ...]
_Layer = tuple[str, dict[str, Any]]
Bundle = list[_Layer]
"""The kinds and configurations of a chain of layers."""

_ELEMENTWISE = (
    *("Activation", "ReLU", "LeakyReLU", "ELU", "Softmax", "Rescaling", "Dropout", "Dense"),
)
_UNIFORM = (
    *("BatchNormalization", "LayerNormalization", "GroupNormalization", "MultiHeadAttention"),
    *("UnitNormalization", "PReLU", "SimpleRNN", "LSTM", "GRU"),
)
KEEPING: tuple[LayerSpec, ...] = tuple(
    spec
    for spec in LAYERS
    if spec.kind in _ELEMENTWISE + _UNIFORM
    or (not spec.kind.startswith("Global") and ("Conv" in spec.kind or "Pooling" in spec.kind))
)
"""What keeps the shape of its (first) input, if its sizes are chosen so."""


def additions(rank: int) -> list[LayerSpec]:
    """What LA puts behind a layer whose output has that rank, each kind once.

    What works on each element, or along the last axis, takes any rank, whichever the table has.
    """
    anywhere = {spec.kind: spec for spec in KEEPING if spec.kind in _ELEMENTWISE}
    return list({**anywhere, **{one.kind: one for one in KEEPING if one.rank == rank}}.values())


def kept(spec: LayerSpec, config: Mapping[str, Any], shape: _Shape) -> dict[str, Any]:
    """A configuration with those parameters changed that would change the shape."""
    names = {parameter.name for parameter in spec.parameters}
    fixed: dict[str, Any] = {
        "filters": shape[-1],
        "units": shape[-1],
        "strides": 1,
        "return_sequences": True,
        "groups": 1,
    }
    if shape[-1] % config.get("groups", 1) == 0:
        del fixed["groups"]
    if spec.kind.startswith("Depthwise"):  # a separable one's goes into its filters
        fixed["depth_multiplier"] = 1
    if "padding" in names:
        causal = config.get("padding") == "causal"
        fixed["padding"] = "causal" if causal else "same"
    return {**config, **{name: value for name, value in fixed.items() if name in names}}


def _drawn(kind: str, shape: _Shape, random: np.random.Generator, **fixed: Any) -> _Layer:
    """A layer of the table, preferably of the shape's rank, but for what the shape demands."""
    known = specs(kind)
    spec = next((each for each in known if each.rank == len(shape)), known[0])
    return kind, {**draw(spec, random), **fixed}


def _keeping(kind: str, shape: _Shape, random: np.random.Generator, **fixed: Any) -> _Layer:
    """The same, with the parameters that keep the shape; `fixed` comes after them."""
    _, config = _drawn(kind, shape, random)
    return kind, {**kept(specs(kind)[0], config, shape), **fixed}


def halved(shape: _Shape, random: np.random.Generator) -> Bundle | None:
    """Pooling or a convolution by strides of 2, and what doubles again."""
    if len(shape) not in (3, 4, 5) or any(size % 2 for size in shape[1:-1]):
        return None
    where = f"{len(shape) - 2}D"
    kind = pick((f"MaxPooling{where}", f"AveragePooling{where}", f"Conv{where}"), random)
    # A convolution has strides or a dilation, not both.
    undilated = {"dilation_rate": 1}
    fixed = undilated if kind.startswith("Conv") else {"data_format": "channels_last"}
    first = _keeping(kind, shape, random, strides=2, **fixed)
    again = pick((f"UpSampling{where}", f"Conv{where}Transpose"), random)
    if again.startswith("UpSampling"):
        return [first, _drawn(again, shape, random, size=2)]
    return [first, _keeping(again, shape, random, strides=2, **undilated)]


def cropped(shape: _Shape, random: np.random.Generator) -> Bundle | None:
    """Padding, and cropping by as much."""
    if len(shape) not in (3, 4, 5):
        return None
    where = f"{len(shape) - 2}D"
    padded = _drawn(f"ZeroPadding{where}", shape, random)
    amount = padded[1]["padding"]
    return [padded, _drawn(f"Cropping{where}", shape, random, cropping=amount)]


def widened(shape: _Shape, random: np.random.Generator) -> Bundle | None:
    """Two dense layers, by way of another width."""
    return [_drawn("Dense", shape, random), _keeping("Dense", shape, random)]


def repeated(shape: _Shape, random: np.random.Generator) -> Bundle | None:
    """A vector as a sequence of itself, and back."""
    if len(shape) != 2:
        return None
    back = pick(("GlobalAveragePooling1D", "GlobalMaxPooling1D"), random)
    return [
        _drawn("RepeatVector", shape, random),
        _drawn(back, shape, random, keepdims=False, data_format="channels_last"),
    ]


def permuted(shape: _Shape, random: np.random.Generator) -> Bundle | None:
    """Dimensions in another order, a normalisation, and back."""
    if len(shape) != 4:
        return None
    turned = _drawn("Permute", shape, random)
    back = tuple(int(place) + 1 for place in np.argsort(turned[1]["dims"]))
    return [
        turned,
        _drawn("LayerNormalization", shape, random),
        _drawn("Permute", shape, random, dims=back),
    ]


BUNDLES: tuple[Callable[[_Shape, np.random.Generator], Bundle | None], ...] = (
    *(halved, cropped, widened, repeated, permuted),
)
"""Each makes a bundle that ends in the shape it begins with, or none for that shape."""


def pick(among: Sequence[_T], random: np.random.Generator) -> _T:
    """Any of several; there must be one."""
    return among[int(random.integers(len(among)))]
