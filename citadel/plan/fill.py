"""Fill a required argument that the source does not supply.

Tensors are the source's own again (so that layout, dtype and odd values stay in play); other values
come from valid calls of the target, else from the parameter's type.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.catalog.model import Parameter
from analysis.values import Value
from citadel.plan.dimensions import Lift, lifted
from citadel.plan.invocation import Invocation
from citadel.plan.model import Expression, Fill, SourceValue, Step, Take
from citadel.plan.names import SAME_WORDS, name_likeness
from citadel.plan.types import (
    ANY,
    BOOL,
    DTYPE,
    FLOAT,
    FLOATS,
    INT,
    INTS,
    NONE,
    TENSOR,
    TENSORS,
    accepted,
    fits,
)

SIZES = ("size", "sizes", "shape", "sizes_", "output_size")


def fill(
    parameter: Parameter, source: Invocation, samples: Sequence[dict[str, Value]], lift: Lift
) -> Expression | None:
    """An expression for the parameter, or None where nothing is known that would do."""
    kinds = accepted(parameter.type)
    main = source.main
    if TENSOR in kinds and NONE in kinds:
        return Fill(text="None")
    if main is not None and TENSOR in kinds:
        return Take(key=main.key, steps=lifted(main, lift))
    if main is not None and TENSORS in kinds:
        return Take(key=main.key, steps=(*lifted(main, lift), Step(name="list")))
    namesake = _namesake(parameter, source)
    if namesake is not None:
        return Take(key=namesake.key, steps=lifted(namesake, lift))
    sampled = _from_samples(parameter.name, samples)
    if INTS in kinds and parameter.name in SIZES and main is not None and main.value.shape:
        return Fill(text=str(list(main.value.shape)))
    if sampled is not None:
        return Fill(text=sampled)
    if ANY in kinds and main is not None and parameter.name in ("input", "self", "x", "other"):
        return Take(key=main.key, steps=lifted(main, lift))
    if ANY in kinds:
        return None
    defaults = ((INTS, "[1]"), (INT, "1"), (FLOATS, "[1.0]"), (FLOAT, "1.0"), (BOOL, "False"))
    for kind, text in defaults:
        if kind in kinds:
            return Fill(text="0" if parameter.name == "dim" else text)
    if DTYPE in kinds and main is not None and main.value.dtype:
        return Fill(text=f"torch.{main.value.dtype}")
    return None


def _namesake(parameter: Parameter, source: Invocation) -> SourceValue | None:
    """A value that the source gives under nearly this name (`in_features` for `in2_features`)."""
    for value in source.values:
        like = name_likeness(value.name, parameter.name) >= SAME_WORDS
        if like and fits(value.value, parameter.type):
            return value
    return None


def _from_samples(name: str, samples: Sequence[dict[str, Value]]) -> str | None:
    for sample in samples:
        value = sample.get(name)
        text = value.literal() if value is not None else None
        if text is not None and text != "None":
            return text
    return None
