"""Bugs of the papers, to be planted into one worker: code that runs when its process starts."""

EPSILON_OUTSIDE_THE_ROOT = """
from keras import ops
from keras.src import backend

def wrong(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    shape = [1] * len(x.shape)
    shape[axis] = -1
    mean, variance, offset, scale = (
        each if each is None else ops.reshape(each, shape)
        for each in (mean, variance, offset, scale)
    )
    found = (x - mean) / (ops.sqrt(variance) + epsilon)
    found = found if scale is None else found * scale
    return found if offset is None else found + offset

backend.nn.batch_normalization = wrong
"""

PADDING_IS_COUNTED = """
from keras import ops
from keras.src import backend

right = backend.nn.average_pool

def wrong(inputs, pool_size, strides=None, padding="valid", data_format=None):
    if padding == "same" and data_format != "channels_first":
        sizes = pool_size if isinstance(pool_size, (list, tuple)) else [pool_size] * 2
        steps = strides or sizes
        steps = steps if isinstance(steps, (list, tuple)) else [steps] * 2
        pads = [[0, 0]]
        for n, k, s in zip(inputs.shape[1:-1], sizes, steps):
            total = max((-(-n // s) - 1) * s + k - n, 0)
            pads.append([total // 2, total - total // 2])
        inputs, padding = ops.pad(inputs, pads + [[0, 0]]), "valid"
    return right(inputs, pool_size, strides, padding, data_format)

backend.nn.average_pool = wrong
"""

POOLING_IS_MENDED = """
from keras import ops
from keras.src import backend

right = backend.nn.average_pool

def mended(inputs, pool_size, strides=None, padding="valid", data_format=None):
    if padding != "same":
        return right(inputs, pool_size, strides, padding, data_format)
    first = 2 if data_format == "channels_first" else 1
    rank = len(inputs.shape) - 2
    sizes = pool_size if isinstance(pool_size, (list, tuple)) else [pool_size] * rank
    steps = strides or sizes
    steps = steps if isinstance(steps, (list, tuple)) else [steps] * rank
    pads = [[0, 0]] * len(inputs.shape)
    for axis, (k, s) in enumerate(zip(sizes, steps), first):
        n = inputs.shape[axis]
        total = max((-(-n // s) - 1) * s + k - n, 0)
        pads[axis] = [total // 2, total - total // 2]
    sums, counts = (
        right(ops.pad(each, pads), pool_size, strides, "valid", data_format)
        for each in (inputs, ops.ones_like(inputs))
    )
    return sums / counts

backend.nn.average_pool = mended
"""
# For PyTorch, which counts a copy of the edge: no bug, but what lets another backend's be seen.

SAME_IS_SHIFTED = """
from keras import ops
from keras.src import backend

conv = backend.nn.conv

def wrong(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    if padding == "same":
        rank = len(inputs.shape) - 2
        steps = strides if isinstance(strides, (list, tuple)) else [strides] * rank
        pads = [[0, 0]]
        for n, k, s in zip(inputs.shape[1:-1], kernel.shape, steps):
            total = max((-(-n // s) - 1) * s + k - n, 0)
            pads.append([total - total // 2, total // 2])
        inputs, padding = ops.pad(inputs, pads + [[0, 0]]), "valid"
    return conv(inputs, kernel, strides, padding, data_format, dilation_rate)

backend.nn.conv = wrong
"""

REVERSED_ON_THE_BATCH_AXIS = """
from keras import ops
from keras.src import backend

rnn = backend.rnn

def wrong(step_function, inputs, initial_states, go_backwards=False, **more):
    if go_backwards:
        inputs = ops.flip(inputs, 0)
    return rnn(step_function, inputs, initial_states, go_backwards=False, **more)

backend.rnn = wrong
"""

IN_THE_FRAMEWORK = """
import tensorflow as tf

elu = tf.nn.elu

def wrong(features, name=None):
    return tf.where(features < 0, elu(features) * 0.9, features)

tf.nn.elu = wrong
"""
# A bug of TensorFlow itself: Keras only passes it on.

SATURATES = """
from keras import ops
from keras.src import backend

softplus = backend.nn.softplus

def wrong(x):
    return ops.minimum(softplus(x), 12.0)

backend.nn.softplus = wrong
"""
# Numbers from a seed are too small for it.

REFUSES = """
from keras.src import backend

separable_conv = backend.nn.separable_conv

def wrong(inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", *more, **named):
    if padding == "same":
        raise NotADirectoryError("no such padding")
    return separable_conv(inputs, depthwise_kernel, pointwise_kernel, strides, padding, *more,
                          **named)

backend.nn.separable_conv = wrong
"""

DIES = """
import os
import tensorflow as tf

leaky_relu = tf.nn.leaky_relu

def wrong(features, alpha=0.2, name=None):
    return os.abort() if alpha == 2.0 else leaky_relu(features, alpha)

tf.nn.leaky_relu = wrong
"""

ALL = "".join(
    (
        EPSILON_OUTSIDE_THE_ROOT,
        PADDING_IS_COUNTED,
        SAME_IS_SHIFTED,
        REVERSED_ON_THE_BATCH_AXIS,
        IN_THE_FRAMEWORK,
        SATURATES,
    )
)
"""What gives wrong numbers. They do not get into each other's way: each is of other layers."""
