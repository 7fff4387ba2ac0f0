"""One rewritten case of a value bug, run in several ways: are values that show it the bug?

In: a replay that shows the symptom, with its plan and how close the sibling is (`ValueMatch`). Out:
None where nothing speaks against the bug, else the verdict that stands in its place; what has
spoken for it is in the replay's `guards`.
"""

from __future__ import annotations

from citadel.judge.acceptance import ACCEPTANCE
from citadel.judge.coincidences import cuts_off, differing, of_its_kind
from citadel.judge.doubts import Doubts, Guard
from citadel.judge.false_positives import coincidence
from citadel.judge.named import takes_by_name
from citadel.judge.precision import imprecise
from citadel.judge.relations import near, related
from citadel.judge.sizes import of_sizes, tells_of_them
from citadel.judge.steadiness import BACKEND, UNSTEADY
from citadel.judge.value_match import ValueMatch
from citadel.judge.verdicts import mostly_filled, verdict
from citadel.model import SymptomKind, Verdict, VerdictKind
from citadel.oracle.numbers import elements, has_nan
from citadel.verify.infinities import made_backward, mixes
from citadel.verify.laws import keeps

GIVEN: Doubts[ValueMatch] = Doubts("doubt")
"""The sibling cannot have the bug, given what the plan gives it."""


@GIVEN.doubt("not-given-the-input")
def _not_given_the_input(match: ValueMatch) -> str | None:
    """It gets nothing of what the report's call works on.

    What an object is made of matters less than what it is given then.
    """
    idle = match.plan.idle and match.oracle.kind is not SymptomKind.ACCEPTS
    if idle and not of_its_kind(match.source, match.channels):
        return "is not given what the report's call works on"
    return None


@GIVEN.doubt("gradients-end-before-it")
def _gradients_end_before_it(match: ValueMatch) -> str | None:
    """Gradients of what it makes do not reach what it is given."""
    if match.replay.cuts_gradients(match.plan):
        return "gradients do not go through what it makes"
    return None


@GIVEN.doubt("not-given-the-difference")
def _not_given_the_difference(match: ValueMatch) -> str | None:
    """It is not given the arguments that the compared calls differ in."""
    apart = differing(match.source) & set(match.plan.astray)
    if not apart:
        return None
    names = ", ".join(sorted(key.partition(":")[2] for key in apart))
    return f"is not given what the calls differ in whose results are compared: {names}"


@GIVEN.doubt("not-given-the-refused")
def _not_given_the_refused(match: ValueMatch) -> str | None:
    """It is not given the arguments that should be refused."""
    astray = [one.name for one in match.source.disputed if one.key in match.plan.astray]
    return f"is not given what should be refused: {', '.join(astray)}" if astray else None


GRADIENTS: Doubts[ValueMatch] = Doubts("doubt")
"""NaN or infinities come up in the gradients that the source hands on.

A slope may well be infinite (of the square root at 0); where the source's is no number, that is not
the same.
"""


@GRADIENTS.doubt("infinite-gradient-for-nan")
def _infinite_gradient_for_nan(match: ValueMatch) -> str | None:
    """Its gradient is infinite, and the source's is NaN."""
    return "infinite, where the report's gradient is NaN" if match.infinite_for_nan else None


@GRADIENTS.doubt("finite-gradients")
def _finite_gradients(match: ValueMatch) -> str | None:
    """NaN or infinities come up elsewhere than in its gradients."""
    replay = match.replay
    if made_backward(replay.rerun, match.oracle, replay.calls):
        return None
    return "what is not finite does not come up in its gradients"


@GRADIENTS.guard("makes-bad-gradients")
def _makes_bad_gradients(_: ValueMatch) -> str:
    """It makes NaN or infinities of finite gradients."""
    return "with a finite result, and given finite gradients, it hands on others"


NAMES: Doubts[ValueMatch] = Doubts("doubt")


