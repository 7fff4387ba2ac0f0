"""Seed models: small networks of the families that CRADLE, Audee and LEMON test with.

Pre-trained weights are not to be had offline, so weights and inputs come from seeds, and so do the
details of each network (`variant` 0 has the usual ones).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from harvest.sources.networks import Layer, Network

BATCH = 8
CLASSES = 10
IMAGE = (BATCH, 16, 16, 3)
SEQUENCE = (BATCH, 12)
WORDS = 50


class Builder:
    """Puts layers behind each other; `at` is the last one's name."""

    def __init__(self, variant: int) -> None:
        self._random = np.random.default_rng([variant, 3])
        self._usual = variant == 0
        self._layers: list[Layer] = []
        self.at = "in"

    def pick(self, usual: Any, *others: Any) -> Any:
        """The usual value in variant 0, any of them in others."""
        values = (usual, *others)
        return usual if self._usual else values[int(self._random.integers(len(values)))]

    def add(self, kind: str, *inputs: str, **config: Any) -> str:
        """Append a layer behind the last one, or behind those named; returns its name."""
        name = f"{kind.lower()}_{len(self._layers)}"
        made = Layer(name=name, kind=kind, config=config, inputs=inputs or (self.at,))
        self._layers.append(made)
        self.at = name
        return name

    def head(self) -> tuple[Layer, ...]:
        """A classifier's last layer; all layers."""
        self.add("Dense", units=CLASSES, activation="softmax")
        return tuple(self._layers)


def lenet(build: Builder) -> None:
    """LeNet-5: convolutions and pooling, then dense layers."""
    pool = build.pick("AveragePooling2D", "MaxPooling2D")
    activation = build.pick("tanh", "relu", "sigmoid")
    padding = build.pick("same", "valid")
    for filters in (6, 8):
        build.add("Conv2D", filters=filters, kernel_size=3, padding=padding, activation=activation)
        build.add(pool, pool_size=2, strides=build.pick(2, 1), padding=padding)
    build.add("Flatten")
    build.add("Dense", units=24, activation=activation)


def resnet(build: Builder) -> None:
    """ResNet: blocks with a way around, batch normalisation."""
    build.add("Conv2D", filters=8, kernel_size=3, padding="same", use_bias=False)
    for _ in range(2):
        around = build.at
        for last in (False, True):
            build.add("Conv2D", filters=8, kernel_size=build.pick(3, 1, 2), padding="same")
            build.add("BatchNormalization", epsilon=build.pick(1e-3, 1e-5))
            if not last:
                build.add("ReLU")
        build.add("Add", around, build.at)
        build.add("ReLU")
        build.add("MaxPooling2D", pool_size=build.pick(2, 3), strides=2, padding="same")
    build.add(build.pick("GlobalAveragePooling2D", "GlobalMaxPooling2D"))


def mobilenet(build: Builder) -> None:
    """MobileNet: depthwise and separable convolutions, pooling over a padded border."""
    build.add("ZeroPadding2D", padding=1)
    build.add("Conv2D", filters=6, kernel_size=3, strides=2)
    build.add("BatchNormalization")
    build.add("ReLU", max_value=6.0)
    for stride in (1, build.pick(2, 1)):
        build.add("DepthwiseConv2D", kernel_size=3, strides=stride, padding="same")
        build.add("BatchNormalization")
        build.add("ReLU", max_value=6.0)
        build.add("Conv2D", filters=8, kernel_size=1)
    build.add("SeparableConv2D", filters=8, kernel_size=3, padding="same")
    size, strides = build.pick(3, 2), build.pick(2, 1)
    build.add("AveragePooling2D", pool_size=size, strides=strides, padding="same")
    build.add("Flatten")


def vgg(build: Builder) -> None:
    """VGG: pairs of convolutions, pooling, dense layers with dropout."""
    activation = build.pick("relu", "elu", "leaky_relu")
    for filters in (6, 8):
        for _ in range(2):
            build.add("Conv2D", filters=filters, kernel_size=3, padding="same")
            build.add("Activation", activation=activation)
        build.add("MaxPooling2D", pool_size=2, padding=build.pick("valid", "same"))
    build.add("Flatten")
    build.add("Dense", units=24, activation=activation)
    build.add("Dropout", rate=0.5)


def _words(build: Builder) -> None:
    build.add("Embedding", input_dim=WORDS, output_dim=8)


def simple_rnn(build: Builder) -> None:
    """SimpleRNN, twice."""
    _words(build)
    build.add("SimpleRNN", units=8, return_sequences=True, activation=build.pick("tanh", "relu"))
    build.add("SimpleRNN", units=8, go_backwards=build.pick(False, True))


def lstm(build: Builder) -> None:
    """LSTM over a convolved sequence."""
    _words(build)
    build.add("Conv1D", filters=8, kernel_size=3, padding=build.pick("same", "causal"))
    build.add("LSTM", units=8, return_sequences=True, go_backwards=build.pick(False, True))
    build.add("AveragePooling1D", pool_size=build.pick(2, 3), strides=2, padding="valid")
    build.add("LSTM", units=8)


def gru(build: Builder) -> None:
    """GRU both ways."""
    _words(build)
    after = build.pick(True, False)
    inner = {"units": 6, "return_sequences": True, "reset_after": after}
    layer = {"class": "GRU", "config": inner}
    build.add("Bidirectional", layer=layer, merge_mode=build.pick("concat", "sum", "mul"))
    build.add("LayerNormalization")
    build.add("GRU", units=8, reset_after=after)


def attention(build: Builder) -> None:
    """A block of a transformer."""
    _words(build)
    for _ in range(2):
        around = build.at
        build.add("MultiHeadAttention", around, around, num_heads=2, key_dim=build.pick(4, 3))
        build.add("Add", around, build.at)
        around = build.add("LayerNormalization", epsilon=1e-6)
        build.add("Dense", units=16, activation=build.pick("gelu", "relu", "swish"))
        build.add("Dense", units=8)
        build.add("Add", around, build.at)
        build.add("LayerNormalization", epsilon=1e-6)
    build.add(build.pick("GlobalAveragePooling1D", "GlobalMaxPooling1D"))


IMAGES = (lenet, resnet, mobilenet, vgg)
SEQUENCES = (simple_rnn, lstm, gru, attention)
FAMILIES: tuple[Callable[[Builder], None], ...] = (*IMAGES, *SEQUENCES)


def seed_network(family: Callable[[Builder], None], variant: int) -> Network:
    """One network; its name tells how to make it again."""
    build = Builder(variant)
    family(build)
    images = family in IMAGES
    return Network(
        name=f"{family.__name__}-{variant}",
        inputs={"in": IMAGE if images else SEQUENCE},
        layers=build.head(),
        domain="real" if images else WORDS,
    )
