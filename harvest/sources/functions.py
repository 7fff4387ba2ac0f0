"""The functions that layers come to: of TensorFlow, of PyTorch, and of keras.ops.

In: a suspect. Out: a call with the arguments that make a function do what the layer does. The
tables need not be right: whoever takes a function tries whether it does (`lowering.equality`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harvest.sources.function import Function, called
from harvest.sources.merging import MERGING
from harvest.sources.suspects import Suspect

_Maker = Callable[[Suspect], Function | None]
_NAMESAKES = ["relu", "relu6", "elu", "selu", "softplus", "softsign", "softmax", "sigmoid", "tanh"]
_SAME = {name: name for name in _NAMESAKES}
_ACTIVATIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "tensorflow": ("tf.nn", {**_SAME, "swish": "silu"}),
    "torch": (
        "torch.nn.functional",
        {**_SAME, "swish": "silu", "hard_sigmoid": "hardsigmoid"},
    ),
    "keras": (
        "keras.ops",
        {**_SAME, "swish": "silu", "hard_sigmoid": "hard_sigmoid", "exponential": "exp"},
    ),
}
_POOLING = r"(Max|Average)Pooling[123]D"
_GLOBAL = r"Global(Max|Average)Pooling[123]D"
_MOMENTS = ("gamma", "beta", "mean", "variance")
_TENSOR, _FIRST, _LAST = (
    "torch.tensor({x})",
    "torch.tensor(np.moveaxis({x}, -1, 1))",
    ".movedim(1, -1)",
)
"""What PyTorch is given, the same with channels first, as it wants them, and back."""


def functions(found: Suspect, backend: str) -> Iterator[Function]:
    """What a layer comes to on a backend, what is nearest to the framework first."""
    for where in (backend, "keras"):
        made = _activated(found, where)
        if made is not None:
            yield made
        if not _plain(found):
            continue
        for pattern, maker in {**_MAKERS.get(where, {}), **MERGING.get(where, {})}.items():
            made = maker(found) if re.fullmatch(pattern, found.kind) else None
            if made is not None:
                yield made


def _activated(found: Suspect, where: str) -> Function | None:
    prefix, names = _ACTIVATIONS.get(where, ("", {}))
    activation = str(found.config.get("activation")) if found.kind == "Activation" else ""
    axis = found.config.get("axis", -1) if found.kind == "Softmax" else -1
    if found.kind == "Softmax":
        activation = "softmax"
    if activation not in names:
        return None
    name = f"{prefix}.{names[activation]}"
    if where != "torch":
        return called(name, "{x}", *([f"axis={axis!r}"] if axis != -1 else []))
    return called(name, _TENSOR, *([f"dim={axis!r}"] if activation == "softmax" else []))


def _plain(found: Suspect) -> bool:
    """Whether nothing stands behind the function, and channels come last."""
    config = found.config
    return (
        config.get("activation") in (None, "linear")
        and config.get("data_format", "channels_last") == "channels_last"
        and config.get("groups", 1) == 1
        and isinstance(padding := config.get("padding", "valid"), str)
        and padding != "causal"
    )


def _rank(found: Suspect) -> int:
    return len(found.shapes[0]) - 2


def _each(found: Suspect, name: str) -> list[Any]:
    """A parameter per dimension."""
    value = found.config.get(name, 1)
    return [*value] if isinstance(value, (tuple, list)) else [value] * _rank(found)


def _pooled(found: Suspect) -> tuple[bool, Any, Any]:
    """Whether it is the maximum, the window and the strides."""
    size = found.config.get("pool_size", 2)
    return "Max" in found.kind, size, found.config.get("strides") or size


def _unusual(found: Suspect, parameter: str, name: str) -> list[str]:
    """A parameter as an argument, where it is not 1."""
    value = found.config.get(parameter, 1)
    return [] if value == 1 else [f"{name}={value!r}"]


def _biased(found: Suspect, *names: str) -> tuple[str, ...]:
    """The names of weights, with that of the bias."""
    return (*names, "bias") if found.config.get("use_bias", True) else names


def _plus(weights: tuple[str, ...]) -> str:
    return " + bias" if "bias" in weights else ""


def _keeps(found: Suspect, name: str) -> list[str]:
    return [f"{name}=True"] if found.config.get("keepdims") else []


def _scaled(found: Suspect) -> bool:
    return bool(found.config.get("center", True) and found.config.get("scale", True))


def _axis(found: Suspect) -> Any:
    return found.config.get("axis", -1)


def _epsilon(found: Suspect) -> str:
    return repr(found.config.get("epsilon", 1e-3))


def _alpha(found: Suspect) -> list[str]:
    alpha = found.config.get("alpha", 1.0)
    return [] if alpha == 1 else [f"alpha={alpha!r}"]


def _slope(found: Suspect) -> str:
    return repr(found.config.get("negative_slope", 0.3))


def _padding(found: Suspect) -> str:
    return str(found.config.get("padding", "valid"))


def _tf_pool(found: Suspect) -> Function:
    largest, size, strides = _pooled(found)
    given = (f"ksize={size!r}", f"strides={strides!r}", f'padding="{_padding(found).upper()}"')
    return called(f"tf.nn.{'max' if largest else 'avg'}_pool", "{x}", *given)


def _tf_global(found: Suspect) -> Function:
    how = "max" if "Max" in found.kind else "mean"
    axes = f"axis={[*range(1, _rank(found) + 1)]}"
    return called(f"tf.reduce_{how}", "{x}", axes, *_keeps(found, "keepdims"))


def _tf_conv(found: Suspect) -> Function:
    rank, weights = _rank(found), _biased(found, "kernel")
    strides = [1, *_each(found, "strides"), 1]
    steps = f"stride={strides[1]!r}" if rank == 1 else f"strides={strides!r}"
    given = ["{x}", "kernel", steps, f'padding="{_padding(found).upper()}"']
    dilations = [1, *_each(found, "dilation_rate"), 1]
    if set(dilations) != {1}:
        given.append(f"dilations={dilations[1] if rank == 1 else dilations!r}")
    return called(f"tf.nn.conv{rank}d", *given, weights=weights, then=_plus(weights))


def _tf_depthwise(found: Suspect) -> Function:
    separable = found.kind.startswith("Separable")
    kernels = ("depthwise", "pointwise") if separable else ("kernel",)
    weights = _biased(found, *kernels)
    strides = f"strides={[1, *_each(found, 'strides'), 1]!r}"
    given = ["{x}", *kernels, strides, f'padding="{_padding(found).upper()}"']
    dilations = _each(found, "dilation_rate")
    if set(dilations) != {1}:
        given.append(f"dilations={dilations!r}")
    name = f"tf.nn.{'separable' if separable else 'depthwise'}_conv2d"
    return called(name, *given, weights=weights, then=_plus(weights))


def _tf_dense(found: Suspect) -> Function:
    weights = _biased(found, "kernel")
    return called("tf.matmul", "{x}", "kernel", weights=weights, then=_plus(weights))


def _tf_batch(found: Suspect) -> Function | None:
    given = ("{x}", "mean", "variance", "beta", "gamma", _epsilon(found))
    made = called("tf.nn.batch_normalization", *given, weights=_MOMENTS)
    return made if _scaled(found) and _axis(found) == -1 else None


def _torch_pool(found: Suspect) -> Function | None:
    if _padding(found) != "valid":
        return None
    largest, size, strides = _pooled(found)
    name = f"torch.nn.functional.{'max' if largest else 'avg'}_pool{_rank(found)}d"
    return called(name, _FIRST, repr(size), f"stride={strides!r}", then=_LAST)


def _torch_global(found: Suspect) -> Function:
    axes = f"dim={(*range(1, _rank(found) + 1),)!r}"
    name = f"torch.{'amax' if 'Max' in found.kind else 'mean'}"
    return called(name, _TENSOR, axes, *_keeps(found, "keepdim"))


def _torch_conv(found: Suspect) -> Function | None:
    same = _padding(found) == "same"
    if _padding(found) not in ("valid", "same") or (same and set(_each(found, "strides")) != {1}):
        return None
    weights = _biased(found, "kernel")
    given = [_FIRST, "torch.tensor(np.moveaxis(kernel, (-1, -2), (0, 1)))"]
    given += ["torch.tensor(bias)"] if "bias" in weights else []
    given += _unusual(found, "strides", "stride") + (['padding="same"'] if same else [])
    given += _unusual(found, "dilation_rate", "dilation")
    name = f"torch.nn.functional.conv{_rank(found)}d"
    return called(name, *given, weights=weights, then=_LAST)


def _torch_dense(found: Suspect) -> Function:
    weights = _biased(found, "kernel")
    bias = ["torch.tensor(bias)"] if "bias" in weights else []
    given = (_TENSOR, "torch.tensor(kernel.T)", *bias)
    return called("torch.nn.functional.linear", *given, weights=weights)


_AFFINE = ("weight=torch.tensor(gamma)", "bias=torch.tensor(beta)")


def _torch_batch(found: Suspect) -> Function | None:
    moments = ("torch.tensor(mean)", "torch.tensor(variance)")
    given = (_FIRST, *moments, *_AFFINE, f"eps={_epsilon(found)}")
    name = "torch.nn.functional.batch_norm"
    made = called(name, *given, weights=_MOMENTS, then=_LAST)
    return made if _scaled(found) and _axis(found) == -1 else None


def _torch_layer_norm(found: Suspect) -> Function | None:
    given = (_TENSOR, "(len(gamma),)", *_AFFINE, f"eps={_epsilon(found)}")
    made = called("torch.nn.functional.layer_norm", *given, weights=("gamma", "beta"))
    return made if _scaled(found) and _axis(found) == -1 else None


def _keras_pool(found: Suspect) -> Function:
    largest, size, strides = _pooled(found)
    given = (repr(size), f"strides={strides!r}", f'padding="{_padding(found)}"')
    return called(f"keras.ops.{'max' if largest else 'average'}_pool", "{x}", *given)


def _keras_conv(found: Suspect) -> Function:
    name = {"C": "conv", "D": "depthwise_conv", "S": "separable_conv"}[found.kind[0]]
    kernels = ("depthwise", "pointwise") if name == "separable_conv" else ("kernel",)
    name += "_transpose" if found.kind.endswith("Transpose") else ""
    weights = _biased(found, *kernels)
    given = ["{x}", *kernels, f"strides={found.config.get('strides', 1)!r}"]
    given += [f'padding="{_padding(found)}"']
    given += _unusual(found, "dilation_rate", "dilation_rate")
    return called(f"keras.ops.{name}", *given, weights=weights, then=_plus(weights))


def _keras_dense(found: Suspect) -> Function:
    weights = _biased(found, "kernel")
    return called("keras.ops.matmul", "{x}", "kernel", weights=weights, then=_plus(weights))


def _keras_batch(found: Suspect) -> Function | None:
    more = ("offset=beta", "scale=gamma", f"epsilon={_epsilon(found)}")
    given = ("{x}", "mean", "variance", f"axis={_axis(found)!r}", *more)
    made = called("keras.ops.batch_normalization", *given, weights=_MOMENTS)
    return made if _scaled(found) else None


def _keras_layer_norm(found: Suspect) -> Function | None:
    given = ("{x}", "gamma", "beta", f"axis={_axis(found)!r}", f"epsilon={_epsilon(found)}")
    made = called("keras.ops.layer_normalization", *given, weights=("gamma", "beta"))
    return made if _scaled(found) else None


def _keras_global(found: Suspect) -> Function:
    axes = f"axis={(*range(1, _rank(found) + 1),)!r}"
    how = "max" if "Max" in found.kind else "mean"
    return called(f"keras.ops.{how}", "{x}", axes, *_keeps(found, "keepdims"))


_TABLE = ("table",)
_MAKERS: Mapping[str, Mapping[str, _Maker]] = {
    "tensorflow": {
        _POOLING: _tf_pool,
        _GLOBAL: _tf_global,
        r"Conv[123]D": _tf_conv,
        r"(Depthwise|Separable)Conv2D": _tf_depthwise,
        "Dense": _tf_dense,
        "BatchNormalization": _tf_batch,
        "Embedding": lambda _: called("tf.nn.embedding_lookup", "table", "{x}", weights=_TABLE),
        "UnitNormalization": lambda found: called(
            "tf.math.l2_normalize", "{x}", f"axis={_axis(found)!r}"
        ),
        "ELU": lambda found: (
            called("tf.nn.elu", "{x}") if found.config.get("alpha", 1.0) == 1 else None
        ),
        "LeakyReLU": lambda found: called("tf.nn.leaky_relu", "{x}", f"alpha={_slope(found)}"),
    },
    "torch": {
        _POOLING: _torch_pool,
        _GLOBAL: _torch_global,
        r"Conv[123]D": _torch_conv,
        "Dense": _torch_dense,
        "BatchNormalization": _torch_batch,
        "LayerNormalization": _torch_layer_norm,
        "Embedding": lambda _: called(
            "torch.nn.functional.embedding", _TENSOR, "torch.tensor(table)", weights=_TABLE
        ),
        "UnitNormalization": lambda found: called(
            "torch.nn.functional.normalize", _TENSOR, f"dim={_axis(found)!r}"
        ),
        "ELU": lambda found: called("torch.nn.functional.elu", _TENSOR, *_alpha(found)),
        "LeakyReLU": lambda found: called("torch.nn.functional.leaky_relu", _TENSOR, _slope(found)),
    },
    "keras": {
        _POOLING: _keras_pool,
        r"(|Depthwise|Separable)Conv[123]D|Conv[123]DTranspose": _keras_conv,
        "Dense": _keras_dense,
        "BatchNormalization": _keras_batch,
        "LayerNormalization": _keras_layer_norm,
        _GLOBAL: _keras_global,
        "Embedding": lambda _: called("keras.ops.take", "table", "{x}", "axis=0", weights=_TABLE),
        "UnitNormalization": lambda found: called(
            "keras.ops.normalize", "{x}", f"axis={_axis(found)!r}"
        ),
        "ELU": lambda found: called("keras.ops.elu", "{x}", *_alpha(found)),
        "LeakyReLU": lambda found: called(
            "keras.ops.leaky_relu", "{x}", f"negative_slope={_slope(found)}"
        ),
    },
}
"""By backend and kind of layer, a regular expression."""
