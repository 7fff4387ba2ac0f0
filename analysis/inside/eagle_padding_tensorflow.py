"""EAGLE's rule 14 on TensorFlow: unpad(pad(I)) = I: functions, layers and sequences that pad."""

from eagle_pairs import Pair
from eagle_templates_tensorflow import CONFIGURATIONS, values

MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")
FUNCTIONS = (
    ("tf.pad", "tf.pad(x, {pads}, {mode!r})", MODES),
    ("tf.raw_ops.Pad", "tf.raw_ops.Pad(input=x, paddings={pads})", MODES[:1]),
    (
        "tf.raw_ops.PadV2",
        "tf.raw_ops.PadV2(input=x, paddings={pads}, constant_values=9.0)",
        MODES[:1],
    ),
    (
        "tf.raw_ops.MirrorPad",
        "tf.raw_ops.MirrorPad(input=x, paddings={pads}, mode={mode!r})",
        MODES[1:],
    ),
    (
        "tf.keras.ops.pad",
        "tf.keras.ops.pad(x, {pads}, mode={mode!r})",
        ("constant", "reflect", "symmetric"),
    ),
)
"""API, call and modes; all are undone by a slice."""


def entries():
    """One entry per API that pads."""
    made = [sliced(*row) for row in FUNCTIONS] + [layer(rank) for rank in (1, 2, 3)]
    return [*map(drawn, made), *map(drawn, (boxed, cropped, ragged, sequences))]


def drawn(make):
    """An entry of several configurations; each round has twice as many."""

    def entry(step, rng):
        for _ in range(CONFIGURATIONS << step):
            yield make(rng)

    return entry


def sliced(api, call, modes):
    def make(rng):
        shape = [rng.randint(3, 4) for _ in range(rng.randint(1, 4))]
        pads = [[rng.randint(0, 2), rng.randint(0, 2)] for _ in shape]
        mode, begin = rng.choice(modes), [before for before, _ in pads]
        padded = call.format(pads=pads, mode=mode).replace("'", '"')
        result = "tf.slice(%s, %r, %r)" % (padded, begin, shape)
        return Pair("14", mode, api, {"x": values(rng, *shape)}, "x", result, told=True)

    return make


def layer(rank):
    """A layer that pads and the one that crops."""
    api = "tf.keras.layers.ZeroPadding%dD" % rank

    def make(rng):
        pads = [(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(rank)]
        told = repr(pads[0] if rank == 1 else tuple(pads))
        shape = [rng.randint(2, 4) for _ in range(rank)]
        result = "tf.keras.layers.Cropping%dD(%s)(%s(%s)(x))" % (rank, told, api, told)
        inputs = {"x": values(rng, 1, *shape, 2)}
        return Pair("14", "cropping", api, inputs, "x", result, told=True)

    return make


def boxed(rng):
    """Images in boxes."""
    top, left = rng.randint(0, 2), rng.randint(0, 2)
    padded = "tf.image.pad_to_bounding_box(x, %d, %d, 8, 9)" % (top, left)
    result = "tf.image.crop_to_bounding_box(%s, %d, %d, 5, 6)" % (padded, top, left)
    api = "tf.image.pad_to_bounding_box"
    return Pair("14", "box", api, {"x": values(rng, 2, 5, 6, 3)}, "x", result, told=True)


def cropped(rng):
    """Images that are padded on all sides."""
    api = "tf.image.resize_with_crop_or_pad"
    high, wide = 5 + 2 * rng.randint(0, 2), 6 + 2 * rng.randint(0, 2)
    result = "%s(%s(x, %d, %d), 5, 6)" % (api, api, high, wide)
    return Pair("14", "centre", api, {"x": values(rng, 2, 5, 6, 3)}, "x", result, told=True)


def two(rng):
    """Two sequences and their lengths."""
    lengths = [rng.randint(1, 4), rng.randint(1, 4)]
    return {"x": values(rng, lengths[0], 2), "y": values(rng, lengths[1], 2)}, lengths


def ragged(rng):
    """Rows of a ragged tensor."""
    inputs, lengths = two(rng)
    padded = "tf.ragged.stack([x, y]).to_tensor(9.0)"
    result = "tf.RaggedTensor.from_tensor(%s, %r).values" % (padded, lengths)
    api = "tf.RaggedTensor.to_tensor"
    return Pair("14", "ragged", api, inputs, "tf.concat([x, y], 0)", result, told=True)


def sequences(rng):
    """Sequences that are padded behind their ends."""
    inputs, lengths = two(rng)
    padded = 'tf.keras.utils.pad_sequences([x, y], dtype="float32", padding="post", value=9.0)'
    result = "tf.concat([row[:n] for row, n in zip(%s, %r)], 0)" % (padded, lengths)
    api = "tf.keras.utils.pad_sequences"
    return Pair("14", "sequences", api, inputs, "tf.concat([x, y], 0)", result, told=True)
