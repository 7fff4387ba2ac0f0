"""Functions of `keras.ops` as layers of one call, and what their signatures say of them.

Out: a record per function that takes one tensor `x` or two, `x1` and `x2`, and gives one tensor of
floating numbers: its name, how many it takes, its other parameters with their defaults.
"""

import inspect

import keras
import numpy as np

TENSORS = (["x"], ["x1", "x2"])
PLAIN = (bool, int, float, str, type(None))
SHAPE = 2, 12, 4
TRIALS = (0, 3.0), (0, 7.0), (1, 3.0)
"""(a seed of the numbers given, what memory holds before)"""
STIRRED = 8
"""Tensors that are made and thrown away before a function gets their memory."""


class Operation:
    """A function with its keywords, used as a layer is."""

    weights = ()

    def __init__(self, name, config):
        self.function = getattr(keras.ops, name)
        self.config = {
            key: tuple(value) if isinstance(value, list) else value for key, value in config.items()
        }

    def __call__(self, *given):
        """With the tensors in the places for which there is no keyword."""
        names = list(inspect.signature(self.function).parameters)
        if set(names[: len(given)]) & set(self.config):
            free = [name for name in names if name not in self.config]
            return self.function(**dict(zip(free, given)), **self.config)
        return self.function(*given, **self.config)

    def get_weights(self):
        """There are none."""
        return []

    def set_weights(self, weights):
        """There are none."""


def told():
    """Records of the functions, in the order of their names."""
    for name in sorted(dir(keras.ops)):
        function = getattr(keras.ops, name)
        if not name.startswith("_") and inspect.isfunction(function):
            record = described(name, function)
            if record is not None:
                yield record


def described(name, function):
    """The record of one function; None of one that takes or gives something else."""
    parameters = inspect.signature(function).parameters.values()
    required = [one.name for one in parameters if one.default is one.empty]
    optional = {one.name: one.default for one in parameters if one.default is not one.empty}
    if required not in TENSORS or any(
        one.kind is not one.POSITIONAL_OR_KEYWORD for one in parameters
    ):
        return None
    try:
        one, again, other = (tried(function, len(required), *numbers) for numbers in TRIALS)
    except Exception:
        return None
    if one is None or again is None or other is None:
        return None
    if not np.array_equal(one, again, equal_nan=True):
        return None  # what nobody has written, or random numbers
    if np.array_equal(one, other, equal_nan=True):
        return None  # nothing is done with the numbers
    plain = {key: value for key, value in optional.items() if isinstance(value, PLAIN)}
    return {"operation": name, "tensors": len(required), "optional": plain}


def tried(function, count, seed, before):
    """The result for some numbers, in memory that held others before; None if it is no tensor of
    floating numbers."""
    drawn = np.random.RandomState(seed).uniform(-2, 2, (count, *SHAPE)).astype("float32")
    given = [keras.ops.convert_to_tensor(one) for one in drawn]
    for _ in range(STIRRED):
        keras.ops.full(SHAPE, before, "float32")
    found = function(*given)
    if not keras.ops.is_tensor(found):
        return None
    array = keras.ops.convert_to_numpy(found)
    return array if array.dtype.kind == "f" else None
