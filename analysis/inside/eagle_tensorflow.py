"""TensorFlow as EAGLE's engine sees it: values, comparison, tracing, text; and its plans."""

import io
import math
import random

import live_tensorflow
import numpy as np
import tensorflow as tf
from eagle_generic_tensorflow import compiled, eager, models, tensor_of
from eagle_plans import Plan
from eagle_results import kind_of, least
from spread import TELLS, groups_in
from tensorflow.python.framework import op_callbacks
from tested_tensorflow import prepare as quiet
from unpickle import NoLiteral, literal

MOST_ELEMENTS = 400
FEW = 6
"""Elements up to which a tensor is written number by number."""
MODULES = {"tf": tf, "np": np, "math": math, "io": io, "__name__": "__main__"}
NAMES = {"half": "float16"}


def prepare():
    """Make this process one that runs pairs."""
    quiet()
    np.seterr(all="ignore")


class World:
    """What the engine asks of a framework."""

    PLAINER = 3
    SEEDED = '''def seeded(function, *given):
    """What a function returns whose random numbers come from a seed."""
    tf.keras.utils.set_random_seed(0)
    return function(*given)
'''
    NUMBERLESS = ""
    """There are no tensors without numbers that run eagerly."""
    modules = MODULES

    class Incomparable(Exception):
        """A result that holds something else than numbers and texts."""

    def seed(self, number):
        tf.random.set_seed(number % 2**31)
        random.seed(number)
        np.random.seed(number % 2**32)

    def state(self):
        """None can be had: random operators show by differing from themselves."""
        return

    def stir(self, wanted):
        """TensorFlow hands out no memory that was not written."""

    def leaves(self, value):
        """A result as [(dtype name, array)]."""
        return [self.leaf(item) for item in tf.nest.flatten(value) if item is not None]

    def leaf(self, item):
        if isinstance(item, tf.SparseTensor):
            item = tf.sparse.to_dense(tf.sparse.reorder(item))
        if isinstance(item, tf.RaggedTensor):
            item = item.to_tensor()
        if isinstance(item, (tf.Tensor, tf.Variable)):
            if item.dtype in (tf.resource, tf.variant) or item.dtype.is_quantized:
                raise self.Incomparable(item.dtype.name)
            name, array = item.dtype.name, np.asarray(item.numpy())
        elif isinstance(item, (bool, int, float, complex, str, bytes, np.ndarray, np.generic)):
            array = np.asarray(item)
            name = array.dtype.name
            if name == "object" and not all(isinstance(one, (str, bytes)) for one in array.flat):
                raise self.Incomparable("an array of objects")
        else:
            raise self.Incomparable(type(item).__name__)
        if name == "bfloat16":
            array = array.astype("float32")
        return NAMES.get(name, name), array

    def copied(self, value):
        """The value: nobody writes to tensors."""
        return value

    def elements(self, value):
        return int(np.prod(self.shape(value)))

    def shape(self, value):
        return tuple(value.shape) if dense(value) else ()

    def bounds(self, dtype):
        """The smallest and the largest number of a dtype by its name."""
        kind = tf.dtypes.as_dtype(dtype)
        if kind.is_complex:
            return -math.inf, math.inf
        return (0, 1) if kind == tf.bool else (float(kind.min), float(kind.max))

    def nudged(self, value, unit, number):
        """The value with each element moved by a rounding, up or down."""
        if not dense(value) or not value.dtype.is_floating or not self.elements(value):
            return value
        wide = np.asarray(tf.cast(value, tf.float64))
        signs = np.random.RandomState(number).randint(0, 2, wide.shape) * 2 - 1
        finite = np.where(np.isfinite(wide), np.abs(wide), 0)
        size = finite if number % 2 else finite.max()
        moved = wide + 2 * unit * signs * size + unit * unit * signs * least(float(finite.max()))
        return tf.cast(tf.constant(moved), value.dtype)

    def stepped(self, value, place):
        """The value with one element, by its place among all, half as large again, and more."""
        if not dense(value) or not value.dtype.is_floating:
            return value
        wide = np.array(tf.cast(value, tf.float64))
        wide.flat[place] = wide.flat[place] * 1.5 + 0.25
        return tf.cast(tf.constant(wide), value.dtype)

    def shaken(self, call, unit, number):
        """What a call returns if each operator's result is moved by a rounding."""
        shaking = Shaking(self, unit, number)
        op_callbacks.add_op_callback(shaking)
        try:
            return call()
        finally:
            op_callbacks.remove_op_callback(shaking)

    def trace(self, call):
        """(smallest and largest finite value of any result, names of operators in order, and what
        numbers each made: `eagle_results.kind_of`)."""
        watch = Watch()
        op_callbacks.add_op_callback(watch)
        try:
            call()
        finally:
            op_callbacks.remove_op_callback(watch)
        return watch.smallest, watch.largest, watch.operators, watch.kinds

    def narrowed(self, value, size, less):
        """The value with each dimension of one size shortened."""
        if not dense(value):
            return value
        parts = tuple(slice(less) if length == size else slice(None) for length in value.shape)
        return tf.identity(value[parts]) if parts else value

    def plainer(self, value, number):
        """Numbers that are read more easily: ones, 1, 2, 3 ..., or one decimal; of many whole ones
        the smallest."""
        if not dense(value):
            return value
        if self.elements(value) > MOST_ELEMENTS and value.dtype in (tf.int32, tf.int64):
            return tf.fill(value.shape, tf.reduce_min(value))
        if not value.dtype.is_floating:
            return value
        if number == 0:
            return tf.ones_like(value)
        if number == 1:
            row = np.arange(1.0, self.elements(value) + 1).reshape(value.shape)
        else:
            row = np.round(np.asarray(tf.cast(value, tf.float64)), 1)
        return tf.cast(tf.constant(row), value.dtype)

    def text(self, value):
        """An input as an expression; raises NoLiteral where there is none."""
        return text(value)


