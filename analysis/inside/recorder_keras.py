"""Which operators of the backend a call of Keras runs, and which Python functions.

In: a call without arguments. Out: its result and the raw names of its operators: what PyTorch's
profiler or TensorFlow's operator callbacks see; of JAX the primitives. These are the call stacks of
the paper's section 4.5.
"""

import importlib

import backend_keras as backend
import keras
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

    def forward(self, call):
        """The same of a call whose result nobody needs beyond its gradient."""
        return self.below.traced(call) if backend.KIND == "jax" else self.below.record(call)

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
    """Notes each primitive that is bound, and those of compiled functions.

    To compile a primitive takes longer than all else: where it can be, a call is traced instead of
    being run, its variables being left alone.
    """

    CALLS = frozenset(
        "jit pjit stage eval_jaxpr closed_call core_call custom_jvp_call custom_vjp_call".split()
    )
    """Primitives that only call others."""

    def __init__(self):
        from jax._src import core

        self.names = None
        bind = core.Primitive.bind
        keras.random.normal((1,))  # makes the global generator, which no trace may make

        def noted(primitive, *args, **params):
            if self.names is not None:
                self.note(primitive, params)
            return bind(primitive, *args, **params)

        core.Primitive.bind = noted

    def note(self, primitive, params):
        """Take note of a primitive, and of those in the functions that it is given."""
        if primitive.name not in self.CALLS:
            self.names.add("jax::" + primitive.name)
        for value in params.values():
            for one in value if isinstance(value, (list, tuple)) else (value,):
                inner = getattr(one, "jaxpr", one)
                for equation in getattr(inner, "eqns", ()):
                    self.note(equation.primitive, equation.params)

    def record(self, call):
        """(names, result) of a call that is run; what was compiled before shows as nothing."""
        self.names = names = set()
        try:
            return names, call()
        finally:
            self.names = None

    def traced(self, call):
        """(names, None) of a call that is traced; one that wants to see values is run."""
        import jax

        def run():
            with keras.StatelessScope():
                call()

        self.names = names = set()
        try:
            jax.make_jaxpr(run)()
            return names, None
        except Exception as problem:
            if not type(problem).__module__.startswith("jax"):
                raise  # refused for a reason of its own
        finally:
            self.names = None
        return self.record(call)
