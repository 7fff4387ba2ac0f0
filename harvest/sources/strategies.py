"""Hypothesis strategies: what is simpler than something found.

They shrink towards usual parameters, small inputs and round numbers, which is what makes a case
readable.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import Flaky, NoSuchExample

from analysis import cache
from harvest.sources.layers import specs
from harvest.sources.networks import Array
from harvest.sources.suspects import Suspect

EXAMPLES = 120
"""Candidates that are tried at most until one shows what was found."""
T = TypeVar("T")

ABSENT = object()
"""In the place of a parameter that is left to the layer."""


def simpler(found: Array) -> st.SearchStrategy[Array]:
    """Arrays of the same shape: each number is 0, 1, that found to one digit, or that found."""
    return st.tuples(*(st.sampled_from(_rounder(one)) for one in found.ravel().tolist())).map(
        lambda numbers: np.array(numbers, dtype=found.dtype).reshape(found.shape)
    )


@st.composite
def smaller(draw: st.DrawFn, found: Suspect, *, fixed: bool = False) -> Suspect:
    """Suspects with some parameters as usual and some dimensions smaller than those found.

    With `fixed` the last dimension stays, which weights belong to.
    """
    config = {
        name: chosen
        for name, value in found.config.items()
        if (chosen := draw(st.sampled_from(_values(found.kind, name, value)))) is not ABSENT
    }
    sizes = {
        place: draw(st.integers(1, size))
        for place, size in enumerate(found.shapes[0][:-1] if fixed else found.shapes[0])
        if all(shape[place : place + 1] == (size,) for shape in found.shapes)
    }
    shapes = tuple(
        tuple(sizes.get(place, size) for place, size in enumerate(shape)) for shape in found.shapes
    )
    return replace(found, config=config, shapes=shapes)


def _rounder(number: float) -> tuple[float, ...]:
    """Simpler numbers in the place of one, and itself; whole numbers may be indices and stay so."""
    digit = [float(f"{number:.0e}")] if isinstance(number, float) else []
    return tuple(dict.fromkeys((type(number)(0), type(number)(1), *digit, number)))


def least(candidates: st.SearchStrategy[T], shows: Callable[[T], bool], seconds: float) -> T | None:
    """The simplest candidate found within that time that shows something; None if there is none."""
    # What it notes about the code that it was called from is nothing for the user's folder.
    set_hypothesis_home_dir(cache.folder() / "hypothesis")
    end = time.monotonic() + seconds
    chosen = settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    shown: T | None = None

    def shows_in_time(one: T) -> bool:
        nonlocal shown
        if time.monotonic() >= end or not shows(one):
            return False
        shown = one
        return True

    try:
        return find(candidates, shows_in_time, settings=chosen)
    except NoSuchExample:
        return None
    except Flaky:  # out of time it is shown no second time; what comes and goes is not made smaller
        return shown if time.monotonic() >= end else None


def _values(kind: str, name: str, value: Any) -> tuple[Any, ...]:
    """Not to give a parameter, and its usual value, if it has one, before that found."""
    for spec in specs(kind):
        for parameter in spec.parameters:
            if parameter.name == name and parameter.legal[0] != value:
                return (ABSENT, parameter.legal[0], value)
    return (ABSENT, value)
