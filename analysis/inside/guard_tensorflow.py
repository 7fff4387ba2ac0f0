"""Keeps one API's example from changing what the next one runs: settings of the whole process.

`configures` tells APIs that exist to change settings; they are not run at all. `Guard` compares
settings after each API with those before the first, and ends the process by an exception if they
differ: the host starts a new one that leaves the culprit out, which costs a fraction of a second.
"""

import re

import tensorflow as tf
from tensorflow.python.eager import context

CONFIGURES = re.compile(
    r"(?:enable|disable|reset|register|unregister|initialize|shutdown|clear|start|stop(?!_gradient)|connect)_?"
    r"|set_(?!shape|union|intersection|difference|size)|experimental_(?:connect|set)_"
)
NAMESPACES = re.compile(r"\.(?:config|distribute|tpu|profiler|test|saved_model|mixed_precision)\.")
OUTSIDE = re.compile(r"\.(?:datasets|gfile|data\.experimental\.service|lite|dtensor|app|flags)\.")
"""Namespaces that are about files, networks, devices, processes: nothing there is a tensor's."""
PRETRAINED = re.compile(r"\.applications\.(?:\w+\.)*[A-Z]\w+$")
"""Whole models, which take seconds to build, and fetch their weights."""
LAST = re.compile(r"(?:run_functions_eagerly|get_file|logging)$")


def configures(name):
    """Whether an API changes the process or its surroundings instead of computing.

    >>> configures("tf.keras.config.set_floatx"), configures("tf.keras.backend.clear_session")
    (True, True)
    >>> configures("tf.sets.size"), configures("tf.Tensor.set_shape"), configures("tf.add")
    (False, False, False)
    >>> configures("tf.profiler.experimental.stop"), configures("tf.stop_gradient")
    (True, False)
    """
    last = name.rpartition(".")[2]
    return bool(
        CONFIGURES.match(last)
        or PRETRAINED.search(name)
        or NAMESPACES.search(name)
        or OUTSIDE.search(name)
        or LAST.match(last)
    )


class Changed(Exception):
    """An API has changed settings of the process."""


class Guard:
    """Remembers the settings and checks that they are still the same."""

    def __init__(self):
        tf.constant(0)  # what the first operation sets up is no change
        self.before = settings()

    def check(self):
        """Raise `Changed` if this process is no longer what it was."""
        now = settings()
        if now != self.before:
            raise Changed([name for name in now if now[name] != self.before[name]])


def settings():
    """Everything that changes how later calls run: name -> value."""
    keras = tf.keras.backend
    policy = tf.keras.mixed_precision
    get_policy = getattr(policy, "dtype_policy", None) or policy.global_policy
    return {
        "eager": tf.executing_eagerly(),
        "functions run eagerly": tf.config.functions_run_eagerly(),
        "strategy": tf.distribute.has_strategy(),
        "callbacks": len(context.context().op_callbacks),
        "device": context.context().device_name,
        "floatx": keras.floatx(),
        "epsilon": keras.epsilon(),
        "image data format": keras.image_data_format(),
        "policy": get_policy().name,
        "add": tf.add.__name__,
    }
