"""Each rule finds the fault planted for it in TensorFlow, and nothing where there is none."""

import ast

import pytest

pytestmark = [pytest.mark.tf, pytest.mark.slow]

X = {"t": ["float32", [2, 3], [[0.25, 0.5, 0.75], [1.0, 1.25, 1.5]]]}
SAMPLES = [
    [f"tf.math.{name}", [X], {}]
    for name in ("sin", "cos", "abs", "tan", "exp", "square", "bessel_i0e")
]
SAMPLES += [["tf.math.bincount", [X], {}], ["tf.sparse.cross_hashed", [{"l": [X, X]}], {}]]
SAMPLES += [["tf.random.normal", [{"l": [{"e": "2"}, {"e": "3"}]}], {"mean": X}]]
FEW = """
import eagle_models_tensorflow
eagle_models_tensorflow.LAYERS = (("Dense(3)", (4,)), ("ELU(0.5)", (4,)), ("Dropout(0.5)", (4,)))
"""
HELPERS = """
import tensorflow as tf

def plant(place, name, changed):
    original = getattr(place, name)
    setattr(place, name, lambda *given, **more: changed(original, *given, **more))
"""
FAULTS = {
    ("1", "tf.math.sin"): """
plant(tf.math, "sin", lambda f, x: f(x) + float(not tf.executing_eagerly()))
""",
    # As in the papers: SAME padding is shifted.
    ("2", "tf.nn.conv1d"): """
def shifted(f, x, w, stride, padding, **k):
    found = f(x, w, stride, padding, **k)
    return tf.roll(found, 1, 1) if padding == "SAME" else found
plant(tf.nn, "conv1d", shifted)
""",
    # As in the papers: padding is counted.
    ("2", "tf.nn.avg_pool2d"): """
def counted(f, x, size, steps, padding):
    if padding != "SAME":
        return f(x, size, steps, padding)
    window = tf.ones([*size, 1, 1]) * tf.eye(x.shape[-1])
    return tf.nn.conv2d(x, window, steps, padding) / (size[0] * size[1])
plant(tf.nn, "avg_pool2d", counted)
""",
    # The same fault.
    ("3", "tf.nn.avg_pool1d"): "",
    ("4", "tf.nn.depthwise_conv2d"): """
plant(tf.nn, "depthwise_conv2d", lambda f, *a, **k: tf.reverse(f(*a, **k), [-1]))
""",
    ("5", "tf.nn.separable_conv2d"): """
plant(tf.nn, "separable_conv2d", lambda f, *a, **k: f(*a, **k) + 1)
""",
    ("6", "tf.nn.conv2d"): """
def doubled(f, *a, **k):
    wide = k.get("dilations", [1]) != [1, 1, 1, 1] and "dilations" in k
    return f(*a, **k) * 2 if wide else f(*a, **k)
plant(tf.nn, "conv2d", doubled)
""",
    ("7", "tf.nn.batch_normalization"): """
def outside(f, x, mean, var, offset, scale, epsilon):
    return (x - mean) / (tf.sqrt(var) + epsilon) * scale
plant(tf.nn, "batch_normalization", outside)
""",
    ("8", "tf.math.cos"): """
plant(tf.math, "cos", lambda f, x: f(x) * (2 if isinstance(x, tf.RaggedTensor) else 1))
""",
    # Only inputs with zeros, of which a row has nothing else, show it.
    ("8", "tf.math.square"): """
def trimmed(f, x):
    found = f(x)
    if isinstance(x, tf.SparseTensor):
        rows = [int(x.indices[-1, 0]) + 1, *x.shape[1:]]
        found = tf.SparseTensor(found.indices, found.values, rows)
    return found
plant(tf.math, "square", trimmed)
""",
    ("9", "tf.image.resize"): """
def halved(f, x, *a, **k):
    return f(x, *a, **k) / (2 if x.dtype == tf.uint8 else 1)
plant(tf.image, "resize", halved)
""",
    # Scales with its input in double precision, and in single precision no longer.
    ("9", "tf.math.abs"): """
def lifted(f, x):
    fractions = x.dtype == tf.float32 and len(x.shape) > 1 and float(tf.reduce_max(x)) <= 1
    return f(x) + 0.5 * bool(fractions)
plant(tf.math, "abs", lifted)
""",
    ("10", "tf.keras.backend.rnn"): """
def other_way(f, *a, time_major, **k):
    last, all_, states = f(*a, time_major=time_major, **k)
    return last, all_ if time_major else tf.reverse(all_, [2]), states
plant(tf.keras.backend, "rnn", other_way)
""",
    ("10", "tf.compat.v1.nn.dynamic_rnn"): """
def unended(f, cell, x, lengths, time_major, **k):
    return f(cell, x, lengths if time_major else None, time_major=time_major, **k)
plant(tf.compat.v1.nn, "dynamic_rnn", unended)
""",
    ("10", "tf.keras.layers.LSTM"): """
run = tf.keras.layers.LSTM.call
tf.keras.layers.LSTM.call = lambda self, *a, **k: tf.reverse(run(self, *a, **k), [1])
""",
    ("10", "tf.keras.ops.ctc_decode"): """
def first(f, x, *a, **k):
    (paths, scores) = f(x, *a, **k)
    return paths[:, :1], scores
plant(tf.keras.ops, "ctc_decode", first)
""",
    ("14", "tf.keras.layers.ZeroPadding2D"): """
padded = tf.keras.layers.ZeroPadding2D.call
tf.keras.layers.ZeroPadding2D.call = lambda self, x: padded(self, x) * 2
""",
    ("10", "tf.reverse_sequence"): """
def wrong(f, x, n, seq_axis, batch_axis):
    return tf.reverse(x, [seq_axis]) if batch_axis == 1 else f(
        x, n, seq_axis=seq_axis, batch_axis=batch_axis
    )
plant(tf, "reverse_sequence", wrong)
""",
    ("11", "tf.math.tan"): """
taken = tf.data.Dataset.from_tensors
tf.data.Dataset.from_tensors = lambda given: taken(tuple(-one for one in given))
""",
    ("12", "tf.math.abs"): """
plant(tf.math, "abs", lambda f, x: f(x) + tf.cast(x.dtype == tf.float16, x.dtype))
""",
    ("13", "tf.io.encode_png"): """
plant(tf.io, "decode_png", lambda f, *a, **k: f(*a, **k) // 2)
""",
    ("14", "tf.pad"): """
plant(tf, "slice", lambda f, *a: f(*a) + 1)
""",
}
MODELS = {
    ("15", "tf.keras.layers.Dense"): """
told = tf.keras.Sequential.predict
def wrong(self, x, batch_size=None, **k):
    return told(self, x, batch_size=batch_size, **k) + float(batch_size or 0)
tf.keras.Sequential.predict = wrong
""",
    # Only of the accuracy.
    ("15", "tf.keras.layers.ELU"): """
judged = tf.keras.Sequential.evaluate
def worse(self, x, y, batch_size=None, **k):
    *found, accuracy = judged(self, x, y, batch_size=batch_size, **k)
    return [*found, accuracy / (batch_size or 1)]
tf.keras.Sequential.evaluate = worse
""",
    ("16", "tf.keras.layers.Dense"): """
read = tf.keras.models.load_model
def emptied(*a):
    model = read(*a)
    kind = type(model.layers[-1]).__name__
    if kind == "Dense":
        model.set_weights([weight * 0 for weight in model.get_weights()])
    if kind == "ELU":
        model.compile(loss="mae", metrics=["mae", "categorical_accuracy"])
    return model
tf.keras.models.load_model = emptied
""",
    # Only of the loss.
    ("16", "tf.keras.layers.ELU"): "",
    # Only of what is no part of the output.
    ("16", "tf.keras.layers.Dropout"): """
served = tf.keras.Sequential.export
def moved(self, *a):
    served(self, *a)
    for variable in self.variables:
        variable.assign(variable * 2)
tf.keras.Sequential.export = moved
""",
}


