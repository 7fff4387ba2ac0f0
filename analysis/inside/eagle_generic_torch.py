"""EAGLE's rules that hold for any operator of PyTorch, over the samples of its own tests.

Rule 1: an operator and the same one traced or compiled. Rule 8: dense and sparse inputs; "8s" is
our addition, inputs that lie otherwise in memory. Rule 11: an input and the same one through a
`DataLoader`. Rule 12: inputs of one dtype and of another, with values that both hold. Rule 9, of
images, is in `eagle_images_torch`.
"""

from functools import partial

import torch
from eagle_calls_torch import PRIVATE, calls_of, documented_calls, infos_by_name, made_up_calls
from eagle_images_torch import pictures
from eagle_pairs import Pair
from eagle_plans import most, share

FLOATS = ("float32", "float16", "bfloat16", "complex64")
WHOLES = ("uint8", "int8", "int16", "int32", "int64")
LARGEST = 5
"""Whole numbers are between 1 and this."""
SPARSE = (
    ("sparse_coo", "{}.to_sparse()", 1),
    ("uncoalesced", "uncoalesced({})", 1),
    ("sparse_csr", "{}.to_sparse_csr()", 2),
    ("sparse_csc", "{}.to_sparse_csc()", 2),
    ("sparse_bsr", "{}.to_sparse_bsr((1, 1))", 2),
)
"""Variant, how it is written, and the least rank."""
STRIDES = (
    ("strides transposed", "{}.mT.contiguous().mT", 2),
    ("strides stepped", "torch.stack([{0}, {0}], -1)[..., 0]", 1),
    ("strides negated", "torch.complex(torch.zeros_like({0}), -{0}).conj().imag", 1),
)
UNCOALESCED = '''def uncoalesced(dense):
    """The same tensor, each element of it stored as the sum of two halves."""
    found = dense.to_sparse()
    twice = [*range(found.values().shape[0])] * 2
    return torch.sparse_coo_tensor(
        found.indices()[:, twice], found.values()[twice] / 2, dense.shape
    )
'''
LOADED = """dataset = torch.utils.data.TensorDataset({0})
loader = torch.utils.data.DataLoader(dataset, batch_size=len({0}))
(batch,) = next(iter(loader))
"""


def eager(names):
    """Entries of the rules that need no compiler: operators first, then forms and formulas."""
    import eagle_formulas_torch
    import eagle_layers_torch
    import eagle_lifted_torch
    import eagle_padding_torch
    import eagle_sequences_torch
    import eagle_templates_torch

    operators = [partial(pairs_of, infos, name) for name, infos in infos_by_name().items()]
    others = [
        partial(untested, name, records) for name, records in names if not PRIVATE.search(name)
    ]
    forms = [
        *eagle_templates_torch.entries(),
        *eagle_lifted_torch.entries(),
        *eagle_padding_torch.entries(),
        *eagle_sequences_torch.entries(),
        *eagle_layers_torch.entries(),
        *eagle_formulas_torch.entries(),
    ]
    return forms, operators, others


def compiled(backend):
    """Entries of rule 1 with a compiler: one sample per operator."""

    def entries(_):
        found = infos_by_name().items()
        return ([partial(compiled_of, infos, name, backend) for name, infos in found],)

    return entries


def pairs_of(infos, name, step, rng):
    """The pairs of one operator in one round."""
    return from_calls(name, share(calls_of(infos, name, most(step)), step), rng)


def from_calls(name, calls, rng):
    for call in calls:
        for make in (sparse, strided, traced, loaded, cast, pictures):
            for pair in make(name, call, rng):
                yield pair


def compiled_of(infos, name, backend, step, rng):
    """The pair of one operator, compiled."""
    for call in calls_of(infos, name, 1)[:1]:
        yield optimised(name, backend, call)


def untested(name, records, step, rng):
    """The pairs of an API that the test database lacks, over documented and made-up calls."""
    calls = documented_calls(name, records) + made_up_calls(name)
    for pair in from_calls(name, share(calls, step), rng):
        yield pair


def function_of(call):
    """A Python function that makes a call."""
    return "def function({}):\n    return {}\n".format(", ".join(call.inputs), call.text())


def optimised(name, backend, call):
    """Rule 1: F(I) = optimised(F)(I)."""
    given = ", ".join(call.inputs)
    made = 'torch.compile(function, backend="{}")'.format(backend)
    return Pair(
        "1",
        backend,
        name,
        call.inputs,
        "function({})".format(given),
        "{}({})".format(made, given),
        optimised=made,
        setup=function_of(call),
        call=call,
        smaller=partial(optimised, name, backend),
    )


def traced(name, call, rng):
    """Rule 1 with the tracer, the compiler of older versions."""
    if call.inputs:
        yield interpreted(name, call)


