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
from dataclasses import dataclass, replace

from analysis.catalog.model import Api
from analysis.values import Value
from citadel.match.family import parse
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.lengths import beyond, extended, named
from citadel.plan.model import FIRST, SourceValue, Step

FILTERS = frozenset(("filter", "filters", "kernel", "depthwise_filter", "pointwise_filter"))
"""What has its spatial dimensions in front in TensorFlow."""
BATCH_AND_CHANNELS = 2
PADS = ("pad", "crop")
"""Parts of the names of what adds nothing as 0: `padding`, `output_padding`, `cropping`."""
MOST_REPEATED = 1 << 22
"""Elements that a tensor may come to have for its dimensions to be repeated."""
_LAYOUT = re.compile(r"N?C?[DHW]{1,3}C?")
_SEVERAL = re.compile(r"tuple\[int(?:, int)*\]")
_WHOLE = re.compile(r"-?\d{1,30}")
_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}

_DIMENSIONS = re.compile(r"([123])[dD](?![a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """From `before` to `after` spatial dimensions. `narrow`: also shrink (or widen) last
    dimensions whose size is the number of spatial dimensions; `repeat`: what is added is as long
    as the last one, for windows to fit into it; `lead`: dimensions that the values `leading` get
    (negative: lose) in front, and that the result of several loses; `sizes`: lists gain these in
    front, those of what else the tensor has; `unit`: windows are 1 long along what is added,
    which the result loses again. `tail`: of dimensions that are dropped, the last ones stay.
    `ranks`: of the target's tensors, by parameter; `own`: what each value gets or loses in front
    for that; `together`: all the same, so that the result loses what they get. `columns`: values
    that get a last dimension of one, which the result loses again. `channels_last` tells where
    the spatial dimensions are, `as_tensorflow` whose filters and windows they are."""

    before: int = 0
    after: int = 0
    narrow: bool = False
    repeat: bool = False
    unit: bool = False
    lead: int = 0
    leading: frozenset[str] = frozenset()
    sizes: tuple[int, ...] = ()
    ranks: tuple[tuple[str, int], ...] = ()
    own: tuple[tuple[str, int], ...] = ()
    together: bool = False
    columns: frozenset[str] = frozenset()
    tail: bool = False
    guess: bool = False
    channels_last: bool = False
    as_tensorflow: bool = False

    @property
    def amount(self) -> int:
        """Spatial dimensions to add (negative: to remove)."""
        return self.after - self.before

    @property
    def edits(self) -> tuple[str, ...]:
        """For people."""
        if self.lead:
            many, how = abs(self.lead), "more" if self.lead > 0 else "fewer"
            of = " of each" if len(self.leading) > 1 else ""
            return (f"{many} {how} dimension{'s' * (many > 1)} in front{of}",)
        if self.columns:
            return ("a vector as a column",)
        if self.own and not self.amount:
            return ("dimensions in front as valid calls have them",)
        how = ", of equal sizes" if self.repeat else ", windows of 1" if self.unit else ""
        how = ", the last ones" if self.tail else how
        return (f"dimensions {self.before}d -> {self.after}d{how}",) if self.amount else ()

    @property
    def result(self) -> tuple[Step, ...]:
        """What the result goes through for it to be one of the source's dimensions."""
        lead = self.lead if len(self.leading) > 1 else self.own[0][1] if self.together else 0
        if lead > 0:
            return (Step(name="behead", amount=lead),)
        if self.columns:
            return (Step(name="lower", amount=1),)
        if not self.unit:
            return ()
        return (Step(name="lower", amount=self.amount, behind=int(self.channels_last)),)


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
        yield from _sized(source, before, after)
    plain = Lift(
        before=before,
        after=after,
        channels_last=channels_last(source),
        as_tensorflow=as_tensorflow(source.api.name),
    )
    narrow = any(_per_dimension(value, before) for value in source.values)
    if narrow:
        yield replace(plain, narrow=True)
    if after < before and _odd_at_the_end(source, plain):
        yield replace(plain, tail=True, guess=True)
    yield replace(plain, guess=True)
    if after > before and keeps_rank(source):
        yield replace(plain, unit=True, guess=True)
    rank = 0 if source.main is None else source.main.value.rank or 0
    yield from _of_a_signal(source, plain)
    if BATCH_AND_CHANNELS <= rank < before + BATCH_AND_CHANNELS and after > before:
        # `BatchNorm1d` takes what has no dimensions but these.
        yield replace(plain, before=rank - BATCH_AND_CHANNELS, guess=True)
    if after > before and _repeats(source, plain):
        yield replace(plain, repeat=True, narrow=narrow, guess=True)


def _of_a_signal(source: Invocation, lift: Lift) -> Iterator[Lift]:
    """The change of a tensor all of whose dimensions are spatial: it has no batch and no channels,
    and gets what is added in front."""
    main = source.main
    if main is not None and main.value.rank == lift.before and lift.amount > 0:
        yield replace(lift, own=((main.key, lift.amount),), guess=True)


def _odd_at_the_end(source: Invocation, lift: Lift) -> bool:
    """Whether a number that others are not like, as -1 among ones, is of a dimension that would be
    dropped: it may be what the report is about."""
    for value in source.values:
        items = value.value.items or ()
        ended = lift.as_tensorflow and len(items) == lift.before + 2 and lift.channels_last
        numbers = [_number(item) for item in (items[1:-1] if ended else items)]
        if len(numbers) == lift.before and None not in numbers:
            odd = [_oddity(number or 0, pads=_pads(value)) for number in numbers]
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


def _sized(source: Invocation, before: int, after: int) -> Iterator[Lift]:
    """Of a tensor that has further dimensions, a list may name their sizes as well."""
    main = source.main
    sizes = () if main is None else beyond(main.value.shape, before, after)
    if main is not None and sizes:
        more = max(0, after - (main.value.rank or 0))
        leading = frozenset((main.key,)) if more else frozenset()
        yield Lift(before=before, after=after, sizes=sizes, lead=more, leading=leading)


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
        if value.name == "data_format" and _LAYOUT.fullmatch(text):
            return text.endswith("C")
    return as_tensorflow(source.api.name)


def _per_dimension(value: SourceValue, spatial_dimensions: int) -> bool:
    """A tensor whose last dimension has one entry per spatial dimension, and is not the input."""
    shape = value.value.shape
    return (
        bool(shape)
        and len(shape or ()) <= spatial_dimensions
        and (shape or ())[-1] == (spatial_dimensions)
    )


def lifted(value: SourceValue, lift: Lift) -> tuple[Step, ...]:
    """What happens to one value under a dimension change."""
    if value.key in lift.columns:
        return (Step(name="lift", amount=1),)
    lead = lift.lead if value.key in lift.leading else dict(lift.own).get(value.key, 0)
    if lead and not value.value.is_shaped:  # lists of numbers
        return (Step(name="list") if lead > 0 else FIRST,) * abs(lead)
    if lead:
        return (Step(name="lead" if lead > 0 else "behead", amount=abs(lead)),)
    if lift.sizes:
        return extended(value, lift.before, lift.sizes)
    if not lift.amount:
        return ()
    if value.value.is_shaped:
        return _tensor_lifted(value, lift)
    if value.value.kind == "str":
        return _layout_lifted(value, lift)
    return _list_lifted(value, lift)


def window_lifted(value: SourceValue, lift: Lift, declared: str | None) -> tuple[Step, ...]:
    """What happens to one number that stands for all spatial dimensions: 1 along those added.

    `declared`: the type of the parameter that it is given to.
    """
    if not lift.unit or value.value.kind != "int":
        return ()
    several = _SEVERAL.search(declared or "")
    if several is not None and several[0].count("int") == 2 * lift.after and _pads(value):
        return (Step(name="each", amount=2 * lift.before), _padded(lift))
    return (Step(name="each", amount=lift.before), _extended(value, lift))


def _pads(value: SourceValue) -> bool:
    return any(word in value.name for word in PADS)


def _padded(lift: Lift) -> Step:
    """What is padded at either end comes last dimension first."""
    return Step(name="extend", amount=2 * lift.amount, behind=2 * lift.before, text="0")


def _extended(value: SourceValue, lift: Lift, behind: int = 0) -> Step:
    """Windows are 1 long, or padded by nothing, along what is added."""
    items = value.value.items or ()
    pairs = bool(items) and all(one.kind in ("list", "tuple") for one in items)
    neutral = "(0, 0)" if pairs else "0" if _pads(value) else "1"
    return Step(name="extend", amount=lift.amount, behind=behind, text=neutral)


def _list_lifted(value: SourceValue, lift: Lift) -> tuple[Step, ...]:
    """Lists with a number per spatial dimension, or two; TensorFlow's with batch and channels."""
    items = value.value.items
    if value.value.kind not in ("list", "tuple") or items is None:
        return ()
    cut = "last" if lift.tail else "resize"
    if lift.as_tensorflow and len(items) == lift.before + 2:
        if not lift.channels_last:
            front = items[0].text == items[1].text == "1"
            if not front:
                return ()
            whole = Step(name="resize", amount=lift.after + 2)
            return (_extended(value, lift) if lift.unit else whole,)
        if lift.unit:
            return (_extended(value, lift, behind=1),)
        return (Step(name=cut, amount=lift.after, behind=1),)
    if len(items) == lift.before:
        return (_extended(value, lift) if lift.unit else Step(name=cut, amount=lift.after),)
    if len(items) == 2 * lift.before and _pads(value) and not lift.as_tensorflow:
        # The two of the last dimension come first.
        if lift.amount > 0:
            return (_padded(lift),)
        return (Step(name="resize" if lift.tail else "last", amount=2 * lift.after),)
    if len(items) == 2 * lift.before:
        return (Step(name=cut, amount=2 * lift.after),)
    return ()


def _tensor_lifted(value: SourceValue, lift: Lift) -> tuple[Step, ...]:
    rank, amount = value.value.rank or 0, abs(lift.amount)
    if lift.as_tensorflow and value.name in FILTERS and rank == lift.before + 2:
        if lift.unit:
            return (Step(name="lift", amount=amount, behind=2),)
        return (Step(name="lead" if lift.amount > 0 else "behead", amount=amount),)
    if rank > lift.before:
        behind = 1 if lift.channels_last and rank > lift.before + 1 else 0
        if lift.tail:
            return (Step(name="lower", amount=amount, behind=behind + lift.after),)
        grown = "repeat" if lift.repeat else "lift"
        name = grown if lift.amount > 0 else "lower"
        return (Step(name=name, amount=amount, behind=behind),)
    if lift.narrow and _per_dimension(value, lift.before):
        return (Step(name="narrow", amount=lift.after),)
    return ()


def _layout_lifted(value: SourceValue, lift: Lift) -> tuple[Step, ...]:
    """`NHWC` is `NDHWC` with one dimension more."""
    text = (value.value.literal() or "").strip("'\"")
    if value.name != "data_format" or not _LAYOUT.fullmatch(text):
        return ()
    said = text.replace(_SPATIAL[lift.before], _SPATIAL[lift.after])
    return (Step(name="say", text=repr(said)),)


def shape_after(shape: tuple[int, ...], steps: Sequence[Step]) -> tuple[int, ...]:
    """The shape of a tensor after steps.

    >>> shape_after((2, 3), [Step(name="lift", amount=2)])
    (2, 3, 1, 1)
    """
    for step in steps:
        inner = len(shape) - step.behind
        if step.name in ("lift", "repeat"):
            size = max(shape[inner - 1], 1) if step.name == "repeat" else 1
            shape = (*shape[:inner], *[size] * step.amount, *shape[inner:])
        elif step.name == "lower":
            shape = (*shape[: inner - step.amount], *shape[inner:])
        elif step.name == "behead":
            shape = shape[step.amount :]
        elif step.name == "lead":
            shape = (*[1] * step.amount, *shape)
        elif step.name == "narrow":
            shape = (*shape[:-1], step.amount)
    return shape
