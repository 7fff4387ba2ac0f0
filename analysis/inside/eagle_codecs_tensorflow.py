"""EAGLE's rule 13 on TensorFlow: decode(encode(I)) = I."""

import numpy as np
import tensorflow as tf
from eagle_pairs import Pair
from eagle_templates_tensorflow import values

LOSSLESS = (
    ("tf.io.encode_png", "tf.io.decode_png({})", "image"),
    ("tf.io.encode_png", "tf.io.decode_png({}, dtype=tf.uint16)", "image16"),
    ("tf.io.encode_png", "tf.io.decode_image({})", "image"),
    ("tf.io.serialize_tensor", "tf.io.parse_tensor({}, x.dtype)", "any"),
    ("tf.io.encode_base64", "tf.io.decode_base64({})", "bytes"),
    ("tf.strings.as_string", "tf.strings.to_number({}, tf.int32)", "whole"),
    ("tf.strings.bytes_split", "tf.strings.reduce_join({}, -1)", "bytes"),
    ("tf.sparse.from_dense", "tf.sparse.to_dense({})", "any"),
    ("tf.RaggedTensor.from_tensor", "{}.to_tensor()", "any"),
    ("tf.signal.fft", "tf.math.real(tf.signal.ifft({}))", "complex"),
    ("tf.signal.fft2d", "tf.math.real(tf.signal.ifft2d({}))", "complex"),
    ("tf.signal.rfft", "tf.signal.irfft({}, [x.shape[-1]])", "real"),
    ("tf.signal.rfft2d", "tf.signal.irfft2d({}, x.shape)", "real"),
    ("tf.signal.dct", 'tf.signal.idct({}, norm="ortho")', "ortho"),
    ("tf.signal.fftshift", "tf.signal.ifftshift({})", "real"),
    ("tf.math.expm1", "tf.math.log1p({})", "real"),
    ("tf.math.sinh", "tf.math.asinh({})", "real"),
    ("tf.math.exp", "tf.math.log({})", "real"),
    ("tf.transpose", "tf.transpose({})", "any"),
    ("tf.unstack", "tf.stack({})", "any"),
    ("tf.linalg.diag", "tf.linalg.diag_part({})", "real"),
    ("tf.math.reciprocal", "tf.math.reciprocal({})", "positive"),
    ("tf.linalg.qr", "tf.linalg.matmul(*{})", "real"),
    ("tf.linalg.adjoint", "tf.linalg.adjoint({})", "real"),
    ("tf.math.conj", "tf.math.conj({})", "real"),
)
"""An encoder, its decoder and the kind of input for which nothing is lost."""
LAID_OUT = (
    ("tf.nn.space_to_depth({}, 2)", "tf.nn.depth_to_space({}, 2)"),
    ("tf.nn.space_to_batch({}, [2, 2], [[0, 0], [0, 0]])", BACK := "tf.batch_to_space({}, [2, 2], "
     "[[0, 0], [0, 0]])"),
    ("tf.space_to_batch({}, [2, 2], [[0, 0], [0, 0]])", BACK),
    ("tf.split({}, 2, 1)", "tf.concat({}, 1)"),
    ("tf.reverse({}, [1, 2])", "tf.reverse({}, [1, 2])"),
    ("tf.roll({}, [1, 2], [1, 2])", "tf.roll({}, [-1, -2], [1, 2])"),
    ("tf.image.rot90({})", "tf.image.rot90({}, 3)"),
    ("tf.image.rgb_to_hsv({0} / 4 + 0.5)", "tf.image.hsv_to_rgb({}) * 4 - 2"),
    ("tf.image.rgb_to_yuv({})", "tf.image.yuv_to_rgb({})"),
    ("tf.bitcast({}, tf.int32)", "tf.bitcast({}, tf.float32)"),
    ("tf.expand_dims({}, 1)", "tf.squeeze({}, 1)"),
)  # fmt: skip
"""The same for images."""


def entries():
    """One entry per pair of inverses."""
    found = [codec(*row) for row in LOSSLESS] + [laid_out(*row) for row in LAID_OUT]
    return [*found, sounds]


def codec(name, decode, kind):
    def entry(step, rng):
        for _ in range(2 << step):
            x = drawn(rng, kind)
            given = 'x, norm="ortho"' if kind == "ortho" else "x"
            given = "tf.cast(x, tf.complex64)" if kind == "complex" else given
            result = decode.format("%s(%s)" % (name, given))
            yield Pair("13", "inverse", name, {"x": x}, "x", result, told=True)

    return entry


def drawn(rng, kind):
    """An input of a kind."""
    seed = np.random.RandomState(rng.randrange(2**31))
    shape = (rng.randint(2, 4), rng.randint(1, 3) * 2)
    if kind.startswith("image"):
        most, dtype = (65536, "uint16") if kind.endswith("16") else (256, "uint8")
        return tf.constant(seed.randint(0, most, (*shape, rng.randint(1, 4))).astype(dtype))
    if kind == "bytes":
        return tf.constant(["".join(map(chr, seed.randint(97, 123, 4))) for _ in range(shape[0])])
    if kind == "whole":
        return tf.constant(seed.randint(-1000, 1000, shape), tf.int32)
    if kind == "any":
        dtype = rng.choice((tf.float32, tf.float16, tf.int8, tf.int64, tf.complex64, tf.uint8))
        return tf.cast(tf.constant(seed.randint(0, 9, shape)), dtype)
    x = values(rng, *shape)
    return tf.abs(x) + 0.25 if kind == "positive" else x


def laid_out(encode, decode):
    def entry(step, rng):
        for _ in range(2 << step):
            x = values(rng, 2, 2 * rng.randint(1, 2), 2 * rng.randint(1, 2), 3)
            api = encode.partition("(")[0]
            result = decode.format(encode.format("x"))
            yield Pair("13", "inverse", api, {"x": x}, "x", result, told=True)

    return entry


def sounds(step, rng):
    """Rule 13 for sounds, whose samples have 16 bits."""
    for _ in range(2 << step):
        x = values(rng, rng.randint(2, 6), rng.randint(1, 2)) / 4
        result = "tf.audio.decode_wav(tf.audio.encode_wav(x, 8000))[0]"
        inputs = {"x": x}
        yield Pair(
            "13", "inverse", "tf.audio.encode_wav", inputs, "x", result, told=True, least=4e-5
        )
