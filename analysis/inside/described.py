"""A call that worked, as the host keeps it: `{"a": values, "k": keywords}`, of a layer with "c",
its constructor's, and "p", its parameters and buffers by name. Values are described by `values`.
"""

import math

import side
from values import describe

MOST_ELEMENTS = 16
"""Tensors of at most so many elements are described with them."""
MODES = ("str", "bool")
"""Kinds of values that say how something is computed."""


def describe_call(call):
    """The record of (arguments, keywords, the constructor's or None)."""
    args, kwargs, built = call
    record = {
        "a": [detailed(item, describe(item)) for item in args],
        "k": {str(key): detailed(item, describe(item)) for key, item in kwargs.items()},
    }
    if built is not None:
        record["c"] = describe_call((built[0], built[1], None))
    return record


def with_state(record, layer):
    """The record of a call of a layer, with the tensors that the layer has."""
    state = {} if layer is None else side.module("live").attributes(layer)
    described = {name: describe(value) for name, value in state.items()}
    tensors = {name: value for name, value in described.items() if value["k"] == "tensor"}
    return dict(record, p=tensors) if tensors else record


def detailed(value, record):
    """The record with the elements of the small dense tensors in it.

    Only arguments of calls that worked are read: what a bug returned may not be readable.
    """
    if record["k"] == "tensor" and record.get("layout") == "strided":
        shape = record.get("shape")
        if shape is not None and product(shape) <= MOST_ELEMENTS:
            found = elements(value)
            if found is not None:
                record["data"] = found
    elif record["k"] in ("list", "tuple") and len(record.get("items", ())) == len(value):
        for item, inner in zip(value, record.get("items", ())):
            detailed(item, inner)
    return record


def product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def elements(tensor):
    """Nested lists of finite numbers; None for all else (handles, texts, symbols)."""
    try:
        if hasattr(tensor, "detach"):
            tensor = tensor.detach()
        found = tensor.tolist() if hasattr(tensor, "tolist") else tensor.numpy().tolist()
    except Exception:
        return None
    return found if plain(found) else None


def plain(found):
    if isinstance(found, list):
        return all(map(plain, found))
    return isinstance(found, (bool, int)) or (isinstance(found, float) and math.isfinite(found))


def outline(described):
    """What makes a sample worth keeping beside another one: ranks, kinds, modes and keywords."""
    parts = [
        (
            value["k"],
            len(value.get("shape") or ()),
            value.get("dtype"),
            value.get("v") if value["k"] in MODES else None,
        )
        for value in [*described["a"], *described["k"].values()]
    ]
    inner = outline(described["c"]) if "c" in described else None
    return (tuple(parts), tuple(described["k"]), inner)
