"""The backend that Keras runs on in this process: its tensors, and what is compiled from what.

Importing this runs no operation.
"""

import keras

KIND = keras.config.backend()


def _of_torch():
    import torch

    return torch.Tensor, "torch.Tensor"


def _of_tensorflow():
    import tensorflow as tf

    kinds = (tf.Tensor, tf.Variable, tf.SparseTensor, tf.RaggedTensor, tf.IndexedSlices)
    return kinds, "tensorflow.Tensor"


def _of_jax():
    import jax

    return jax.Array, "jax.Array"


TENSOR, NAME = {"torch": _of_torch, "tensorflow": _of_tensorflow, "jax": _of_jax}[KIND]()
"""Its class of tensors, or several, and what their methods are called after."""


def compiled_from(function):
    """The Python function that a graph of TensorFlow is made from, None for all else."""
    if KIND != "tensorflow":
        return None
    import tensorflow as tf

    generic = tf.types.experimental.GenericFunction
    return getattr(function, "python_function", None) if isinstance(function, generic) else None
