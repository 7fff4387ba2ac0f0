"""Run the examples of TensorFlow's docstrings: see `docstrings`.

Placeholders of Keras models become tensors of ones.
"""

import math
import sys

import numpy as np
import public_tensorflow as public
import tensorflow as tf
from docstrings import Examples
from guard_tensorflow import Guard, configures
from recorder_tensorflow import Recorder
from tested_tensorflow import MOST_SAMPLES, TensorFlowTested, prepare

SPACES = "ops layers models losses metrics initializers optimizers random activations utils".split()


class TensorFlowExamples(Examples):
    """The examples of TensorFlow; one that changes settings ends the process by an exception."""

    most_samples = MOST_SAMPLES
    located = staticmethod(public.located)
    configures = staticmethod(configures)

    def __init__(self):
        self.recorder = Recorder()
        self.guard = Guard()

    def tested(self, name, thing, provider):
        return TensorFlowTested(name, thing, self.recorder, provider)

    def shown_as(self, name):
        """Where the successor of an API of version 1 is: its examples often show that one."""
        later = name.replace("tf.compat.v1.", "tf.")
        place = public.located(later) if later != name else None
        return [place] if place is not None else []

    def seed(self):
        tf.random.set_seed(0)

    def check(self):
        self.guard.check()

    def scope(self):
        keras = sys.modules.get("keras", tf.keras)
        found = {name: public.attribute(keras, name) for name in SPACES}
        return dict(found, tf=tf, np=np, math=math, keras=keras)

    def concrete(self, value):
        """Two stands for a size that is open."""
        if type(value).__name__ != "KerasTensor":
            return value
        return tf.ones([size or 2 for size in value.shape], value.dtype)


def profile(names, part=0, parts=1, first=0, skip=()):
    """Run the examples of every `parts`-th API from number `first` on, without those in `skip`."""
    prepare()
    return TensorFlowExamples().profile(names, part, parts, first, skip)
