"""EAGLE's rule 10 on TensorFlow: F(I^T, batch-major)^T = F(I, time-major).

What has a parameter for the order, or names the axes: the loops of Keras and of TensorFlow 1, the
losses and decoders of CTC, `reverse_sequence`, scans. Keras 3 has no recurrent layers with
`time_major`: the time-major form of a batch-major layer is the loop over its cell.
"""

import inspect

import tensorflow as tf
from eagle_pairs import Pair
from eagle_templates_tensorflow import at, pick, values

TURNED = '''def turned(x):
    """The first two axes the other way round."""
    return tf.transpose(x, [1, 0, *range(2, len(x.shape))])
'''
STEP = """def step(one, states):
    state = tf.tanh(one + states[0])
    return state, [state]
"""
SEED = "tf.keras.utils.set_random_seed(0)\n"
CELLS = {"SimpleRNN": 1, "GRU": 1, "LSTM": 2}
"""Recurrent layers, and how many states each has."""
EPSILON = "tf.math.log(turned(x) + tf.keras.backend.epsilon())"
"""What the functions of Keras make of probabilities."""
KERAS_3 = hasattr(tf.keras, "ops")
OF_KERAS_2 = "time_major" in inspect.signature(tf.keras.layers.RNN.__init__).parameters


def entries():
    """One entry per kind of API."""
    made = [reversed_sequences, alignments, older_alignments, probabilities, decoded]
    made += [looped, recurrent, stacked, convolutional, distributed, dynamic, both_ways]
    made += [newer_alignments, newer_decoded, associative] if KERAS_3 else []
    made += [ordered] if OF_KERAS_2 else []
    return [at(make, None) for make in made]


def pair(api, inputs, reference, result, setup=""):
    """The pair of a time-major reference and a batch-major result."""
    setup = TURNED + "\n\n" + setup
    return Pair("10", "batch-major", api, inputs, reference, result, setup=setup, told=True)


def reversed_sequences(rng):
    """Axes that are named."""
    api, axes, lengths = rng.choice(
        (
            ("tf.reverse_sequence", "seq_axis={}, batch_axis={}", "n"),
            ("tf.compat.v1.reverse_sequence", "seq_axis={}, batch_axis={}", "n"),
            ("tf.raw_ops.ReverseSequence", "seq_dim={}, batch_dim={}", "seq_lengths=n"),
        )
    )
    given = "input=" if "raw" in api else ""
    inputs = {"x": values(rng, 2, 4, 3), "n": tf.constant(pick(rng, 2, 1, 4))}
    call = "%s(%s{}, %s, {})" % (api, given, lengths)
    reference = "turned(%s)" % call.format("turned(x)", axes.format(0, 1))
    return pair(api, inputs, reference, call.format("x", axes.format(1, 0)))


def labelled(rng):
    """Labels and scores of two sequences, and the lengths of both."""
    return {
        "y": tf.constant([pick(rng, 2, 1, 2) for _ in range(2)]),
        "x": values(rng, 2, rng.randint(5, 7), 4),
        "n": tf.constant([2, 1]),
        "m": tf.constant(pick(rng, 2, 4, 5)),
    }


def alignments(rng):
    """The losses that know both orders."""
    api = rng.choice(("tf.nn.ctc_loss", "tf.compat.v1.nn.ctc_loss_v2"))
    call = api + "(y, {}, n, m, logits_time_major={}, blank_index=0)"
    reference, result = call.format("turned(x)", True), call.format("x", False)
    return pair(api, labelled(rng), reference, result)


def older_alignments(rng):
    """The same loss of TensorFlow 1, which takes sparse labels."""
    api = "tf.compat.v1.nn.ctc_loss"
    call = api + "(tf.sparse.from_dense(y), {}, m, time_major={})"
    inputs = {key: value for key, value in labelled(rng).items() if key != "n"}
    return pair(api, inputs, call.format("turned(x)", True), call.format("x", False))


def newer_alignments(rng):
    """The loss of Keras 3, which is batch-major."""
    reference = "tf.nn.ctc_loss(y, turned(x), n, m, logits_time_major=True, blank_index=0)"
    api = "tf.keras.ops.ctc_loss"
    return pair(api, labelled(rng), reference, api + "(y, x, n, m)")


def probabilities(rng):
    """The loss of Keras's backend, which is batch-major and takes probabilities."""
    inputs = labelled(rng)
    inputs["x"] = tf.nn.softmax(inputs["x"])
    reference = "tf.nn.ctc_loss(y, %s, n, m, blank_index=3)[:, None]" % EPSILON
    api = "tf.keras.backend.ctc_batch_cost"
    return pair(api, inputs, reference, api + "(y, x, m[:, None], n[:, None])")