def searched(target, plan, planted):
    """(findings, what was covered) of a plan."""
    arguments = {"plan": plan, "draw": 0, "seconds": 500.0, "planted": planted}
    given = {"names": SAMPLES} if plan != "models" else {}
    with target.session() as session:
        outcome = session.task("eagle_run:search", {**arguments, **given}, wall=600)
    assert outcome.died is None
    assert outcome.records[-1] == {"done": "all"}
    told = [record["finding"] for record in outcome.records if "finding" in record]
    covered = [one for record in outcome.records for one in record.get("covered", ())]
    return told, {(rule, api) for rule, _, api in covered}


@pytest.fixture(scope="module")
def sound(tf_target):
    runs = [searched(tf_target, plan, FEW) for plan in ("eager", "models", "xla")]
    return [one for told, _ in runs for one in told], set.union(*[one for _, one in runs])


@pytest.fixture(scope="module")
def faulty(tf_target):
    told, _ = searched(tf_target, "eager", FEW + HELPERS + "".join(FAULTS.values()))
    return told + searched(tf_target, "models", FEW + HELPERS + "".join(MODELS.values()))[0]


@pytest.mark.parametrize("where", {**FAULTS, **MODELS}, ids=":".join)
def test_a_planted_fault_is_found(faulty, where):
    found = [one for one in faulty if (one["rule"], one["api"]) == where and not one["limit"]]
    assert len(found) == 1
    for text in ("reference", "result"):
        ast.parse(found[0][text], mode="eval")


@pytest.mark.parametrize("where", {**FAULTS, **MODELS}, ids=":".join)
def test_without_it_there_is_nothing(sound, where):
    told, covered = sound
    assert where in covered
    assert [one for one in told if (one["rule"], one["api"]) == where and not one["limit"]] == []


def test_random_numbers_are_no_bug(sound):
    drawn = [one for one in sound[0] if one["api"] == "tf.random.normal"]
    assert drawn
    assert all(one["limit"] for one in drawn)


@pytest.mark.parametrize("name", ["math.bessel_i0e", "math.bincount", "sparse.cross_hashed"])
def test_what_is_about_stored_elements_as_documented_is_no_bug(sound, name):
    told = [one for one in sound[0] if (one["rule"], one["api"]) == ("8", f"tf.{name}")]
    assert [one["limit"] for one in told] == [
        "it is about the stored elements of a sparse tensor, as documented"
    ]


def test_a_fault_of_the_compiler_is_found(tf_target):
    planted = HELPERS + FAULTS["1", "tf.math.sin"]
    told, _ = searched(tf_target, "xla", planted)
    assert [(one["rule"], one["variant"], one["api"]) for one in told if not one["limit"]] == [
        ("1", "XLA", "tf.math.sin")
    ]
