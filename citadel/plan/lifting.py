"""Convert a value to another number of dimensions: the steps of a `Lift`.

In: one of the report's values, and a change of dimensions (see `dimensions` and `ranks`). Out: the
steps that the value goes through. A tensor gains or loses dimensions, a list with one number per
dimension gains or loses numbers. The first rule that applies says what happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.rules import Phrase, Registry, Rule
from analysis.values import Value
from citadel.plan.lengths import extended
from citadel.plan.model import FIRST, SourceValue, Step

FILTERS = frozenset(("filter", "filters", "kernel", "depthwise_filter", "pointwise_filter"))
"""What has its spatial dimensions in front in TensorFlow."""
PADS = ("pad", "crop")
"""Parts of the names of what adds nothing as 0: `padding`, `output_padding`, `cropping`."""
LAYOUT = Phrase(
    "plan/data-format",
    r"^N?C?[DHW]{1,3}C?$",
    finds=("NHWC", "NCDHW", "NWC"),
    spares=("channels_last", "HWIO"),
    meaning="A data format, by its letters.",
)
_SEVERAL = Phrase(
    "plan/tuple-of-numbers",
    r"tuple\[int(?:, int)*\]",
    finds=("tuple[int, int] | int", "tuple[int]"),
    spares=("int", "tuple[float, float]"),
    meaning="A declared type that says how many numbers a tuple has.",
)
_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


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


def per_dimension(value: SourceValue, spatial_dimensions: int) -> bool:
    """A tensor whose last dimension has one entry per spatial dimension, and is not the input."""
    shape = value.value.shape
    return (
        bool(shape)
        and len(shape or ()) <= spatial_dimensions
        and (shape or ())[-1] == (spatial_dimensions)
    )


def pads(value: SourceValue) -> bool:
    """Whether 0 adds nothing, by the name of the value."""
    return any(word in value.name for word in PADS)


Lifted = tuple[Step, ...]
IN_FRONT: Registry[[SourceValue, Lift], Lifted] = Registry("convert")
"""Dimensions in front of all others, and a vector as a column."""
TENSORS: Registry[[SourceValue, Lift], Lifted] = Registry("convert")
"""Tensors that have spatial dimensions."""
LISTS: Registry[[SourceValue, Lift], Lifted] = Registry("convert")
"""Lists with a number per spatial dimension, or two; TensorFlow's with batch and channels."""


def lifted(value: SourceValue, lift: Lift) -> Lifted:
    """What happens to one value under a dimension change."""
    if lift.columns or lift.leading or lift.own:
        found = IN_FRONT.first(value, lift)
        if found is not None:
            return found
    if lift.sizes:
        return _with_further_sizes(value, lift) or ()
    if not lift.amount:
        return ()
    if value.value.is_shaped:
        return TENSORS.first(value, lift) or ()
    if value.value.kind == "str":
        return _with_data_format(value, lift) or ()
    return LISTS.first(value, lift) or ()


@IN_FRONT.rule("vector-to-column")
def _column(value: SourceValue, lift: Lift) -> Lifted | None:
    """A vector becomes a matrix of one column."""
    return (Step(name="lift", amount=1),) if value.key in lift.columns else None


@IN_FRONT.rule("dimensions-in-front")
def _in_front(value: SourceValue, lift: Lift) -> Lifted | None:
    """A tensor gets dimensions of size 1 in front, or loses some there."""
    lead = _lead(value, lift) if value.value.is_shaped else 0
    return (Step(name="lead" if lead > 0 else "behead", amount=abs(lead)),) if lead else None


@IN_FRONT.rule("list-for-tensor-in-front")
def _list_in_front(value: SourceValue, lift: Lift) -> Lifted | None:
    """A list of numbers that stands for a tensor goes into a list, or its first item is taken."""
    lead = 0 if value.value.is_shaped else _lead(value, lift)
    return (Step(name="list") if lead > 0 else FIRST,) * abs(lead) or None


def _further_sizes(value: SourceValue, lift: Lift) -> Lifted | None:
    """A list of sizes gets those of the tensor's further dimensions in front."""
    return extended(value, lift.before, lift.sizes) or None


def _data_format(value: SourceValue, lift: Lift) -> Lifted | None:
    """`NHWC` is `NDHWC` with one dimension more."""
    text = (value.value.literal() or "").strip("'\"")
    if value.name != "data_format" or not LAYOUT.fullmatch(text):
        return None
    said = text.replace(_SPATIAL[lift.before], _SPATIAL[lift.after])
    return (Step(name="say", text=repr(said)),)


_with_further_sizes = Rule("convert/sizes-of-further-dimensions", _further_sizes)
_with_data_format = Rule("convert/data-format", _data_format)


@TENSORS.rule("filter-dimensions")
def _filter(value: SourceValue, lift: Lift) -> Lifted | None:
    """A filter of TensorFlow has its spatial dimensions in front, and changes there."""
    rank, amount = value.value.rank or 0, abs(lift.amount)
    if not lift.as_tensorflow or value.name not in FILTERS or rank != lift.before + 2:
        return None
    if lift.unit:
        return (Step(name="lift", amount=amount, behind=2),)
    return (Step(name="lead" if lift.amount > 0 else "behead", amount=amount),)


