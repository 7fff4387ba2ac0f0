"""One computation that is shown in two modes: with labels, compiled, in two layouts, in place.

In: what a run has shown. Out: oracles that compare two values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from analysis.rules import Registry
from analysis.target.watch import Point, Role
from analysis.values import Value
from citadel.oracle.agreement import pair
from citadel.oracle.hints import have_common, made_of, wrapped, written_out
from citadel.oracle.numbers import whole
from citadel.oracle.phrases import DIFFERENT, LAYOUTS, MODES, WRITES
from citadel.oracle.seen import Seen, comparable, numeric
from citadel.oracle.value import Spot, ValueOracle
from citadel.oracle.ways import AT_ONCE, BATCHES, EQUAL, in_two_ways
from citadel.traced import leaf
from harvest.report.model import ClaimKind

_COPY = re.compile(r"\.(?:clone|copy)\(\)$")
"""What works in place is tried out on a copy."""
_OF_NUMBERS = frozenset(("tensor", "array", "list", "float", "complex"))
"""Results that are no strides, addresses or flags, which tell of the layout itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Two:
    """Two values that can be compared. `title`: the report's. `laid`: it speaks of layouts, and
    `writes`: of what is written to. `alone`: each value is shown once. `together`: they are of one
    turn of a loop."""

    first: Point
    second: Point
    left: Value
    title: str
    laid: bool
    writes: bool
    alone: bool
    together: bool


NAMED: Registry[[Two], str] = Registry("way")
"""Two modes by their labels, by the title, or by what makes one of the other."""


@NAMED.rule("two-labels")
def _two_labels(two: Two) -> str | None:
    """Both have labels that name modes: eager and compiled."""
    first, second = two.first.label, two.second.label
    labelled = MODES.search(first) and MODES.search(second) and first != second
    if labelled and have_common(two.first, two.second):
        return f'"{first}" and "{second}"'
    return None


@NAMED.rule("two-in-title")
def _two_in_title(two: Two) -> str | None:
    """The title says of both modes that they differ."""
    titled = _titled(two.first, two.second, two.title)
    return "the title says that they differ" if titled else None


@NAMED.rule("two-calls")
def _two_calls(two: Two) -> str | None:
    """Two functions, one made of the other, are given the same."""
    alike = (
        wrapped(two.first.node, two.second.node)
        or made_of(two.first, two.second)
        or (two.together and written_out(two.first, two.second))
    )
    return "the same arguments, called in two ways" if alike else None


GIVEN: Registry[[Two], str] = Registry("way")
"""Two modes by what one function is given."""


@GIVEN.rule("two-layouts")
def _two_layouts(two: Two) -> str | None:
    """The same numbers in another layout, where the report speaks of layouts."""
    laid = two.laid and two.left.kind in _OF_NUMBERS and _laid_out(two.first, two.second)
    return "the same numbers, given in two layouts" if laid else None


@GIVEN.rule("one-writes")
def _one_writes(two: Two) -> str | None:
    """With and without `out=`, in place and not, where the report speaks of that."""
    written = two.writes and two.alone and _written_to(two.first, two.second)
    return "the same call, and one writes to what it is given" if written else None


def modes(run: Seen) -> Iterator[ValueOracle]:
    """One expression shown in two modes: what it is made of is the same.

    Where the report speaks of layouts, those of what one function is given are modes, too; where it
    speaks of what is written to, so are calls with and without `out=`, in place and not.
    """
    claims = (one.text for one in run.reading.claims if one.kind is ClaimKind.VALUE)
    texts = (run.reading.report.title, *claims)
    laid, writes, batches = (any(map(w.search, texts)) for w in (LAYOUTS, WRITES, BATCHES))
    equal = EQUAL.search(run.reading.prose) is not None
    shown = [s for s in run.results(Role.SHOWN) if numeric(s[2])]
    often = Counter(spot.point for spot in run.values)
    for (one, first, left), (other, second, right) in combinations(shown[:40], 2):
        if first.number == second.number or not comparable(left, right):
            continue
        two = Two(
            first=first,
            second=second,
            left=left,
            title=texts[0],
            laid=laid,
            writes=writes,
            alone=often[one.point] == often[other.point] == 1,
            together=one.occurrence == other.occurrence,
        )
        why = NAMED.first(two)
        if why is None and two.together:
            both = whole(left) and whole(right)
            why = in_two_ways(first, second, batches=batches, equal=equal, whole=both) or None
        why = why or GIVEN.first(two)
        if why is not None:
            yield _pair(run, one, other, why)


def _pair(run: Seen, one: Spot, other: Spot, why: str) -> ValueOracle:
    return replace(pair(run, one, other, why=why), parts=why == AT_ONCE)


def _titled(one: Point, other: Point, title: str) -> bool:
    """Whether a title says that what goes by these two words differs.

    "Forward-mode and reverse-mode gradients disagree", where `forward` and `reverse` are shown.
    """
    words = (MODES.search(point.label or point.text) for point in (one, other))
    said = {word[0].lower() for word in words if word is not None}
    both = len(said) == 2 and all(re.search(rf"\b{word}", title.lower()) for word in said)
    return both and DIFFERENT.search(title) is not None


def _laid_out(one: Point, other: Point) -> bool:
    """Whether one function is given the same numbers, and one of them in another layout."""
    same = leaf(one.origin.call) == leaf(other.origin.call) != "" and one.text != other.text
    numbers = one.origin.numbers == other.origin.numbers != ()
    return same and numbers and one.origin.given != other.origin.given


def _written_to(one: Point, other: Point) -> bool:
    """Whether two calls are one but for `out=`, or for the underscore of what works in place.

    The one that writes comes last, or writes to a copy, and nothing else changes what they are
    given.
    """
    calls = [point.origin.call for point in (one, other)]
    given = [
        sorted(_COPY.sub("", g) for g in point.origin.numbers if g[:3] != "out")
        for point in (one, other)
    ]
    writes = [
        name.endswith("_") or any(g[:3] == "out" for g in point.origin.given)
        for name, point in zip(calls, (one, other), strict=True)
    ]
    same = leaf(calls[0]) == leaf(calls[1]) != "" and given[0] == given[1]
    in_order = one.statement <= other.statement
    copies = [p.origin.numbers[:1] != p.origin.given[:1] for p in (one, other)]
    apart = any(wrote and copied for wrote, copied in zip(writes, copies, strict=True))
    # What works in place comes last: the other one would be given what it has made.
    return same and writes[0] != writes[1] and (apart or (writes == [False, True]) is in_order)
