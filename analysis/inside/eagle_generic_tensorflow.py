"""EAGLE's rules that hold for any function of TensorFlow, over samples that the host has kept.

In: `[name, arguments, keywords]` per sample, whose values the host has written as `eagle_samples`
reads them. Rule 1: a function and the same one as a graph, or compiled by XLA. Rule 8: dense and
sparse or ragged inputs. Rule 11: an input and the same one through a `Dataset`. Rule 12: inputs of
one dtype and of another, with values that both hold. Rule 9 is in `eagle_images_tensorflow`.
"""

from functools import partial

import numpy as np
import tensorflow as tf
from eagle_images_tensorflow import pictures
from eagle_pairs import Pair, call_of
from eagle_plans import share
from eagle_samples import arguments, elements
from unpickle import NoLiteral

FLOATS = ("float16", "bfloat16", "float32")
WHOLES = ("uint8", "int8", "int16", "int32")
LARGEST = 5
SPARSE = "tf.sparse.from_dense({})"
RAGGED = "tf.RaggedTensor.from_tensor({})"
DATASET = """def flat({0}):
    return tuple(tf.nest.flatten(function({0})))


dataset = tf.data.Dataset.from_tensors(({0},)).map(flat)
"""
"""A dataset would make one tensor of a list."""


def eager(samples):
    """Entries of the rules that need no compiler."""
    import eagle_codecs_tensorflow
    import eagle_formulas_tensorflow
    import eagle_padding_tensorflow
    import eagle_sequences_tensorflow
    import eagle_templates_tensorflow

    forms = [
        *eagle_templates_tensorflow.entries(),
        *eagle_formulas_tensorflow.entries(),
        *eagle_codecs_tensorflow.entries(),
        *eagle_padding_tensorflow.entries(),
        *eagle_sequences_tensorflow.entries(),
    ]
    return forms, [partial(pairs_of, name, calls) for name, calls in by_name(samples).items()]


def models(_):
    """Entries of the rules about Keras models."""
    import eagle_models_tensorflow

    return (eagle_models_tensorflow.entries(),)


def compiled(samples):
    """Entries of rule 1 with XLA: one sample per function."""
    return ([partial(compiled_of, name, calls) for name, calls in by_name(samples).items()],)


def by_name(samples):
    """The samples of each function."""
    found = {}
    for name, args, kwargs in samples:
        found.setdefault(name, []).append((args, kwargs))
    return found


def calls_of(name, records):
    """Calls of a function; what cannot be written down, or takes no tensor, is left out."""
    found = []
    for record in records:
        try:
            call = call_of(name, *arguments(record, tensor_of, {"tf": tf}), tf.is_tensor)
        except (NoLiteral, ValueError, TypeError, tf.errors.OpError):
            continue
        if call.inputs:
            found.append(call)
    return found


def tensor_of(name, shape, kept):
    """A tensor of a sample; made up where its elements were too many to be kept."""
    dtype = tf.dtypes.as_dtype(name)
    if kept is None:
        if dtype == tf.string:
            raise NoLiteral("texts that were not kept")
        kept = elements(int(np.prod(shape)), dtype.is_floating or dtype.is_complex)
    array = np.asarray(kept).reshape(shape)
    return tf.cast(tf.constant(array), dtype) if dtype != tf.string else tf.constant(array)


def pairs_of(name, records, step, rng):
    """The pairs of one function in one round."""
    for call in share(calls_of(name, records), step):
        yield graph(name, call)
        for make in (layouts, loaded, cast, pictures):
            for pair in make(name, call, rng):
                yield pair


def compiled_of(name, records, step, rng):
    """The pair of one function, compiled by XLA."""
    for call in calls_of(name, records)[:1]:
        yield graph(name, call, "XLA")


def function_of(call):
    """A Python function that makes a call."""
    return "def function({}):\n    return {}\n".format(", ".join(call.inputs), call.text())


