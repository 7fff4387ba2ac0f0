"""Run the examples of Keras's docstrings: see `docstrings`.

Symbolic tensors become arrays of ones, and so do tensors: arrays are what people hand to Keras, and
they mean the same on every backend.
"""

import math

import backend_keras as backend
import keras
import numpy as np
import public_keras as public
from docstrings import Examples
from guard_keras import configures
from recorder_keras import Recorder
from tested_keras import MOST_SAMPLES, KerasTested, prepare

SPACES = "ops layers models losses metrics initializers optimizers random activations utils".split()


class KerasExamples(Examples):
    """The examples of Keras, of which models train some seconds."""

    seconds_per_example = 30.0
    seconds_per_statement = 5.0
    most_samples = MOST_SAMPLES
    located = staticmethod(public.located)
    configures = staticmethod(configures)

    def __init__(self):
        self.recorder = Recorder()

    def tested(self, name, thing, provider):
        return KerasTested(name, thing, self.recorder, provider)

    def seed(self):
        keras.utils.set_random_seed(0)

    def scope(self):
        found = {name: public.attribute(keras, name) for name in SPACES}
        return dict(found, np=np, math=math, keras=keras)

    def concrete(self, value):
        """Two stands for a size that is open."""
        if isinstance(value, keras.KerasTensor):
            return np.ones([size or 2 for size in value.shape], value.dtype)
        if isinstance(value, backend.TENSOR):
            return np.asarray(keras.ops.convert_to_numpy(value))
        return value


def profile(names, part=0, parts=1, first=0, skip=()):
    """Run the examples of every `parts`-th API from number `first` on, without those in `skip`."""
    prepare()
    return KerasExamples().profile(names, part, parts, first, skip)
