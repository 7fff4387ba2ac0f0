"""The parameters of Keras layers: legal values, and crafted invalid ones (Audee, section 3.1).

One table for all that generates configurations: Audee's mutation, LEMON's LA and MLA, one-layer
models. The first legal value is the usual one, which reduction goes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

SHAPES: Mapping[int, tuple[int, ...]] = {
    2: (2, 6),
    3: (2, 12, 4),
    4: (2, 9, 10, 4),
    5: (2, 6, 7, 6, 4),
}
"""By rank: few shapes, as some backends compile every operation for each. Channels make groups."""
FUNCTION = "ops."
"""What the kinds of functions begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter with values that are legal, and some that no layer should take silently."""

    name: str
    legal: tuple[Any, ...]
    invalid: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSpec:
    """A class in `keras.layers`, the rank of its inputs with the batch, how many it takes.

    The kind "ops.NAME" is a function in `keras.ops`; `harvest.sources.operations` adds these.
    `indices` is the number below which its inputs lie where they are indices, else 0.
    """

    kind: str
    rank: int
    parameters: tuple[Parameter, ...]
    arity: int = 1
    indices: int = 0


def of_another_type(legal: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the types of legal values exclude: fractions among whole numbers, a number too many.

    >>> of_another_type((2, (3, 1)))
    (2.5, (3, 1, 1))
    >>> of_another_type((True, False)), of_another_type((1e-3, None))
    ((), ())
    """
    whole = [value + 0.5 for value in legal if type(value) is int]
    several = [(*value, value[-1]) for value in legal if isinstance(value, tuple)]
    return (*whole[:1], *several[:1])


def _parameter(name: str, *legal: Any, invalid: tuple[Any, ...] = ()) -> Parameter:
    return Parameter(name=name, legal=legal, invalid=(*invalid, *of_another_type(legal)))


_COUNT = (0, -1, None)
_ACTIVATION = _parameter(
    "activation",
    *(None, "relu", "tanh", "sigmoid", "softmax", "elu", "selu", "softplus", "softsign", "gelu"),
    *("swish", "exponential", "hard_sigmoid", "relu6", "leaky_relu"),
    invalid=("nonsense", 3),
)
SWITCH = (None, -1)
"""In the place of a truth value."""
NUMBER = (None, "nonsense")
"""In the place of any number."""
_BIAS = _parameter("use_bias", True, False, invalid=SWITCH)
_FORMAT = _parameter("data_format", "channels_last", "channels_first", invalid=("nonsense",))
_PADDING = _parameter("padding", "valid", "same", invalid=("causal_", None))
_INDICES = 20


def _kernels(rank: int) -> tuple[Any, ...]:
    uneven = tuple(range(3, 3 - (rank - 2), -1))
    return (2, 3, 1, 4, uneven) if rank > 3 else (2, 3, 1, 4)


def _strides(rank: int) -> tuple[Any, ...]:
    return (1, 2, tuple(range(1, rank - 1))) if rank > 3 else (1, 2, 3)


def _convolutions() -> Iterator[LayerSpec]:
    for rank in (3, 4, 5):
        size = _parameter("kernel_size", *_kernels(rank), invalid=_COUNT)
        strides = _parameter("strides", *_strides(rank), invalid=_COUNT)
        shared = (size, strides, _ACTIVATION, _BIAS)
        dilation = _parameter("dilation_rate", 1, 2, invalid=(0, -1))
        filters = _parameter("filters", 4, 1, 6, invalid=_COUNT)
        groups = _parameter("groups", 1, 2, invalid=(0, 3))
        causal = ("valid", "same", "causal") if rank == 3 else ("valid", "same")
        padding = _parameter("padding", *causal, invalid=("nonsense", None))
        yield LayerSpec(
            kind=f"Conv{rank - 2}D",
            rank=rank,
            parameters=(filters, *shared, padding, dilation, groups),
        )
        yield LayerSpec(
            kind=f"Conv{rank - 2}DTranspose",
            rank=rank,
            parameters=(filters, *shared, _PADDING, dilation),
        )
        if rank == 5:
            continue
        even = _parameter("strides", 1, 2, invalid=_COUNT)
        multiplier = _parameter("depth_multiplier", 1, 2, invalid=_COUNT)
        common = (size, even, _ACTIVATION, _BIAS, _PADDING, multiplier, dilation)
        yield LayerSpec(kind=f"DepthwiseConv{rank - 2}D", rank=rank, parameters=common)
        yield LayerSpec(kind=f"SeparableConv{rank - 2}D", rank=rank, parameters=(filters, *common))


