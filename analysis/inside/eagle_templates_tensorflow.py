"""EAGLE's rules about convolution, pooling and images (2 to 6, 9) on TensorFlow.

Each template draws a configuration and writes the two executions that the rule calls equal. All
tensors have their channels last, the only format for which the CPU has every kernel. Windows of 1
and strides larger than windows are drawn, too: what SAME adds then comes to less than nothing.
"""

from functools import lru_cache

import numpy as np
import tensorflow as tf
from eagle_pairs import Pair

CONFIGURATIONS = 6
"""Of each template, times its spatial dimensions, in the first round; twice as many in the next."""
SIZES = {1: (5, 7), 2: (5, 7), 3: (3, 5)}
"""The smallest and the largest of each spatial dimension, by how many there are: in three there
would soon be more numbers than a script is given."""
STUFFED = '''def stuffed(kernel, dilation):
    """The kernel with zeros between its elements."""
    for axis, step in enumerate(dilation):
        shape = list(kernel.shape)
        shape[axis] = (shape[axis] - 1) * step + 1
        wide = np.zeros(shape, "float32")
        wide[(slice(None),) * axis + (slice(None, None, step),)] = kernel
        kernel = wide
    return tf.constant(kernel)
'''
RESIZED = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)
IMAGES = (
    "tf.image.flip_left_right({})",
    "tf.image.flip_up_down({})",
    "tf.image.rot90({})",
    "tf.image.transpose({})",
    "tf.image.central_crop({}, 0.5)",
    "tf.image.crop_to_bounding_box({}, 1, 0, 3, 3)",
    "tf.image.pad_to_bounding_box({}, 1, 1, 8, 9)",
    "tf.image.resize_with_crop_or_pad({}, 3, 7)",
    "tf.image.resize_with_pad({}, 5, 5)",
    "tf.image.rgb_to_grayscale({})",
    "tf.image.adjust_brightness({}, 0.25)",
    "tf.image.adjust_contrast({}, 1.5)",
    "tf.image.adjust_gamma({}, 2.0)",
    "tf.image.adjust_hue({}, 0.25)",
    "tf.image.adjust_saturation({}, 0.5)",
    'tf.image.extract_patches({}, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")',
)


def entries():
    """One entry per template and number of spatial dimensions."""
    found = [at(make, rank) for make in (padded, pooled, averaged, dilated) for rank in (1, 2, 3)]
    found += [at(transposed, rank) for rank in (2, 3)]
    found += [at(make, rank) for make in (lifted, lifted_pooling) for rank in (1, 2)]
    return found + [at(make, None) for make in (depthwise, separable, image, resized)]


def at(make, rank):
    def entry(step, rng):
        for _ in range(CONFIGURATIONS * (rank or 1) << step):
            pair = make(rng) if rank is None else make(rng, rank)
            if pair is not None:
                yield pair

    return entry


def values(rng, *shape):
    """Quarters between -2 and 2: exact in every dtype, and short to write."""
    drawn = np.random.RandomState(rng.randrange(2**31)).randint(-8, 9, shape)
    return tf.constant(drawn / 4, tf.float32)


def pick(rng, rank, low, high):
    return [rng.randint(low, high) for _ in range(rank)]


def window(rng, rank):
    """Sizes of a window, often 1 in all dimensions: then there is no padding to be told, and what
    a finding says holds for other functions and fewer dimensions as well."""
    return [1] * rank if rng.random() < 0.3 else pick(rng, rank, 1, 3)


