"""LEMON's seven rules for intact layers (section 3.2): LR, LS, LC, LA, MLA, AFRm, AFRp.

A rule gets a mutant and a random generator and returns a change, or nothing where it does not
apply. LA and MLA draw what they insert from the table of layers, parameters and all: with a few
fixed configurations they would visit well-tested code only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from harvest.sources.layers import LAYERS, LayerSpec, draw
from harvest.sources.lemon.mutants import MOST_LAYERS, Change, Mutant, fresh, inserted, removed
from harvest.sources.networks import Layer

Rule = Callable[[Mutant, np.random.Generator], Change | None]
ACTIVATIONS = ("relu", "tanh", "sigmoid", "elu", "selu", "softplus", "softsign", "gelu", "swish")
_T = TypeVar("_T")


def layer_removal(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LR: take away a layer that keeps its input's shape."""
    layer = _one(mutant.keeping(), random)
    return None if layer is None else Change(network=removed(mutant.network, layer))


def layer_switch(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LS: let two layers of equal input and output shapes change places."""
    keeping = mutant.keeping()
    pairs = [
        (one, other)
        for number, one in enumerate(keeping)
        for other in keeping[number + 1 :]
        if mutant.given(one) == mutant.given(other)
    ]
    pair = _one(pairs, random)
    if pair is None:
        return None
    one, other = pair
    swapped = {
        one.name: replace(one, kind=other.kind, config=other.config),
        other.name: replace(other, kind=one.kind, config=one.config),
    }
    layers = (swapped.get(layer.name, layer) for layer in mutant.network.layers)
    weights = {
        one.name: mutant.weights.get(other.name, ()),
        other.name: mutant.weights.get(one.name, ()),
    }
    return Change(network=mutant.network.with_layers(layers), weights=weights)


def layer_copy(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LC: put a copy of a layer that keeps the shape behind it, weights and all."""
    layer = _one(mutant.keeping(), random)
    if layer is None or len(mutant.network.layers) >= MOST_LAYERS:
        return None
    copy = replace(layer, name=fresh(mutant.network, layer.kind), inputs=(layer.name,))
    weights = {copy.name: mutant.weights.get(layer.name, ())}
    return Change(network=inserted(mutant.network, layer.name, [copy]), weights=weights)


def layer_addition(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LA: put a layer of the table that keeps the shape behind any."""
    after = _place(mutant, random)
    if after is None:
        return None
    shape = mutant.shapes[after]
    spec = _one([each for each in KEEPING if each.rank == len(shape)], random)
    if spec is None:
        return None
    layer = Layer(
        name=fresh(mutant.network, spec.kind),
        kind=spec.kind,
        config=kept(spec, draw(spec, random), shape),
        inputs=(after,),
    )
    return Change(network=inserted(mutant.network, after, [layer]))


def multi_layer_addition(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """MLA: put a bundle behind any layer whose last output is shaped as its first input."""
    after = _place(mutant, random)
    if after is None:
        return None
    shape = mutant.shapes[after]
    bundle = _one([one for make in BUNDLES if (one := make(shape, random))], random)
    if bundle is None:
        return None
    layers: list[Layer] = []
    for number, (kind, config) in enumerate(bundle):
        before = layers[-1].name if layers else after
        name = f"{fresh(mutant.network, kind)}_{number}"
        layers.append(Layer(name=name, kind=kind, config=config, inputs=(before,)))
    return Change(network=inserted(mutant.network, after, layers))


def activation_removal(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """AFRm: take away the activation of a layer."""
    return _reactivated(mutant, random, ("linear",))


def activation_replacement(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """AFRp: replace the activation of a layer by another."""
    return _reactivated(mutant, random, ACTIVATIONS)


LAYER_RULES: dict[str, Rule] = {
    "LR": layer_removal,
    "LS": layer_switch,
    "LC": layer_copy,
    "LA": layer_addition,
    "MLA": multi_layer_addition,
    "AFRm": activation_removal,
    "AFRp": activation_replacement,
}
_UNIFORM = (
    *("BatchNormalization", "LayerNormalization", "UnitNormalization", "Activation", "Softmax"),
    *("ReLU", "LeakyReLU", "ELU", "PReLU", "Rescaling", "Dropout", "Dense", "SimpleRNN"),
    *("LSTM", "GRU"),
)
KEEPING: tuple[LayerSpec, ...] = tuple(
    spec
    for spec in LAYERS
    if spec.kind in _UNIFORM
    or (not spec.kind.startswith("Global") and ("Conv" in spec.kind or "Pooling" in spec.kind))
)
"""What keeps the shape of its input, if its sizes are chosen so."""


def kept(spec: LayerSpec, config: dict[str, Any], shape: tuple[int, ...]) -> dict[str, Any]:
    """A configuration with those parameters changed that would change the shape."""
    names = {parameter.name for parameter in spec.parameters}
    fixed: dict[str, Any] = {
        "filters": shape[-1],
        "units": shape[-1],
        "strides": 1,
        "return_sequences": True,
        "depth_multiplier": 1,
        "groups": 1,
    }
    if "padding" in names:
        causal = config.get("padding") == "causal"
        fixed["padding"] = "causal" if causal else "same"
    return {**config, **{name: value for name, value in fixed.items() if name in names}}


_Bundle = list[tuple[str, dict[str, Any]]]


def _halved(shape: tuple[int, ...], random: np.random.Generator) -> _Bundle | None:
    """Pooling or a convolution by strides of 2, and what doubles again."""
    sizes, rank = shape[1:-1], len(shape)
    if rank not in (3, 4, 5) or any(size % 2 for size in sizes):
        return None
    where = f"{rank - 2}D"
    kind = _one((f"MaxPooling{where}", f"AveragePooling{where}", f"Conv{where}"), random)
    spec = next(each for each in LAYERS if each.kind == kind)
    config = kept(spec, draw(spec, random), shape)
    config = {**config, "strides": 2, "padding": "same", **_undilated(config)}
    again = _one((f"UpSampling{where}", f"Conv{where}Transpose"), random)
    if again == f"UpSampling{where}":
        return [(str(kind), config), (again, {"size": 2})]
    wide = {"filters": shape[-1], "kernel_size": 3, "strides": 2, "padding": "same"}
    return [(str(kind), config), (str(again), wide)]


def _undilated(config: dict[str, Any]) -> dict[str, Any]:
    return {"dilation_rate": 1} if "dilation_rate" in config else {}


def _cropped(shape: tuple[int, ...], random: np.random.Generator) -> _Bundle | None:
    """Padding, and cropping by as much."""
    if len(shape) not in (3, 4, 5):
        return None
    where, amount = f"{len(shape) - 2}D", int(random.integers(1, 3))
    return [
        (f"ZeroPadding{where}", {"padding": amount}),
        (f"Cropping{where}", {"cropping": amount}),
    ]


def _widened(shape: tuple[int, ...], random: np.random.Generator) -> _Bundle | None:
    """Two dense layers, by way of another width."""
    activation = _one(ACTIVATIONS, random)
    wide = {"units": int(random.integers(2, 12)), "activation": activation}
    return [("Dense", wide), ("Dense", {"units": shape[-1]})]


def _repeated(shape: tuple[int, ...], random: np.random.Generator) -> _Bundle | None:
    """A vector as a sequence of itself, and back."""
    if len(shape) != 2:
        return None
    back = _one(("GlobalAveragePooling1D", "GlobalMaxPooling1D"), random)
    return [("RepeatVector", {"n": int(random.integers(1, 4))}), (str(back), {})]


def _permuted(shape: tuple[int, ...], random: np.random.Generator) -> _Bundle | None:
    """Dimensions in another order, a normalisation, and back."""
    if len(shape) != 4:
        return None
    turned = {"dims": (2, 1, 3)}
    return [("Permute", turned), ("LayerNormalization", {}), ("Permute", turned)]


BUNDLES = (_halved, _cropped, _widened, _repeated, _permuted)


def _reactivated(mutant: Mutant, random: np.random.Generator, to: tuple[str, ...]) -> Change | None:
    fitting = [
        layer
        for layer in mutant.network.layers[:-1]
        if (own := layer.config.get("activation")) not in (None, "linear") and (own,) != to
    ]
    layer = _one(fitting, random)
    if layer is None:
        return None
    others = [name for name in to if name != layer.config["activation"]]
    config = {**layer.config, "activation": _one(others, random)}
    changed = replace(layer, config=config)
    layers = (changed if each.name == layer.name else each for each in mutant.network.layers)
    return Change(network=mutant.network.with_layers(layers))


def _place(mutant: Mutant, random: np.random.Generator) -> str | None:
    """Behind which layer something may be put."""
    if len(mutant.network.layers) >= MOST_LAYERS:
        return None
    return _one([layer.name for layer in mutant.network.layers[:-1]], random)


def _one(among: Sequence[_T], random: np.random.Generator) -> _T | None:
    return among[int(random.integers(len(among)))] if among else None
