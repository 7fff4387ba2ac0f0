"""EAGLE's rule 7 on TensorFlow: F(I) = the formula in F's documentation.

A row is (call, formula, inputs); inputs are named by their domain.
"""

import tensorflow as tf
from eagle_pairs import Pair
from eagle_templates_tensorflow import values

FORMULAS = (
    ("tf.nn.softmax(x)", "tf.exp(x) / tf.reduce_sum(tf.exp(x), 1, keepdims=True)", "x"),
    ("tf.nn.log_softmax(x)", "x - tf.math.log(tf.reduce_sum(tf.exp(x), 1, keepdims=True))", "x"),
    ("tf.reduce_logsumexp(x, 1)", "tf.math.log(tf.reduce_sum(tf.exp(x), 1))", "x"),
    ("tf.math.cumulative_logsumexp(x, 1)", "tf.math.log(tf.cumsum(tf.exp(x), 1))", "x"),
    ("tf.nn.softplus(x)", "tf.math.log(1 + tf.exp(x))", "x"),
    ("tf.nn.softsign(x)", "x / (1 + tf.abs(x))", "x"),
    ("tf.nn.silu(x)", "x / (1 + tf.exp(-x))", "x"),
    ("tf.nn.silu(x, 2.0)", "x / (1 + tf.exp(-2.0 * x))", "x"),
    ("tf.nn.gelu(x)", "x * 0.5 * (1 + tf.math.erf(x / math.sqrt(2)))", "x"),
    ("tf.nn.elu(x)", "tf.where(x > 0, x, tf.exp(x) - 1)", "x"),
    (
        "tf.nn.selu(x)",
        "1.0507009873554805 * tf.where(x > 0, x, 1.6732632423543772 * (tf.exp(x) - 1))",
        "x",
    ),
    ("tf.nn.relu6(x * 4)", "tf.clip_by_value(x * 4, 0, 6)", "x"),
    ("tf.nn.leaky_relu(x, 0.25)", "tf.maximum(x, 0.25 * x)", "x"),
    ("tf.nn.crelu(x)", "tf.concat([tf.nn.relu(x), tf.nn.relu(-x)], -1)", "x"),
    ("tf.math.log_sigmoid(x)", "-tf.math.log(1 + tf.exp(-x))", "x"),
    ("tf.nn.l2_loss(x)", "tf.reduce_sum(x**2) / 2", "x"),
    ("tf.nn.l2_normalize(p, 1)", "p / tf.sqrt(tf.reduce_sum(p**2, 1, keepdims=True))", "p"),
    ("tf.nn.batch_normalization(x, y, p, None, z, 0.5)", "(x - y) / tf.sqrt(p + 0.5) * z", "xypz"),
    (
        "tf.nn.moments(x, 1)",
        "(tf.reduce_mean(x, 1), tf.reduce_mean(x**2, 1) - tf.reduce_mean(x, 1) ** 2)",
        "x",
    ),
    (
        "tf.nn.sigmoid_cross_entropy_with_logits(u, x)",
        "-u * tf.math.log(tf.sigmoid(x)) - (1 - u) * tf.math.log(1 - tf.sigmoid(x))",
        "xu",
    ),
    (
        "tf.nn.weighted_cross_entropy_with_logits(u, x, 2.0)",
        "-2.0 * u * tf.math.log(tf.sigmoid(x)) - (1 - u) * tf.math.log(1 - tf.sigmoid(x))",
        "xu",
    ),
    (
        "tf.nn.softmax_cross_entropy_with_logits(u, x)",
        "-tf.reduce_sum(u * tf.nn.log_softmax(x), 1)",
        "xu",
    ),
    ("tf.nn.log_poisson_loss(p, x)", "tf.exp(x) - x * p", "xp"),
    ("tf.nn.bias_add(x, y[0])", "x + y[0]", "xy"),
    (
        "tf.nn.lrn(p[None, None], 1, 1.0, 0.5, 0.5)",
        "(p / tf.sqrt(1.0 + 0.5 * tf.stack([p[:, 0] ** 2 + p[:, 1] ** 2, p[:, 0] ** 2 + p[:, 1]"
        " ** 2 + p[:, 2] ** 2, p[:, 1] ** 2 + p[:, 2] ** 2 + p[:, 3] ** 2, p[:, 2] ** 2 + p[:, "
        "3] ** 2], 1)))[None, None]",
        "p",
    ),
    (
        "tf.nn.local_response_normalization(p[None, None], 1, 1.0, 0.5, 0.5)",
        "(p / tf.sqrt(1.0 + 0.5 * tf.stack([p[:, 0] ** 2 + p[:, 1] ** 2, p[:, 0] ** 2 + p[:, 1]"
        " ** 2 + p[:, 2] ** 2, p[:, 1] ** 2 + p[:, 2] ** 2 + p[:, 3] ** 2, p[:, 2] ** 2 + p[:, "
        "3] ** 2], 1)))[None, None]",
        "p",
    ),
    ("tf.math.xlogy(x, p)", "x * tf.math.log(p)", "xp"),
    ("tf.math.xlog1py(x, p)", "x * tf.math.log(1 + p)", "xp"),
    ("tf.math.xdivy(x, p)", "x / p", "xp"),
    ("tf.math.squared_difference(x, y)", "(x - y) ** 2", "xy"),
    ("tf.math.rsqrt(p)", "1 / tf.sqrt(p)", "p"),
    ("tf.math.expm1(x)", "tf.exp(x) - 1", "x"),
    ("tf.math.log1p(p)", "tf.math.log(1 + p)", "p"),
    ("tf.math.sigmoid(x)", "1 / (1 + tf.exp(-x))", "x"),
    ("tf.math.floormod(x, p)", "x - tf.floor(x / p) * p", "xp"),
    ("tf.math.truncatemod(x, p)", "x - tf.cast(tf.cast(x / p, tf.int32), tf.float32) * p", "xp"),
    ("tf.math.multiply_no_nan(x, y)", "tf.where(y == 0, tf.zeros_like(x), x * y)", "xy"),
    ("tf.math.divide_no_nan(x, y)", "tf.where(y == 0, tf.zeros_like(x), x / y)", "xy"),
    (
        "tf.math.reduce_variance(x, 1)",
        "tf.reduce_mean((x - tf.reduce_mean(x, 1, keepdims=True)) ** 2, 1)",
        "x",
    ),
    ("tf.math.reduce_std(x, 1)", "tf.sqrt(tf.math.reduce_variance(x, 1))", "x"),
    ("tf.math.reduce_euclidean_norm(x, 1)", "tf.sqrt(tf.reduce_sum(x**2, 1))", "x"),
    ("tf.math.zero_fraction(x)", "tf.reduce_mean(tf.cast(x == 0, tf.float32))", "x"),
    ("tf.math.polyval([x, y, z], p)", "z + p * (y + p * x)", "xyzp"),
    ("tf.math.cumsum(x, 1, exclusive=True)", "tf.cumsum(x, 1) - x", "x"),
    (
        "tf.math.cumsum(x, 1, reverse=True)",
        "tf.reverse(tf.cumsum(tf.reverse(x, [1]), 1), [1])",
        "x",
    ),
    ("tf.math.sinh(x)", "(tf.exp(x) - tf.exp(-x)) / 2", "x"),
    ("tf.math.cosh(x)", "(tf.exp(x) + tf.exp(-x)) / 2", "x"),
    (
        "tf.math.ndtri(tf.math.sigmoid(x))",
        "math.sqrt(2) * tf.math.erfinv(2 * tf.math.sigmoid(x) - 1)",
        "x",
    ),
    (
        "tf.math.lbeta(p)",
        "tf.reduce_sum(tf.math.lgamma(p), -1) - tf.math.lgamma(tf.reduce_sum(p, -1))",
        "p",
    ),
    ("tf.linalg.trace(x)", "x[0, 0] + x[1, 1] + x[2, 2]", "x"),
    (
        "tf.linalg.cross(x[:, :3], y[:, :3])",
        "tf.stack([x[:, 1] * y[:, 2] - x[:, 2] * y[:, 1], x[:, 2] * y[:, 0] - x[:, 0] * y[:, "
        "2], x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]], 1)",
        "xy",
    ),
    ("tf.linalg.matvec(x, y[0])", "tf.reduce_sum(x * y[0], 1)", "xy"),
    ("tf.linalg.norm(x, 1, 1)", "tf.reduce_sum(tf.abs(x), 1)", "x"),
    (
        "tf.linalg.band_part(x, 0, -1)",
        "x * tf.constant([[1.0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]])",
        "x",
    ),
    ("tf.tensordot(x, y, [[1], [1]])", "x @ tf.transpose(y)", "xy"),
    ("tf.clip_by_norm(x, 1.0)", "x / tf.maximum(tf.sqrt(tf.reduce_sum(x**2)), 1.0)", "x"),
    (
        "tf.image.total_variation(p[None, ..., None])",
        "tf.reshape(tf.reduce_sum(tf.abs(p[1:] - p[:-1])) + tf.reduce_sum(tf.abs(p[:, 1:] - "
        "p[:, :-1])), [1])",
        "p",
    ),
    (
        "tf.image.per_image_standardization(x[..., None])",
        "((x - tf.reduce_mean(x)) / tf.maximum(tf.math.reduce_std(x), 1 / "
        "math.sqrt(12.0)))[..., None]",
        "x",
    ),
    (
        "tf.image.psnr(x[..., None], y[..., None], 4.0)",
        "10 * tf.math.log(16 / tf.reduce_mean((x - y) ** 2)) / math.log(10)",
        "xy",
    ),
)
SHAPE = 3, 4


def entries():
    """One entry per formula."""
    return [formula(*row) for row in FORMULAS]


def formula(call, text, needs):
    def entry(step, rng):
        for _ in range(2 << step):
            inputs = {name: drawn(rng, name) for name in needs}
            yield Pair("7", "formula", call.partition("(")[0], inputs, text, call)

    return entry


def drawn(rng, name):
    """An input of the domain that its name tells: p is positive, u between 0 and 1."""
    x = values(rng, *SHAPE)
    if name == "p":
        return tf.abs(x) + 0.25
    return (x + 2.5) / 5 if name == "u" else x
