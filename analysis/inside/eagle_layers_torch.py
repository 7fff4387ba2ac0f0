"""EAGLE's rules about codecs and models (13, 15, 16) on PyTorch.

Rule 13: decode(encode(I)) = I. Rule 15: what a model says of a set, its loss and its accuracy do
not depend on the size of the batches. Rule 16: nor do they on whether it was saved and loaded,
which keeps its weights, too.
"""

import torch
from eagle_pairs import Pair
from eagle_templates_torch import values

CODECS = (
    ("torch.fft.fft", "torch.fft.ifft({}).real"),
    ("torch.fft.fft2", "torch.fft.ifft2({}).real"),
    ("torch.fft.fftn", "torch.fft.ifftn({}).real"),
    ("torch.fft.rfft", "torch.fft.irfft({}, n=x.shape[-1])"),
    ("torch.fft.rfft2", "torch.fft.irfft2({}, s=x.shape[-2:])"),
    ("torch.fft.rfftn", "torch.fft.irfftn({}, s=x.shape)"),
    ("torch.fft.ihfft", "torch.fft.hfft({}, n=x.shape[-1])"),
    ("torch.fft.fftshift", "torch.fft.ifftshift({})"),
    ("torch.deg2rad", "torch.rad2deg({})"),
    ("torch.asinh", "torch.sinh({})"),
    ("torch.expm1", "torch.log1p({})"),
    ("torch.sigmoid", "torch.logit({})"),
    ("torch.t", "torch.t({})"),
    ("torch.flipud", "torch.flipud({})"),
    ("torch.fliplr", "torch.fliplr({})"),
    ("torch.rot90", "torch.rot90({}, -1)"),
    ("torch.unbind", "torch.stack({})"),
    ("torch.Tensor.to_sparse", "{}.to_dense()"),
    ("torch.Tensor.to_sparse_csr", "{}.to_dense()"),
    ("torch.Tensor.to_sparse_csc", "{}.to_dense()"),
    ("torch.frexp", "torch.ldexp(*{})"),
    ("torch.linalg.qr", "torch.matmul(*{})"),
    ("torch.Tensor.tolist", "torch.tensor({})"),
    ("torch.Tensor.numpy", "torch.from_numpy({})"),
)
"""An encoder and its decoder: both by their documentation inverse to one another."""
PIXELS = (
    ("torch.nn.functional.pixel_unshuffle(x, 2)", "torch.nn.functional.pixel_shuffle({}, 2)"),
    (
        "torch.nn.functional.unfold(x, 2, stride=2)",
        "torch.nn.functional.fold({}, x.shape[-2:], 2, stride=2)",
    ),
    ("torch.split(x, 3, 1)", "torch.cat({}, 1)"),
    ("torch.tensor_split(x, 3, 2)", "torch.cat({}, 2)"),
    ("torch.chunk(x, 4, 3)", "torch.cat({}, 3)"),
    ("torch.roll(x, (1, -2), (2, 3))", "torch.roll({}, (-1, 2), (2, 3))"),
    ("torch.movedim(x, (0, 1), (2, 3))", "torch.movedim({}, (2, 3), (0, 1))"),
    ("torch.flatten(x, 1)", "torch.unflatten({}, 1, x.shape[1:])"),
)
LAYERS = (
    ("Linear", "4, 3", (4,)),
    ("Conv1d", "2, 3, 2", (2, 6)),
    ("Conv2d", '2, 3, 2, padding=1, padding_mode="reflect"', (2, 5, 5)),
    ("Conv3d", "2, 3, 2", (2, 3, 3, 3)),
    ("ConvTranspose1d", "2, 3, 2, stride=2", (2, 4)),
    ("ConvTranspose2d", "2, 3, 2, stride=2, output_padding=1", (2, 3, 3)),
    ("ConvTranspose3d", "2, 3, 2", (2, 2, 2, 2)),
    ("BatchNorm1d", "3", (3, 4)),
    ("BatchNorm2d", "3", (3, 2, 2)),
    ("BatchNorm3d", "2", (2, 2, 2, 2)),
    ("InstanceNorm1d", "3, affine=True, track_running_stats=True", (3, 4)),
    ("InstanceNorm2d", "3, affine=True", (3, 2, 2)),
    ("InstanceNorm3d", "2, affine=True", (2, 2, 2, 2)),
    ("GroupNorm", "2, 4", (4, 3)),
    ("LayerNorm", "4", (3, 4)),
    ("RMSNorm", "4", (3, 4)),
    ("LocalResponseNorm", "2", (4, 3)),
    ("RNN", "4, 3, batch_first=True, bidirectional=True", (3, 4)),
    ("LSTM", "4, 3, num_layers=2, batch_first=True", (3, 4)),
    ("LSTM", "4, 3, proj_size=2, batch_first=True", (3, 4)),
    ("GRU", "4, 3, batch_first=True", (3, 4)),
    ("RNNCell", "4, 3", (4,)),
    ("LSTMCell", "4, 3", (4,)),
    ("GRUCell", "4, 3", (4,)),
    ("TransformerEncoderLayer", "4, 2, 8, batch_first=True", (3, 4)),
    ("TransformerEncoderLayer", "4, 2, 8, batch_first=True, norm_first=True", (3, 4)),
    ("PReLU", "3", (3, 4)),
    ("Softmax", "-1", (3, 4)),
    ("LogSoftmax", "-1", (3, 4)),
    ("Dropout", "0.5", (4,)),
    ("AlphaDropout", "0.5", (4,)),
    ("MaxPool2d", "2", (2, 4, 4)),
    ("AvgPool2d", "2", (2, 4, 4)),
    ("LPPool2d", "2.0, 2", (2, 4, 4)),
    ("AdaptiveAvgPool2d", "3", (2, 4, 4)),
    ("Upsample", 'scale_factor=1.5, mode="bilinear"', (2, 4, 4)),
    ("PixelShuffle", "2", (4, 3, 3)),
    ("Flatten", "", (2, 3)),
    ("Fold", "(4, 4), 2, stride=2", (8, 4)),
    ("Unfold", "2", (2, 4, 4)),
)
"""Layers of which each sample of a batch is treated alone when evaluated; (name, arguments, shape
of one sample)."""
WRAPPED = (
    "torch.nn.utils.parametrizations.weight_norm({})",
    "torch.nn.utils.parametrizations.spectral_norm({})",
    "torch.nn.utils.parametrizations.orthogonal({})",
    "torch.nn.utils.weight_norm({})",
    "torch.nn.utils.spectral_norm({})",
    "torch.nn.Sequential({}, torch.nn.ReLU())",
)
SAVED = (
    (
        "state_dict",
        "torch.save(layer.state_dict(), file)\n",
        "found = {made}\n    found.load_state_dict(torch.load(file))\n    return found.eval()",
        (),
    ),
    ("module", "torch.save(layer, file)\n", "return torch.load(file{trusted})", ()),
    (
        "jit.script",
        "scripted = torch.jit.script(layer)\ntorch.jit.save(scripted, file)\n",
        "return torch.jit.load(file)",
        ("scripted(x)",),
    ),
)
"""How a layer is saved and loaded: the variant's name, the lines, what a function does that loads
it, and what must run before it is saved: what cannot be called as TorchScript at all says nothing
about saving."""
LOADED = '''file = io.BytesIO()
{save}

def loaded():
    """The layer from the file."""
    file.seek(0)
    {load}


'''
TRUSTED = ", weights_only=False"
"""From 1.13 on; the default was the opposite before 2.6."""


