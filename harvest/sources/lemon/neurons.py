"""Which weights of a layer belong to a neuron (LEMON, section 3.2): views of its arrays.

A neuron is one output of a layer: a unit or a channel. Its axis depends on the kind of layer, so
the kinds for which it is known are listed; inner-layer rules leave all others alone. Among those
are layers of other layers and attention, whose heads mix what comes in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harvest.sources.networks import Array, Layer

_PLAIN = ("Dense", "Conv1D", "Conv2D", "Conv3D")
_TRANSPOSED = ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
_DEPTHWISE = ("DepthwiseConv1D", "DepthwiseConv2D")
_SEPARABLE = ("SeparableConv1D", "SeparableConv2D")
_RECURRENT = ("SimpleRNN", "LSTM", "GRU")


def outgoing(layer: Layer, arrays: Sequence[Array]) -> list[Array]:
    """The weights that make a layer's outputs: the last axis of each view is its neurons'.

    `arrays` are contiguous, in the order of `keras.Layer.weights`. The first view holds what comes
    in, (..., neurons); then follow recurrent weights, (units, gates, neurons), and the bias,
    (neurons,) or with gates in front. Empty where neurons are not known.
    """
    kind = layer.kind
    if kind in _PLAIN or kind == "Embedding":
        return list(arrays)
    if kind in _TRANSPOSED:  # (window, out, in)
        return [np.moveaxis(arrays[0], -2, -1), *arrays[1:]]
    if kind in _DEPTHWISE:  # (window, in, multiplier); output number in * multiplier + m
        return [arrays[0].reshape(*arrays[0].shape[:-2], -1), *arrays[1:]]
    if kind in _SEPARABLE:  # the pointwise kernel is what makes the outputs
        return list(arrays[1:])
    if kind in _RECURRENT:  # the gates of all units lie behind each other
        units = arrays[1].shape[0]
        return [array.reshape(*array.shape[:-1], -1, units) for array in arrays]
    return []


def alike(layer: Layer, arrays: Sequence[Array]) -> list[Array]:
    """`outgoing` where all neurons see the same inputs, so that they can change places."""
    seen_apart = layer.kind in _DEPTHWISE or layer.config.get("groups", 1) != 1
    return [] if seen_apart else outgoing(layer, arrays)


def incoming(layer: Layer, arrays: Sequence[Array]) -> Array | None:
    """The weights that a layer gives to the neurons before it, (..., neurons before); a view.

    None where they are not known. Groups of a convolution share one axis.
    """
    kind = layer.kind
    if kind in _TRANSPOSED:
        return arrays[0]
    before_last = (*_PLAIN, *_DEPTHWISE, *_SEPARABLE, *_RECURRENT)
    if kind in before_last and layer.config.get("groups", 1) == 1:
        return np.moveaxis(arrays[0], -2, -1)
    return None
