"""Functions of `keras.ops` in the table of parameters: entries that come of their signatures.

In: what a backend's process tells of its functions (`analysis/inside/network_operations_keras`).
Out: an entry for each, with values that follow from the name and the default of a parameter.
"""

from __future__ import annotations

from typing import Any

from analysis.target.fork_server import Event
from harvest.sources.backends import Backends
from harvest.sources.layers import (
    FUNCTION,
    NUMBER,
    SWITCH,
    LayerSpec,
    Parameter,
    add,
    of_another_type,
)

RANK = 3
AXES = (-1, 1, 0)
WRONG_AXIS = 9
DRAWN = ("rate", "seed", "dropout")
"""Parameters of what draws random numbers, which no two backends have in common."""


def operations(backends: Backends) -> tuple[LayerSpec, ...]:
    """The entries of all functions that take and give tensors; `specs` knows them from now on."""
    records = backends.operations()
    found = tuple(entry(one) for one in records if not set(DRAWN) & set(one["optional"]))
    for spec in found:
        add(spec)
    return found


def entry(record: Event) -> LayerSpec:
    """The entry of one function.

    >>> entry({"operation": "sum", "tensors": 1, "optional": {"axis": None, "keepdims": False}})
    ... # doctest: +ELLIPSIS
    LayerSpec(kind='ops.sum', rank=3, parameters=(Parameter(name='axis', legal=(None, -1, 1, 0), ...
    """
    given = (parameter(name, default) for name, default in record["optional"].items())
    return LayerSpec(
        kind=FUNCTION + str(record["operation"]),
        rank=RANK,
        parameters=tuple(one for one in given if one is not None),
        arity=int(record["tensors"]),
    )


def parameter(name: str, default: Any) -> Parameter | None:
    """Values of a parameter: the default first; None where nothing follows from it."""
    if isinstance(default, bool):
        return Parameter(name=name, legal=(default, not default), invalid=SWITCH)
    if name == "axis" and (default is None or isinstance(default, int)):
        legal = (default, *(axis for axis in AXES if axis != default))
        return Parameter(name=name, legal=legal, invalid=(WRONG_AXIS, *of_another_type(legal)))
    if isinstance(default, int):
        legal = (default, default + 1)
        # Whether a fraction is invalid here nothing tells: a number to fill with may be one.
        return Parameter(name=name, legal=legal)
    if isinstance(default, float):
        return Parameter(name=name, legal=(default, default / 2), invalid=NUMBER)
    return None
