"""Doubts about values alone: why values that show a symptom need not be the report's bug.

In: the values of the source and of the sibling, and how close the two are (`Shown`). Out: the first
doubt of the lists that apply to this kind of symptom. No case is run here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from analysis.rules import Registry
from analysis.target.watch import Check
from citadel.judge.coincidences import (
    agree_elsewhere,
    apart_as_numbers,
    both_turn_nan,
    changes_of,
    differ_beyond_numbers,
    misses_what_is_not_finite,
    of_one_shape,
    right_elsewhere,
    slighter,
    tells,
    turns_nan,
    usual,
)
from citadel.model import SymptomKind
from citadel.oracle.value import ValueOracle, Values, has_nan_at
from citadel.verify.infinities import beyond_numbers
from citadel.verify.witness import Witness

_EQUALITIES = (Check.EQUAL, Check.CLOSE, Check.UNEQUAL)
"""Checks that compare a value with another, even where that is written down in the text."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Values of a sibling that show the symptom, beside those of the source.

    `close`: an equal result is no coincidence for this symptom. `akin`: the two do the same to
    their inputs. `filled`: the sibling's call has arguments that the report's has not; `drops`: the
    other way round. `own_reference`: what it is compared with is its own, as what the report
    compares with is of the API. `limited`: what is not finite in its inputs does not demand it
    (`infinities.tends_to`, `infinities.spreads`).
    """

    source: Witness
    values: Values
    close: bool
    akin: bool
    filled: bool
    drops: bool
    own_reference: bool
    limited: bool

    @property
    def oracle(self) -> ValueOracle:
        """The oracle that holds for both."""
        return self.source.oracle

    @cached_property
    def changes(self) -> tuple[bool | None, ...]:
        """For each spot of the oracle, whether the sibling's value is another than the source's."""
        close = self.close or self.akin
        return changes_of(self.oracle, self.source.values, self.values, close=close)

    @property
    def equal(self) -> bool:
        """Whether all values are the source's."""
        return all(change is False for change in self.changes)

    @property
    def own(self) -> list[bool | None]:
        """For each spot, whether it is the sibling's own value.

        An option that it has not got, or one that was made up, may be why it differs.
        """
        given_alike = self.own_reference and not (self.filled or self.drops)
        return [given_alike or one for one in self.source.own]

    @cached_property
    def known(self) -> bool:
        """Whether an equal result says by itself which function it is.

        What is given back as it is proves nothing, nor does what is not finite of what is not.
        Where NaN is lost, what is right beside it says which function it is.
        """
        source, oracle = self.source, self.oracle
        lost = beyond_numbers(oracle, source.values) == {1} and right_elsewhere(source)
        all_of_it = not self.filled and not self.drops and (lost or not source.hands_on)
        telling = any(tells(self.values, spot) for spot in oracle.spots)
        return all_of_it and (telling or agree_elsewhere(source, self.values))


Reasons = Registry[[Shown], str]

ACCEPTED = Reasons("doubt")
"""What should be refused runs through."""


@ACCEPTED.rule("accepts-with-another-result")
def _accepts_with_another_result(shown: Shown) -> str | None:
    """Accepts it, and gives something else than the source."""
    return None if shown.equal else "runs as well, with another result"


@ACCEPTED.rule("accepts-but-no-relation")
def _accepts_but_no_relation(shown: Shown) -> str | None:
    """Accepts it, and nothing says that the two are one function."""
    return None if shown.close else "runs as well, and is another function"


FINITENESS = Reasons("doubt")
"""NaN or infinities. Coincidences are found in double precision (`precision`)."""


@FINITENESS.rule("need-not-be-infinite")
def _need_not_be_infinite(shown: Shown) -> str | None:
    """The report misses NaN or infinity, and the sibling may well be finite."""
    if misses_what_is_not_finite(shown.source) and not shown.akin:
        return "nothing says that what it gives should not be finite"
    return None


@FINITENESS.rule("infinite-as-its-input")
def _infinite_as_its_input(shown: Shown) -> str | None:
    """Both are given infinities, and only the source makes NaN of them."""
    oracle, source = shown.oracle, shown.source
    handed_on = has_nan_at(oracle, source.values) and not has_nan_at(oracle, shown.values)
    if source.let_in and handed_on:
        return "infinite as what it is given, where the report's value is NaN"
    return None


def _finiteness_known(shown: Shown) -> bool:
    return shown.limited or (shown.close and not shown.source.spreads)


@FINITENESS.rule("passes-on-its-input")
def _passes_on_its_input(shown: Shown) -> str | None:
    """NaN or infinities come of those that it is given."""
    if shown.source.let_in and not _finiteness_known(shown):
        return "passes on what is not finite in its inputs"
    return None


@FINITENESS.rule("not-finite-for-filled")
def _not_finite_for_filled(shown: Shown) -> str | None:
    """What was filled in may demand NaN."""
    if shown.filled and not shown.source.precise and not _finiteness_known(shown):
        return "not finite, but of arguments that the report has not got"
    return None


@FINITENESS.rule("value-of-nobody")
def _value_of_nobody(shown: Shown) -> str | None:
    """In the report's own run nothing depends on the API."""
    if True not in shown.source.own and not _finiteness_known(shown):
        return "nothing shows that the value is the API's"
    return None


