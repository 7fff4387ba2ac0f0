"""What the probe does to live values of TensorFlow: changes of shape, and what tells a change."""

import functools

import tensorflow as tf
from indexed import behead, lead, lift, lower
from numerals import of_floats
from tensorflow.python.client import session
from tensorflow.python.eager import context
from tensorflow.python.framework import op_def_registry

MODULES = {"tf": tf}
"""What the texts of fills may name."""
MOST_ELEMENTS = 10000
"""Larger variables are not looked at for changes."""

# The first operator that is not found makes the registry write out all of them, once per process.
# The first operation that a child runs looks for one such: it takes 8 ms there.
op_def_registry.get("NoSuchOperator")


def pin():
    """One thread per pool: a forked process has no pool of them, and one means "do it yourself"."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    if not hasattr(session.BaseSession.__init__, "__wrapped__"):
        session.BaseSession.__init__ = _in_caller(session.BaseSession.__init__)


def _in_caller(init):
    """Sessions that run what they are told in the thread that tells them.

    Theirs are pools even of one thread, and a fork of a process that has opened one waits for it.
    """

    @functools.wraps(init)
    def opened(self, target="", graph=None, config=None):
        chosen = tf.compat.v1.ConfigProto()
        if config is not None:
            chosen.CopyFrom(config)
        chosen.inter_op_parallelism_threads = -1
        chosen.intra_op_parallelism_threads = 1
        init(self, target, graph, chosen)

    return opened


def start_pools():
    """Start thread pools in a forked process, for what runs functions: graphs, datasets, `fit`.

    They belong to the runtime's context, so it is made anew, with the functions that it knew. Only
    when nothing else helps: named resources (lookup tables) stay behind in the old one.
    """
    eager = context.context()
    try:
        known = [eager.get_function_def(name) for name in eager.list_function_names()]
        eager.before_fork = eager._context_handle  # never freed: that waits for its threads
    except Exception:
        return  # a version whose context is otherwise
    eager._initialized, eager._context_handle = False, None
    eager._context_devices = eager._logical_devices = None
    eager.ensure_initialized()
    for function in known:
        eager.add_function_def(function)


def synchronize():
    """Wait until all devices have done what they were told, where that can be waited for."""
    if tf.executing_eagerly() and hasattr(tf.test.experimental, "sync_devices"):
        tf.test.experimental.sync_devices()


def is_tensor(value):
    return isinstance(value, (tf.Tensor, tf.Variable, tf.SparseTensor, tf.RaggedTensor))


def of_numbers(value):
    """The tensor that functions make of an array, a list or a number of fractions; else None."""
    numbers = isinstance(value, (float, list, tuple)) and of_floats(value)
    if not numbers and getattr(getattr(value, "dtype", None), "kind", "") not in ("f", "c"):
        return None
    try:
        return tf.convert_to_tensor(value)
    except Exception:  # a ragged list, or a dtype of NumPy's own
        return None


def is_symbolic(value):
    """Whether a value stands for a tensor in a graph, whose numbers nobody knows yet."""
    return is_tensor(value) and not hasattr(value, "numpy")


def memory(value, others):
    """Nothing: tensors have no strides, and share memory with nobody who may write to it."""
    return None


def array(value):
    """The elements as a NumPy array; None where there are none yet (graphs), or where they are
    no numbers."""
    if isinstance(value, tf.SparseTensor):
        value = _placed(value)
    if isinstance(value, tf.RaggedTensor):
        value = value.flat_values
    if not is_tensor(value) or not hasattr(value, "numpy"):
        return None
    found = value.numpy()
    if getattr(found, "dtype", None) is not None and found.dtype.name == "bfloat16":
        return found.astype("float32")
    return found


def _placed(value):
    """A sparse tensor as a dense one; its places before its elements where these are no places of
    its shape, or come in no order."""
    try:
        return tf.sparse.to_dense(value)
    except tf.errors.InvalidArgumentError:
        if not (value.dtype.is_floating or value.dtype.is_integer):
            return None
        places = tf.cast(tf.reshape(value.indices, [-1]), tf.float64)
        return tf.concat([places, tf.cast(tf.reshape(value.values, [-1]), tf.float64)], 0)


def _of_elements(change):
    """A change of tensors that is also one of the elements of ragged and sparse ones."""

    @functools.wraps(change)
    def changed(value, *how, **options):
        if isinstance(value, tf.RaggedTensor):
            return value.with_flat_values(change(value.flat_values, *how, **options))
        if isinstance(value, tf.SparseTensor):
            elements = change(value.values, *how, **options)
            return tf.SparseTensor(value.indices, elements, value.dense_shape)
        return change(value, *how, **options)

    return changed


def within_layer(function, given):
    """What a layer that calls a function makes of placeholders; of one alone, or of several."""
    if len(given) == 1:
        return tf.keras.layers.Lambda(function)(given[0])
    return tf.keras.layers.Lambda(lambda values: function(*values))(given)


@_of_elements
def perturbed(value):
    """Another value like it, finite, and depending on it as far as gradients are concerned."""
    if not isinstance(value, tf.Tensor):
        return value
    if value.dtype == tf.bool:
        return ~value
    if value.dtype.is_floating:
        return tf.where(tf.math.is_finite(value), value, tf.zeros_like(value)) * 2 + 7
    if value.dtype.is_complex:
        finite = tf.math.is_finite(tf.math.real(value)) & tf.math.is_finite(tf.math.imag(value))
        return tf.where(finite, value, tf.zeros_like(value)) * 2 + 7
    return value + tf.ones_like(value) if value.dtype.is_integer else value


def overwrite(value, other):
    """Write other content into a variable; tensors stay as they are."""
    if isinstance(value, tf.Variable):
        value.assign(other)


@_of_elements
def doubled(value, whole=False):
    """A tensor in double precision, if of real or complex numbers, or `whole` ones."""
    if not isinstance(value, tf.Tensor):
        return value
    if value.dtype.is_complex:
        return tf.cast(value, tf.complex128)
    real = value.dtype.is_floating or (whole and value.dtype.is_integer)
    return tf.cast(value, tf.float64) if real else value


@_of_elements
def cleaned(value, number):
    """The value with `number` in place of each NaN and infinity, as far as it is a tensor."""
    if not _of_fractions(value):
        return value
    parts = (tf.math.real(value), tf.math.imag(value)) if value.dtype.is_complex else (value,)
    finite = tf.reduce_all(tf.stack([tf.math.is_finite(part) for part in parts]), axis=0)
    other = tf.where(finite, value, tf.cast(number, value.dtype))
    return _filled(value, other)


def _of_fractions(value):
    """Whether a value is a tensor of numbers that need not be finite."""
    known = isinstance(value, tf.Tensor)
    return known and (value.dtype.is_floating or value.dtype.is_complex)


def _filled(value, other):
    """Other numbers, through which the gradients of a tensor go as if they were its own.

    Those that `where` puts in place of some get no gradient.
    """

    @tf.custom_gradient
    def handed_on(_):
        return tf.identity(other), lambda gradient: gradient

    return handed_on(value)


@_of_elements
def bounded(value, size, falling):
    """The value with large numbers in place of infinities, as far as it is a tensor.

    They are what `size` makes of the largest number of its dtype, with their sign, times numbers
    from 1 to 2 that rise from element to element, or fall.
    """
    if not _of_fractions(value):
        return value
    if value.dtype.is_complex:
        parts = (tf.math.real(value), tf.math.imag(value))
        return _filled(value, tf.complex(*(bounded(part, size, falling) for part in parts)))
    ends = (2.0, 1.0) if falling else (1.0, 2.0)
    steps = tf.reshape(tf.linspace(*ends, tf.size(value)), tf.shape(value))
    large = tf.cast(steps * size(float(value.dtype.max)), value.dtype)
    return _filled(value, tf.where(tf.math.is_inf(value), tf.sign(value) * large, value))


def listened(value, told, alias=True):
    """An alias of a tensor or variable, of whose gradients `told` learns whether they are finite.

    `alias` is for frameworks that can do without. Nothing is told within graphs.
    """
    known = isinstance(value, (tf.Tensor, tf.Variable)) and value.dtype.is_floating
    if not known or not tf.executing_eagerly():
        return value

    @tf.custom_gradient
    def heard(tensor):
        def handed_on(gradient):
            if hasattr(gradient, "numpy"):
                told(bool(tf.reduce_all(tf.math.is_finite(gradient))))
            return gradient

        return tf.identity(tensor), handed_on

    return heard(value)


def scaled(value, factors):
    """The value times an array of its shape, as far as it is a tensor."""
    return value * tf.cast(factors, value.dtype) if isinstance(value, tf.Tensor) else value


def mark(tensor):
    """What an attempt can change: the content of a variable. Tensors stay as they are."""
    if not isinstance(tensor, tf.Variable) or tensor.shape.num_elements() is None:
        return None
    if tensor.shape.num_elements() > MOST_ELEMENTS:
        return None
    try:
        return bytes(tensor.numpy().tobytes())
    except Exception:  # not in eager mode, or not initialised
        return None


def parameters(layer):
    """The variables of a Keras layer by name (`kernel`, `bias`); none of what is no layer."""
    found = {}
    for weight in getattr(layer, "weights", None) or ():
        name = str(getattr(weight, "name", "")).rpartition("/")[2].partition(":")[0]
        found.setdefault(name, weight)
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
        value = tf.stack([value] * max(value.shape[-1 - behind], 1), -1 - behind)
    return value


def narrow(value, amount):
    """Make the last dimension `amount` long: cut it, or repeat its first entry."""
    have = value.shape[-1]
    if have >= amount:
        return value[..., :amount]
    return tf.concat([value] + [value[..., :1]] * (amount - have), -1)


STEPS = {
    "lift": lift,
    "repeat": repeat,
    "lower": lower,
    "lead": lead,
    "behead": behead,
    "narrow": narrow,
    "indices": lambda value: value.indices,
    "values": lambda value: value.values,
    "shape": lambda value: value.dense_shape,
    "sparse": lambda parts: tf.SparseTensor(*parts),
    "tensor": tf.convert_to_tensor,
    "variable": tf.Variable,
    "stack": tf.stack,
    "zeros": tf.zeros_like,
    "cast": lambda value, dtype: tf.cast(value, dtype),
    "mean": tf.reduce_mean,
    "sum": tf.reduce_sum,
    "max": tf.reduce_max,
    "min": tf.reduce_min,
}
