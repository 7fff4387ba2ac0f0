"""EAGLE's rules about convolution, pooling and images on PyTorch: 2, 4 to 6, 9.

Each template draws a configuration and writes the two executions that the rule calls equal. The
dimension-generic ones run for all ranks.
"""

import torch
from eagle_pairs import Pair

F = "torch.nn.functional."
CONFIGURATIONS = 8
"""Of each template in the first round; twice as many in the next."""
SIZES = {1: (5, 7), 2: (5, 7), 3: (3, 5)}
"""The smallest and the largest of each spatial dimension, by how many there are: in three there
would soon be more numbers than a script is given."""
LARGE = {1: (7, 9), 2: (7, 9), 3: (5, 6)}
"""The same where windows with dilation must fit."""
STUFFED = '''def stuffed(kernel, dilation):
    """The kernel with zeros between its elements."""
    for axis, step in enumerate(dilation, 2):
        shape = list(kernel.shape)
        shape[axis] = (shape[axis] - 1) * step + 1
        wide = torch.zeros(shape, dtype=kernel.dtype)
        wide[(slice(None),) * axis + (slice(None, None, step),)] = kernel
        kernel = wide
    return kernel
'''


def entries():
    """One entry per template and number of spatial dimensions."""
    found = [at(make, rank) for make in RANKED for rank in (1, 2, 3)]
    return found + [at(make, None) for make in OTHERS]


def at(make, rank):
    def entry(step, rng):
        for _ in range(CONFIGURATIONS << step):
            pair = make(rng) if rank is None else make(rng, rank)
            if pair is not None:
                yield pair

    return entry


def values(rng, *shape):
    """Quarters between -2 and 2: exact in every dtype, and short to write."""
    generator = torch.Generator().manual_seed(rng.randrange(2**31))
    return torch.randint(-8, 9, shape, generator=generator).float() / 4


def pick(rng, rank, low, high):
    """A tuple of whole numbers, one per dimension."""
    return tuple(rng.randint(low, high) for _ in range(rank))


def reverse(pairs):
    """Paddings of dimensions as `pad` wants them, the last dimension first."""
    return tuple(one for pair in reversed(pairs) for one in pair)


