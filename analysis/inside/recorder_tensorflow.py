"""Which operators a call runs, by TensorFlow's operator callbacks, and which Python functions.

In: a call without arguments. Out: its result and the raw names of its operators ("Conv2D",
"Conv2DBackpropFilter"; the host makes them comparable). The callbacks see operators that run
eagerly and those that are put into a graph alike. These are the call stacks of the paper's section
4.5; TensorFlow does not tell which operator called which.
"""

import tensorflow as tf
from frames import Frames
from tensorflow.python.framework import op_callbacks

PLUMBING = frozenset(("Placeholder", "Const", "Identity", "NoOp"))
"""What the graph of every function has around its operators; run eagerly, they do count."""
CONSTANT = "Const"
"""What converting an argument puts into any graph."""
FRAMEWORK = ("tensorflow.", "keras.")
MACHINERY = (
    "tensorflow.python.util.",
    "tensorflow.python.eager.",
    "tensorflow.python.framework.",
    "tensorflow.python.profiler.",
    "tensorflow.python.platform.",
    "tensorflow.python.autograph.",
    "tensorflow.python.trackable.",
    "tensorflow.python.tf2",
    "tensorflow.core.",
    "keras.src.utils.traceback_utils",
    "keras.src.utils.tracking",
    "keras.src.backend.common.global_state",
    "keras.src.backend.config",
)
"""Modules that take part in every call: dispatch, conversion, contexts."""
MOST_DEPTH = 4


def framework_frames():
    """Notes the Python functions of TensorFlow and Keras that run."""
    return Frames(FRAMEWORK, MACHINERY)


class Recorder:
    """Runs calls and notes their operators; the callback stays registered, switched on or off."""

    def __init__(self):
        self.names = None
        op_callbacks.add_op_callback(self.follow)

    def follow(self, op_type, inputs, attrs, outputs, op_name=None, graph=None):
        """Take note of one operator; its results stay as they are."""
        if self.names is not None:
            name = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
            if graph is None or name not in (PLUMBING if is_function(graph) else (CONSTANT,)):
                self.names.add(name)

    def record(self, call):
        """(names, result) of a call; its exceptions pass through."""
        self.names = names = set()
        try:
            result = call()
        finally:
            self.names = None
        return names, result

    def backward(self, tape, result, sources):
        """Names of what the gradient of a result runs; empty where it has none.

        The incoming gradients are made outside the record: making ones would add operators.
        """
        targets = [item for item in tensors(result) if item.dtype.is_floating]
        if not targets or not sources or not tf.executing_eagerly():
            return set()
        try:
            ones = [tf.convert_to_tensor(item.numpy() * 0 + 1, item.dtype) for item in targets]
            names, _ = self.record(lambda: tape.gradient(targets, sources, output_gradients=ones))
        except Exception:
            return set()  # not differentiable after all
        return names

    def edges(self):
        """What operators were seen to call: TensorFlow does not tell."""
        return []


def is_function(graph):
    """Whether a graph is the inside of a function."""
    return type(graph).__name__.endswith("FuncGraph")


def differentiable(value):
    """The floating tensors and variables in arguments, which a gradient can be asked for."""
    found = [item for item in tensors(value, variables=True) if item.dtype.is_floating]
    return [item for item in found if hasattr(item, "numpy") or isinstance(item, tf.Variable)]


def tensors(value, variables=False, depth=MOST_DEPTH):
    """The tensors in a nested value; the components of composite ones."""
    if isinstance(value, tf.Tensor):
        return [value]
    if isinstance(value, tf.Variable):
        return [value] if variables else []
    if isinstance(value, tf.SparseTensor):
        return [value.values]
    if isinstance(value, tf.RaggedTensor):
        return [value.flat_values]
    if isinstance(value, tf.IndexedSlices):
        return [value.values]
    if depth and isinstance(value, (list, tuple)):
        return [item for part in value for item in tensors(part, variables, depth - 1)]
    if depth and isinstance(value, dict):
        return tensors(list(value.values()), variables, depth)
    inner = getattr(value, "value", None) if variables else None
    return [inner] if isinstance(inner, tf.Variable) else []  # a variable of Keras 3
