"""What backends do not offer, or do otherwise on purpose: hits that are explained by it.

Each limit has the reason that is told. A hit that none explains is a bug until somebody says why
not; then a line comes here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harvest.sources.backends import Failure
from harvest.sources.judging import Judgement
from harvest.sources.layers import specs

OVERFLOW = "an overflow: with smaller numbers of the same proportions it does not happen"
"""Of what only the numbers of a network show."""

REFUSED = "it refuses a value that no layer should take"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit: of a backend ("" for any), in what its exceptions say, or of some layers' values.

    `parameters` are those of which one must have such a value.
    """

    reason: str
    backend: str = ""
    message: str = ""
    layers: tuple[str, ...] = ()
    parameters: tuple[tuple[str, object], ...] = ()


LIMITS = (
    Limit(
        reason="TensorFlow has convolutions and pooling of channels_first on GPUs only",
        backend="tensorflow",
        message=r"(?:only supports|supports only)[^.]*N[DH]*WC|CPU[^.]*N[DH]*WC",
    ),
    Limit(
        reason="TensorFlow's depthwise convolution takes equal strides only",
        backend="tensorflow",
        message=r"equal.*strides|strides.*equal|row stride",
    ),
    Limit(
        reason="TensorFlow has no dilated transposed convolution on CPUs",
        backend="tensorflow",
        message=r"dilat.*not|not.*dilat|Current CPU implementations do not yet support dilation",
    ),
    Limit(
        reason="strides and dilation together are refused by this backend",
        message=r"strides > 1 not supported in conjunction with dilation",
    ),
    Limit(
        reason="PyTorch has no such interpolation",
        backend="torch",
        message=r"lanczos|area|Unsupported interpolation|interpolation",
    ),
    Limit(
        reason="PyTorch refuses empty outputs, which other backends return",
        backend="torch",
        message=r"output size is too small|non-?zero (?:size|dim)|too small",
    ),
    Limit(
        reason="interpolation with other coefficients is another interpolation",
        layers=("UpSampling2D", "Resizing"),
        parameters=(("interpolation", "bicubic"), ("antialias", True)),
    ),
    Limit(
        reason="random numbers differ from backend to backend",
        layers=("Dropout", "GaussianNoise", "GaussianDropout", "AlphaDropout", "SpatialDropout1D"),
    ),
    Limit(
        reason="what is asked for without an order comes in any",
        parameters=(("sorted", False),),
    ),
    Limit(reason="not implemented, as it says", message=r"[Nn]ot (?:yet )?implemented"),
)


def limit_of(kind: str, config: dict[str, object], judgement: Judgement) -> str:
    """The reason why a disagreement over a layer is none to report; "" if there is none."""
    if _refuses_nonsense(kind, config, judgement):
        return REFUSED
    for limit in LIMITS:
        if limit.layers and kind not in limit.layers:
            continue
        given = [(name, config.get(name)) for name, _ in limit.parameters]
        if limit.parameters and not set(given) & set(limit.parameters):
            continue
        if limit.message:
            failures = judgement.failures.items()
            if not any(_says(limit, name, one) for name, one in failures):
                continue
        elif judgement.failures:
            continue
        return limit.reason
    return ""


def _refuses_nonsense(kind: str, config: dict[str, object], judgement: Judgement) -> bool:
    """Whether who is voted out refuses, as it should, a value that no layer should take."""
    failures = judgement.failures.values()
    if judgement.accepts or not failures or any(one.died for one in failures):
        return False
    if any("INTERNAL ASSERT" in one.message for one in failures):
        return False
    return any(
        type(value) is type(config[one.name]) and value == config[one.name]
        for spec in specs(kind)
        for one in spec.parameters
        if one.name in config
        for value in one.invalid
    )


def _says(limit: Limit, backend: str, failure: Failure) -> bool:
    fits = not limit.backend or limit.backend == backend
    return fits and re.search(limit.message, f"{failure.label}: {failure.message}") is not None
