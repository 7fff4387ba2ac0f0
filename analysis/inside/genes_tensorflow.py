"""Descriptions of argument values that a search can change, and the values that they describe.

A gene is a tuple whose first item is its kind; see `MAKERS`. Tensors are `("tensor", dtype, shape,
fill)`, where the fill says what the elements are and the dtype may be `@T`: that of attribute `T`.
`Maker` turns genes into values; plain tensors are made once and used again.
"""

import handles_tensorflow
import numpy as np
import tensorflow as tf

FILLS = ("unit", "index", "ones", "range", "identity", "zeros")
MOST_ELEMENTS = 4096
WORDS = ("a", "bb", "c d", "1", "e")
INT = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def tensor(dtype, shape, fill="unit"):
    """The gene of a tensor."""
    return ("tensor", dtype, tuple(shape), fill)


def vector(values, dtype="int32"):
    """The gene of a vector of given numbers."""
    return ("tensor", dtype, (len(values),), ("values", tuple(values)))


def plain(value):
    """The gene of a Python value."""
    return ("plain", value)


def elements(dtype, shape, fill):
    """An array with what a fill says; booleans, strings and complex numbers follow the same."""
    count = int(np.prod(shape))
    if count > MOST_ELEMENTS:
        raise ValueError("too large")
    if fill == "unit":  # inside (0, 1) where there are fractions, else 1, 2, 1, 2, ...
        numbers = np.arange(count) % 2 + 1 if dtype in INT else np.linspace(0.1, 0.9, count)
    elif fill == "index":
        numbers = np.arange(count) % 2
    elif fill == "range":
        numbers = np.arange(count)
    elif fill == "identity" and len(shape) >= 2:
        numbers = np.broadcast_to(2 * np.eye(shape[-2], shape[-1]), shape)
    elif isinstance(fill, tuple):
        numbers = np.resize(np.array(fill[1]), count)
    else:
        numbers = np.full(count, 0 if fill == "zeros" else 1)
    numbers = np.reshape(numbers, shape)
    if dtype == "string":
        words = [WORDS[int(item) % len(WORDS)] for item in np.ravel(numbers * 4)]
        return np.array(words, dtype=object).reshape(shape)
    return numbers > 0.5 if dtype == "bool" else numbers


class Maker:
    """Makes the values of genes; `types` are the dtypes of the operator's attributes."""

    def __init__(self):
        self.kept = {}
        self.spent = 0.0  # CPU seconds that were spent on finding out how to make handles
        self.handles = handles_tensorflow.Handles(self)

    def make(self, gene, types):
        """The value of a gene."""
        return MAKERS[gene[0]](self, gene, types)

    def tensor(self, gene, types):
        """A tensor; eager ones are kept."""
        dtype = resolved(gene[1], types)
        if not tf.executing_eagerly():
            return constant(dtype, gene[2], gene[3])
        key = dtype, gene[2], gene[3]
        if key not in self.kept:
            self.kept[key] = constant(dtype, gene[2], gene[3])
        return self.kept[key]

    def listed(self, gene, types):
        """A list of values."""
        return [self.make(item, types) for item in gene[1]]

    def variable(self, gene, types):
        """A variable of version 2."""
        return tf.Variable(constant(resolved(gene[1], types), gene[2], gene[3]))

    def resource(self, gene, types):
        """The handle of a variable, which it keeps alive."""
        variable = self.variable(gene, types)
        handle = variable.handle
        handle.of = variable
        return handle

    def ref(self, gene, types):
        """A variable of version 1, in a graph."""
        dtype = resolved(gene[1], types)
        made = tf.raw_ops.VariableV2(shape=list(gene[2]), dtype=tf.as_dtype(dtype))
        tf.raw_ops.Assign(ref=made, value=constant(dtype, gene[2], gene[3]))
        return made

    def handle(self, gene, types):
        """What another operator makes: tables, iterators, queues, datasets, lists of tensors."""
        return self.handles.make(gene[1], gene[2], types)

    def sparse(self, gene, types):
        """A sparse tensor with two elements on the diagonal."""
        rank = max(len(gene[2]), 1)
        values = constant(resolved(gene[1], types), (2,), "ones")
        return tf.SparseTensor([[0] * rank, [1] * rank], values, list(gene[2]) or [3])

    def ragged(self, gene, types):
        """A ragged tensor of two rows; further dimensions are uniform."""
        values = constant(resolved(gene[1], types), (3, *gene[2][2:]), gene[3])
        return tf.RaggedTensor.from_row_splits(values, [0, 2, 3])

    def slices(self, gene, types):
        """Slices of a tensor of ten rows."""
        shape = (2, *gene[2][1:])
        values = constant(resolved(gene[1], types), shape, gene[3])
        return tf.IndexedSlices(values, tf.constant([0, 2]), tf.constant([10, *shape[1:]]))

    def array(self, gene, types):
        """An array of NumPy."""
        return np.array(elements(gene[1], gene[2], gene[3]), dtype=gene[1])

    def dataset(self, gene, types):
        """A dataset whose elements are rows."""
        return tf.data.Dataset.from_tensor_slices(constant(gene[1], (4, *gene[2][1:]), gene[3]))

    def tensor_array(self, gene, types):
        """An array of tensors with two elements."""
        return tf.TensorArray(tf.float32, size=2).unstack(constant("float32", (2, 3), "unit"))

    def function(self, gene, types):
        """A Python function."""
        return FUNCTIONS[gene[1]]

    def graph_function(self, gene, types):
        """A function that the operators of a graph can call."""
        signature = [tf.TensorSpec(None, resolved(dtype, types)) for dtype in gene[2]]
        function = tf.function(FUNCTIONS[gene[1]], input_signature=signature, autograph=False)
        return function.get_concrete_function()


