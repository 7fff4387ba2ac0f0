"""Values of one run that should agree: checks of the report's own, references, modes, precisions.

In: what a run has shown. Out: oracles that compare two values, or ask for a check's outcome.
"""

from __future__ import annotations

import builtins
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations

from analysis.target.watch import Check, Point, Role
from citadel.model import SymptomKind
from citadel.oracle.evaluations import evaluations
from citadel.oracle.foreign import is_foreign
from citadel.oracle.hints import (
    CHECKS,
    NEAR,
    PRECISION,
    bad_outcome,
    have_common,
    is_called_reference,
    is_input,
    is_reference,
    lost_numbers,
    says_good,
)
from citadel.oracle.numbers import SLIGHTER, distance, elements, finite, same
from citadel.oracle.phrases import ALIKE, DIFFERENT, OF_PARTS
from citadel.oracle.seen import Seen, comparable, numeric
from citadel.oracle.value import Spot, ValueOracle
from citadel.traced import leaf
from harvest.report.on_cpu import compares_devices

MOST_COMPARED = 200
"""Characters of two expressions by which their likeness is told: it takes quadratic time."""
_CUT = re.compile(r"\[[^\[\]]*\]$")
"""The part of a result that is shown."""
_GO_THROUGH = frozenset((*dir(builtins), *dir(itertools)))
"""Functions of Python, which make no dtypes or names: what they hand on is written in the text."""
_ASSERTABLE = (Check.EQUAL, Check.CLOSE)


def checks(run: Seen) -> Iterator[ValueOracle]:
    """Checks of equality and finiteness, in the order of the text.

    Where an assertion has ended the run, those that are asserted come first.
    """
    tested = {one.number for pair in _counterparts(run.points) for one in pair}
    for point in sorted(run.points, key=lambda one: run.asserts and not one.asserted):
        if point.check in CHECKS and not _compared(run, point) and point.number not in tested:
            bad = bad_outcome(point)
            usual = CHECKS[point.check] != point.negated
            if bad is None:
                bad = usual
            if bad is usual and not point.asserted and _should_differ(run, point):
                bad = not usual
            lost = "nan" in lost_numbers(run.reading.report.title)
            if point.check is Check.NAN and bad and lost:
                continue  # what says that it is there says nothing wrong
            yield from outcome(run, point, bad=bad)


def asserted(run: Seen) -> Iterator[ValueOracle]:
    """Any other condition that the report asserts, where that ends the run."""
    for point in run.points if run.asserts else ():
        if point.asserted and point.check not in CHECKS:
            yield from outcome(run, point, bad=False)


def counterparts(run: Seen) -> Iterator[ValueOracle]:
    """What the same check of another library says: `isclose(a, b)` beside `np.isclose(a, b)`."""
    for point, other in _counterparts(run.points):
        known = [[s for s in run.values if s.point == one.number] for one in (point, other)]
        for spot, reference in zip(*known, strict=False):
            found = pair(run, spot, reference, why=f"compared with {other.text[:120]}")
            yield replace(found, against=True)


