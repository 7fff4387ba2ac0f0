"""EAGLE's rule 9 for any function of TensorFlow: F(I) = denorm(F(norm(I))).

In: a call of a sample. Out: a pair in which its first input is an image of numbers up to 255, and
one of fractions up to 1. The rule is about what scales with its input, which double precision is
asked for first.
"""

from functools import partial

import numpy as np
import tensorflow as tf
from eagle_pairs import Pair

WHITE = 255
EXACT = 1e-9
"""How well double precision must show that a function scales with its input."""
SCALED = '''def scaled(results):
    """What is measured in the units of the image, on the other scale; indices stay."""
    return [one * 255 if one.dtype.is_floating else one for one in tf.nest.flatten(results)]
'''


def pictures(name, call, rng):
    """Rule 9 for the first input of a call."""
    key = next(iter(call.inputs), None)
    if key is not None and drawable(call.inputs[key]):
        seed = np.random.RandomState(rng.randrange(2**31))
        drawn = seed.randint(0, WHITE + 1, call.inputs[key].shape)
        image = tf.constant(drawn.astype("float32"))
        pair = formatted(name, key, call.over({**call.inputs, key: image}))
        if pair is not None:
            yield pair


def drawable(value):
    """Whether an image may stand in a tensor's place."""
    return value.dtype == tf.float32 and len(value.shape) > 1 and 0 not in value.shape


def formatted(name, key, call):
    """The pair of a call; None where the rule says nothing about it."""
    if not drawable(call.inputs[key]) or not scales(call, key):
        return None
    text = call.text(lambda one: "(%s / 255)" % one if one == key else one)
    return Pair(
        "9",
        "float",
        name,
        call.inputs,
        "scaled(%s)" % text,
        "tf.nest.flatten(%s)" % call.text(),
        setup=SCALED,
        call=call,
        smaller=partial(formatted, name, key),
    )


def scales(call, key):
    """Whether the results of a call in double precision scale with an input."""
    try:
        inputs = {
            name: tf.cast(value, tf.float64) if value.dtype.is_floating else value
            for name, value in call.inputs.items()
        }
        code = compile(call.text(), "<image>", "eval")
        large = eval(code, {"tf": tf, "np": np, **inputs})
        small = eval(code, {"tf": tf, "np": np, **inputs, key: inputs[key] / WHITE})
        pairs = list(zip(tf.nest.flatten(large), tf.nest.flatten(small)))
        return all(map(alike, pairs)) and any(one.dtype.is_floating for one, _ in pairs)
    except Exception:
        return False


def alike(pair):
    """Whether of two results one is WHITE times the other; indices are equal."""
    large, small = pair
    if not all(isinstance(one, tf.Tensor) for one in pair) or large.shape != small.shape:
        return False
    first, second = large.numpy(), small.numpy()
    if first.dtype.kind != "f":
        return first.dtype.kind in "iub" and np.array_equal(first, second)
    if first.dtype != np.float64 or not first.size:
        return False  # it was told to be coarser, and rounds
    finite = bool(np.isfinite(first).all()) and bool(np.abs(first).max() > 0)
    return finite and np.allclose(first, second * WHITE, rtol=EXACT, atol=EXACT)