def _pools() -> Iterator[LayerSpec]:
    for rank in (3, 4, 5):
        where = f"{rank - 2}D"
        steps = (None, *_strides(rank))
        pooled = (
            _parameter("pool_size", *_kernels(rank), invalid=_COUNT),
            _parameter("strides", *steps, invalid=(0, -1)),
            _PADDING,
            _FORMAT,
        )
        for how in ("Max", "Average"):
            yield LayerSpec(kind=f"{how}Pooling{where}", rank=rank, parameters=pooled)
            whole = (_parameter("keepdims", False, True, invalid=SWITCH), _FORMAT)
            yield LayerSpec(kind=f"Global{how}Pooling{where}", rank=rank, parameters=whole)


def _resized() -> Iterator[LayerSpec]:
    for rank in (3, 4, 5):
        where = f"{rank - 2}D"
        few = (1, 2) if rank == 3 else (1, 2, tuple((1, 2) for _ in range(rank - 2)))
        padding = _parameter("padding", *few, invalid=(-1, None))
        yield LayerSpec(kind=f"ZeroPadding{where}", rank=rank, parameters=(padding,))
        cropping = _parameter("cropping", *few, invalid=(-1, 99))
        yield LayerSpec(kind=f"Cropping{where}", rank=rank, parameters=(cropping,))
        size = (2, 3) if rank == 3 else (2, tuple(range(1, rank - 1)))
        upsampled = [_parameter("size", *size, invalid=_COUNT)]
        if rank == 4:
            how = ("nearest", "bilinear", "bicubic")
            upsampled.append(_parameter("interpolation", *how, invalid=("nonsense",)))
        yield LayerSpec(kind=f"UpSampling{where}", rank=rank, parameters=tuple(upsampled))


def _normalised() -> Iterator[LayerSpec]:
    epsilon = _parameter("epsilon", 1e-3, 1e-6, 0.1, 1.0, invalid=(-1.0, None))
    scaled = (
        _parameter("center", True, False, invalid=SWITCH),
        _parameter("scale", True, False, invalid=SWITCH),
    )
    for rank in (2, 3, 4):
        axis = _parameter("axis", -1, *((1,) if rank > 2 else ()), invalid=(7, None))
        yield LayerSpec(kind="BatchNormalization", rank=rank, parameters=(axis, epsilon, *scaled))
        yield LayerSpec(kind="LayerNormalization", rank=rank, parameters=(axis, epsilon, *scaled))
        yield LayerSpec(kind="UnitNormalization", rank=rank, parameters=(axis,))
    groups = _parameter("groups", 2, 1, 4, -1, invalid=(0, 3))
    grouped = (groups, epsilon, *scaled)
    yield LayerSpec(kind="GroupNormalization", rank=4, parameters=grouped)


def _recurrent() -> Iterator[LayerSpec]:
    shared = (
        _parameter("units", 4, 1, invalid=_COUNT),
        _parameter("return_sequences", False, True, invalid=SWITCH),
        _parameter("go_backwards", False, True, invalid=SWITCH),
        _BIAS,
        _parameter("activation", "tanh", "relu", "sigmoid", "linear", invalid=("nonsense",)),
        _parameter("unroll", False, True, invalid=SWITCH),
    )
    gates = _parameter(
        "recurrent_activation", "sigmoid", "hard_sigmoid", "tanh", invalid=("nonsense", 3)
    )
    yield LayerSpec(kind="SimpleRNN", rank=3, parameters=shared)
    yield LayerSpec(kind="LSTM", rank=3, parameters=(*shared, gates))
    reset = _parameter("reset_after", True, False, invalid=SWITCH)
    yield LayerSpec(kind="GRU", rank=3, parameters=(*shared, gates, reset))


def _element_wise() -> Iterator[LayerSpec]:
    slope = _parameter("negative_slope", 0.3, 0.0, 2.0, invalid=(None, -1.0))
    for rank in (2, 4):
        yield LayerSpec(
            kind="Activation",
            rank=rank,
            parameters=(_parameter("activation", *_ACTIVATION.legal[1:], invalid=("nonsense",)),),
        )
        softmax = (_parameter("axis", -1, 1, invalid=(9,)),)
        yield LayerSpec(kind="Softmax", rank=rank, parameters=softmax)
    limits = (
        _parameter("max_value", None, 1.0, invalid=(-1.0,)),
        _parameter("negative_slope", 0.0, 0.5, invalid=(-1.0, None)),
        _parameter("threshold", 0.0, 0.5, invalid=(-1.0, None)),
    )
    yield LayerSpec(kind="ReLU", rank=4, parameters=limits)
    yield LayerSpec(kind="LeakyReLU", rank=4, parameters=(slope,))
    yield LayerSpec(kind="ELU", rank=4, parameters=(_parameter("alpha", 1.0, 0.3, invalid=NUMBER),))
    shared = _parameter("shared_axes", None, (1, 2), invalid=((9,),))
    yield LayerSpec(kind="PReLU", rank=4, parameters=(shared,))
    factor = (
        _parameter("scale", 2.0, 1 / 255, invalid=NUMBER),
        _parameter("offset", 0.0, -1.0, invalid=NUMBER),
    )
    yield LayerSpec(kind="Rescaling", rank=4, parameters=factor)
    yield LayerSpec(
        kind="Dropout", rank=3, parameters=(_parameter("rate", 0.5, 0.0, invalid=(-1.0, 2.0)),)
    )