@NAMES.doubt("another-name")
def _another_name(match: ValueMatch) -> str | None:
    """The NaN argument goes to a parameter of another name."""
    named = takes_by_name(match.source, match.plan, match.channels)
    if match.channels.family is None and not named:
        return "what is not finite goes by another name"
    return None


REPLAYED: Doubts[ValueMatch] = Doubts("doubt")
"""Further runs say that its values show the symptom by chance."""


@REPLAYED.doubt("law-not-kept")
def _law_not_kept(match: ValueMatch) -> str | None:
    """The report's API keeps a law for scaled inputs, which the sibling does not keep."""
    replay, law = match.replay, match.source.law
    if match.same or law is None or law.factor is None:
        return None
    if not keeps(replay.rerun, match.oracle, replay.calls, law.factor):
        return "a law of the report's API, which it does not keep for other numbers, either"
    match.note("keeps the same law for numbers of another size")
    return None


@REPLAYED.doubt("different-inputs")
def _different_inputs(match: ValueMatch) -> str | None:
    """Results of different inputs are compared, and nothing says that they agree."""
    law = match.source.law
    if match.same or (law is not None and law.factor is not None):
        return None
    if match.oracle.parts or law is not None or match.replay.of_others():
        return "the check compares results of different inputs: it need not hold here"
    return None


@REPLAYED.doubt("another-function-in-double")
def _another_function_in_double(match: ValueMatch) -> str | None:
    """Double precision changes the source's value, and not the sibling's."""
    if match.replay.same_function is False:
        return "an equal result, which double precision does not change as it does the source's"
    return None


@REPLAYED.doubt("common-number-of-filled")
def _common_number_of_filled(match: ValueMatch) -> str | None:
    """It comes to a common number, of an argument that was filled in."""
    known = match.source.wider or match.akin or match.channels.called
    if match.filled and not known and match.replay.comes_to_the_same():
        return "an equal result, with something filled in that the report has not got"
    return None


@REPLAYED.doubt("leaves-out-most")
def _leaves_out_most(match: ValueMatch) -> str | None:
    """It is given little of the report's call, and is not close."""
    plan, channels = match.plan, match.channels
    loses = match.fresh and plan.loses
    beside = channels.called or of_its_kind(match.source, channels)
    beside = beside or (related if loses else near)(channels)
    if (plan.scant or loses) and match.oracle.of_finiteness and not beside:
        return "leaves out more of the report's call than it is given"
    return None


@REPLAYED.doubt("mostly-filled")
def _mostly_filled(match: ValueMatch) -> str | None:
    """It disagrees with itself, and most of its call was filled in."""
    if match.oracle.paired and mostly_filled(match.plan) and not near(match.channels):
        return "disagrees with itself, given more than the report has got"
    return None


@REPLAYED.doubt("coarser-dtype")
def _coarser_dtype(match: ValueMatch) -> str | None:
    """Its dtype is coarser than the source's, and the two differ by rounding."""
    return "agrees but for what its coarser dtype rounds off" if match.replay.coarser() else None


@REPLAYED.doubt("whole-numbers")
def _whole_numbers(match: ValueMatch) -> str | None:
    """One of the two values is of whole numbers, and they differ by fractions."""
    oracle, replay = match.oracle, match.replay
    if oracle.paired and cuts_off(oracle, match.source.values, replay.values):
        return "agrees but for the fractions that its whole numbers do not hold"
    return None


@REPLAYED.doubt("left-alone")
def _left_alone(match: ValueMatch) -> str | None:
    """A value that the source's call makes has nothing of the sibling's."""
    return "leaves alone one of the values that are compared" if match.replay.left_alone() else None


@REPLAYED.doubt("mixes-places")
def _mixes_places(match: ValueMatch) -> str | None:
    """NaN in one place of its inputs matters in all places, unlike in the source."""
    replay = match.replay
    apart = match.source.apart and not match.akin
    if apart and not _reduces(match) and mixes(replay.rerun, replay.calls):
        return "each number depends on what is not finite in other places, unlike the source's"
    return None


