"""Windows with a 1 for batch and channels at either end, as TensorFlow's operators want them.

`tf.nn.max_pool2d` takes `ksize=2` or `[2, 2]`, `tf.raw_ops.MaxPool` takes `[1, 2, 2, 1]`: valid
calls of the sibling tell which.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.values import Value
from citadel.plan.model import Step

SEQUENCES = ("list", "tuple")


def with_ends(value: Value, given: Sequence[Step], known: Sequence[Value]) -> tuple[Step, ...]:
    """The step that makes a window one as in `known`, the values of valid calls, if any does.

    `given` are steps that are taken before.
    """
    lengths = {len(v.items or ()) for v in known if v.kind in SEQUENCES}
    ended = bool(known) and all(_has_ends(v) for v in known)
    size = next((s.amount + 2 * s.behind for s in given if s.name == "resize"), _size(value))
    if ended and len(lengths) == 1 and not _has_ends(value):
        amount = lengths.pop() - 2
        return (Step(name="ends", amount=amount),) if size in (0, amount) else ()
    plain = bool(known) and not any(_has_ends(v) for v in known) and _are_numbers(known)
    # What works on any number of dimensions may have been called on fewer.
    if plain and size is not None and _has_ends(value) and max(lengths, default=0) <= size - 2:
        return (Step(name="inner"),)
    return ()


def _size(value: Value) -> int | None:
    """Length of a list of numbers, 0 for a number, None for all else."""
    if value.kind == "int":
        return 0
    numbers = value.kind in SEQUENCES and _are_numbers(value.items or ())
    return len(value.items or ()) if numbers and value.items else None


def _are_numbers(values: Sequence[Value]) -> bool:
    return all(v.kind in ("int", "float") or _size(v) for v in values)


def _has_ends(value: Value) -> bool:
    """Whether it is such a window already: three numbers or more, the first and the last 1."""
    items = value.items or ()
    ends = len(items) >= 3 and items[0].text == items[-1].text == "1"
    return value.kind in SEQUENCES and ends and _are_numbers(items)
