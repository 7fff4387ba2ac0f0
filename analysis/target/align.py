"""Which watched expressions of a rewritten case are those of the original.

In: the points of two texts. Out: pairs of numbers. Most rewritten texts have the same points, one
by one; where an argument with a check in it is dropped (`where(x <= 0, a, b)`), or one is added,
the others stay what they were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher

from analysis.target.watch import Point


def aligned(original: Sequence[Point], rewritten: Sequence[Point]) -> dict[int, int]:
    """Number of a point of the rewritten text -> number of the original's point that it is.

    Equal texts are the same place; between these, the k-th point of a sort is that of the original
    if there are equally many of that sort. Operands belong to their checks.
    """
    if [(p.role, p.parent) for p in original] == [(p.role, p.parent) for p in rewritten]:
        return {new.number: old.number for old, new in zip(original, rewritten, strict=True)}
    found: dict[int, int] = {}
    pairs = list(_paired(_below(original, None), _below(rewritten, None)))
    while pairs:
        old, new = pairs.pop()
        found[new.number] = old.number
        pairs += _paired(_below(original, old.number), _below(rewritten, new.number))
    return found


def _paired(olds: Sequence[Point], news: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    matcher = SequenceMatcher(None, [_text(p) for p in olds], [_text(p) for p in news], False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(olds[start:end], news[first:last], strict=True)
            continue
        sorts = _by_sort(olds[start:end]), _by_sort(news[first:last])
        for sort, some in sorts[0].items():
            others = sorts[1].get(sort, [])
            if len(some) == len(others):
                yield from zip(some, others, strict=True)


def _below(points: Sequence[Point], parent: int | None) -> list[Point]:
    return [point for point in points if point.parent == parent]


def _by_sort(points: Sequence[Point]) -> dict[Hashable, list[Point]]:
    found: dict[Hashable, list[Point]] = defaultdict(list)
    for point in points:
        found[_sort(point)].append(point)
    return found


def _sort(point: Point) -> Hashable:
    return point.role, point.check, point.asserted


def _text(point: Point) -> Hashable:
    return _sort(point), point.text