def graph(name, call, variant="tf.function"):
    """Rule 1: F(I) = optimised(F)(I)."""
    given = ", ".join(call.inputs)
    how = "autograph=False" + (", jit_compile=True" if variant == "XLA" else "")
    return Pair(
        "1",
        variant,
        name,
        call.inputs,
        "function({})".format(given),
        "tf.function(function, {})({})".format(how, given),
        setup=function_of(call),
        call=call,
        smaller=lambda other: graph(name, other, variant),
    )


def layouts(name, call, rng):
    """Rule 8: F(dense) = F(sparse), of an input that has zeros, and F(dense) = F(ragged)."""
    for key in first(call):
        holed = call.over({**call.inputs, key: holes(call.inputs[key])})
        yield layout(name, "sparse", SPARSE, key, holed)
        if call.inputs[key].shape.rank > 1:
            yield layout(name, "ragged", RAGGED, key, call)


def holes(tensor):
    """The tensor with a zero in every second place and, of several rows, nothing else in the last
    one: a sparse tensor has no index that tells of it."""
    array = tensor.numpy().copy()
    array.reshape(-1)[1::2] = 0
    rows = array.reshape(-1, array.shape[-1])
    if len(rows) > 1:
        rows[-1] = 0
    return tf.constant(array)


def first(call):
    """The name of the first tensor of numbers, in a list of one, or of none."""
    return [
        key
        for key, tensor in call.inputs.items()
        if tensor.dtype.is_floating and tensor.shape.rank and 0 not in tensor.shape
    ][:1]


def layout(name, variant, form, key, call):
    written = call.text(lambda one: form.format(one) if one == key else one)
    stored = SPARSE.format(key) + ".values"
    values = call.text(lambda one: stored if one == key else one)
    whole = "tf.SparseTensor({0}.indices, {1}, {0}.dense_shape)".format(SPARSE.format(key), values)
    return Pair(
        "8",
        variant,
        name,
        call.inputs,
        call.text(),
        written,
        call=call,
        given=[form.format(key)],
        stored=(values, whole) if form == SPARSE else (),
        smaller=partial(layout, name, variant, form, key),
    )


def loaded(name, call, rng):
    """Rule 11: F(I) = F(Dataset(I))."""
    if 0 not in [size for tensor in call.inputs.values() for size in tensor.shape]:
        yield batched(name, call)


def batched(name, call):
    given = ", ".join(call.inputs)
    return Pair(
        "11",
        "Dataset",
        name,
        call.inputs,
        "function({})".format(given),
        "next(iter(dataset))",
        setup=function_of(call) + "\n\n" + DATASET.format(given),
        call=call,
        smaller=partial(batched, name),
    )


def cast(name, call, rng):
    """Rule 12: F(cast(I, X)) = F(cast(I, Y)); Y is the widest dtype of the kind."""
    floats = [key for key, one in call.inputs.items() if one.dtype.is_floating]
    wholes = [key for key, one in call.inputs.items() if one.dtype.is_integer]
    if floats:
        inputs = {key: rounded(one) if key in floats else one for key, one in call.inputs.items()}
        for dtype in FLOATS:
            yield converted(name, dtype, floats, call.over(inputs))
    names = floats or wholes
    wide = tf.float64 if floats else tf.int64
    counted = {
        key: counts(one, wide, rng) if key in names else one for key, one in call.inputs.items()
    }
    for dtype in WHOLES if names else ():
        yield converted(name, dtype, names, call.over(counted))


def converted(name, dtype, names, call):
    form = "tf.cast({}, tf.%s)" % dtype
    return Pair(
        "12",
        dtype,
        name,
        call.inputs,
        call.text(),
        call.text(lambda one: form.format(one) if one in names else one),
        dtypes=(dtype,),
        call=call,
        smaller=partial(converted, name, dtype, names),
    )


def rounded(tensor):
    """The tensor as float64 with values that every floating dtype holds."""
    limited = tf.clip_by_value(tf.cast(tensor, tf.float64), -3e4, 3e4)
    return tf.cast(tf.cast(limited, tf.bfloat16), tf.float64)


def counts(tensor, dtype, rng):
    """Small whole numbers in the place of a sample's."""
    drawn = np.random.RandomState(rng.randrange(2**31)).randint(1, LARGEST + 1, tensor.shape)
    return tf.cast(tf.constant(drawn), dtype)
