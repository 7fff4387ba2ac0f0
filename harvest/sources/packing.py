"""Values that a search keeps <-> JSON, with types that JSON has not: tuples, sets, arrays, data.

Arrays that several values share are written once. Only classes of `CLASSES` come back, from their
fields: a file that others have written can make nothing else.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from harvest.sources.audee.causes import Causes
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.networks import Array, Layer, Network
from harvest.sources.suspects import Suspect

CLASSES = {each.__name__: each for each in (Causes, Layer, Mutant, Network, Suspect)}


def pack(value: Any) -> dict[str, Any]:
    """A value as JSON.

    Raises:
        TypeError: when it has something that is not known here.
    """
    arrays: dict[int, tuple[int, Array]] = {}
    packed = _packed(value, arrays)
    return {"value": packed, "arrays": [_array(one) for _, one in arrays.values()]}


def unpack(packed: Any) -> Any:
    """The value.

    Raises:
        KeyError, TypeError, ValueError: when `pack` has not made it.
    """
    arrays = [_unpacked_array(one) for one in packed["arrays"]]
    return _unpacked(packed["value"], arrays)


def _packed(value: Any, arrays: dict[int, tuple[int, Array]]) -> Any:
    """Containers are objects with one key, that says what they are."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        number, _ = arrays.setdefault(id(value), (len(arrays), value))
        return {"array": number}
    if isinstance(value, Mapping):
        return {"dict": [[_packed(each, arrays) for each in item] for item in value.items()]}
    if isinstance(value, (list, tuple, set, frozenset)):
        name = "tuple" if isinstance(value, tuple) else "list" if isinstance(value, list) else "set"
        return {name: [_packed(each, arrays) for each in value]}
    if is_dataclass(value) and type(value).__name__ in CLASSES:
        own = [[each.name, _packed(getattr(value, each.name), arrays)] for each in fields(value)]
        return {"data": [type(value).__name__, own]}
    raise TypeError(f"a search cannot keep {type(value).__name__}")


def _unpacked(packed: Any, arrays: list[Array]) -> Any:
    if not isinstance(packed, dict):
        return packed
    ((kind, content),) = packed.items()
    if kind == "array":
        return arrays[content]
    if kind == "data":
        name, own = content
        return CLASSES[name](**{key: _unpacked(each, arrays) for key, each in own})
    if kind == "dict":
        return {_unpacked(key, arrays): _unpacked(each, arrays) for key, each in content}
    made = [_unpacked(each, arrays) for each in content]
    return {"tuple": tuple, "list": list, "set": set}[kind](made)


def _array(array: Array) -> list[Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return [array.dtype.str, list(array.shape), data]


def _unpacked_array(packed: Any) -> Array:
    dtype, shape, data = packed
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise ValueError("objects are no numbers")
    return np.frombuffer(base64.b64decode(data), kind).reshape(shape).copy()