def same(sizes, kernel, stride, dilation):
    """Paddings of a tensor with channels last by which padding SAME is defined."""
    pads = [[0, 0]]
    for size, length, step, wide in zip(sizes, kernel, stride, dilation):
        length = (length - 1) * wide + 1
        total = max(0, (-(-size // step) - 1) * step + length - size)
        pads.append([total // 2, total - total // 2])
    return [*pads, [0, 0]]


def filled(name, pads, value=""):
    """The text of a padded input; that of the input itself where there is nothing to pad."""
    return "tf.pad(%s, %r%s)" % (name, pads, value) if any(map(any, pads)) else name


def convolved(rng, rank):
    """Input and kernel, with the sizes of both."""
    sizes, kernel = pick(rng, rank, *SIZES[rank]), window(rng, rank)
    inputs = {"x": values(rng, 1, *sizes, 2), "w": values(rng, *kernel, 2, 2)}
    return inputs, sizes, kernel


def name_of(rank):
    return "tf.nn.conv%dd" % rank


def along(stride):
    """Steps as a convolution takes them: a number for one dimension, else with batch, channels."""
    return stride[0] if len(stride) == 1 else [1, *stride, 1]


@lru_cache(maxsize=None)
def dilates(rank):
    """Whether there is a kernel that dilates: on CPUs only oneDNN has one for three dimensions."""
    x, w = tf.ones([1, *[3] * rank, 1]), tf.ones([*[2] * rank, 1, 1])
    try:
        getattr(tf.nn, "conv%dd" % rank)(
            x, w, along([1] * rank), "VALID", dilations=along([2] * rank)
        )
    except tf.errors.OpError:
        return False
    return True


def padded(rng, rank):
    """Rule 2: F(I, padding=SAME) = F(pad(I, SAME))."""
    inputs, sizes, kernel = convolved(rng, rank)
    stride, dilation = [1] * rank, [1] * rank
    drawn, wide = pick(rng, rank, 1, 3), [rng.randint(1, 2)] * rank
    if rng.random() < 0.5 or not dilates(rank):  # with a stride there is no dilation
        stride = drawn
    else:
        dilation = wide
    call = "%s({}, w, %r, {}, dilations=%r)" % (*(name_of(rank), along(stride), along(dilation)),)
    pads = filled("x", same(sizes, kernel, stride, dilation))
    reference, result = call.format(pads, '"VALID"'), call.format("x", '"SAME"')
    return Pair("2", "SAME", name_of(rank), inputs, reference, result, told=True)


def pooling(rng, rank, name):
    """Input, the call of a pooling of it, and the padding by which SAME is defined."""
    sizes = pick(rng, rank, *SIZES[rank])
    kernel, stride = window(rng, rank), pick(rng, rank, 1, 3)
    call = "%s({}, %r, %r, {})" % (name, kernel, stride)
    return values(rng, 1, *sizes, 2), call, same(sizes, kernel, stride, [1] * rank)


def pooled(rng, rank):
    """Rule 2 for maximum pooling, which pads with what is smaller than all numbers."""
    name = "tf.nn.max_pool%dd" % rank
    x, call, pads = pooling(rng, rank, name)
    reference = call.format(filled("x", pads, ", constant_values=-9.0"), '"VALID"')
    return Pair("2", "SAME", name, {"x": x}, reference, call.format("x", '"SAME"'), told=True)


def averaged(rng, rank):
    """Rule 2 for average pooling: the sum over as many elements of a window as are no padding."""
    name = "tf.nn.avg_pool%dd" % rank
    x, call, pads = pooling(rng, rank, name)
    reference = call.format(filled("x", pads), '"VALID"')
    if any(map(any, pads)):
        # Averages over ones count the padding alike: it cancels out.
        reference += " / " + call.format(filled("tf.ones_like(x)", pads), '"VALID"')
    return Pair("2", "SAME", name, {"x": x}, reference, call.format("x", '"SAME"'), told=True)


def transposed(rng, rank):
    """Rule 3 for transposed convolution, of one dimension less."""
    low = rank - 1
    kernel, sizes, stride = pick(rng, low, 1, 3), pick(rng, low, 2, 4), [rng.randint(1, 3)] * low
    inputs = {"x": values(rng, 1, *sizes, 2), "w": values(rng, *kernel, 2, 2)}
    out = [size * step for size, step in zip(sizes, stride)]
    name, wide = "tf.nn.conv%dd_transpose" % low, "tf.nn.conv%dd_transpose" % rank
    reference = '%s(x, w, %r, %r, "SAME")' % (name, [1, *out, 2], along(stride))
    result = 'tf.squeeze(%s(tf.expand_dims(x, 1), tf.expand_dims(w, 0), %r, %r, "SAME"), 1)' % (
        *(wide, [1, 1, *out, 2], [1, 1, *stride, 1]),
    )
    return Pair("3", "dimension", name, inputs, reference, result, told=True)


def lifted(rng, rank):
    """Rule 3: the same with a dimension of one in front of the others."""
    inputs, _, _ = convolved(rng, rank)
    stride, padding = pick(rng, rank, 1, 3), rng.choice(("SAME", "VALID"))
    reference = '%s(x, w, %r, "%s")' % (name_of(rank), along(stride), padding)
    wide = [1, 1, *stride, 1]
    result = 'tf.squeeze(%s(tf.expand_dims(x, 1), tf.expand_dims(w, 0), %r, "%s"), 1)' % (
        *(name_of(rank + 1), wide, padding),
    )
    return Pair("3", "dimension", name_of(rank), inputs, reference, result, told=True)


def lifted_pooling(rng, rank):
    """Rule 3 for pooling."""
    kind = "tf.nn.%s_pool%%dd" % rng.choice(("max", "avg"))
    kernel, stride = pick(rng, rank, 1, 3), pick(rng, rank, 1, 3)
    padding = rng.choice(("SAME", "VALID"))
    inputs = {"x": values(rng, 1, *pick(rng, rank, 5, 7), 2)}
    reference = '%s(x, %r, %r, "%s")' % (kind % rank, kernel, stride, padding)
    result = 'tf.squeeze(%s(tf.expand_dims(x, 1), %r, %r, "%s"), 1)' % (
        *(kind % (rank + 1), [1, *kernel], [1, *stride], padding),
    )
    return Pair("3", "dimension", kind % rank, inputs, reference, result, told=True)


def depthwise(rng):
    """Rule 4: a depthwise convolution is one convolution per channel."""
    kernel, step = pick(rng, 2, 1, 3), rng.randint(1, 3)
    inputs = {"x": values(rng, 1, 5, 6, 3), "w": values(rng, *kernel, 3, rng.randint(1, 2))}
    more = '[1, %d, %d, 1], "%s"' % (step, step, rng.choice(("SAME", "VALID")))
    each = "tf.nn.conv2d(x[..., c : c + 1], w[:, :, c : c + 1], %s)" % more
    reference = "tf.concat([%s for c in range(3)], -1)" % each
    result = "tf.nn.depthwise_conv2d(x, w, %s)" % more
    api = "tf.nn.depthwise_conv2d"
    return Pair("4", "depthwise", api, inputs, reference, result, told=True)


def separable(rng):
    """Rule 5: a separable convolution is a depthwise one, then one of size 1."""
    kernel, step = pick(rng, 2, 1, 3), rng.randint(1, 3)
    inputs = {
        "x": values(rng, 1, 5, 6, 3),
        "d": values(rng, *kernel, 3, 2),
        "p": values(rng, 1, 1, 6, 2),
    }
    more = '[1, %d, %d, 1], "%s"' % (step, step, rng.choice(("SAME", "VALID")))
    reference = 'tf.nn.conv2d(tf.nn.depthwise_conv2d(x, d, %s), p, 1, "VALID")' % more
    result = "tf.nn.separable_conv2d(x, d, p, %s)" % more
    api = "tf.nn.separable_conv2d"
    return Pair("5", "separable", api, inputs, reference, result, told=True)


def dilated(rng, rank):
    """Rule 6: a dilated convolution is one with zeros between the kernel's elements."""
    inputs, _, _ = convolved(rng, rank)
    most = 3 if rank < 3 else 2
    inputs["x"] = values(rng, 1, *pick(rng, rank, 2 * most + 1, 3 * most), 2)
    wide, padding = [rng.randint(1, most)] * rank, rng.choice(("SAME", "VALID"))
    if not dilates(rank):
        return None
    steps, told = along([1] * rank), along(wide)
    reference = '%s(x, stuffed(w, %r), %r, "%s")' % (name_of(rank), wide, steps, padding)
    result = '%s(x, w, %r, "%s", dilations=%r)' % (name_of(rank), steps, padding, told)
    return Pair("6", "dilated", name_of(rank), inputs, reference, result, setup=STUFFED, told=True)


def pixels(rng):
    """An image of whole numbers."""
    drawn = np.random.RandomState(rng.randrange(2**31)).randint(0, 256, (1, 6, 5, 3))
    return tf.constant(drawn.astype("uint8"))


def image(rng):
    """Rule 9: images of whole numbers up to 255 and of fractions up to 1."""
    return scaled(rng, rng.choice(IMAGES))


def resized(rng):
    """Rule 9 for resizing, by all methods."""
    more = rng.choice(("", ", antialias=True"))
    size = pick(rng, 2, 2, 9)
    return scaled(rng, 'tf.image.resize({}, %r, "%s"%s)' % (size, rng.choice(RESIZED), more))


def scaled(rng, call):
    whole = "tf.cast(%s, tf.float32)" % call.format("x")
    fractions = "%s * 255" % call.format("(tf.cast(x, tf.float32) / 255)")
    if "adjust" in call:
        fractions = "tf.clip_by_value(%s, 0.0, 255.0)" % fractions
    api = call.partition("(")[0]
    inputs = {"x": pixels(rng)}
    # One step of the whole numbers for rounding.
    return Pair("9", "uint8", api, inputs, fractions, whole, least=1.01)
