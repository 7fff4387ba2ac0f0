"""Calls of PyTorch's operators as EAGLE's rules want them: by public name, with named inputs.

They come from the samples of PyTorch's own tests; of what these lack, from the examples of its
documentation and from signatures.
"""

import math
import re
from functools import lru_cache, partial
from itertools import islice

import samples_torch
import synthesis_torch
import torch
from eagle_pairs import call_of
from eagle_samples import arguments, elements
from schemas_torch import Schemas
from unpickle import NoLiteral

PRIVATE = re.compile(r"\._|_\Z")
"""Names that are not public, or of what changes its input."""


def infos_by_name():
    """The operators of PyTorch's test database by the public name under which each is called."""
    from torch.testing._internal.common_methods_invocations import op_db

    found = {}
    for info in op_db:
        forms = [
            name
            for name, _, in_place in samples_torch.forms(info)
            if not in_place and not name.startswith("torch.ops.") and not PRIVATE.search(name)
        ]
        if forms:
            found.setdefault(forms[0], []).append(info)
    return found


def calls_of(infos, name, count):
    """Calls of an operator under the first samples of its tests, those of variants in turns."""
    found = []
    for info in infos:
        try:
            samples = list(islice(samples_torch.sample_inputs(info), count))
        except Exception:
            continue
        forms = {form: function for form, function, _ in samples_torch.forms(info)}
        _, calls = samples_torch.form_calls(name, forms.get(name), False, samples)
        found.append([call for call in map(partial(written, name), calls) if call is not None])
    longest = max(map(len, found), default=0)
    return [calls[number] for number in range(longest) for calls in found if number < len(calls)]


def written(name, call):
    """A call by name; None where it cannot be written down."""
    args, kwargs, _ = call
    try:
        args, kwargs = detached(args), detached(kwargs)
        is_input = lambda value: isinstance(value, torch.Tensor)  # noqa: E731
        return call_of(name, args, kwargs, is_input, name.startswith("torch.Tensor."))
    except (NoLiteral, RuntimeError):
        return None


def detached(value):
    """A nested value with tensors that want no gradients."""
    if isinstance(value, torch.Tensor):
        plain = value.detach()
        return plain.resolve_conj().resolve_neg() if plain.layout == torch.strided else plain
    if type(value) in (list, tuple):
        return type(value)(detached(item) for item in value)
    if type(value) is dict:
        return {key: detached(item) for key, item in value.items()}
    return value


def documented_calls(name, records):
    """Calls of the examples in an API's documentation, as the host has kept them."""
    found = []
    for record in records:
        try:
            given = arguments(record, tensor_of, {"torch": torch})
            found.append(written(name, (*given, None)))
        except Exception:
            continue
    return [call for call in found if call is not None]


def tensor_of(name, shape, kept):
    """A tensor of a sample; made up where its elements were too many to be kept."""
    dtype = getattr(torch, name)
    if kept is None:
        kept = elements(math.prod(shape), dtype.is_floating_point or dtype.is_complex)
    return torch.tensor(kept).reshape(shape).to(dtype)


@lru_cache(maxsize=1)
def schemas():
    """The schemas of all operators, whose reading takes long."""
    return Schemas()


@lru_cache(maxsize=None)
def made_up_calls(name):
    """Calls of an API that the test database lacks, the same in each round."""
    place = synthesis_torch.reachable([name])
    if place is None:
        return []
    found = []
    for make in synthesis_torch.attempts(name, getattr(*place), schemas()):
        try:
            found.append(written(name, make()))
        except Exception:
            continue
    return [call for call in found if call is not None]