EVALUATED = '''def evaluated(layer, size):
    """What is said of `x` in batches of a size, the loss and the accuracy; all are of class 0."""
    found, loss, right = [], 0.0, 0
    for batch in x.split(size):
        found.append(layer(batch){ending})
        scores = found[-1].flatten(1)
        wanted = torch.zeros(len(scores), dtype=torch.long)
        loss += torch.nn.functional.cross_entropy(scores, wanted) * len(scores)
        right += (scores.argmax(1) == wanted).sum()
    return torch.cat(found), loss / len(x), right / len(x)
'''
KEPT = '''

def told(layer):
    """The same, and the weights."""
    return (*evaluated(layer, 2), layer.state_dict())
'''


def entries():
    """Entries of the three rules."""
    codecs = [given(codec, *row) for row in CODECS]
    codecs += [given(shuffled, *row) for row in PIXELS] + [given(kept)]
    there = [row for row in LAYERS if hasattr(torch.nn, row[0])]
    return [
        *codecs,
        *[given(batches, *row) for row in there],
        *[given(saved, *row, how, rounds=1) for row in there for how in SAVED],
        *[given(wrapped, form) for form in WRAPPED],
    ]


def given(make, *arguments, rounds=3):
    """An entry that makes two pairs, then more; what is slow ends after the first round."""

    def entry(step, rng):
        for _ in range((2 << step) if step < rounds else 0):
            pair = make(rng, *arguments)
            if pair is not None:
                yield pair

    return entry


