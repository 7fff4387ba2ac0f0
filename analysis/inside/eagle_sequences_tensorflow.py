"""EAGLE's rule 10 on TensorFlow: F(I^T, batch-major)^T = F(I, time-major).

Keras 3 has no recurrent layers of both orders; these have a parameter for it, or name the axes.
"""

import tensorflow as tf
from eagle_pairs import Pair
from eagle_templates_tensorflow import at, pick, values


def entries():
    """One entry per API."""
    made = (reversed_sequences, alignments, older_alignments, scanned)
    return [at(make, None) for make in made]


def reversed_sequences(rng):
    """Axes that are named."""
    inputs = {"x": values(rng, 2, 4, 3), "n": tf.constant(pick(rng, 2, 1, 4))}
    reference = "tf.reverse_sequence(x, n, seq_axis=1, batch_axis=0)"
    result = "tf.transpose(tf.reverse_sequence({}, n, seq_axis=0, batch_axis=1), [1, 0, 2])"
    result = result.format("tf.transpose(x, [1, 0, 2])")
    api = "tf.reverse_sequence"
    return Pair("10", "time-major", api, inputs, reference, result, told=True)


def alignments(rng):
    """The loss that knows both orders."""
    inputs = {
        "y": tf.constant([pick(rng, 2, 1, 2) for _ in range(2)]),
        "x": values(rng, 2, rng.randint(5, 7), 4),
        "n": tf.constant([2, 1]),
        "m": tf.constant([5, 5]),
    }
    call = "tf.nn.ctc_loss(y, {}, n, m, logits_time_major={}, blank_index=0)"
    reference = call.format("tf.transpose(x, [1, 0, 2])", True)
    api = "tf.nn.ctc_loss"
    return Pair("10", "batch-major", api, inputs, reference, call.format("x", False), told=True)


def older_alignments(rng):
    """The same loss of TensorFlow 1, which takes sparse labels."""
    inputs = {
        "y": tf.constant([pick(rng, 2, 1, 2) for _ in range(2)]),
        "x": values(rng, 2, rng.randint(5, 7), 4),
        "n": tf.constant([5, 5]),
    }
    api = "tf.compat.v1.nn.ctc_loss"
    call = api + "(tf.sparse.from_dense(y), {}, n, time_major={})"
    reference = call.format("tf.transpose(x, [1, 0, 2])", True)
    return Pair("10", "batch-major", api, inputs, reference, call.format("x", False), told=True)


def scanned(rng):
    """The loop of Keras over time steps."""
    inputs = {"x": values(rng, 2, rng.randint(1, 4), 3), "h": values(rng, 2, 3)}
    setup = (
        "def step(one, states):\n    state = tf.tanh(one + states[0])\n    return state, [state]\n"
    )
    api = "tf.keras.backend.rnn"
    call = api + "(step, {}, [h], time_major={})[1]"
    reference = "tf.transpose(%s, [1, 0, 2])" % call.format("tf.transpose(x, [1, 0, 2])", True)
    result = call.format("x", False)
    return Pair("10", "batch-major", api, inputs, reference, result, setup=setup, told=True)