def dense(value):
    """Whether a value is a tensor whose elements can be had."""
    return isinstance(value, tf.Tensor) and hasattr(value, "numpy")


def text(value):
    """An input as an expression."""
    plain = regular(value) if dense(value) else ""
    if plain:
        return plain
    if dense(value) and value.shape.num_elements() > MOST_ELEMENTS:
        told = value.shape.num_elements()
        raise NoLiteral("an input of %d elements is too large for a script" % told)
    if dense(value) and value.dtype == tf.float32 and value.shape.num_elements():
        return "tf.constant(%s)" % digits(value.numpy())
    return literal(value)


def regular(value):
    """A tensor of equal numbers, or of numbers in a row, told by their bounds; else ""."""
    count, shape = value.shape.num_elements(), tuple(value.shape)
    if count <= FEW or not (value.dtype.is_floating or value.dtype.is_integer):
        return ""
    array, double = value.numpy(), value.dtype == tf.float64
    if (array == array.flat[0]).all():
        return literal(value)
    if value.dtype not in (tf.float32, tf.float64):
        return ""
    if (array.ravel() == np.arange(1.0, count + 1)).all():
        numbers = "tf.range(1.0, %d.0%s)" % (count + 1, ", dtype=tf.float64" if double else "")
        return "tf.reshape(%s, %s)" % (numbers, list(shape)) if len(shape) > 1 else numbers
    return ""


def digits(array):
    """Nested lists of numbers with as many digits as the dtype needs, no more."""
    if array.ndim:
        return "[%s]" % ", ".join(map(digits, array))
    return str(array) if math.isfinite(float(array)) else 'float("%s")' % float(array)


class Watch:
    """Notes the operators that run and how large their results are."""

    def __init__(self):
        self.smallest = self.largest = 0.0
        self.operators = []
        self.kinds = []

    def __call__(self, op_type, inputs, attrs, outputs, op_name=None, graph=None):
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        self.operators.append(name.lower())
        self.kinds.append("")
        for item in outputs:
            if dense(item) and (item.dtype.is_floating or item.dtype.is_integer):
                self.note(np.asarray(item.numpy(), "float64"), item.dtype.is_integer)

    def note(self, array, whole):
        finite = array[np.isfinite(array)]
        if finite.size:
            self.kinds[-1] = kind_of(whole, bool((finite != np.round(finite)).any()))
            self.smallest = min(self.smallest, float(finite.min()))
            self.largest = max(self.largest, float(finite.max()))


class Shaking:
    """Moves each result of an operator by a rounding, where it has memory of its own.

    What a callback returns in place of results is not heeded where operators run at once, so the
    numbers are written over. Scalars have no array that could be written to, and stay.
    """

    def __init__(self, world, unit, number):
        self.world = world
        self.unit = unit
        self.number = number
        self.under_way = False

    def __call__(self, op_type, inputs, attrs, outputs, op_name=None, graph=None):
        if self.under_way:
            return  # an operator of ours
        self.under_way = True
        try:
            self.move(inputs, outputs)
        finally:
            self.under_way = False

    def move(self, inputs, outputs):
        if not all(map(dense, inputs)) or any(item.dtype == tf.resource for item in inputs):
            return  # it may hand out a variable's own memory
        self.number += 2  # other signs, of the same size
        given = [array for array in map(memory, inputs) if array is not None]
        for item in outputs:
            array = memory(item)
            if array is not None and not any(np.shares_memory(array, one) for one in given):
                array[...] = self.world.nudged(item, self.unit, self.number).numpy()


def memory(value):
    """The array that holds a tensor of floating numbers; None where there is none."""
    if not dense(value) or not value.dtype.is_floating:
        return None
    array = value._numpy()
    return array if isinstance(array, np.ndarray) and array.flags.writeable else None


def spreading(given):
    """Entries that bring a trigger into the calls of other APIs."""
    return groups_in(World(), live_tensorflow, tensor_of, tf.is_tensor, lambda *_: [], given)


PLANS = {
    "spread": Plan(spreading, rounds=3, patience=5.0, once=True, tells=TELLS),
    "spread compiled": Plan(spreading, rounds=2, patience=60.0, tries=0, once=True, tells=TELLS),
    "eager": Plan(eager, rounds=2),
    "models": Plan(models, patience=60.0),
    "xla": Plan(compiled, patience=60.0, tries=4),
}