def interpreted(name, call):
    given = ", ".join(call.inputs)
    example = given + "," if len(call.inputs) == 1 else given
    made = "torch.jit.trace(function, ({}), check_trace=False)".format(example)
    return Pair(
        "1",
        "jit.trace",
        name,
        call.inputs,
        "function({})".format(given),
        "{}({})".format(made, given),
        optimised=made,
        setup=function_of(call),
        call=call,
        smaller=partial(interpreted, name),
    )


def subjects(call):
    """Names of inputs that change together: the first dense one, and all of its shape."""
    dense = [
        name
        for name, value in call.inputs.items()
        if value.layout == torch.strided
        and value.dim()
        and value.numel()
        and not value.is_quantized
    ]
    if not dense:
        return []
    shape = call.inputs[dense[0]].shape
    together = [name for name in dense if call.inputs[name].shape == shape]
    return [dense[:1], together] if len(together) > 1 else [dense[:1]]


def wrapped(call, names, form):
    """The call with some inputs written in a form."""
    return call.text(lambda name: form.format(name) if name in names else name)


def sparse(name, call, rng):
    """Rule 8: F(dense) = F(sparse). Every second element becomes a zero."""
    for names in subjects(call):
        holed = {key: holes(value) if key in names else value for key, value in call.inputs.items()}
        holed = call.over(holed)
        for variant, form, rank in SPARSE:
            if call.inputs[names[0]].dim() >= rank:
                yield layout("8", name, variant, form, names, holed)


def strided(name, call, rng):
    """Our addition to rule 8: equal elements, other strides."""
    for names in subjects(call)[:1]:
        for variant, form, rank in STRIDES:
            value = call.inputs[names[0]]
            real = value.dtype in (torch.float32, torch.float64)
            if value.dim() >= rank and (real or "negated" not in variant):
                yield layout("8s", name, variant, form, names, call)


def layout(rule, name, variant, form, names, call):
    if not all(isinstance(call.inputs[key], torch.Tensor) for key in names):
        return None
    return Pair(
        rule,
        variant,
        name,
        call.inputs,
        call.text(),
        wrapped(call, names, form),
        setup=UNCOALESCED if variant == "uncoalesced" else "",
        call=call,
        given=[form.format(key) for key in names],
        smaller=partial(layout, rule, name, variant, form, names),
    )


def holes(value):
    """The tensor with a zero in every second place."""
    flat = value.clone().flatten()
    flat[1::2] = 0
    return flat.reshape(value.shape)


def loaded(name, call, rng):
    """Rule 11: F(I) = F(Dataset(I))."""
    for names in subjects(call)[:1]:
        yield batched(name, names[0], call)


def batched(name, key, call):
    return Pair(
        "11",
        "DataLoader",
        name,
        call.inputs,
        call.text(),
        call.text(lambda one: "batch" if one == key else one),
        setup=LOADED.format(key),
        call=call,
        smaller=partial(batched, name, key),
    )


def cast(name, call, rng):
    """Rule 12: F(cast(I, X)) = F(cast(I, Y)); Y is the widest dtype of the kind."""
    floats = [key for key, value in call.inputs.items() if value.is_floating_point()]
    names = floats or [key for key, value in call.inputs.items() if whole(value)]
    if not names or any(call.inputs[key].layout != torch.strided for key in names):
        return
    for dtype in FLOATS if floats else ():
        yield converted(name, dtype, names, call.over(rounded(call.inputs, names)))
    counted = call.over(counts(call.inputs, names, torch.float64 if floats else torch.int64, rng))
    for dtype in WHOLES:
        if floats or dtype != "int64":
            yield converted(name, dtype, names, counted)


def whole(value):
    return not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)


def converted(name, dtype, names, call):
    return Pair(
        "12",
        dtype,
        name,
        call.inputs,
        call.text(),
        wrapped(call, names, "{}.to(torch.%s)" % dtype),
        dtypes=(dtype,),
        call=call,
        smaller=partial(converted, name, dtype, names),
    )


def rounded(inputs, names):
    """Inputs as float64 with values that every floating dtype holds."""
    return {
        key: value.to(torch.bfloat16).clamp(-3e4, 3e4).double() if key in names else value
        for key, value in inputs.items()
    }


def counts(inputs, names, dtype, rng):
    """Inputs of small whole numbers in the place of the sample's, unless it has such: these may be
    indices, which are checked by no one."""
    generator = torch.Generator().manual_seed(rng.randrange(2**31))

    def counted(value):
        plain = whole(value) and value.numel() and not value.is_quantized
        if plain and 0 <= value.min() and value.max() <= LARGEST:
            return value.to(dtype)
        return torch.randint(1, LARGEST + 1, value.shape, generator=generator).to(dtype)

    return {key: counted(value) if key in names else value for key, value in inputs.items()}