def constant(dtype, shape, fill):
    """A tensor of a dtype, also of those that NumPy does not have."""
    numbers = elements(dtype, shape, fill)
    if dtype == "string":
        return tf.constant(numbers, tf.string, shape)
    if dtype == "variant" or dtype == "resource":
        raise ValueError("a handle has no elements")
    if dtype.startswith(("q", "float8", "int4", "uint4", "int2", "uint2")):
        return tf.bitcast(tf.constant(numbers, PLAIN.get(dtype, "uint8")), tf.as_dtype(dtype))
    return (
        tf.constant(numbers, dtype)
        if numbers.dtype == bool
        else tf.constant(numbers.astype(tf.as_dtype(dtype).as_numpy_dtype))
    )


PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16"}
PLAIN["qint32"] = "int32"
"""The dtype with the same bits of each quantized one."""


def resolved(dtype, types):
    """The dtype that a gene names, `@T` being that of attribute `T`."""
    return types.get(dtype[1:], "float32") if dtype.startswith("@") else dtype


FUNCTIONS = {
    "same": lambda *given: given[0] if len(given) == 1 else given,
    "first": lambda *given: given[0],
    "none": lambda: tf.constant(1.0),
    "sum": lambda *given: tf.add_n([tf.cast(item, tf.float32) for item in given]),
    "true": lambda *given: tf.constant(True),
    "less": lambda value, *_: tf.reduce_all(tf.less(tf.cast(value, tf.float32), 2.0)),
    "next": lambda value, *rest: (value + 1, *rest) if rest else value + 1,
    "dataset": lambda *given: tf.data.Dataset.from_tensors(given[0]),
    "string": lambda *given: tf.strings.as_string(given[0]),
    "int64": lambda *given: tf.constant(0, tf.int64),
}

MAKERS = {
    "tensor": Maker.tensor,
    "plain": lambda self, gene, types: gene[1],
    "list": Maker.listed,
    "dtype": lambda self, gene, types: tf.as_dtype(resolved(gene[1], types)),
    "dtypes": lambda self, gene, types: [tf.as_dtype(resolved(item, types)) for item in gene[1]],
    "proto": lambda self, gene, types: tf.make_tensor_proto([], resolved(gene[1], types)),
    "variable": Maker.variable,
    "resource": Maker.resource,
    "ref": Maker.ref,
    "handle": Maker.handle,
    "sparse": Maker.sparse,
    "ragged": Maker.ragged,
    "slices": Maker.slices,
    "array": Maker.array,
    "dataset": Maker.dataset,
    "tensor array": Maker.tensor_array,
    "function": Maker.function,
    "graph function": Maker.graph_function,
    "shape": lambda self, gene, types: tf.TensorShape(gene[1]),
    "layer": lambda self, gene, types: tf.keras.layers.Dense(2),
    "initializer": lambda self, gene, types: tf.keras.initializers.Ones(),
    "optimizer": lambda self, gene, types: tf.keras.optimizers.SGD(0.1),
    "cell": lambda self, gene, types: tf.keras.layers.LSTMCell(2),
}