def heard(rng):
    """Scores of which no two are equal, so that there is one best path."""
    found = labelled(rng)
    noise = tf.reshape(tf.range(tf.size(found["x"]), dtype=tf.float32), found["x"].shape)
    return {"x": found["x"] + noise / 512, "m": found["m"]}


def padded(decoder):
    """Decoded sequences as Keras has them, and their scores."""
    setup = '''def padded(found, width):
    """Sequences of one width; what is left is -1."""
    (paths,), scores = found
    dense = tf.sparse.to_dense(paths, default_value=-1)
    more = [[0, 0], [0, width - dense.shape[1]]]
    return tf.pad(dense, more, constant_values=-1), scores
'''
    return "padded(%s, x.shape[1])" % decoder, setup


def decoded(rng):
    """The decoder of Keras's backend, which is batch-major and takes probabilities."""
    inputs = heard(rng)
    inputs["x"] = tf.nn.softmax(inputs["x"])
    reference, setup = padded("tf.nn.ctc_greedy_decoder(%s, m)" % EPSILON)
    api = "tf.keras.backend.ctc_decode"
    result = "(lambda found: (found[0][0], found[1]))(%s(x, m))" % api
    return pair(api, inputs, reference, result, setup)


def newer_decoded(rng):
    """The decoders of Keras 3, which are batch-major."""
    name, decoder, blank = rng.choice(
        (
            ("greedy", "tf.nn.ctc_greedy_decoder(turned(x), m, blank_index=0)", 0),
            ("beam_search", "tf.nn.ctc_beam_search_decoder(turned(x), m)", 3),
        )
    )
    reference, setup = padded(decoder)
    api = "tf.keras.ops.ctc_decode"
    call = '%s(x, m, "%s", mask_index=%d)' % (api, name, blank)
    result = "(lambda found: (found[0][0], found[1]))(%s)" % call
    return pair(api, heard(rng), reference, result, setup)


def sequences(rng):
    """A batch of two sequences, its mask, lengths, and a state of three numbers."""
    length = rng.randint(1, 4)
    return {
        "x": values(rng, 2, length, 3),
        "h": values(rng, 2, 3),
        "k": tf.constant([[rng.random() < 0.7 for _ in range(length)] for _ in range(2)]),
        "n": tf.constant(pick(rng, 2, 1, length)),
    }


def looped(rng):
    """The loop of Keras over time steps, with its modes."""
    inputs = sequences(rng)
    masked = rng.random() < 0.5
    modes = rng.choice(("", ", go_backwards=True", ", unroll=True"))
    api = "tf.keras.backend.rnn"
    call = api + "(step, {}, [h], time_major={}%s{})" % modes
    reference = call.format("turned(x)", True, ", mask=turned(k)" if masked else "")
    result = call.format("x", False, ", mask=k" if masked else "")
    inputs = {key: inputs[key] for key in ("x", "h", "k")[: 2 + masked]}
    return pair(api, inputs, outputs(reference), result + "[:2]", STEP)


def outputs(loop):
    """The last output of a time-major loop, and all of them in the other order."""
    return "(lambda found: (found[0], turned(found[1])))(%s)" % loop


def recurrent(rng):
    """A recurrent layer, and the loop over its cell."""
    kind = rng.choice(sorted(CELLS))
    masked, back = rng.random() < 0.5, rng.random() < 0.5
    inputs = sequences(rng)
    states = "[%s]" % ", ".join(["h"] * CELLS[kind])
    api = "tf.keras.layers." + kind
    setup = SEED + "layer = %s(3, return_sequences=True, go_backwards=%r)\n" % (api, back)
    setup += "layer.build(x.shape)\n"
    mask = (", mask=turned(k)", ", mask=k") if masked else ("", "")
    loop = "tf.keras.backend.rnn(layer.cell, turned(x), %s, time_major=True, go_backwards=%r%s)"
    reference = "turned(%s[1])" % (loop % (states, back, mask[0]))
    result = "layer(x, initial_state=%s%s)" % (states, mask[1])
    inputs = {key: inputs[key] for key in ("x", "h", "k")[: 2 + masked]}
    return pair(api, inputs, reference, result, setup)


