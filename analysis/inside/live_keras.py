"""What the probe does to live values of Keras, on whichever backend: changes of shape, contents."""

import importlib

import backend_keras as backend
import keras
import numpy as np
from indexed import behead, lead, lift, lower
from numerals import of_floats

MODULES = {"keras": keras}
"""What the texts of fills may name."""
MOST_ELEMENTS = 10000
"""Larger variables are not looked at for changes."""


def pin():
    """One thread: a forked process has no pool of them. JAX starts its own in each process."""
    if backend.KIND != "jax":
        importlib.import_module("live_" + backend.KIND).pin()


def synchronize():
    """Wait until the device has done what it was told."""
    if backend.KIND == "jax":
        (keras.ops.zeros(()) + 1).block_until_ready()  # work on one device is done in order
    else:
        importlib.import_module("live_" + backend.KIND).synchronize()


def is_tensor(value):
    return isinstance(value, (backend.TENSOR, keras.Variable))


def is_symbolic(value):
    """Whether a value stands for a tensor in a graph, whose numbers nobody knows yet."""
    return is_tensor(value) and array(value) is None


def memory(value, others):
    """Nothing: tensors have no strides, and share memory with nobody who may write to it."""
    return None


def array(value):
    """The elements as a NumPy array; None where there are none (symbolic tensors)."""
    if not is_tensor(value):
        return None
    try:
        found = np.asarray(keras.ops.convert_to_numpy(value))
    except Exception:  # inside of a graph or a compiled function
        return None
    return found.astype("float32") if found.dtype.name == "bfloat16" else found


def perturbed(value):
    """Another value like it, finite, and depending on it as far as gradients are concerned."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        with np.errstate(all="ignore"):
            return ~value if value.dtype.kind == "b" else np.nan_to_num(value) * 2 + 7
    if not isinstance(value, backend.TENSOR):
        return value
    dtype = keras.backend.standardize_dtype(value.dtype)
    if dtype == "bool":
        return keras.ops.logical_not(value)
    if "float" in dtype:
        return keras.ops.where(keras.ops.isfinite(value), value, 0) * 2 + 7
    return value + 1 if "int" in dtype else value


def listened(value, told, alias=True):
    """The value, or an alias, of whose gradients `told` learns whether they are finite."""
    if backend.KIND == "jax":
        return value
    return importlib.import_module("live_" + backend.KIND).listened(value, told, alias)


def overwrite(value, other):
    """Write other content into a variable; tensors stay as they are."""
    if isinstance(value, keras.Variable):
        value.assign(other)


def doubled(value, whole=False):
    """A tensor in double precision, if of real or `whole` numbers and the backend has that."""
    dtype = str(getattr(value, "dtype", ""))
    real = "float" in dtype or (whole and "int" in dtype)
    if isinstance(value, backend.TENSOR) and real:
        return keras.ops.cast(value, "float64")
    return value


def cleaned(value, number):
    """The value with `number` in place of each NaN and infinity, as far as it is real numbers."""
    if isinstance(value, backend.TENSOR) and "float" in str(getattr(value, "dtype", "")):
        finite = keras.ops.isfinite(value)
        return keras.ops.where(finite, value, number * keras.ops.ones_like(value))
    return value


def of_numbers(value):
    """The array that a list or a number of fractions stands for, in single precision; else None."""
    if not of_floats(value):
        return None  # of tensors, say, of which a layer takes several
    try:
        return np.asarray(value, dtype="float32")
    except ValueError:  # a ragged list
        return None


def bounded(value, size, falling):
    """The value with large numbers in place of infinities, as far as it is real numbers.

    They are what `size` makes of the largest number of single precision, with their sign, times
    numbers from 1 to 2 that rise from element to element, or fall.
    """
    arrays = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    if not arrays and not (isinstance(value, backend.TENSOR) and "float" in str(value.dtype)):
        return value
    ends = (2, 1) if falling else (1, 2)
    steps = np.linspace(*ends, int(np.prod(value.shape))).reshape(value.shape)
    large = (steps * size(float(np.finfo("float32").max))).astype("float32")
    if arrays:
        return np.where(np.isinf(value), np.sign(value) * large, value).astype(value.dtype)
    infinite = keras.ops.isinf(value)
    signed = keras.ops.sign(value) * keras.ops.convert_to_tensor(
        large, keras.backend.standardize_dtype(value.dtype)
    )
    return keras.ops.where(infinite, signed, value)


def scaled(value, factors):
    """The value times an array of its shape, as far as it is a tensor or an array."""
    if isinstance(value, np.ndarray):
        return value * factors.astype(value.dtype)
    if isinstance(value, backend.TENSOR):
        dtype = keras.backend.standardize_dtype(value.dtype)
        return value * keras.ops.convert_to_tensor(factors.astype("float64"), dtype)
    return value


def mark(tensor):
    """What an attempt can change: the content of a variable, and a tensor of PyTorch in place."""
    version = getattr(tensor, "_version", None)
    if isinstance(version, int) or not isinstance(tensor, keras.Variable):
        return version if isinstance(version, int) else None
    try:
        if int(np.prod(tensor.shape)) > MOST_ELEMENTS:
            return None
        return np.asarray(keras.ops.convert_to_numpy(tensor)).tobytes()
    except Exception:  # not initialised
        return None


def parameters(layer):
    """The variables of a layer by name (`kernel`, `bias`); none of what is no layer."""
    found = {}
    for weight in getattr(layer, "weights", None) or ():
        found.setdefault(str(getattr(weight, "name", "")).rpartition("/")[2], weight)
    return found


attributes = parameters


def load(layer, args, kwargs, state):
    """Make the variables of a layer for what it is called with, and assign them by name."""
    layer.build(tuple([*args, *kwargs.values()][0].shape))
    own = parameters(layer)
    for name, value in state.items():
        own[name].assign(value)


def repeat(value, amount, behind=0):
    """Add dimensions as long as the one in front of the last `behind`, along which all is equal."""
    for _ in range(amount):
        value = keras.ops.stack([value] * max(value.shape[-1 - behind], 1), -1 - behind)
    return value


def narrow(value, amount):
    """Make the last dimension `amount` long: cut it, or repeat its first entry."""
    have = value.shape[-1]
    if have >= amount:
        return value[..., :amount]
    return keras.ops.concatenate([value] + [value[..., :1]] * (amount - have), -1)


STEPS = {
    "lift": lift,
    "repeat": repeat,
    "lower": lower,
    "lead": lead,
    "behead": behead,
    "narrow": narrow,
    "shape": lambda value: list(value.shape),
    "clone": lambda value: keras.ops.copy(value),
    "tensor": lambda value: keras.ops.convert_to_tensor(value),
    "variable": lambda value: keras.Variable(value),
    "stack": lambda parts: keras.ops.stack(parts),
    "zeros": lambda value: keras.ops.zeros_like(value),
    "cast": lambda value, dtype: keras.ops.cast(value, dtype),
    "mean": lambda value: keras.ops.mean(value),
    "sum": lambda value: keras.ops.sum(value),
    "max": lambda value: keras.ops.max(value),
    "min": lambda value: keras.ops.min(value),
}
