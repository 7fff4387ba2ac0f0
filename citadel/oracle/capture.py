"""Find the value oracle in a report: what of the code's own output shows that something is wrong.

In: the watched expressions of a run and what the report says. Out: oracles, the most trustworthy
first: results of lines that the code wants to raise; values unlike what a comment beside them
expects; values that the report calls wrong and right by number; checks (`allclose`, `isnan`, ...)
and differences; values shown beside a reference; the same call shown in two modes or precisions;
non-finite values that the report speaks of; comparisons of size; values beyond bounds; values
unlike expected ones; two results that are said to differ; calls that the report wants to be
refused; what it pastes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import wraps

import libcst as cst

from analysis.rules import Phrase, Registry, Rule
from analysis.target.observation import Observation
from analysis.target.watch import Point, Role
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.agreement import (
    agree,
    asserted,
    checks,
    counterparts,
    differences,
    orders,
    precisions,
    references,
    referred,
    said_to_differ,
)
from citadel.oracle.bounds import out_of_bounds
from citadel.oracle.expectations import beside, expected, nearly_expected, numbers
from citadel.oracle.hints import bare, is_reference, is_slope, lost_numbers, not_finite
from citadel.oracle.numbers import finite, has_nan, is_literal
from citadel.oracle.phrases import DIFFERENT, NOT_FINITE, TELLING
from citadel.oracle.seen import Seen, numeric, unbounded
from citadel.oracle.two_modes import modes
from citadel.oracle.value import Spot, ValueOracle
from harvest.report.model import ClaimKind, Reading

__all__ = ["capture"]

Find = Callable[[Seen], Iterator[ValueOracle]]
"""What yields the oracles of one kind."""
_EITHER = Phrase(
    "word/or-an-error",
    r"\bor (?:an? )?(?:\w+ )?(?:rais\w+|throw\w*|errors?|exceptions?)\b"
    r"|\b(?:rais\w+|throw\w*|errors?|exceptions?),? or (?!\w*(?:Error|Exception|error))",
    re.IGNORECASE,
    finds=("finite gradients, or an error", "raise or give a number"),
    spares=("give a finite number",),
)
"""An error is wanted if nothing better: "finite gradients, or an error"."""
_COMMENT = re.compile(r"#.*")
_MADE = ("module", "other")
"""Kinds of objects of which nothing is known but that they are there."""


def capture(
    points: Sequence[Point], observation: Observation, reading: Reading
) -> tuple[ValueOracle, ...]:
    """All oracles that the code offers, the most trustworthy first, whether or not they hold."""
    run = Seen(points, observation, reading)
    return tuple(dict.fromkeys(oracle for found in FINDERS.each(run) for oracle in found))


def _numbers(run: Seen) -> Iterator[ValueOracle]:
    """A value that the report calls wrong, where it also says what would be right."""
    return (one for one in numbers(run) if not _holds_elsewhere(run, one))


def _holds_elsewhere(run: Seen, oracle: ValueOracle) -> bool:
    """Whether an assertion that held is of the very number that a text says is right.

    Then that is what the text is about, whatever else has the number that it calls wrong: if it
    asserts of a result of the API in the title, rather than of what that is given.
    """
    if not run.asserted or oracle.expected is None:
        return False
    right = oracle.expected.numbers
    return any(
        point.parent is not None
        and run.points[point.parent].asserted
        and run.is_titled(point)
        and is_literal(value, right)
        and spot not in oracle.spots
        for spot, point, value in run.every(Role.OPERAND)
    )


def _non_finite(run: Seen) -> Iterator[ValueOracle]:
    """NaN and infinities that the report speaks of, unless something says they are right.

    A reference may, and a title that speaks of NaN alone.
    """
    # Two results that differ may both have them, among what a report pastes.
    differing = DIFFERENT.search(run.reading.report.title) is not None
    comments = (one[0] for code in run.reading.candidates for one in _COMMENT.finditer(code.code))
    words = run.reading.prose + "".join(comments) if differing else run.reading.report.body
    texts = (run.reading.report.title, words)
    if not any(NOT_FINITE.search(text) for text in texts):
        return
    title, refusal = run.reading.report.title, run.reading.refusal
    codes = [one.code for one in run.reading.candidates]
    given = any(map(not_finite, codes))
    titled = not_finite(title)
    either = refusal is not None and _EITHER.search(refusal) is not None
    own = {kind for code in codes for kind in not_finite(_COMMENT.sub("", code))}
    becomes_nan = either and "nan" in titled - own
    if refusal is not None and not becomes_nan and (given or not (titled or either)):
        return  # what should be refused goes in as such a number, or an error is missing
    if run.asserted_otherwise:
        return
    right = {one for one, ref, _ in referred(run) if agree(run, one, ref)}
    right.update(
        spot for two in said_to_differ(run) for spot in two.spots if agree(run, *two.spots)
    )
    nan_alone = titled == {"nan"} or becomes_nan
    lost = lost_numbers(title)
    wanted = [e for e in run.reading.expectations if e.right and unbounded(e)]
    for names in (False, True):
        shown = [*run.results(Role.SHOWN, *((Role.OPERAND,) if names else ()))]
        if not given and not any(numeric(value) for _, _, value in shown):
            shown = [one for one in run.every(Role.SHOWN) if run.worked_on(one[1])]
        for spot, point, value in run.titled_first(shown):
            told = isinstance(point.node, cst.Name) is names and finite(value) is False
            told = told and (has_nan(value) or not nan_alone)
            told = told and not ({"nan" if has_nan(value) else "inf"} & lost)
            told = told and spot not in right and not is_reference(point)
            if told and not any(is_literal(value, e.numbers) for e in wanted):
                yield ValueOracle(
                    kind=SymptomKind.NON_FINITE, spots=(spot,), why="the report speaks of it"
                )


def _unwanted(run: Seen) -> Iterator[ValueOracle]:
    """The result of a line that the code wants to raise, where the run ends by its complaint."""
    if run.asserts:
        for spot, point, _ in run.every(Role.SHOWN):
            if point.unwanted:
                why = f"the code fails where this returns: {point.text[:80]}"
                yield ValueOracle(kind=SymptomKind.ACCEPTS, spots=(spot,), why=why)


def _accepted(run: Seen) -> Iterator[ValueOracle]:
    """What the report wants to be refused: the result that it shows instead."""
    if run.reading.refusal is None:
        return
    # What makes tensors may be what accepts too much, if nothing else is shown; what is no
    # number (a layer, an optimiser) shows that it could be made.
    shown = [(spot, value) for spot, _, value in run.results(Role.SHOWN)]
    every = [(spot, value) for spot, _, value in run.every(Role.SHOWN)]
    results = (list(filter(_tells, shown)), list(filter(_tells, every)))
    # An exception that the code catches and shows is of no call: it was refused.
    called = [(spot, value) for spot, point, value in run.every(Role.SHOWN) if point.origin.calls]
    made = [(spot, value) for spot, value in called if value.kind in _MADE]
    texts = [(spot, value) for spot, value in shown if value.kind in ("list", "tuple")]
    found = next(filter(None, (*results, made, texts)), [])

    def likely(one: tuple[Spot, Value]) -> tuple[bool, int, int]:
        """What goes into a call may be shown beside what it gives; what is right is shown first."""
        point, spot = run.points[one[0].point], one[0]
        return not run.is_titled(point), -point.statement, -spot.occurrence

    for spot, _ in sorted(found, key=likely):
        why = f"the report says: {run.reading.refusal}"
        yield ValueOracle(kind=SymptomKind.ACCEPTS, spots=(spot,), why=why)


def _pasted(run: Seen) -> Iterator[ValueOracle]:
    """A result that the report pastes as it comes out here, and calls wrong in words."""
    lines = map(bare, run.stdout.splitlines())
    printed = Counter(line for line in lines if TELLING.search(line))
    pasted = Counter(map(bare, run.reading.output))
    if not printed or not printed <= pasted or run.asserted:
        return
    differing = DIFFERENT.search(run.reading.report.title) and not run.differs_from_absent
    if len(printed) == 1 < printed.total() and differing:
        return  # what is said to differ is the same by now
    wanted = [one for one in run.reading.expectations if one.right]
    checked = {oracle.check for oracle in checks(run)}  # those tell by themselves
    for spot, point, value in run.titled_first(run.results(Role.SHOWN)):
        right = any(is_literal(value, one.numbers) for one in wanted)
        given = point.origin.fixed and not point.origin.calls  # a number that a loop goes through
        if numeric(value) and not right and not given and spot not in checked:
            yield ValueOracle(
                kind=SymptomKind.DISAGREES, spots=(spot,), why="printed as the report has it"
            )


_INFINITE = Phrase(
    "word/nan-or-infinite",
    r"(?<![a-z])(?:nans?|[-+]?inf(?:init\w+)?)(?![a-z])",
    re.IGNORECASE,
    finds=("f gives NaN", "-inf at 0", "infinite loss"),
    spares=("information is lost",),
)
"""What a value is said to be; what overflows may be a whole number."""
_SLOPE = Phrase(
    "word/gradient",
    r"\b(?:grad\w*|backward\w*|derivatives?|slopes?|loss)\b",
    re.IGNORECASE,
    finds=("the gradient is NaN", "loss becomes inf"),
    spares=("exp is NaN",),
)
"""Gradients, and what training with them comes to: one finite value says nothing of those."""


def _finite_by_now(run: Seen) -> Iterator[ValueOracle]:
    """Where the report complains of NaN or infinity: what is shown, and is finite here."""
    title = run.reading.report.title
    told = [title, *(one.text for one in run.reading.claims if one.kind is ClaimKind.VALUE)]
    told += [one.sentence for one in run.reading.expectations if not one.right and unbounded(one)]
    codes = [_COMMENT.sub("", one.code) for one in run.reading.candidates]
    lost = lost_numbers(title)
    otherwise = DIFFERENT.search(title) or (lost and not not_finite(title) - lost)
    if run.reading.refusal is not None or otherwise:
        return
    if run.asserted or not any(map(_INFINITE.search, told)) or any(map(not_finite, codes)):
        return
    if any(unbounded(one) for one in run.reading.expectations if one.right):
        return
    sloped = any(map(_SLOPE.search, told))
    # Words of the title are looked for among the calls, names that are spelt out are APIs.
    titled = any(one.title and "." in one.name for one in run.reading.mentions)
    titled = titled or any(map(run.is_titled, run.points))
    for spot, point, value in run.results(Role.SHOWN):
        meant = is_slope(point) if sloped else run.is_titled(point) or not titled
        if meant and _is_fraction(value) and finite(value) and not is_reference(point):
            why = "the report speaks of what is not finite"
            yield ValueOracle(kind=SymptomKind.NON_FINITE, spots=(spot,), why=why)


def _is_fraction(value: Value) -> bool:
    """Whether a value is of numbers that can be NaN."""
    if value.kind in ("list", "tuple"):
        return any(map(_is_fraction, value.items or ()))
    return value.kind == "float" or (value.dtype or "").startswith(("float", "bfloat", "complex"))


def _tells(shown: tuple[Spot, Value]) -> bool:
    """Whether a value is a result: numbers, or a tensor of whatever kind."""
    value = shown[1]
    return value.kind != "str" and (numeric(value) or value.kind in ("tensor", "shape"))


def _finder(name: str, find: Find) -> Rule[[Seen], tuple[ValueOracle, ...]]:
    """A rule `oracle/NAME` of what a finder yields, if it yields anything."""

    @wraps(find)
    def found(run: Seen) -> tuple[ValueOracle, ...] | None:
        return tuple(find(run)) or None

    return Rule(f"oracle/{name}", found)


FINDERS: Registry[[Seen], tuple[ValueOracle, ...]] = Registry(
    "oracle",
    _finder("result-of-unwanted-call", _unwanted),
    _finder("beside-its-comment", beside),
    _finder("wrong-and-right-number", _numbers),
    _finder("check-of-other-library", counterparts),
    _finder("check", checks),
    _finder("difference", differences),
    _finder("reference", references),
    _finder("two-modes", modes),
    _finder("nearly-expected", nearly_expected),
    _finder("not-finite", _non_finite),
    _finder("two-precisions", precisions),
    _finder("accepted-call", _accepted),
    _finder("order-of-size", orders),
    _finder("out-of-bounds", out_of_bounds),
    _finder("expected-number", expected),
    _finder("said-to-differ", said_to_differ),
    _finder("asserted", asserted),
    _finder("pasted-output", _pasted),
    _finder("finite-by-now", _finite_by_now),
)
"""All finders, those of the most trustworthy oracles first."""
