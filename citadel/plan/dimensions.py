"""Dimension differences: `conv1d` works on 3-d tensors, `conv3d` on 5-d ones.

The number of spatial dimensions is read off the names (`1d`, `2d`, `3d`). Tensors that have spatial
dimensions gain or lose ones of size 1: the last ones, or, where channels come last, those in front
of the channels. A window may not fit into these, so that they also gain some as long as the last
one. Lists with one number per spatial dimension gain or lose numbers. For values to stay what they
are, windows are 1 long there, and the result loses what the input has gained.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from analysis.catalog.model import Api
from analysis.rules import Phrase, Registry, Rule
from analysis.values import Value
from citadel.match.family import parse
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.lengths import beyond, named
from citadel.plan.lifting import LAYOUT, Lift, lifted, pads, per_dimension, shape_after

BATCH_AND_CHANNELS = 2
MOST_REPEATED = 1 << 22
"""Elements that a tensor may come to have for its dimensions to be repeated."""
_WHOLE = re.compile(r"-?\d{1,30}")
_SPATIAL = (1, 2, 3)
_DIMENSIONS = Phrase(
    "plan/number-of-dimensions",
    r"([123])[dD](?![a-z])",
    finds=("max_pool2d", "Conv2DTranspose", "AvgPool3DGrad"),
    spares=("fill_1draw", "stack"),
    meaning="How many spatial dimensions an API has, by its name.",
)


@cache
def spatial(name: str) -> int | None:
    """The number of spatial dimensions that an API's name states.

    >>> spatial("torch.nn.functional.max_pool2d"), spatial("tf.keras.layers.Conv2DTranspose")
    (2, 2)
    """
    found = _DIMENSIONS.findall(name.rsplit(".", 1)[-1])
    return int(found[-1]) if found else None


def dimension_change(
    source: Invocation, target: Api, known: Sequence[Mapping[str, Value]] = ()
) -> Iterator[Lift]:
    """The changes to try, likeliest first. `known` are valid calls of the target.

    Where one of two names has no number (`AvgPoolGrad` and `AvgPool3DGrad`), its number of
    dimensions is that of its lists of numbers, or of its tensors, less batch and channels.
    """
    before, after = spatial(source.api.name), spatial(target.name)
    if before is None and after is None:
        yield Lift()
        return
    if before is None or after is None:
        yield Lift()
        if parse(source.api.name, source.api.kind).core != parse(target.name, target.kind).core:
            return
        main = source.main
        before = before or named(source.values)
        before = before or _of_rank(None if main is None else main.value.rank)
        ranks = [max((v.rank or 0 for v in s.values() if v.is_shaped), default=0) for s in known]
        after = after or _of_rank(min(ranks, default=0))
        if before is None or after is None or before == after:
            return
        sized = True
    elif before == after:
        yield Lift()
        return
    else:
        sized = _are_the_tensors_own(source)
    if sized and before == named(source.values) and before < after:
        further = _sized(source, before, after)
        yield from () if further is None else (further,)
    plain = Lift(
        before=before,
        after=after,
        channels_last=channels_last(source),
        as_tensorflow=as_tensorflow(source.api.name),
    )
    yield from CHANGES.each(source, plain)


CHANGES: Registry[[Invocation, Lift], Lift] = Registry("variant")
"""The ways in which a call comes to another number of spatial dimensions; each is tried."""


@CHANGES.rule("entries-per-dimension-change")
def _narrow(source: Invocation, lift: Lift) -> Lift | None:
    """Tensors with one entry per spatial dimension change as well."""
    return replace(lift, narrow=True) if _narrows(source, lift) else None


@CHANGES.rule("last-dimensions-stay")
def _tail(source: Invocation, lift: Lift) -> Lift | None:
    """Of dimensions that are dropped the last ones stay, where the odd number is one of theirs."""
    return replace(lift, tail=True, guess=True) if _odd_at_the_end(source, lift) else None


@CHANGES.rule("dimensions-of-size-one")
def _ones(_: Invocation, lift: Lift) -> Lift | None:
    """Dimensions of size 1 are added, or the last ones dropped."""
    return replace(lift, guess=True)


@CHANGES.rule("windows-of-size-one")
def _unit(source: Invocation, lift: Lift) -> Lift | None:
    """Windows are 1 long along dimensions that are added, which the result loses again."""
    return replace(lift, unit=True, guess=True) if lift.amount > 0 and keeps_rank(source) else None


@CHANGES.rule("signal-without-channels")
def _signal(source: Invocation, lift: Lift) -> Lift | None:
    """A tensor all of whose dimensions are spatial gets further ones in front: it has no batch and
    no channels."""
    main = source.main
    if main is None or main.value.rank != lift.before or lift.amount <= 0:
        return None
    return replace(lift, own=((main.key, lift.amount),), guess=True)


@CHANGES.rule("batch-and-channels-alone")
def _unbatched(source: Invocation, lift: Lift) -> Lift | None:
    """A tensor may have fewer spatial dimensions than the name says: `BatchNorm1d` takes what has
    none."""
    rank = 0 if source.main is None else source.main.value.rank or 0
    few = BATCH_AND_CHANNELS <= rank < lift.before + BATCH_AND_CHANNELS
    if not few or lift.amount <= 0:
        return None
    return replace(lift, before=rank - BATCH_AND_CHANNELS, guess=True)


@CHANGES.rule("dimensions-of-equal-size")
def _repeated(source: Invocation, lift: Lift) -> Lift | None:
    """Dimensions that are added are as long as the last one, for windows to fit into them."""
    if lift.amount <= 0 or not _repeats(source, lift):
        return None
    return replace(lift, repeat=True, narrow=_narrows(source, lift), guess=True)


def _narrows(source: Invocation, lift: Lift) -> bool:
    return any(per_dimension(value, lift.before) for value in source.values)


def _odd_at_the_end(source: Invocation, lift: Lift) -> bool:
    """Whether a number that others are not like, as -1 among ones, is of a dimension that would be
    dropped: it may be what the report is about."""
    if lift.amount >= 0:
        return False
    for value in source.values:
        items = value.value.items or ()
        ended = lift.as_tensorflow and len(items) == lift.before + 2 and lift.channels_last
        numbers = [_number(item) for item in (items[1:-1] if ended else items)]
        if len(numbers) == lift.before and None not in numbers:
            odd = [_oddity(number or 0, pads=pads(value)) for number in numbers]
            at = odd.index(max(odd))
            if odd.count(max(odd)) == 1 and at >= lift.after:
                return True
    return False


def _number(value: Value) -> int | None:
    text = value.text or ""
    return int(text) if value.kind == "int" and _WHOLE.fullmatch(text) else None


def _oddity(number: int, *, pads: bool) -> tuple[bool, bool, int]:
    """The larger, the less one expects it: of sizes, negative ones and none."""
    return number < 0, number == 0 and not pads, abs(number)


def _further_sizes(source: Invocation, before: int, after: int) -> Lift | None:
    """Of a tensor that has further dimensions, a list may name their sizes as well."""
    main = source.main
    sizes = () if main is None else beyond(main.value.shape, before, after)
    if main is None or not sizes:
        return None
    more = max(0, after - (main.value.rank or 0))
    leading = frozenset((main.key,)) if more else frozenset()
    return Lift(before=before, after=after, sizes=sizes, lead=more, leading=leading)


_sized = Rule("variant/sizes-of-further-dimensions", _further_sizes)


def _are_the_tensors_own(source: Invocation) -> bool:
    """Whether all lists stand for sizes that the tensor has if there are none: `fft_length=None`
    is such a list, `strides` beside a `ksize` is not."""
    lists = {value.name for value in source.values if value.value.kind in ("list", "tuple")}
    declared = [one for signature in source.api.signatures for one in signature.parameters]
    optional = {one.name for one in declared if one.default == "None"}
    return bool(lists) and lists <= optional


def _of_rank(rank: int | None) -> int | None:
    """The spatial dimensions of a batch of several channels."""
    return rank - BATCH_AND_CHANNELS if rank and rank - BATCH_AND_CHANNELS in _SPATIAL else None


def keeps_rank(source: Invocation) -> bool:
    """Whether the result is one tensor of as many dimensions as the input."""
    main, result = source.main, source.call.result
    if main is None or result is None or result.value is None or source.constructing:
        return False
    known = main.value.rank is not None and result.value.is_tensor
    known = known and result.value.layout != "mkldnn"  # it cannot be indexed as it is
    return known and result.value.rank == main.value.rank


def _repeats(source: Invocation, lift: Lift) -> bool:
    """Whether dimensions as long as the last one are more than such of size 1, and not too much."""
    main = source.main
    if main is None or main.value.shape is None:
        return False
    grown = replace(lift, repeat=True)
    if shape_after(main.value.shape, lifted(main, grown)) == shape_after(
        main.value.shape, lifted(main, lift)
    ):
        return False
    tensors = [value for value in source.values if value.value.is_shaped and value.value.shape]
    sizes = [shape_after(value.value.shape or (), lifted(value, grown)) for value in tensors]
    return all(math.prod(max(n, 1) for n in shape) <= MOST_REPEATED for shape in sizes)


def channels_last(source: Invocation) -> bool:
    """Whether the channels of its tensors lie behind the spatial dimensions."""
    for value in source.values:
        text = (value.value.literal() or "").strip("'\"")
        if text in ("channels_last", "channels_first"):
            return text == "channels_last"
        if value.name == "data_format" and LAYOUT.fullmatch(text):
            return text.endswith("C")
    return as_tensorflow(source.api.name)
