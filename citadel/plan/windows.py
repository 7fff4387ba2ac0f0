"""Weights of a window: what a convolution has where pooling has the sizes of its window alone.

In: the failing call, and which of its values a sibling is given. Out: the window that it is not
given, and the shape of weights that are as long in every spatial dimension, of as many channels as
the report's tensor.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analysis.values import Value
from citadel.plan.analogy import MOST_ELEMENTS, Sample, Shape
from citadel.plan.dimensions import BATCH_AND_CHANNELS, channels_last
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.model import SourceValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A value of the source's call that says how long its window is, by spatial dimension."""

    value: SourceValue
    lengths: tuple[int, ...]
    channels_last: bool
    as_tensorflow: bool

    def weights(self, shape: Shape | None) -> Shape | None:
        """The shape of weights for a tensor of a shape; None where there are none for it."""
        if shape is None or len(shape) <= BATCH_AND_CHANNELS:
            return None
        dimensions = len(shape) - BATCH_AND_CHANNELS
        lengths = self.lengths * dimensions if len(self.lengths) == 1 else self.lengths
        channels = shape[-1] if self.channels_last else shape[1]
        ends = (channels, channels)
        made = (*lengths, *ends) if self.as_tensorflow else (*ends, *lengths)
        fits = len(lengths) == dimensions and 0 < math.prod(made) <= MOST_ELEMENTS
        return made if fits else None


def window_left(source: Invocation, given: Collection[str], lexicon: Lexicon) -> Window | None:
    """The window that a sibling is not given, though it is given other lengths of these dimensions.

    `given` are the keys of the values that it gets. A window has no default, as strides have.
    """
    signatures = source.api.signatures
    required = {p.name for one in signatures for p in one.parameters if p.required}
    spatial = [v for v in source.values if v.name in lexicon.windows and _lengths(v.value)]
    left = [value for value in spatial if value.key not in given and value.name in required]
    if len(left) != 1 or not any(value.key in given for value in spatial):
        return None
    return Window(
        value=left[0],
        lengths=_lengths(left[0].value),
        channels_last=channels_last(source),
        as_tensorflow=as_tensorflow(source.api.name),
    )


def are_weights(name: str, main: str | None, samples: Sequence[Sample]) -> bool:
    """Whether a parameter is given tensors of as many dimensions as the main one in valid calls."""
    known = [(s[name].rank, s[main].rank) for s in samples if name in s and main in s]
    ranks = [(own, other) for own, other in known if own is not None and other is not None]
    return bool(ranks) and all(own == other > BATCH_AND_CHANNELS for own, other in ranks)


def _lengths(value: Value) -> tuple[int, ...]:
    """The numbers of a window, without those of batch and channels at its ends; () of all else."""
    items = value.items or () if value.kind in ("list", "tuple") else (value,)
    texts = [item.literal() if item.kind == "int" else None for item in items]
    if len(texts) > BATCH_AND_CHANNELS and texts[0] == texts[-1] == "1":
        texts = texts[1:-1]
    numbers = tuple(int(text) for text in texts if text is not None)
    whole = len(numbers) == len(texts) and all(number > 0 for number in numbers)
    return numbers if whole else ()
