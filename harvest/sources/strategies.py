"""Hypothesis strategies: configurations of layers, inputs, and what is smaller than something.

They shrink towards usual parameters and small inputs, which is what makes a case readable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from harvest.sources.layers import SHAPES, LayerSpec, specs
from harvest.sources.networks import Array
from harvest.sources.suspects import Suspect

SPECIAL = (0.0, 1.0, -1.0, 1e-8, 1e8, -1e30, float("inf"), float("-inf"), float("nan"))

ABSENT = object()
"""In the place of a parameter that is left to the layer."""


def configurations(spec: LayerSpec, *, invalid: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Configurations of a layer; with `invalid` also of values that it should refuse."""
    return st.fixed_dictionaries(
        {
            one.name: st.sampled_from((*one.legal, *(one.invalid if invalid else ())))
            for one in spec.parameters
        }
    )


def suspects(spec: LayerSpec, *, invalid: bool = False) -> st.SearchStrategy[Suspect]:
    """One-layer networks of a layer."""
    shape = SHAPES[spec.rank]
    return configurations(spec, invalid=invalid).map(
        lambda config: Suspect(
            kind=spec.kind,
            config=config,
            shapes=(shape,) * spec.arity,
            domain=spec.indices or "real",
        )
    )


def arrays(shape: tuple[int, ...]) -> st.SearchStrategy[Array]:
    """Inputs of a shape: ordinary numbers, some of them special ones."""
    numbers = st.one_of(st.sampled_from(SPECIAL), st.floats(-4, 4, width=32))
    size = int(np.prod(shape))
    return st.lists(numbers, min_size=size, max_size=size).map(
        lambda values: np.array(values, dtype="float32").reshape(shape)
    )


@st.composite
def smaller(draw: st.DrawFn, found: Suspect) -> Suspect:
    """Suspects with some parameters as usual and some dimensions smaller than those found."""
    config = {
        name: chosen
        for name, value in found.config.items()
        if (chosen := draw(st.sampled_from(_values(found.kind, name, value)))) is not ABSENT
    }
    sizes = {
        place: draw(st.integers(1, size))
        for place, size in enumerate(found.shapes[0])
        if all(shape[place : place + 1] == (size,) for shape in found.shapes)
    }
    shapes = tuple(
        tuple(sizes.get(place, size) for place, size in enumerate(shape)) for shape in found.shapes
    )
    return replace(found, config=config, shapes=shapes)


def _values(kind: str, name: str, value: Any) -> tuple[Any, ...]:
    """Not to give a parameter, and its usual value, if it has one, before that found."""
    for spec in specs(kind):
        for parameter in spec.parameters:
            if parameter.name == name and parameter.legal[0] != value:
                return (ABSENT, parameter.legal[0], value)
    return (ABSENT, value)
