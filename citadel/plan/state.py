"""A layer that takes the place of a function: what is handed to the function is the layer's own.

`F.conv2d(x, w, b)` is a `Conv2d` whose parameters are `w` and `b`, and that was constructed with
their sizes.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping, Sequence

from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.lexicon import SAME_WORDS, Lexicon
from citadel.plan.lifting import Lift, lifted, shape_after
from citadel.plan.model import SourceValue

MODE = "training"
"""The mode of a layer, which its function is told: beside what it has of its own."""
_OWN = "."
"""In front of the names of what a layer has: no parameter of a call is named so."""


def own_name(name: str) -> str:
    """The name of a parameter or buffer of a layer among those of what its calls are given."""
    return f"{_OWN}{name}"


def is_own(name: str) -> bool:
    """Whether it is such a name."""
    return name.startswith(_OWN)


def owned(samples: Sequence[Mapping[str, Value]]) -> dict[str, frozenset[int]]:
    """What a layer has of its own in valid calls: name -> the ranks that it has there.

    Names become source text: what is no identifier is left out.
    """
    found: dict[str, set[int]] = {}
    for sample in samples:
        for name, value in sample.items():
            plain = name.removeprefix(_OWN)
            named = plain.isidentifier() and not keyword.iskeyword(plain)
            if plain != name and named and value.rank is not None:
                found.setdefault(plain, set()).add(value.rank)
    return {name: frozenset(ranks) for name, ranks in found.items()}


def _matched(
    values: Sequence[SourceValue],
    owned: Mapping[str, frozenset[int]],
    optional: Collection[str],
    lexicon: Lexicon,
    lift: Lift,
) -> dict[str, SourceValue] | None:
    """Tensors of the report's call are to be a layer's own, by their names there.

    All of them, but for those of which the construction can say that there are none (`optional`),
    and counters; else nothing.
    """
    found: dict[str, SourceValue] = {}
    for value in values:
        shape = value.value.shape
        if not value.value.is_tensor or shape is None:
            continue
        rank = len(shape_after(shape, lifted(value, lift)))
        likeness = {
            name: lexicon.likeness(value.name, name)
            for name, ranks in owned.items()
            if rank in ranks and name not in found
        }
        best = max(likeness, key=lambda name: likeness[name], default=None)
        if best is not None and likeness[best] >= SAME_WORDS:
            found[best] = value
    counters = {name for name, ranks in owned.items() if ranks == {0}}
    needed = {name for name in owned if not flags(name) & set(optional)} - counters
    return None if needed - found.keys() else found or None


matched = Rule("variant/tensors-as-own-of-layer", _matched)


def flags(name: str) -> frozenset[str]:
    """The arguments of a construction that say whether a layer has a parameter of its own."""
    return frozenset((name, f"use_{name}"))
