"""EAGLE's rules about models (15, 16) on TensorFlow: Keras layers as models of one layer.

Rule 15: what a model says, its loss and its accuracy do not depend on the size of the batches.
Rule 16: nor do they on whether it was saved and loaded, which keeps its weights, too.
"""

from eagle_pairs import Pair
from eagle_templates_tensorflow import values

LAYERS = (
    ("Dense(3)", (4,)),
    ("EinsumDense('ab,bc->ac', output_shape=3)", (4,)),
    ("Conv1D(2, 2)", (5, 2)),
    ("Conv2D(2, 2, padding='same')", (4, 4, 2)),
    ("Conv3D(2, 2)", (3, 3, 3, 2)),
    ("SeparableConv2D(2, 2)", (4, 4, 2)),
    ("DepthwiseConv2D(2)", (4, 4, 2)),
    ("Conv2DTranspose(2, 2, strides=2)", (3, 3, 2)),
    ("BatchNormalization()", (4,)),
    ("LayerNormalization()", (3, 4)),
    ("GroupNormalization(2)", (3, 4)),
    ("UnitNormalization()", (4,)),
    ("SimpleRNN(3)", (4, 2)),
    ("LSTM(3, return_sequences=True)", (4, 2)),
    ("GRU(3, reset_after=False)", (4, 2)),
    ("Bidirectional(tf.keras.layers.LSTM(2))", (4, 2)),
    ("TimeDistributed(tf.keras.layers.Dense(2))", (4, 2)),
    ("ConvLSTM1D(2, 2)", (3, 4, 2)),
    ("MaxPooling2D()", (4, 4, 2)),
    ("AveragePooling2D(2, padding='same')", (5, 5, 2)),
    ("GlobalAveragePooling1D()", (4, 2)),
    ("PReLU()", (4,)),
    ("ELU(0.5)", (4,)),
    ("Softmax()", (4,)),
    ("Dropout(0.5)", (4,)),
    ("GaussianNoise(0.5)", (4,)),
    ("ZeroPadding2D(1)", (3, 3, 2)),
    ("Cropping1D(1)", (4, 2)),
    ("UpSampling2D(2, interpolation='bilinear')", (3, 3, 2)),
    ("Reshape((2, 2))", (4,)),
    ("Permute((2, 1))", (3, 4)),
    ("RepeatVector(2)", (4,)),
    ("Rescaling(0.5, offset=1.0)", (4,)),
    ("Discretization(bin_boundaries=[-1.0, 0.0, 1.0])", (4,)),
)
"""Layers and the shape of one sample."""
MADE = """tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.Input({shape}), tf.keras.layers.{layer}])
"""
JUDGED = """targets = np.abs(np.round(model.predict(x, verbose=0)))
model.compile(loss="{loss}", metrics=["{metric}", "categorical_accuracy"])
"""
"""The accuracy is how often the largest output stands where the largest target does."""
JUDGES = {"loss": "mean_squared_error", "metric": "mean_absolute_error"}
LOSSES = (
    *(("mse", "mae"), ("MSE", "MAE"), ("MeanSquaredError", "MeanAbsoluteError"), ("huber", "msle")),
    *(("kl_divergence", "mape"), ("log_cosh", "poisson"), ("hinge", "cosine_similarity")),
)
"""Losses and metrics, as they may be named."""
ENDINGS = ("keras", "h5")
SAVED = """model.save("model.{ending}")


def told(model):
    \"\"\"What a model says of `x`, its loss and accuracy, and its weights.\"\"\"
    return model(x), model.evaluate(x, targets, verbose=0), model.get_weights()
"""
EXPORTED = """model.export("exported")
module = tf.saved_model.load("exported")


def told(module, answer):
    \"\"\"What a module says, and all of its variables.\"\"\"
    return answer, [one.numpy() for one in module.variables]
"""


def entries():
    """Entries of both rules."""
    return [
        *[given(batches, *row) for row in LAYERS],
        *[given(saved, *row, ending) for ending in ENDINGS for row in LAYERS],
        *[given(exported, *row) for row in LAYERS],
        *[given(compiled, *names, ending) for ending in ENDINGS for names in LOSSES],
    ]


def given(make, *arguments):
    def entry(step, rng):
        for pair in make(rng, *arguments):
            yield pair

    return entry


def start(layer, shape):
    """(API, lines that make the model)."""
    layer = layer.replace("'", '"')
    api = "tf.keras.layers." + layer.partition("(")[0]
    return api, MADE.format(shape=shape, layer=layer)


def batches(rng, layer, shape):
    """Rule 15: eval(M, I, batch 1) = eval(M, I, batch 2): predictions, loss and accuracy."""
    api, setup = start(layer, shape)
    inputs = {"x": values(rng, 4, *shape).numpy()}
    form = "model.predict(x, batch_size={}, verbose=0)"
    other = rng.choice((2, 3, 4))
    yield alike("15", "predict", api, inputs, form.format(1), form.format(other), setup)
    form = "model.evaluate(x, targets, batch_size={}, verbose=0)"
    setup += JUDGED.format(**JUDGES)
    yield alike("15", "evaluate", api, inputs, form.format(1), form.format(other), setup)


def saved(rng, layer, shape, ending):
    """Rule 16 in a file format: what the model says, its loss, accuracy and weights."""
    api, setup = start(layer, shape)
    inputs = {"x": values(rng, 2, *shape).numpy()}
    yield kept(api, inputs, setup + JUDGED.format(**JUDGES), ending)


def compiled(rng, loss, metric, ending):
    """Rule 16 for what a model is judged by, which is saved with it."""
    layer, shape = LAYERS[0]
    inputs = {"x": values(rng, 2, *shape).numpy()}
    setup = start(layer, shape)[1] + JUDGED.format(loss=loss, metric=metric)
    yield kept("tf.keras.models.load_model", inputs, setup, ending)


def kept(api, inputs, setup, ending):
    """The pair of a model and the same one from a file."""
    setup += SAVED.format(ending=ending)
    result = 'told(tf.keras.models.load_model("model.%s"))' % ending
    return alike("16", ending, api, inputs, "told(model)", result, setup)


def exported(rng, layer, shape):
    """Rule 16 for what is served, which has weights, but neither loss nor accuracy."""
    api, setup = start(layer, shape)
    inputs = {"x": values(rng, 2, *shape).numpy()}
    reference, result = "told(model, model(x))", "told(module, module.serve(x))"
    yield alike("16", "export", api, inputs, reference, result, setup + EXPORTED)


def alike(rule, variant, api, inputs, reference, result, setup):
    """A pair about a model; losses are Python numbers, of single precision nevertheless."""
    more = {"setup": setup, "dtypes": ("float32",), "told": True}
    return Pair(rule, variant, api, inputs, reference, result, **more)
