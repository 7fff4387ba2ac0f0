"""The public namespaces of Keras: every name that people write, and the object behind it.

Nothing here runs an operation, so that the clean parent may import it.
"""

import keras
import public_tensorflow as shared

VALUES = ("KerasTensor", "Variable")
"""The classes that hold values: what they can do is found as their methods."""
ROOT = "keras"
OLD = "tf."
"""In front of these names, people find the same objects below TensorFlow."""

methods = shared.methods
home = shared.home
attribute = shared.attribute
located = shared.located
preference = shared.preference


def everything():
    """`(dotted name, object)` of everything public."""
    return shared.names(ROOT, keras)


def named_in_tensorflow(names):
    """The same names as TensorFlow shows them: many reports import Keras from there."""
    return [OLD + name for name in names]
