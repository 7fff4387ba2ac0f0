"""Two small backends of two layers, in NumPy: average pooling over pairs, and a product.

Of the second backend, pooling with padding "same" and strides above one counts the padding: that
is the bug. Pooling of a size below one is refused, and one of size 9 has no numbers.
"""

import numpy as np

from harvest.sources.audee.amplifying import Prepared
from harvest.sources.backends import Execution, Failure
from harvest.sources.networks import make_inputs

SHAPE = (2, 9, 3)
KIND = "AveragePooling1D"


class Lab:
    """A lab of `Algorithm 2`; `runs` counts."""

    def __init__(self):
        self.runs = 0

    def prepare(self, network, seed):
        return Prepared(inputs=make_inputs(network, seed))

    def run(self, network, prepared):
        self.runs += 1
        return {name: executed(name, network, prepared.inputs) for name in ("right", "wrong")}


def executed(backend, network, inputs):
    states = dict(inputs)
    for layer in network.layers:
        (given,) = (states[name] for name in layer.inputs)
        try:
            states[layer.name] = LAYERS[layer.kind](backend, given, **layer.config)
        except ValueError as problem:
            failure = Failure(layer=layer.name, types=("ValueError",), message=str(problem))
            return Execution(backend=backend, states=_own(network, states), failure=failure)
    return Execution(backend=backend, states=_own(network, states))


def _own(network, states):
    return {layer.name: states[layer.name] for layer in network.layers if layer.name in states}


def pool(backend, x, pool_size=2, strides=None, padding="valid", data_format="channels_last"):
    if pool_size < 1 or (padding == "causal_" and backend == "right"):
        raise ValueError("no such pooling")
    steps, size = strides or pool_size, x.shape[1]
    places = -(-size // steps) if padding == "same" else (size - pool_size) // steps + 1
    out = np.zeros((x.shape[0], places, x.shape[2]), dtype="float32")
    for place in range(places):
        window = x[:, place * steps : place * steps + pool_size]
        counted = backend == "wrong" and padding == "same" and steps > 1
        out[:, place] = window.sum(1) / (pool_size if counted else window.shape[1])
    return out


def scale(backend, x, scale=2.0, offset=0.0):
    # Another order of the operations, so that the last digits differ.
    return x * np.float32(scale) + np.float32(offset) if backend == "right" else scale * x + offset


LAYERS = {KIND: pool, "Rescaling": scale}
