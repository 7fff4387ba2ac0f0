"""The functions of each framework that the steps of a plan are written with."""

from __future__ import annotations

MADE = {
    "torch": {
        "tensor": "torch.tensor",
        "negate": "torch.neg",
        "zeros": "torch.zeros_like",
        "narrow": "torch.cat",
        "repeat": "torch.stack",
        "mean": "torch.mean",
        "sum": "torch.sum",
        "max": "torch.max",
        "min": "torch.min",
    },
    "tf": {
        "tensor": "tf.convert_to_tensor",
        "variable": "tf.Variable",
        "cast": "tf.cast",
        "negate": "tf.negative",
        "zeros": "tf.zeros_like",
        "narrow": "tf.concat",
        "repeat": "tf.stack",
        "mean": "tf.reduce_mean",
        "sum": "tf.reduce_sum",
        "max": "tf.reduce_max",
        "min": "tf.reduce_min",
    },
    "keras": {
        "tensor": "keras.ops.convert_to_tensor",
        "variable": "keras.Variable",
        "cast": "keras.ops.cast",
        "negate": "keras.ops.negative",
        "zeros": "keras.ops.zeros_like",
        "narrow": "keras.ops.concatenate",
        "repeat": "keras.ops.stack",
        "mean": "keras.ops.mean",
        "sum": "keras.ops.sum",
        "max": "keras.ops.max",
        "min": "keras.ops.min",
    },
}
"""Step -> function that writes it, by the root of the APIs that a case is about."""
WHOLES = {"sparse": "tf.SparseTensor"}
"""What is made of several values -> function that makes it."""
