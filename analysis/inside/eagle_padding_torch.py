"""EAGLE's rule 14 on PyTorch: unpad(pad(I)) = I, for functions, layers and sequences that pad."""

import torch
from eagle_pairs import Pair
from eagle_templates_torch import F, at, pair, pick, reverse, values

LAYERS = (
    ("ConstantPad%dd", ", 1.5"),
    ("ZeroPad%dd", ""),
    ("ReflectionPad%dd", ""),
    ("ReplicationPad%dd", ""),
    ("CircularPad%dd", ""),
)
"""Layers that pad, and what they take beside the sizes; older versions lack some."""
RNN = "torch.nn.utils.rnn."


def entries():
    """One entry per template and number of spatial dimensions, or layer."""
    ranked = [at(make, rank) for make in (unpadded, constant) for rank in (1, 2, 3)]
    layers = [
        at(layer(name % rank, more), rank)
        for name, more in LAYERS
        for rank in (1, 2, 3)
        if hasattr(torch.nn, name % rank)
    ]
    nested = [at(ragged, None)] if hasattr(torch, "nested") else []
    return [*ranked, *layers, *nested, at(sequences, None), at(packed, None)]


def sides(rng, rank):
    """How much is padded before and after, of each dimension."""
    return [(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(rank)]


def image(rng, rank):
    return {"x": values(rng, 1, 2, *pick(rng, rank, 3, 6))}


def unpadded(rng, rank):
    """Where a negative padding is what unpads."""
    mode = rng.choice(("constant", "reflect", "replicate", "circular"))
    pads = reverse(sides(rng, rank))
    back = tuple(-one for one in pads)
    result = '%spad(%spad(x, %r, mode="%s"), %r)' % (F, F, pads, mode, back)
    return pair("14", mode, "pad", image(rng, rank), "x", result)


def constant(rng, rank):
    pads = reverse(sides(rng, rank))
    back = tuple(-one for one in pads)
    name = "torch.constant_pad_nd"
    result = "%s(%s(x, %r, 1.5), %r)" % (name, name, pads, back)
    return Pair("14", "constant", name, image(rng, rank), "x", result, told=True)


def layer(name, more):
    """The template of a layer, whose result is cut by slices."""
    api = "torch.nn." + name

    def make(rng, rank):
        pads, inputs = sides(rng, rank), image(rng, rank)
        ends = zip(pads, inputs["x"].shape[2:])
        cut = ", ".join("%d:%d" % (before, before + size) for (before, _), size in ends)
        result = "%s(%r%s)(x)[..., %s]" % (api, reverse(pads), more, cut)
        return Pair("14", "slices", api, inputs, "x", result, told=True)

    return make


def drawn(rng):
    """Two sequences of different lengths."""
    long = rng.randint(2, 5)
    return {"x": values(rng, long, 2), "y": values(rng, rng.randint(1, long), 2)}


def sequences(rng):
    """Sequences that are padded to one length, which others cut off again."""
    inputs = drawn(rng)
    first = ", batch_first=True" if rng.random() < 0.5 else ""
    padded = "%spad_sequence([x, y], padding_value=9.0%s)" % (RNN, first)
    lengths = "torch.tensor([len(x), len(y)])"
    result = "torch.cat(%sunpad_sequence(%s, %s%s))" % (RNN, padded, lengths, first)
    api = RNN + "pad_sequence"
    return Pair("14", "unpad_sequence", api, inputs, "torch.cat([x, y])", result, told=True)


def packed(rng):
    """Sequences that are packed, padded and cut."""
    padded = "%spad_packed_sequence(%spack_sequence([x, y]), batch_first=True)" % (RNN, RNN)
    result = "torch.cat([row[:length] for row, length in zip(*%s)])" % padded
    api = RNN + "pad_packed_sequence"
    return Pair("14", "pack_sequence", api, drawn(rng), "torch.cat([x, y])", result, told=True)


def ragged(rng):
    """Rows of a nested tensor."""
    api = "torch.nested.to_padded_tensor"
    padded = "%s(torch.nested.nested_tensor([x, y]), 9.0)" % api
    result = "torch.cat([row[: len(own)] for row, own in zip(%s, (x, y))])" % padded
    return Pair("14", "nested", api, drawn(rng), "torch.cat([x, y])", result, told=True)
