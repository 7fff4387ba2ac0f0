"""Values of one run that are not what the report says they should be.

In: what a run has shown. Out: oracles with the numbers that the report expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from analysis.target.watch import Role
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.agreement import outcome
from citadel.oracle.foreign import is_foreign
from citadel.oracle.hints import CHECKS, is_input
from citadel.oracle.numbers import agreeing, elements, finite, has_nan, is_literal, of_kind
from citadel.oracle.seen import Seen, unbounded
from citadel.oracle.value import Spot, ValueOracle
from harvest.report.model import Expectation

_SAYS = r"\b(?:outputs?|prints?|printed|gives?|gave|returns?|returned|results?|shows?|got|gets?)\b"
"""Words in front of what comes out of a case."""

_OUTCOMES = {("true",): True, ("false",): False}


def beside(run: Seen) -> Iterator[ValueOracle]:
    """A value unlike the one that is expected right where it is shown.

    Where a statement shows results too, what goes into a call is not what is meant.
    """
    shown = list(run.every(Role.SHOWN))
    results = {point.statement for _, point, _ in shown if not is_input(point)}
    for spot, point, value in shown:
        if is_input(point) and point.statement in results:
            continue
        count = len(elements(value) or ())
        for right in () if is_foreign(point) else run.said_beside(point):
            if right.right and point.check in CHECKS and right.numbers in _OUTCOMES:
                yield from outcome(run, point, bad=not _OUTCOMES[right.numbers])
            elif right.right and count == len(right.numbers) and of_kind(value, right.numbers):
                yield _unlike(spot, value, right)


def numbers(run: Seen) -> Iterator[ValueOracle]:
    """A value that the report calls wrong, where it also says what would be right.

    What the title calls wrong comes before what is said in passing.
    """
    said = run.reading.expectations
    found: list[tuple[int, ValueOracle]] = []
    for spot, point, value in run.results(Role.SHOWN, Role.OPERAND):
        wrong = [at for at, e in enumerate(said) if not e.right and is_literal(value, e.numbers)]
        if not wrong or is_foreign(point):
            continue
        nearness = _nearness(said, [said[at] for at in wrong])
        for right in sorted(_otherwise(value, run.said_of(point)), key=nearness):
            if len(right.numbers) in (1, len(elements(value) or ())):
                found.append((wrong[0], _unlike(spot, value, right)))
                break
    yield from (oracle for _, oracle in sorted(found, key=lambda one: one[0]))


def _nearness(
    said: Sequence[Expectation], wrong: Sequence[Expectation]
) -> Callable[[Expectation], int]:
    """How near what is right is to what is called wrong, least first: its counterpart, said in the
    same sentence, said in one that calls nothing wrong, or of something else that is wrong."""
    counterparts = [one for each in wrong if (one := _counterpart(said, each)) is not None]
    own = {each.sentence for each in wrong}
    taken = {one.sentence for one in said if not one.right}

    def nearness(right: Expectation) -> int:
        if right in counterparts:
            return 0
        return 1 if right.sentence in own else 3 if right.sentence in taken else 2

    return nearness


def _counterpart(said: Sequence[Expectation], wrong: Expectation) -> Expectation | None:
    """What is right in the place of a value: of "gives A and B, expected X and Y" it is Y for B.

    It is said in the same sentence, or in the next one that says how values should be.
    """
    together = [one for one in said if not one.right and one.sentence == wrong.sentence]
    begin = said.index(together[0])
    behind = [one for one in said[begin:] if one.right] or [one for one in said if one.right]
    rights = [one for one in behind if one.sentence == behind[0].sentence]
    at = next(at for at, one in enumerate(together) if one is wrong)
    return rights[at] if len(rights) == len(together) > 1 else None


def nearly_expected(run: Seen) -> Iterator[ValueOracle]:
    """A value some elements of which are those that the report expects, the nearest first."""
    for spot, value, right in _unlike_expected(run):
        if agreeing(value, right.numbers):
            yield _unlike(spot, value, right)


def expected(run: Seen) -> Iterator[ValueOracle]:
    """A value unlike the one that the report expects, which has as many numbers."""
    for spot, _, right in _unlike_expected(run):
        yield ValueOracle(
            kind=SymptomKind.DISAGREES,
            spots=(spot,),
            expected=right,
            why=f"the report says: {right.sentence}",
        )


def _unlike_expected(run: Seen) -> list[tuple[Spot, Value, Expectation]]:
    """Values with what the report expects of as many numbers, the nearest first.

    A single number is meant where the report calls wrong what stands beside it, and what is
    right by now is known there, too; so it is of the only value that is shown, and what a text
    quotes of it is what comes out. Where some come of what the title names, no others are meant:
    what is shown beside them may be right.
    """
    found: list[tuple[Spot, Value, Expectation]] = []
    titled: set[Spot] = set()
    said = run.reading.expectations
    shown = [one for one in run.results(Role.SHOWN) if not is_foreign(one[1])]
    alone = sum(value.kind != "none" for _, _, value in shown) == 1
    for spot, point, value in shown:
        count = len(elements(value) or ())
        here = any(not one.right for one in run.said_beside(point))
        here = here or (alone and (_right_by_now(value, said) or _quoted(run)))
        told = run.said_of(point)
        rights = [e for e in told if e.right and of_kind(value, e.numbers)]
        for right in rights if here else _otherwise(value, told):
            if (count > 1 or here) and len(right.numbers) == count:
                found.append((spot, value, right))
                titled |= {spot} if run.is_titled(point) else set()
    found = [one for one in found if one[0] in titled] or found
    return sorted(found, key=lambda one: -agreeing(one[1], one[2].numbers))


def _unlike(spot: Spot, value: Value, right: Expectation) -> ValueOracle:
    wanted_nan = any("nan" in number.lower() for number in right.numbers)
    infinite = finite(value) is False and not unbounded(right)
    infinite = infinite or (has_nan(value) and not wanted_nan)
    return ValueOracle(
        kind=SymptomKind.NON_FINITE if infinite else SymptomKind.DISAGREES,
        spots=(spot,),
        expected=right,
        why=f"the report says: {right.sentence}",
    )


def _otherwise(value: Value, said: Sequence[Expectation]) -> list[Expectation]:
    """What the report expects of such a value, where it is not that."""
    kind = [e for e in said if e.right and of_kind(value, e.numbers)]
    return [e for e in kind if not is_literal(value, e.numbers)]


def _quoted(run: Seen) -> bool:
    """Whether the text has, as code of its own, all that the case prints: "the output is `1.0`"."""
    printed = re.escape(run.stdout.strip())
    said = re.compile(rf"(?i){_SAYS}[^.!?`]{{0,40}}`{printed}`")
    return printed != "" and said.search(run.reading.prose) is not None


def _right_by_now(value: Value, said: Sequence[Expectation]) -> bool:
    """Whether a value is what the report calls right, and not what it calls wrong."""
    wrong = any(not e.right and of_kind(value, e.numbers) for e in said)
    return wrong and any(e.right and is_literal(value, e.numbers) for e in said)