def codec(rng, name, decode):
    """Rule 13 for an encoder of one argument."""
    x = values(rng, rng.randint(1, 5), rng.randint(1, 6))
    method = name.startswith("torch.Tensor.")
    encoded = "x.%s()" % name.rpartition(".")[2] if method else name + "(x)"
    return Pair("13", "inverse", name, {"x": x}, "x", decode.format(encoded), told=True)


def shuffled(rng, encoded, decode):
    """Rule 13 for what moves the elements of an image."""
    x = values(rng, rng.randint(1, 2), rng.randint(2, 4), 4, 2 * rng.randint(2, 3))
    api = encoded.partition("(")[0]
    return Pair("13", "inverse", api, {"x": x}, "x", decode.format(encoded), told=True)


def kept(rng):
    """Rule 13 for the file format: any dtype, also of views."""
    dtype = rng.choice(("float16", "bfloat16", "int8", "int64", "complex64", "bool", "uint8"))
    x = values(rng, 3, 4).to(getattr(torch, dtype))
    view = rng.choice(("x", "x.t()", "x[1:]", "x[:, ::2]", "x.conj()", "x.to_sparse()"))
    setup = "file = io.BytesIO()\ntorch.save(%s, file)\nfile.seek(0)\n" % view
    dense = ".to_dense()" if "sparse" in view else ""
    return Pair("13", dtype, "torch.save", {"x": x}, view + dense, "torch.load(file)" + dense,
                setup=setup, told=True)  # fmt: skip


def layer_of(name, arguments):
    """The lines that make a layer, and what makes it."""
    made = "torch.nn.%s(%s)" % (name, arguments)
    return "torch.manual_seed(0)\nlayer = %s.eval()\n" % made, made


def evaluation(name):
    """The function that evaluates a layer; of what has a state, only the output counts."""
    return EVALUATED.format(ending="[0]" if name in ("RNN", "LSTM", "GRU", "LSTMCell") else "")


def batches(rng, name, arguments, shape):
    """Rule 15: eval(M, I, batch 1) = eval(M, I, batch 2)."""
    x, size = values(rng, rng.randint(3, 6), *shape), rng.randint(2, 6)
    setup = layer_of(name, arguments)[0] + evaluation(name)
    reference, result = "evaluated(layer, 1)", "evaluated(layer, %d)" % size
    api = "torch.nn." + name
    return Pair("15", "batch", api, {"x": x}, reference, result, setup=setup, told=True)


def saved(rng, name, arguments, shape, how):
    """Rule 16: eval(M, I) = eval(load(save(M)), I)."""
    setup, made = layer_of(name, arguments)
    x = values(rng, 2, *shape)
    return filed("torch.nn." + name, {"x": x}, setup, made, how, evaluation(name))


def wrapped(rng, form):
    """Rule 16 for layers whose weights are computed."""
    made = form.format("torch.nn.Linear(4, 3)")
    setup = "torch.manual_seed(0)\nlayer = %s.eval()\n" % made
    inputs = {"x": values(rng, 2, 4)}
    return filed(made.partition("(")[0], inputs, setup, made, SAVED[0], evaluation("Linear"))


def filed(api, inputs, setup, made, how, evaluation):
    """The pair of a layer and the same one from a file."""
    variant, save, load, before = how
    load = load.format(made=made, trusted=TRUSTED)
    setup += LOADED.format(save=save, load=load) + evaluation + KEPT
    return Pair("16", variant, api, inputs, "told(layer)", "told(loaded())", setup=setup,
                given=before, told=True)  # fmt: skip
