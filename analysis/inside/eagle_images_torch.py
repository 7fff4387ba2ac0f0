"""EAGLE's rule 9 for any operator of PyTorch: F(I) = denorm(F(norm(I))).

In: a call of a sample. Out: pairs in which its first input is an image of whole numbers up to 255,
and one of fractions up to 1. The rule is about what scales with its input, which double precision
is asked for first; whole numbers as such are given to what only selects some of its input.
"""

from functools import partial

import numpy as np
import torch
from eagle_pairs import Pair
from unpickle import NoLiteral

WHITE = 255
EXACT = 1e-9
"""How well double precision must show that an operator scales with its input."""
ROUNDED = 1.001
"""One step of the whole numbers for rounding."""
SCALED = '''def scaled(results):
    """What is measured in the units of the image, on the other scale; indices stay."""
    return tuple(one * 255 if one.is_floating_point() else one for one in results)
'''


def pictures(name, call, rng):
    """Rule 9 for the first input of a call."""
    key = next(iter(call.inputs), None)
    if key is None or not drawable(call.inputs[key]):
        return
    generator = torch.Generator().manual_seed(rng.randrange(2**31))
    drawn = torch.randint(0, WHITE + 1, call.inputs[key].shape, generator=generator).float()
    held = call.over({**call.inputs, key: drawn})
    for variant in ("float", "uint8"):
        pair = formatted(name, key, variant, held)
        if pair is not None:
            yield pair


def drawable(value):
    """Whether an image may stand in a tensor's place."""
    return value.layout == torch.strided and value.dtype == torch.float32 and value.dim() > 1


def formatted(name, key, variant, call):
    """The pair of a call; None where the rule says nothing about it."""
    if not drawable(call.inputs[key]):
        return None
    found = told(call, key)
    if found is None:
        return None
    if variant == "uint8" and not selects(found, call.inputs[key]):
        return None
    # Only the place of the first argument: an input that stands in two would be scaled twice.
    text = call.text(lambda one: "(x / 255)".replace("x", key) if one == key else one)
    form = "scaled({})" if isinstance(found, tuple) else "{} * 255"
    whole = "%s.to(torch.uint8)" % key
    given = (whole,) if variant == "uint8" else ()
    result = call.text(lambda one: whole if one == key and given else one)
    return Pair(
        "9",
        variant,
        name,
        call.inputs,
        form.format(text),
        result,
        setup=SCALED if isinstance(found, tuple) else "",
        least=ROUNDED if given else 0.0,
        given=given,
        call=call,
        smaller=partial(formatted, name, key, variant),
    )


def told(call, key):
    """The results in double precision, if they scale with an input; else None."""
    try:
        inputs = {
            name: value.double() if value.is_floating_point() else value
            for name, value in call.inputs.items()
        }
        code = compile(call.text(), "<image>", "eval")
        large = eval(code, {"torch": torch, **inputs})
        small = eval(code, {"torch": torch, **inputs, key: inputs[key] / WHITE})
        pairs = list(zip(tensors(large), tensors(small)))
        if all(map(scales, pairs)) and any(one.is_floating_point() for one, _ in pairs):
            return large if isinstance(large, torch.Tensor) else tuple(large)
    except Exception:
        pass
    return None


def tensors(value):
    """The tensors of a result that holds nothing else."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)) and all(isinstance(one, torch.Tensor) for one in value):
        return list(value)
    raise NoLiteral("a result that is no tensor")


def scales(pair):
    """Whether of two results one is WHITE times the other; indices are equal."""
    large, small = (one.detach() for one in pair)
    if large.layout != torch.strided or large.shape != small.shape or not large.numel():
        return False
    if not large.is_floating_point():
        return not large.is_complex() and torch.equal(large, small)
    if large.dtype != torch.float64:
        return False  # it was told to be coarser, and rounds
    finite = torch.isfinite(large).all() and bool(large.abs().max() > 0)
    return finite and torch.allclose(large, small * WHITE, rtol=EXACT, atol=EXACT)


def selects(found, image):
    """Whether all numbers of the results are some of the image's, or zero."""
    known = np.append(image.numpy().ravel(), 0)
    numbers = [one.detach().numpy() for one in tensors(found) if one.is_floating_point()]
    return all(bool(np.isin(one, known).all()) for one in numbers)