def _counterparts(points: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Checks that are shown, each with that of another library, of the same name and arguments."""
    shown = [one for one in points if one.role is Role.SHOWN and one.check in CHECKS]
    theirs = [one for one in shown if is_foreign(one)]
    for other in theirs:
        called = other.text.partition(".")[2]
        alike = (one for one in shown if one not in theirs and called and f".{called}" in one.text)
        yield from ((one, other) for one in alike)


def _should_differ(run: Seen, point: Point) -> bool:
    """Whether the report complains that values are alike which this check compares."""
    title = run.reading.report.title
    alike = ALIKE.search(title) is not None and DIFFERENT.search(title) is None
    return alike and point.check in (Check.EQUAL, Check.CLOSE, Check.UNEQUAL)


def outcome(run: Seen, point: Point, *, bad: bool) -> Iterator[ValueOracle]:
    """A check each time that it was made: `bad` is what it should not say."""
    for evaluation in evaluations(point, run.points, run.values, asserts=run.asserts):
        why = f"the report's own check: {point.text[:120]}"
        if _chooses(run, point, evaluation.operands):
            continue
        if evaluation.caught:
            # It raised instead: functions that assert equality do, when there is none.
            if len(evaluation.operands) == 2 and point.check in _ASSERTABLE and not bad:
                yield pair(run, *evaluation.operands, why)
            continue
        yield ValueOracle(
            kind=SymptomKind.FALSE,
            check=evaluation.check,
            spots=evaluation.operands,
            how=point.check,
            bad=bad,
            why=why,
        )


def _chooses(run: Seen, point: Point, operands: tuple[Spot, ...]) -> bool:
    """Whether a condition tells what to run next, rather than whether a result is right.

    It says nothing, and compares dtypes, names or the like that no function computes, but those of
    Python which go through what is written down: `for dtype in product(...): if dtype == half:`.
    """
    says = point.asserted or point.label or point.otherwise or point.role is not Role.TESTED
    known = [run.values[spot] for spot in operands if spot in run.values]
    made_by = {leaf(name) for spot in operands for name in run.points[spot.point].origin.calls}
    plain = not any(one.is_tensor or numeric(one) for one in known)
    return not says and made_by <= _GO_THROUGH and bool(known) and plain


def orders(run: Seen) -> Iterator[ValueOracle]:
    """Comparisons of size, whose bad outcome the words around them tell."""
    for point in run.points:
        if point.check is not Check.ORDER or _of_difference(run, point):
            continue
        bad = bad_outcome(point)
        if bad is None:
            bad = says_good(point) == point.negated
        yield from outcome(run, point, bad=bad)


def _compared(run: Seen, point: Point) -> bool:
    """Whether the outcome of a check is itself compared with another."""
    return point.parent is not None and run.points[point.parent].check in CHECKS


def differences(run: Seen) -> Iterator[ValueOracle]:
    """`(a - b).abs().max()`: the two should agree. Of one such place those come first that are not
    far smaller than the largest: what a report shows beside its bug is rounding."""
    for point in run.points:
        if point.check is Check.DIFFERENCE:
            every = evaluations(point, run.points, run.values, asserts=run.asserts)
            both = [one.operands for one in every if len(one.operands) == 2]
            far = [distance(*(run.values[spot] for spot in spots)) or 0.0 for spots in both]
            why = f"the report's own difference: {point.text[:120]}"
            for slight in (False, True):
                for spots, apart in zip(both, far, strict=True):
                    if (apart * SLIGHTER < max(far)) is slight:
                        yield pair(run, *spots, why)


def _of_difference(run: Seen, point: Point) -> bool:
    return any(one.parent == point.number and one.check is Check.DIFFERENCE for one in run.points)


def pair(run: Seen, one: Spot, other: Spot, why: str) -> ValueOracle:
    """Two values that should agree; where one of them is a reference, it comes last."""
    if run.is_reference(one) and not run.is_reference(other):
        one, other = other, one
    against = run.is_reference(other) and not run.is_reference(one)
    spots = (one, other)
    return ValueOracle(kind=SymptomKind.DISAGREES, spots=spots, against=against, why=why)


def agree(run: Seen, one: Spot, other: Spot) -> bool:
    """Whether two values are the same within the tolerance of their dtype."""
    return same(run.values[one], run.values[other]) is True


def references(run: Seen) -> Iterator[ValueOracle]:
    """A value shown beside one that is called what it should be, or another library's."""
    for other, spot, point in referred(run):
        found = pair(run, other, spot, why=f"compared with {point.label or point.text}")
        if finite(run.values[other]) is False and finite(run.values[spot]):
            yield ValueOracle(kind=SymptomKind.NON_FINITE, spots=(other,), why=found.why)
        yield replace(found, written=is_input(point), against=True)


def referred(run: Seen) -> Iterator[tuple[Spot, Spot, Point]]:
    """Values with the reference that is shown beside each, and where that is shown."""
    shown = [s for s in run.results(Role.SHOWN) if s[1].check in (None, Check.RATIO)]
    often = Counter(spot.point for spot in run.values)
    taken: set[Spot] = set()
    for spot, point, value in run.every(Role.SHOWN):
        if not is_reference(point) or elements(value) is None or spot in run.right:
            continue
        named = is_called_reference(point)
        if is_input(point) and not named:
            continue
        near = [
            (
                len(elements(seen) or ()) != len(elements(value) or ()),
                abs(point.statement - before.statement),
                # What a loop goes through is given, and shown to say of what a result is.
                before.origin.fixed and not before.origin.calls,
                _unlikeness(before, point),
                # In a loop each turn has its own.
                often[other.point] == often[spot.point] and abs(other.occurrence - spot.occurrence),
                # Between two such values it is of the one that has none yet, or else stands above.
                other in taken,
                before.statement > point.statement,
                other,
            )
            for other, before, seen in reversed(shown)
            if abs(point.statement - before.statement) <= NEAR
            and not is_reference(before)
            and comparable(seen, value)
            and (not named or len(elements(seen) or ()) == len(elements(value) or ()))
        ]
        if near:
            nearest = min(near, key=lambda one: one[:-1])[-1]
            taken.add(nearest)
            yield nearest, spot, point


def said_to_differ(run: Seen) -> Iterator[ValueOracle]:
    """The only two results that are shown, both of one API, where the title says that they differ.

    They are given the same, in another order or way, or a part of it where the title says that it
    depends on that: other arguments may well give other results.
    What differs from device to device or from another library's need not differ here.
    """
    title = run.reading.report.title
    if not DIFFERENT.search(title) or run.differs_from_absent or compares_devices(title):
        return
    shown = [s for s in run.results(Role.SHOWN) if numeric(s[2])]
    if len(shown) != 2:
        return
    (one, first, left), (other, second, right) = shown
    by = leaf(first.origin.call)
    of_one = first.text != second.text and by == leaf(second.origin.call) != ""
    given = [sorted(point.origin.given) for point in (first, second)]
    of_parts = OF_PARTS.search(title) is not None and _of_parts(first, second)
    alike = given[0] == given[1] or of_parts
    if of_one and alike and comparable(left, right) and have_common(first, second):
        yield pair(run, one, other, why=f"two results of {by}, which are said to differ")


def _of_parts(one: Point, other: Point) -> bool:
    """Whether the same part is shown of what a call gives of all of it, and of what of a part.

    `torch.exp(x)[0]` and `torch.exp(x[:1])[0]`; other parts may well give other results.
    """
    cut = [found and found[0] for found in (_CUT.search(one.text), _CUT.search(other.text))]
    pairs = list(zip(sorted(one.origin.given), sorted(other.origin.given), strict=False))
    same = len(one.origin.given) == len(other.origin.given)
    whole = all(a == b or a == b.partition("[")[0] or b == a.partition("[")[0] for a, b in pairs)
    return same and whole and cut[0] is not None and cut[0] == cut[1]


def precisions(run: Seen) -> Iterator[ValueOracle]:
    """One call shown in two precisions: the coarser should agree within its tolerance.

    Not where it agrees with its own reference: then the two are of different numbers.
    """
    agreeing = {one for one, ref, _ in referred(run) if agree(run, one, ref)}
    shown = [s for s in run.results(Role.SHOWN) if s[2].dtype in PRECISION]
    for (one, first, left), (other, second, right) in combinations(shown[:40], 2):
        by_name = first.number == second.number or (
            first.origin.call == second.origin.call != "" and have_common(first, second)
        )
        if not by_name or left.shape != right.shape or left.dtype == right.dtype:
            continue
        coarse, fine = (one, other)
        if PRECISION[left.dtype or ""] > PRECISION[right.dtype or ""]:
            coarse, fine = fine, coarse
        if coarse not in agreeing and not all(map(run.is_reference, (coarse, fine))):
            yield pair(run, coarse, fine, why="the same call in two precisions")


def _unlikeness(one: Point, other: Point) -> float:
    """From 0 (the same text) to 1."""
    return _apart(one.text[:MOST_COMPARED], other.text[:MOST_COMPARED])


@lru_cache(maxsize=4096)
def _apart(one: str, other: str) -> float:
    return 1 - SequenceMatcher(a=one, b=other, autojunk=False).ratio()
