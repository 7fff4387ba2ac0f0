"""EAGLE's rule 10 on PyTorch: F(I^T, batch-major)^T = F(I, time-major).

Whatever has the parameter `batch_first`: recurrent layers and their functions, attention and
transformers, and what pads and packs sequences.
"""

from eagle_pairs import Pair
from eagle_templates_torch import at, pick, values

CELLS = ("RNN", "LSTM", "GRU")
FUNCTIONS = {"rnn_tanh": "RNN", "rnn_relu": "RNN", "lstm": "LSTM", "gru": "GRU"}
ENCODER = "torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first={})"
DECODER = "torch.nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, batch_first={})"
ATTENTION = (
    (
        "MultiheadAttention",
        "torch.nn.MultiheadAttention(4, 2, batch_first={})",
        "({0}, {0}, {0})[0]",
    ),
    ("TransformerEncoderLayer", ENCODER, "({0})"),
    ("TransformerDecoderLayer", DECODER, "({0}, {0})"),
    ("TransformerEncoder", "torch.nn.TransformerEncoder(%s, 2)" % ENCODER, "({0})"),
    ("TransformerDecoder", "torch.nn.TransformerDecoder(%s, 2)" % DECODER, "({0}, {0})"),
    (
        "Transformer",
        "torch.nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, batch_first={})",
        "({0}, {0})",
    ),
)
"""Class, how one is made, and how it is called."""
RNN = "torch.nn.utils.rnn."


def entries():
    """One entry per template."""
    made = [recurrent, function, attention, padded, packed, unpacked, cut]
    return [at(make, None) for make in made]


def recurrent(rng):
    """Recurrent layers."""
    kind = "torch.nn." + rng.choice(CELLS)
    both, many = rng.random() < 0.5, rng.randint(1, 2)
    made = "%s(3, 2, num_layers=%d, bidirectional=%r, batch_first={})" % (kind, many, both)
    inputs = {"x": values(rng, 2, rng.randint(1, 4), 3)}
    state = ""
    if not kind.endswith("LSTM") and rng.random() < 0.5:
        inputs["h"] = values(rng, many * (1 + both), 2, 2)
        state = ", h"
    reference = "time_major(x.transpose(0, 1)%s)[0].transpose(0, 1)" % state
    return major(kind, inputs, reference, "batch_major(x%s)[0]" % state, two(made))


def function(rng):
    """The functions below them."""
    name = rng.choice(sorted(FUNCTIONS))
    both, many = rng.random() < 0.5, rng.randint(1, 2)
    more = "(3, 2, num_layers=%d, bidirectional=%r)" % (many, both)
    setup = "torch.manual_seed(0)\nlayer = torch.nn.%s%s\n" % (FUNCTIONS[name], more)
    inputs = {
        "x": values(rng, 2, rng.randint(1, 4), 3),
        "h": values(rng, many * (1 + both), 2, 2),
    }
    state = "(h, h)" if name == "lstm" else "h"
    call = "torch.%s({}, %s, list(layer.parameters()), True, %d, 0.0, False, %r, {})[0]" % (
        *(name, state, many, both),
    )
    reference = call.format("x.transpose(0, 1)", False) + ".transpose(0, 1)"
    return major("torch." + name, inputs, reference, call.format("x", True), setup)


def attention(rng):
    """Attention and transformers."""
    name, made, call = rng.choice(ATTENTION)
    mode = ".eval()" if rng.random() < 0.5 else ""
    inputs = {"x": values(rng, 2, rng.randint(2, 4), 4)}
    reference = "time_major%s.transpose(0, 1)" % call.format("x.transpose(0, 1)")
    result = "batch_major" + call.format("x")
    return major("torch.nn." + name, inputs, reference, result, two(made + mode))


def two(made):
    """The lines that make a layer for each order, with equal weights."""
    setup = "torch.manual_seed(0)\nbatch_major = %s\n" % made.format("True")
    setup += "time_major = %s\n" % made.format("False")
    return setup + "time_major.load_state_dict(batch_major.state_dict())\n"


def drawn(rng):
    """A batch of two sequences and their lengths, which are not in order."""
    length = rng.randint(2, 4)
    return {"x": values(rng, 2, length, 3)}, "n = torch.tensor([%d, %d])\n" % (
        *pick(rng, 1, 1, length),
        length,
    )


def padded(rng):
    inputs, _ = drawn(rng)
    call = RNN + "pad_sequence([x[0], x[1, :1]]{})"
    reference = call.format("") + ".transpose(0, 1)"
    return major(RNN + "pad_sequence", inputs, reference, call.format(", batch_first=True"))


def packed(rng):
    inputs, setup = drawn(rng)
    call = RNN + "pack_padded_sequence({}, n, enforce_sorted=False{}).data"
    result = call.format("x", ", batch_first=True")
    reference = call.format("x.transpose(0, 1)", "")
    return major(RNN + "pack_padded_sequence", inputs, reference, result, setup)


def unpacked(rng):
    inputs, setup = drawn(rng)
    setup += "packed = %spack_padded_sequence(x, n, True, False)\n" % RNN
    call = RNN + "pad_packed_sequence(packed{})[0]"
    reference = call.format("") + ".transpose(0, 1)"
    result = call.format(", batch_first=True")
    return major(RNN + "pad_packed_sequence", inputs, reference, result, setup)


def cut(rng):
    inputs, setup = drawn(rng)
    call = "torch.cat(%sunpad_sequence({}, n{}))" % RNN
    result = call.format("x", ", batch_first=True")
    reference = call.format("x.transpose(0, 1)", "")
    return major(RNN + "unpad_sequence", inputs, reference, result, setup)


def major(api, inputs, reference, result, setup=""):
    """The pair of both orders."""
    return Pair("10", "batch_first", api, inputs, reference, result, setup=setup, told=True)