@TENSORS.rule("spatial-dimensions")
def _spatial(value: SourceValue, lift: Lift) -> Lifted | None:
    """A tensor gains or loses spatial dimensions, in front of the channels if they come last."""
    rank, amount = value.value.rank or 0, abs(lift.amount)
    if rank <= lift.before:
        return None
    behind = 1 if lift.channels_last and rank > lift.before + 1 else 0
    if lift.tail:
        return (Step(name="lower", amount=amount, behind=behind + lift.after),)
    grown = "repeat" if lift.repeat else "lift"
    name = grown if lift.amount > 0 else "lower"
    return (Step(name=name, amount=amount, behind=behind),)


@TENSORS.rule("entry-per-dimension")
def _narrowed(value: SourceValue, lift: Lift) -> Lifted | None:
    """A tensor with one entry per spatial dimension gains or loses entries."""
    narrow = lift.narrow and per_dimension(value, lift.before)
    return (Step(name="narrow", amount=lift.after),) if narrow else None


@LISTS.rule("window-with-batch-and-channels")
def _window_with_ends(value: SourceValue, lift: Lift) -> Lifted | None:
    """`[1, 2, 2, 1]`: a window of TensorFlow changes between batch and channels."""
    items = _listed(value)
    if not _has_ends(value, lift) or items is None:
        return None
    if not lift.channels_last:
        front = items[0].text == items[1].text == "1"
        whole = _extended(value, lift) if lift.unit else Step(name="resize", amount=lift.after + 2)
        return (whole,) if front else None
    if lift.unit:
        return (_extended(value, lift, behind=1),)
    return (Step(name=_cut(lift), amount=lift.after, behind=1),)


@LISTS.rule("number-per-dimension")
def _numbers(value: SourceValue, lift: Lift) -> Lifted | None:
    """`(2, 3)`: a list with one number per spatial dimension gains or loses numbers."""
    items = _listed(value)
    if items is None or len(items) != lift.before:
        return None
    return (_extended(value, lift) if lift.unit else Step(name=_cut(lift), amount=lift.after),)


@LISTS.rule("padding-on-both-sides")
def _padding(value: SourceValue, lift: Lift) -> Lifted | None:
    """Two paddings per spatial dimension change at the end; those of the last one come first."""
    items = _listed(value)
    if items is None or len(items) != 2 * lift.before or not pads(value) or lift.as_tensorflow:
        return None
    if lift.amount > 0:
        return (_padded(lift),)
    return (Step(name="resize" if lift.tail else "last", amount=2 * lift.after),)


@LISTS.rule("two-numbers-per-dimension")
def _pairs(value: SourceValue, lift: Lift) -> Lifted | None:
    """A list with two numbers per spatial dimension gains or loses pairs."""
    items = _listed(value)
    if items is None or len(items) != 2 * lift.before or _has_ends(value, lift):
        return None
    return (Step(name=_cut(lift), amount=2 * lift.after),)


def window_lifted(value: SourceValue, lift: Lift, declared: str | None) -> Lifted:
    """What happens to one number that stands for all spatial dimensions: 1 along those added.

    `declared`: the type of the parameter that it is given to.
    """
    if not lift.unit or value.value.kind != "int":
        return ()
    several = _SEVERAL.search(declared or "")
    if several is not None and several[0].count("int") == 2 * lift.after and pads(value):
        return (Step(name="each", amount=2 * lift.before), _padded(lift))
    return (Step(name="each", amount=lift.before), _extended(value, lift))


def _lead(value: SourceValue, lift: Lift) -> int:
    """How many dimensions a value gets in front; negative: loses."""
    return lift.lead if value.key in lift.leading else dict(lift.own).get(value.key, 0)


def _listed(value: SourceValue) -> tuple[Value, ...] | None:
    return value.value.items if value.value.kind in ("list", "tuple") else None


def _has_ends(value: SourceValue, lift: Lift) -> bool:
    """Whether a list of TensorFlow has numbers for batch and channels, too."""
    return lift.as_tensorflow and len(value.value.items or ()) == lift.before + 2


def _cut(lift: Lift) -> str:
    return "last" if lift.tail else "resize"


def _padded(lift: Lift) -> Step:
    """What is padded at either end comes last dimension first."""
    return Step(name="extend", amount=2 * lift.amount, behind=2 * lift.before, text="0")


def _extended(value: SourceValue, lift: Lift, behind: int = 0) -> Step:
    """Windows are 1 long, or padded by nothing, along what is added."""
    items = value.value.items or ()
    pairs = bool(items) and all(one.kind in ("list", "tuple") for one in items)
    neutral = "(0, 0)" if pairs else "0" if pads(value) else "1"
    return Step(name="extend", amount=lift.amount, behind=behind, text=neutral)


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
