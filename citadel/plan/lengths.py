"""Lists with one number for each of a tensor's last dimensions: `rfft(x, [8])` is about one of
them, `rfft2d(x, [3, 8])` about two.

In: values and sizes. Out: of how many dimensions a call is, and the steps that put the sizes of
further ones in front of such a list, where the tensor stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citadel.plan.model import SourceValue, Step

MOST = 3
"""Dimensions that a list may name: longer ones are of something else."""


def named(values: Iterable[SourceValue]) -> int | None:
    """As many dimensions as there are numbers in each list; None where nothing tells."""
    lists = [value.value.items for value in values if value.value.kind in ("list", "tuple")]
    numbers = [items for items in lists if items and all(one.kind == "int" for one in items)]
    lengths = {len(items) for items in numbers}
    return lengths.pop() if len(lengths) == 1 and max(lengths) <= MOST else None


def beyond(shape: Sequence[int] | None, before: int, after: int) -> tuple[int, ...]:
    """The sizes in front of the last `before` ones that a list of `after` numbers names as well,
    1 for what the tensor has not got; none where it has nothing else.

    >>> beyond((7, 2, 8), 1, 2), beyond((2, 8), 1, 3), beyond((8,), 1, 2)
    ((2,), (1, 2), ())
    """
    if shape is None or len(shape) <= before or min(shape) < 1:
        return ()
    return ((1,) * (after - len(shape)) + tuple(shape))[-after:-before]


def extended(value: SourceValue, before: int, sizes: Sequence[int]) -> tuple[Step, ...]:
    """The steps that put sizes in front of a list with one number per dimension."""
    items = value.value.items
    if value.value.kind not in ("list", "tuple") or items is None or len(items) != before:
        return ()
    return tuple(
        Step(name="extend", amount=1, behind=before + n, text=str(size))
        for n, size in enumerate(reversed(sizes))
    )