def _others() -> Iterator[LayerSpec]:
    units = _parameter("units", 4, 1, invalid=_COUNT)
    for rank in (2, 3):
        yield LayerSpec(kind="Dense", rank=rank, parameters=(units, _ACTIVATION, _BIAS))
    heads = (
        _parameter("num_heads", 2, 1, invalid=_COUNT),
        _parameter("key_dim", 3, 1, invalid=_COUNT),
        _parameter("value_dim", None, 2, invalid=(0, -1)),
        _BIAS,
    )
    yield LayerSpec(kind="MultiHeadAttention", rank=3, parameters=heads, arity=2)
    embedded = (
        _parameter("input_dim", _INDICES, 2 * _INDICES, invalid=(0, -1, None)),
        _parameter("output_dim", 4, 1, invalid=_COUNT),
    )
    yield LayerSpec(kind="Embedding", rank=2, parameters=embedded, indices=_INDICES)
    yield LayerSpec(
        kind="RepeatVector", rank=2, parameters=(_parameter("n", 3, 1, invalid=(0, -1, None)),)
    )
    yield LayerSpec(
        kind="Permute",
        rank=4,
        parameters=(
            _parameter("dims", (2, 1, 3), (3, 1, 2), invalid=((1, 1, 2), (0, 1, 2), (1, 2))),
        ),
    )
    yield LayerSpec(kind="Flatten", rank=4, parameters=(_FORMAT,))
    how = ("bilinear", "nearest", "bicubic")
    sized = (
        _parameter("height", 7, 14, invalid=(0, -1)),
        _parameter("width", 5, 14, invalid=(0, -1)),
        _parameter("interpolation", *how, invalid=("nonsense",)),
        _parameter("antialias", False, True, invalid=SWITCH),
    )
    yield LayerSpec(kind="Resizing", rank=4, parameters=sized)
    for kind in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"):
        yield LayerSpec(kind=kind, rank=4, parameters=(), arity=2)
    axis = (_parameter("axis", -1, 1, invalid=(9,)),)
    yield LayerSpec(kind="Concatenate", rank=4, parameters=axis, arity=2)


LAYERS: tuple[LayerSpec, ...] = (
    *_convolutions(),
    *_pools(),
    *_resized(),
    *_normalised(),
    *_recurrent(),
    *_element_wise(),
    *_others(),
)
KINDS = tuple(dict.fromkeys(spec.kind for spec in LAYERS))


_ADDED: dict[str, LayerSpec] = {}


def add(spec: LayerSpec) -> None:
    """Let `specs` know one more, in the place of an earlier one of its kind."""
    _ADDED[spec.kind] = spec


def specs(kind: str) -> tuple[LayerSpec, ...]:
    """The entries of a class, one per rank that it is tried with."""
    if kind in _ADDED:
        return (_ADDED[kind],)
    return tuple(spec for spec in LAYERS if spec.kind == kind)


def api(kind: str) -> str:
    """The public name of a kind.

    >>> api("Dense"), api("ops.softmax")
    ('keras.layers.Dense', 'keras.ops.softmax')
    """
    return f"keras.{kind}" if kind.startswith(FUNCTION) else f"keras.layers.{kind}"


def draw(spec: LayerSpec, random: np.random.Generator, *, invalid: float = 0.0) -> dict[str, Any]:
    """A configuration: each parameter its usual value or another; some invalid with a chance."""
    config: dict[str, Any] = {}
    for parameter in spec.parameters:
        values: tuple[Any, ...] = parameter.legal
        if parameter.invalid and random.random() < invalid:
            values = parameter.invalid
        elif random.random() < 0.4:
            values = parameter.legal[:1]
        config[parameter.name] = values[int(random.integers(len(values)))]
    return config