def _reduces(match: ValueMatch) -> bool:
    """Whether it comes to fewer numbers than the source, as a mean of such losses does, and
    these tend to something where they are NaN."""
    had, has = match.source.values, match.replay.values
    spots = [spot for spot in match.oracle.spots if spot in had and spot in has]
    sizes = [(elements(had[spot]), elements(has[spot])) for spot in spots]
    fewer = bool(sizes) and all(
        a is not None and b is not None and len(b) < len(a) for a, b in sizes
    )
    return fewer and match.replay.limited


@REPLAYED.doubt("result-not-finite")
def _result_not_finite(match: ValueMatch) -> str | None:
    """The bug comes up behind the source's call (in gradients, say), and in the sibling's own."""
    calls = match.replay.gave(match.source.gave_finite)
    if any(one.finite is False for one in calls):
        return "its own result is not finite, where the source's is"
    return None


@REPLAYED.doubt("result-nan")
def _result_nan(match: ValueMatch) -> str | None:
    """The same of NaN, where the source's result is infinite."""
    if any(has_nan(one.made) for one in match.replay.gave(match.source.gave_numbers)):
        return "its own result is NaN, where the source's is not"
    return None


@REPLAYED.doubt("common-size")
def _common_size(match: ValueMatch) -> str | None:
    """Sizes alone are shown, which results of many functions have."""
    told_apart = match.replay.written.references or near(match.channels)
    if of_sizes(match.source) and not told_apart:
        return "a size that results of other functions have as well"
    return None


@REPLAYED.doubt("tells-of-inputs")
def _tells_of_inputs(match: ValueMatch) -> str | None:
    """It gives sizes or strides of its inputs, and the source a tensor."""
    if tells_of_them(match.source, match.replay.values):
        return "tells of its inputs, where the report's API makes something of them"
    return None


@REPLAYED.guard("accepts-what-source-refuses")
def _accepts_what_source_refuses(match: ValueMatch) -> str | None:
    """This build refuses the source's call by now."""
    if match.source.refused:
        return "accepts what the source refuses, and is of its name family"
    return None


@REPLAYED.guard("value-of-source")
def _value_of_source(match: ValueMatch) -> str | None:
    """It shows the source's very value."""
    if not match.replay.equal:
        return None
    if match.replay.same_function:
        match.note("what double precision makes of it is the source's as well")
    return "the source's own value"


@REPLAYED.guard("value-of-its-own")
def _value_of_its_own(match: ValueMatch) -> str:
    """It shows another value, which is wrong for the same reason."""
    return "both sides are the sibling's" if match.oracle.paired else "the sibling's own value"


def doubt(match: ValueMatch) -> Verdict | None:
    """The first doubt whether values that show the symptom are the bug, if there is one."""
    found = _whether_it_is_the_bug(match)
    if isinstance(found, Guard):
        match.accepted_by = found.rule
    return _heard(match, found) or _heard(match, imprecise(match)) or _steady(match)


def _whether_it_is_the_bug(match: ValueMatch) -> Verdict | Guard | None:
    if match.source.made_backward:
        return match.ask(GIVEN, GRADIENTS)
    accepts = match.oracle.kind is SymptomKind.ACCEPTS
    found = match.ask(GIVEN, *((ACCEPTANCE,) if accepts else ()), NAMES)
    if found is not None:
        return found
    chance = coincidence(match.shown())
    if chance is not None:
        rule, reason = chance
        return verdict(VerdictKind.NOT_ADAPTED, reason=reason, rule=rule)
    return match.ask(REPLAYED)


def _steady(match: ValueMatch) -> Verdict | None:
    contested = match.source.refused_by and match.replay.beside is not None
    steady = _heard(match, match.ask(UNSTEADY) if match.oracle.paired else None)
    return steady or _heard(match, match.ask(BACKEND) if contested else None)


def _heard(match: ValueMatch, found: Verdict | Guard | None) -> Verdict | None:
    """A verdict as it is; what speaks for a bug is noted."""
    if isinstance(found, Guard):
        match.note(found.text)
        return None
    return found
