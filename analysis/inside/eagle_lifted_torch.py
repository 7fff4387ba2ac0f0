"""EAGLE's rule 3 on PyTorch: F2D(I) = F3D(I with a dummy dimension), and the same from 1 to 2.

The dimension of one stands in front of the others; kernels, strides and sizes get a 1 there and
paddings a 0.
"""

import torch
from eagle_pairs import Pair
from eagle_templates_torch import F, at, convolved, pair, pick, reverse, values

LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


def entries():
    """One entry per template and number of dimensions."""
    return [at(make, rank) for make in LIFTED for rank in (1, 2)]


def lifted(rule_inputs, names, reference, rank, name, arguments, variant="dimension"):
    """Rule 3: the same with a dimension of one in front of the others."""
    wide = {key: "%s.unsqueeze(2)" % key if key in names else key for key in rule_inputs}
    given = ", ".join(wide.values())
    result = "%s%s(%s, %s).squeeze(2)" % (F, name % (rank + 1), given, arguments)
    return Pair("3", variant, F + name % rank, rule_inputs, reference, result, told=True)


def lifted_convolution(rng, rank):
    """Rule 3 for convolution and its transpose."""
    transposed = rng.random() < 0.5
    inputs, _, groups = convolved(rng, rank)
    stride, dilation, padding = (
        pick(rng, rank, 1, 3),
        pick(rng, rank, 1, 2),
        pick(rng, rank, 0, 1),
    )
    form = "stride=%r, padding=%r, dilation=%r, groups=%d"
    name = "conv_transpose%dd" if transposed else "conv%dd"
    call = form % (stride, padding, dilation, groups)
    more = form % ((1, *stride), (0, *padding), (1, *dilation), groups)
    reference = "%s%s(x, w, b, %s)" % (F, name % rank, call)
    return lifted(inputs, ("x", "w"), reference, rank, name, more)


def lifted_pooling(rng, rank):
    """Rule 3 for pooling: maximum, average, power."""
    kind = rng.choice(("max_pool%dd", "avg_pool%dd", "lp_pool%dd"))
    kernel, stride = pick(rng, rank, 1, 3), pick(rng, rank, 1, 3)
    ceil = rng.random() < 0.5
    if kind.startswith("lp") and (rank > 1 and not hasattr(torch.nn.functional, "lp_pool3d")):
        return None
    if kind.startswith("lp"):
        form = "2.0, %r, stride=%r, ceil_mode={}".format(ceil)
        # With one dimension it is documented for a number, not for a tuple.
        narrow = form % ((kernel, stride) if rank > 1 else (kernel[0], stride[0]))
        wide = form % ((1, *kernel), (1, *stride))
    else:
        padding = tuple(rng.randint(0, size // 2) for size in kernel)
        more = "" if kind.startswith("max") else ", count_include_pad=%r" % (rng.random() < 0.5)
        form = "%r, stride=%r, padding=%r, ceil_mode={}{}".format(ceil, more)
        narrow = form % (kernel, stride, padding)
        wide = form % ((1, *kernel), (1, *stride), (0, *padding))
    inputs = {"x": values(rng, 1, 2, *pick(rng, rank, 6, 8))}
    reference = "%s%s(x, %s)" % (F, kind % rank, narrow)
    return lifted(inputs, ("x",), reference, rank, kind, wide)


def lifted_adaptive(rng, rank):
    """Rule 3 for adaptive pooling."""
    kind = rng.choice(("adaptive_max_pool%dd", "adaptive_avg_pool%dd"))
    size = pick(rng, rank, 1, 9)
    inputs = {"x": values(rng, 1, 2, *pick(rng, rank, 3, 8))}
    reference = "%s%s(x, %r)" % (F, kind % rank, size)
    return lifted(inputs, ("x",), reference, rank, kind, repr((1, *size)))


def lifted_interpolation(rng, rank):
    """Rule 3 for interpolation, whose name does not change: its mode may."""
    mode = rng.choice(("nearest", "nearest-exact", "area", "linear"))
    size = pick(rng, rank, 1, 9)
    inputs = {"x": values(rng, 1, 2, *pick(rng, rank, 2, 7))}
    corners = ", align_corners=%r" % (rng.random() < 0.5) if mode == "linear" else ""
    modes = (LINEAR[rank], LINEAR[rank + 1]) if mode == "linear" else (mode, mode)
    call = "%sinterpolate({}, size=%r, mode=%r%s)"
    reference = (call % (F, size, modes[0], corners)).format("x").replace("'", '"')
    result = (call % (F, (1, *size), modes[1], corners)).format("x.unsqueeze(2)").replace("'", '"')
    return pair("3", modes[0], "interpolate", inputs, reference, result + ".squeeze(2)")


def lifted_padding(rng, rank):
    """Rule 3 for padding."""
    mode = rng.choice(("reflect", "replicate", "circular", "constant"))
    pads = reverse([(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(rank)])
    inputs = {"x": values(rng, 1, 2, *pick(rng, rank, 3, 6))}
    call = '%spad({}, %r, mode="%s")'
    reference = (call % (F, pads, mode)).format("x")
    result = (call % (F, (*pads, 0, 0), mode)).format("x.unsqueeze(2)")
    return pair("3", mode, "pad", inputs, reference, result + ".squeeze(2)")


def lifted_norm(rng, rank):
    """Rule 3 for normalisation over channels, whose functions take any rank."""
    kind = rng.choice(("instance_norm", "batch_norm", "group_norm", "local_response_norm"))
    inputs = {"x": values(rng, 2, 4, *pick(rng, rank, 2, 4))}
    arguments = {
        "instance_norm": "eps=0.1",
        "batch_norm": "None, None, training=True, eps=0.1",
        "group_norm": "2, eps=0.1",
        "local_response_norm": "3",
    }[kind]
    call = "%s%s({}, %s)" % (F, kind, arguments)
    result = call.format("x.unsqueeze(2)") + ".squeeze(2)"
    return pair("3", "dimension", kind, inputs, call.format("x"), result)


LIFTED = (
    *(lifted_convolution, lifted_pooling, lifted_adaptive, lifted_interpolation),
    *(lifted_padding, lifted_norm),
)