def same(kernel, dilation):
    """(before, after) of each dimension so that the size stays."""
    totals = [step * (size - 1) for size, step in zip(kernel, dilation)]
    return [(total // 2, total - total // 2) for total in totals]


def convolved(rng, rank, channels=2):
    """Names and values of an input, a kernel and a bias, with kernel sizes and groups."""
    groups = rng.choice((1, channels))
    kernel = pick(rng, rank, 1, 3)
    inputs = {
        "x": values(rng, 1, channels, *pick(rng, rank, *SIZES[rank])),
        "w": values(rng, channels, channels // groups, *kernel),
        "b": values(rng, channels),
    }
    return inputs, kernel, groups


def padded_convolution(rng, rank):
    """Rule 2: F(I, padding=SAME) = F(pad(I, SAME))."""
    inputs, kernel, groups = convolved(rng, rank)
    dilation = pick(rng, rank, 1, 2)
    call = "%sconv%dd({}, w, b{}, dilation=%r, groups=%d)" % (F, rank, dilation, groups)
    padded = "%spad(x, %r)" % (F, reverse(same(kernel, dilation)))
    result = call.format("x", ', padding="same"')
    return pair("2", "same", "conv%dd" % rank, inputs, call.format(padded, ""), result)


def padded_layer(rng, rank):
    """Rule 2 for layers, which can pad with other things than zeros."""
    kernel, dilation = pick(rng, rank, 1, 3), pick(rng, rank, 1, 2)
    mode = rng.choice(("zeros", "reflect", "replicate", "circular"))
    name = "torch.nn.Conv%dd" % rank
    made = '%s(2, 2, %r, padding="same", dilation=%r, padding_mode="%s")' % (
        *(name, kernel, dilation, mode),
    )
    setup = "torch.manual_seed(0)\nlayer = %s\n" % made
    how = '"constant"' if mode == "zeros" else '"%s"' % mode
    padded = "%spad(x, %r, mode=%s)" % (F, reverse(same(kernel, dilation)), how)
    reference = "%sconv%dd(%s, layer.weight, layer.bias, dilation=%r)" % (F, rank, padded, dilation)
    inputs = {"x": values(rng, 1, 2, *pick(rng, rank, *SIZES[rank]))}
    return Pair("2", mode, name, inputs, reference, "layer(x)", setup=setup, told=True)


def padded_pooling(rng, rank):
    """Rule 2 for pooling, with explicit padding: by -inf, or by zeros that count or do not."""
    largest, counted = rng.random() < 0.5, rng.random() < 0.5
    kernel, stride = pick(rng, rank, 1, 3), pick(rng, rank, 1, 3)
    pads = tuple(rng.randint(0, size // 2) for size in kernel)
    name = ("max_pool%dd" if largest else "avg_pool%dd") % rank
    dilation = ", dilation=%r" % (pick(rng, rank, 1, 2),)
    more = dilation if largest else ", count_include_pad=%r" % counted
    call = "%s%s({}, %r, stride=%r{}%s)" % (F, name, kernel, stride, more)
    value = 'float("-inf")' if largest else "0.0"
    padded = "%spad({}, %r, value=%s)" % (F, reverse([(p, p) for p in pads]), value)
    reference = call.format(padded.format("x"), "")
    if not largest and not counted:
        # Averages over ones count the padding as often: it cancels out.
        reference += " / " + call.format(padded.format("torch.ones_like(x)"), "")
    inputs = {"x": values(rng, 1, 2, *pick(rng, rank, *LARGE[rank]))}
    result = call.format("x", ", padding=%r" % (pads,))
    return pair("2", "padding", name, inputs, reference, result)


def pair(rule, variant, name, inputs, reference, result, **others):
    """A pair about a function of `torch.nn.functional`."""
    return Pair(rule, variant, F + name, inputs, reference, result, told=True, **others)


def depthwise(rng, rank):
    """Rule 4: a depthwise convolution is one convolution per channel."""
    transposed = rng.random() < 0.3
    name = ("conv_transpose%dd" if transposed else "conv%dd") % rank
    kernel, many = pick(rng, rank, 1, 3), rng.randint(1, 2)
    shape = (3, many, *kernel) if transposed else (3 * many, 1, *kernel)
    inputs = {
        "x": values(rng, 1, 3, *pick(rng, rank, 4, 6 if rank < 3 else 5)),
        "w": values(rng, *shape),
    }
    more = "stride=%r, padding=%r, dilation=%r" % (
        *(pick(rng, rank, 1, 3), pick(rng, rank, 0, 1), pick(rng, rank, 1, 2)),
    )
    each = "w[c : c + 1]" if transposed else "w[{0} * c : {0} * (c + 1)]".format(many)
    reference = "torch.cat([%s%s(x[:, c : c + 1], %s, %s) for c in range(3)], 1)" % (
        *(F, name, each, more),
    )
    result = "%s%s(x, w, %s, groups=3)" % (F, name, more)
    return pair("4", "depthwise", name, inputs, reference, result)


def separable(rng, rank):
    """Rule 5: a separable convolution is a depthwise one, then one of size 1."""
    name, kernel = "conv%dd" % rank, pick(rng, rank, 1, 3)
    inputs = {
        "x": values(rng, 1, 3, *pick(rng, rank, 4, 6 if rank < 3 else 5)),
        "d": values(rng, 3, 1, *kernel),
        "p": values(rng, 2, 3, *[1] * rank),
    }
    more = "stride=%r, padding=%r" % (pick(rng, rank, 1, 3), pick(rng, rank, 0, 1))
    reference = "%s%s(%s%s(x, d, %s, groups=3), p)" % (F, name, F, name, more)
    result = "%s%s(x, p * d.transpose(0, 1), %s)" % (F, name, more)
    return pair("5", "separable", name, inputs, reference, result)


def dilated(rng, rank):
    """Rule 6: a dilated convolution is one with zeros between the kernel's elements."""
    name = rng.choice(("conv%dd", "conv_transpose%dd")) % rank
    inputs, _, groups = convolved(rng, rank)
    dilation = pick(rng, rank, 1, 3 if rank < 3 else 2)
    inputs["x"] = values(rng, 1, 2, *pick(rng, rank, *LARGE[rank]))
    more = "stride=%r, padding=%r, groups=%d" % (
        *(pick(rng, rank, 1, 3), pick(rng, rank, 0, 2), groups),
    )
    reference = "%s%s(x, stuffed(w, %r), b, %s)" % (F, name, dilation, more)
    result = "%s%s(x, w, b, %s, dilation=%r)" % (F, name, more, dilation)
    return pair("6", "dilated", name, inputs, reference, result, setup=STUFFED)


def image(rng):
    """Rule 9: images of whole numbers up to 255 and of fractions up to 1."""
    generator = torch.Generator().manual_seed(rng.randrange(2**31))
    x = torch.randint(0, 256, (1, 3, *pick(rng, 2, 4, 7)), generator=generator).to(torch.uint8)
    mode = rng.choice(("nearest", "nearest-exact", "bilinear", "bicubic"))
    size, smooth = pick(rng, 2, 2, 9), mode.startswith("bi")
    calls = (
        'interpolate({}, size=%r, mode="%s"%s)' % (size, mode, ", antialias=True" * smooth),
        'pad({}, (1, 2, 2, 1), mode="%s")' % rng.choice(("constant", "reflect", "replicate")),
        "max_pool2d({}, 2, stride=%d)" % rng.randint(1, 2),
        "adaptive_max_pool2d({}, %r)" % (pick(rng, 2, 1, 4),),
        "avg_pool2d({}, 2)",
        "adaptive_avg_pool2d({}, %r)" % (pick(rng, 2, 1, 4),),
    )
    call = F + rng.choice((calls[0], *calls))
    api = call.partition("(")[0]
    reference = "(%s * 255).clamp(0, 255)" % call.format("(x / 255)")
    # One step of the whole numbers for rounding.
    return Pair("9", "uint8", api, {"x": x}, reference, call.format("x"), least=1.001)


RANKED = (padded_convolution, padded_layer, padded_pooling, depthwise, separable, dilated)
OTHERS = (image,)
