"""Make names of a profile comparable between APIs (paper, section 4.5).

In: names as the profiler gives them. Out: a set in which in-place forms, back-ends, versions and
dimensionalities of one operator are one name, and the engine's own bookkeeping is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

BOOKKEEPING = ("autograd::engine::", "torch::autograd::", "__start_profile", "__stop_profile")
_BACKEND = re.compile(r"^(?:mkldnn|native|slow|thnn|cudnn|miopen|xnnpack)_+")
_BACKWARD = re.compile(r"Backward(?:Autograd\w*)?\d*$")
_DIMENSION = re.compile(r"[123][dD](?![a-z])")
_VERSION = re.compile(r"(?<=[a-zA-Z])V\d+$")
_TRACED = re.compile(r"^__\w+_\d+$")
_INNER = ("Resource", "_Mkl", "_Fused")


@cache
def canonical_torch(name: str) -> str:
    """One canonical name, empty for bookkeeping.

    >>> canonical_torch("aten::mkldnn_max_pool2d_"), canonical_torch("MaxPool2DBackward0")
    ('max_poolNd', 'MaxPoolNdBackward')
    """
    if name.startswith(BOOKKEEPING):
        return ""
    bare = name.rpartition("::")[2].strip("_")
    bare = _BACKEND.sub("", bare)
    bare = _BACKWARD.sub("Backward", bare)
    return _DIMENSION.sub("Nd", bare)


@cache
def canonical_tensorflow(name: str) -> str:
    """One canonical name of an operation type: without version, resource form and dimension.

    A traced function is called by a name with a running number: that is no operator.

    >>> canonical_tensorflow("ResourceGatherV2"), canonical_tensorflow("Conv3DBackpropFilterV2")
    ('Gather', 'ConvNdBackpropFilter')
    >>> canonical_tensorflow("__inference_f_17")
    ''
    """
    if _TRACED.match(name):
        return ""
    bare = name
    for inner in _INNER:
        bare = bare.removeprefix(inner)
    return _DIMENSION.sub("Nd", _VERSION.sub("", bare))


@cache
def canonical_keras(name: str) -> str:
    """One canonical name of an operator of whichever backend.

    >>> canonical_keras("aten::conv2d"), canonical_keras("Conv2D"), canonical_keras("jax::log")
    ('convNd', 'ConvNd', 'log')
    """
    below = "::" in name or _BACKWARD.search(name)
    return canonical_torch(name) if below else canonical_tensorflow(name)


CANONICAL: dict[str, Callable[[str], str]] = {
    "torch": canonical_torch,
    "tensorflow": canonical_tensorflow,
    "keras": canonical_keras,
}


def canonical_set(framework: str, names: Iterable[str]) -> frozenset[str]:
    """Canonical names of everything in a profile that tells something about the API."""
    canonical = CANONICAL[framework]
    return frozenset(found for name in names if (found := canonical(name)))
