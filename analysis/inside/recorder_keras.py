"""Which operators of the backend a call of Keras runs, and which Python functions.

In: a call without arguments. Out: its result and the raw names of its operators: what PyTorch's
profiler or TensorFlow's operator callbacks see; of JAX the primitives, with compilation switched
off. These are the call stacks of the paper's section 4.5.
"""

import importlib

import backend_keras as backend
from frames import Frames

MACHINERY = (
    "keras.src.utils.traceback_utils",
    "keras.src.utils.tracking",
    "keras.src.utils.naming",
    "keras.src.utils.python_utils",
    "keras.src.backend.common.global_state",
    "keras.src.backend.common.name_scope",
    "keras.src.backend.common.dtypes",
    "keras.src.backend.config",
    "keras.src.tree.",
    "keras.src.api_export",
)
"""Modules that take part in every call."""


def framework_frames():
    """Notes the Python functions of Keras that run."""
    return Frames(("keras.",), MACHINERY)


class Recorder:
    """Runs calls and notes their operators."""

    def __init__(self):
        self.below = OfJax() if backend.KIND == "jax" else of_framework()

    def record(self, call):
        """(names, result) of a call; its exceptions pass through."""
        return self.below.record(call)

    def backward(self, result):
        """Names of what the gradient of a result runs, where the backend can tell afterwards."""
        if backend.KIND != "torch":
            return set()
        try:
            return self.below.backward(result)
        except Exception:
            return set()  # not differentiable after all

    def edges(self):
        """What operators were seen to call, as far as the backend tells."""
        return self.below.edges() if backend.KIND == "torch" else []


def of_framework():
    """The recorder of a backend that is a framework of its own."""
    return importlib.import_module("recorder_" + backend.KIND).Recorder()


class OfJax:
    """Notes each primitive that is bound; compiled functions run as plain Python meanwhile."""

    def __init__(self):
        from jax._src import core

        self.names = None
        bind = core.Primitive.bind

        def noted(primitive, *args, **kwargs):
            if self.names is not None:
                self.names.add("jax::" + primitive.name)
            return bind(primitive, *args, **kwargs)

        core.Primitive.bind = noted

    def record(self, call):
        """(names, result) of a call."""
        import jax

        self.names = names = set()
        try:
            with jax.disable_jit():
                return names, call()
        finally:
            self.names = None