def stacked(rng):
    """Several cells, one upon the other."""
    kinds = [rng.choice(sorted(CELLS)) for _ in range(2)]
    cells = ", ".join("tf.keras.layers.%sCell(3)" % kind for kind in kinds)
    setup = SEED + "cell = tf.keras.layers.StackedRNNCells([%s])\n" % cells
    setup += "layer = tf.keras.layers.RNN(cell, return_sequences=True)\nlayer.build(x.shape)\n"
    states = ["[%s]" % ", ".join(["h"] * CELLS[kind]) if CELLS[kind] > 1 else "h" for kind in kinds]
    states = "[%s]" % ", ".join(states)
    inputs = sequences(rng)
    reference = "turned(tf.keras.backend.rnn(cell, turned(x), %s, time_major=True)[1])" % states
    result = "layer(x, initial_state=%s)" % states
    api = "tf.keras.layers." + rng.choice(("RNN", "StackedRNNCells"))
    return pair(api, {key: inputs[key] for key in "xh"}, reference, result, setup)


def convolutional(rng):
    """Recurrent convolutions."""
    rank = rng.randint(1, 3)
    api = "tf.keras.layers.ConvLSTM%dD" % rank
    x = values(rng, 2, rng.randint(1, 3), *pick(rng, rank, 2, 3), 2)
    setup = SEED + 'layer = %s(2, 2, padding="same", return_sequences=True)\n' % api
    setup += "layer.build(x.shape)\nzeros = tf.zeros_like(x[:, 0])\n"
    loop = "tf.keras.backend.rnn(layer.cell, turned(x), [zeros, zeros], time_major=True)"
    return pair(api, {"x": x}, "turned(%s[1])" % loop, "layer(x)", setup)


def distributed(rng):
    """A layer for each step of time."""
    inner = rng.choice(("Dense(2)", "LayerNormalization()", "Conv1D(2, 2)", "SimpleRNN(2)"))
    api = "tf.keras.layers.TimeDistributed"
    setup = SEED + "layer = %s(tf.keras.layers.%s)\n" % (api, inner)
    setup += "layer.build(tuple(x.shape))\n"
    more = (3,) if inner[:2] in ("Co", "Si") else ()
    x = values(rng, 2, rng.randint(1, 4), *more, 2)
    return pair(api, {"x": x}, "turned(tf.map_fn(layer.layer, turned(x)))", "layer(x)", setup)


def dynamic(rng):
    """The loop of TensorFlow 1, with lengths."""
    inputs, cell = sequences(rng), rng.choice(sorted(CELLS))
    states = "[%s]" % ", ".join(["h"] * CELLS[cell])
    api = "tf.compat.v1.nn.dynamic_rnn"
    setup = SEED + "cell = tf.keras.layers.%sCell(3)\ncell.build((2, 3))\n" % cell
    call = api + "(cell, {}, n, initial_state=%s, time_major={})" % states
    reference, result = call.format("turned(x)", True), call.format("x", False)
    reference = "(lambda found: (turned(found[0]), found[1]))(%s)" % reference
    return pair(api, {key: inputs[key] for key in "xhn"}, reference, result, setup)


def both_ways(rng):
    """The same loop in both directions."""
    inputs, cell = sequences(rng), rng.choice(sorted(CELLS))
    states = "[%s]" % ", ".join(["h"] * CELLS[cell])
    api = "tf.compat.v1.nn.bidirectional_dynamic_rnn"
    setup = SEED + "cells = [tf.keras.layers.%sCell(3) for _ in range(2)]\n" % cell
    setup += "for cell in cells:\n    cell.build((2, 3))\n"
    call = api + "(*cells, {}, n, %s, %s, time_major={})" % (states, states)
    reference, result = call.format("turned(x)", True), call.format("x", False)
    reference = "(lambda found: ([*map(turned, found[0])], found[1]))(%s)" % reference
    return pair(api, {key: inputs[key] for key in "xhn"}, reference, result, setup)


def associative(rng):
    """A scan along an axis that is named."""
    api = "tf.keras.ops.associative_scan"
    back = rng.random() < 0.5
    call = "%s(tf.%s, {}, reverse=%r, axis={})" % (api, rng.choice(("add", "maximum")), back)
    x = values(rng, 2, rng.randint(1, 6), 3)
    reference = "turned(%s)" % call.format("turned(x)", 0)
    return pair(api, {"x": x}, reference, call.format("x", 1))


def ordered(rng):
    """The layers of Keras 2, which have a parameter for the order."""
    kind = rng.choice(("GRU", "LSTM"))
    api = "tf.keras.layers." + kind
    more = "3, return_sequences=True, go_backwards=%r" % (rng.random() < 0.5)
    setup = SEED + "layer = {0}({1})\nother = {0}({1}, time_major=True)\n".format(api, more)
    setup += "layer.build(x.shape)\nother.build(x.shape)\nother.set_weights(layer.get_weights())\n"
    inputs = {"x": values(rng, 2, rng.randint(1, 4), 3)}
    return pair(api, inputs, "turned(other(turned(x)))", "layer(x)", setup)
