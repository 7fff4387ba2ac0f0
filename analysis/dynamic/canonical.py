"""Make operator names of a profile comparable between APIs (paper, section 4.5).

In: names as the profiler gives them. Out: a set in which in-place forms, back-ends and
dimensionalities of one operator are one name, and the engine's own bookkeeping is gone. This stands
in for the paper's analogous function groups where no sources have been analysed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

BOOKKEEPING = ("autograd::engine::", "torch::autograd::", "__start_profile", "__stop_profile")
_BACKEND = re.compile(r"^(?:mkldnn|native|slow|thnn|cudnn|miopen|xnnpack)_+")
_BACKWARD = re.compile(r"Backward(?:Autograd\w*)?\d*$")
_DIMENSION = re.compile(r"[123][dD](?![a-z])")


def canonical_set(names: Iterable[str]) -> frozenset[str]:
    """Canonical names of everything in a profile that tells something about the API."""
    found = (canonical(name) for name in names)
    return frozenset(name for name in found if name)


@cache
def canonical(name: str) -> str:
    """One canonical name, empty for bookkeeping.

    >>> canonical("aten::mkldnn_max_pool2d_"), canonical("MaxPool2DWithIndicesBackward0")
    ('max_poolNd', 'MaxPoolNdWithIndicesBackward')
    """
    if name.startswith(BOOKKEEPING):
        return ""
    bare = name.rpartition("::")[2].strip("_")
    bare = _BACKEND.sub("", bare)
    bare = _BACKWARD.sub("Backward", bare)
    return _DIMENSION.sub("Nd", bare)
