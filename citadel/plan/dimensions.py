"""Dimension differences: `conv1d` works on 3-d tensors, `conv3d` on 5-d ones.

The number of spatial dimensions is read off the names (`1d`, `2d`, `3d`). Tensors that have spatial
dimensions gain or lose trailing ones of size 1; lists with one number per spatial dimension gain or
lose numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citadel.plan.invocation import Invocation
from citadel.plan.model import SourceValue, Step

_DIMENSIONS = re.compile(r"([123])d(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """From `before` to `after` spatial dimensions. `narrow`: also shrink (or widen) last dimensions
    whose size is the number of spatial dimensions; `lead`: dimensions that the value `main` gets in
    front."""

    before: int = 0
    after: int = 0
    narrow: bool = False
    lead: int = 0
    main: str = ""
    guess: bool = False

    @property
    def amount(self) -> int:
        """Spatial dimensions to add (negative: to remove)."""
        return self.after - self.before

    @property
    def edits(self) -> tuple[str, ...]:
        """For people."""
        if self.lead:
            return (f"{self.lead} more dimension{'s' * (self.lead > 1)} in front",)
        return (f"dimensions {self.before}d -> {self.after}d",) if self.amount else ()


def spatial(name: str) -> int | None:
    """The number of spatial dimensions that an API's name states.

    >>> spatial("torch.nn.functional.max_pool2d"), spatial("torch.nn.Linear")
    (2, None)
    """
    found = _DIMENSIONS.findall(name.rsplit(".", 1)[-1])
    return int(found[-1]) if found else None


def dimension_change(source: Invocation, target: str) -> Iterator[Lift]:
    """The changes to try, likeliest first."""
    before, after = spatial(source.api.name), spatial(target)
    if before is None or after is None or before == after:
        yield Lift()
        return
    if any(_per_dimension(value, before) for value in source.values):
        yield Lift(before=before, after=after, narrow=True)
    yield Lift(before=before, after=after, guess=True)


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
    if lift.lead and value.key == lift.main:
        return (Step(name="lead", amount=lift.lead),)
    if not lift.amount:
        return ()
    if value.value.is_tensor:
        if (value.value.rank or 0) > lift.before:
            name = "lift" if lift.amount > 0 else "lower"
            return (Step(name=name, amount=abs(lift.amount)),)
        if lift.narrow and _per_dimension(value, lift.before):
            return (Step(name="narrow", amount=lift.after),)
        return ()
    items = value.value.items
    if value.value.kind in ("list", "tuple") and items is not None:
        if len(items) == lift.before:
            return (Step(name="resize", amount=lift.after),)
        if len(items) == 2 * lift.before:
            return (Step(name="resize", amount=2 * lift.after),)
    return ()


def shape_after(shape: tuple[int, ...], steps: Sequence[Step]) -> tuple[int, ...]:
    """The shape of a tensor after steps.

    >>> shape_after((2, 3), [Step(name="lift", amount=2)])
    (2, 3, 1, 1)
    """
    for step in steps:
        if step.name == "lift":
            shape = (*shape, *[1] * step.amount)
        elif step.name == "lower":
            shape = shape[: len(shape) - step.amount]
        elif step.name == "lead":
            shape = (*[1] * step.amount, *shape)
        elif step.name == "narrow":
            shape = (*shape[:-1], step.amount)
    return shape