OTHER_KIND = Reasons("doubt")
"""The check fails for something else than the source's numbers."""


@OTHER_KIND.rule("nan-for-number")
def _nan_for_number(shown: Shown) -> str | None:
    """One value is NaN where the source's is a number."""
    if not shown.oracle.paired and turns_nan(shown.source, shown.values):
        return "NaN, where the report's value is a number"
    return None


@OTHER_KIND.rule("both-nan")
def _both_nan(shown: Shown) -> str | None:
    """Both compared values have NaN where the source's have numbers."""
    if shown.oracle.paired and both_turn_nan(shown.oracle, shown.source.values, shown.values):
        return "NaN in both that are compared, where the report's values are numbers"
    return None


@OTHER_KIND.rule("neither-finite")
def _neither_finite(shown: Shown) -> str | None:
    """The two differ only where both are NaN or infinite."""
    oracle, had = shown.oracle, shown.source.values
    if oracle.paired and differ_beyond_numbers(oracle, had, shown.values):
        return "neither of the two is finite where they differ, as the report's values are"
    return None


@OTHER_KIND.rule("values-agree")
def _values_agree(shown: Shown) -> str | None:
    """The source's two values differ, and the sibling's do not."""
    oracle = shown.oracle
    if apart_as_numbers(oracle, shown.source.values) and not apart_as_numbers(oracle, shown.values):
        return "the values agree: the check fails for another reason"
    return None


@OTHER_KIND.rule("another-shape")
def _another_shape(shown: Shown) -> str | None:
    """The source's two values are of one shape, and the sibling's are not."""
    oracle = shown.oracle
    if of_one_shape(oracle, shown.source.values) and not of_one_shape(oracle, shown.values):
        return "gives another shape than what it is compared with"
    return None


@OTHER_KIND.rule("rounding-only")
def _rounding_only(shown: Shown) -> str | None:
    """The two differ by rounding, and the source's by far more."""
    if slighter(shown.oracle, shown.source.values, shown.values):
        return "agrees but for rounding, where the report's values are far apart"
    return None


BOUNDS = Reasons("doubt")
"""A result should keep within bounds."""


@BOUNDS.rule("other-bounds")
def _other_bounds(shown: Shown) -> str | None:
    """The bounds are those of the report's API."""
    if shown.akin:
        return None
    return "nothing says that what it gives should keep within these bounds"


EQUAL = Reasons("doubt")
"""The sibling has the source's very values, which something of another making is compared with."""


@EQUAL.rule("common-result")
def _common_result(shown: Shown) -> str | None:
    """Zeros and ones, to which many functions come."""
    unknown = not shown.akin and not shown.known
    if unknown and all(usual(shown.values, spot) for spot in shown.oracle.spots):
        return "an equal result that other functions come to as well"
    return None


@EQUAL.rule("result-of-another-function")
def _result_of_another_function(shown: Shown) -> str | None:
    """Neither the numbers nor the two APIs say that it is one function."""
    return None if shown.known or shown.close else "an equal result, of another function"


PAIRED = Reasons("doubt")
"""Two values of one run differ, and they are others than the source's."""


@PAIRED.rule("foreign-reference")
def _foreign_reference(shown: Shown) -> str | None:
    """The reference is the one of the report's API."""
    if shown.source.referred and not shown.own_reference:
        return "computes something else than what it is compared with"
    return None


@PAIRED.rule("one-value-its-own")
def _one_value_its_own(shown: Shown) -> str | None:
    """One of the two values does not come of the sibling.

    That its own values are the sibling's then is seen when its results are made others.
    """
    if not all(change or known for known, change in zip(shown.own, shown.changes, strict=True)):
        return "only one of the values that are compared is the sibling's"
    return None


CHECKED = Reasons("doubt")
"""A check fails that compares a value with nothing: a comparison of size, say."""


@CHECKED.rule("need-not-hold")
def _need_not_hold(shown: Shown) -> str | None:
    """The check is about the report's API."""
    return None if shown.akin else "nothing says that this must hold for what it gives, too"


EXPECTED = Reasons("doubt")
"""A value is not what the text expects, and is another one than the source's."""


@EXPECTED.rule("not-the-expected-function")
def _not_the_expected_function(_: Shown) -> str | None:
    """What is expected is the result of the report's API."""
    return "computes something else than what is expected"


def coincidence(shown: Shown) -> tuple[str, str] | None:
    """The first doubt about values that show the symptom: the id of its rule, and the reason."""
    return next(filter(None, (reasons.decided(shown) for reasons in _lists(shown))), None)


def _lists(shown: Shown) -> Iterator[Reasons]:
    """The lists that apply to this kind of symptom, in the order in which they are asked."""
    oracle = shown.oracle
    if oracle.kind is SymptomKind.ACCEPTS:
        yield ACCEPTED
    elif oracle.of_finiteness:
        yield FINITENESS
    else:
        yield OTHER_KIND
        if oracle.bounds is not None:
            yield BOUNDS
        elif shown.equal and not (oracle.paired and all(shown.own)):  # its own two values part then
            yield EQUAL
        elif oracle.paired:
            yield PAIRED
        elif oracle.check is not None and oracle.how not in _EQUALITIES:
            yield CHECKED
        else:
            yield EXPECTED
