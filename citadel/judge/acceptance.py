"""Doubts and guards where something should be refused: should the sibling refuse it as well?"""

from __future__ import annotations

import re

from analysis.rules import Phrase
from citadel.judge.coincidences import adds_inputs, unfinished
from citadel.judge.doubts import Doubts
from citadel.judge.relations import alike, described_alike, near, related
from citadel.judge.value_match import ValueMatch
from citadel.verify.disputed import carried

_NOT_FINITE = Phrase(
    "word/result-not-finite",
    r"\b(?:returns?|gives?|produces?|yields?|outputs?|becomes?|is|are) (?:\w+ ){0,2}?"
    r"(?:nans?|inf(?:s|init(?:y|ies))?)\b",
    re.IGNORECASE,
    finds=("torch.log returns only NaN", "the loss becomes infinity"),
    spares=("a NaN argument is accepted",),
    meaning="That a result is NaN or infinite, rather than an argument.",
)

ACCEPTANCE: Doubts[ValueMatch] = Doubts("doubt")


@ACCEPTANCE.doubt("no-result-yet")
def _no_result_yet(match: ValueMatch) -> str | None:
    """It makes an object, which may refuse what it was made with as soon as it is called."""
    if unfinished(match.oracle, match.source.values, match.replay.values):
        return "gives no result yet, which may be refused later"
    return None


def _of_finite_numbers(match: ValueMatch) -> bool:
    """Whether the report speaks of NaN, and the build by now refuses its call: then the values that
    the disputed arguments come to tell, as there is nothing to compare with."""
    source = match.source
    told = source.refused and _NOT_FINITE.search(source.oracle.why or "") is not None
    return told and carried(match.plan, source.disputed)


@ACCEPTANCE.doubt("finite-for-the-refused")
def _finite_for_the_refused(match: ValueMatch) -> str | None:
    """It gives finite numbers for what should be refused, and the report speaks of NaN."""
    if _of_finite_numbers(match) and False in match.disputed_results:
        return "accepts it, and gives finite numbers, where the report speaks of others"
    return None


@ACCEPTANCE.guard("not-finite-for-the-refused")
def _not_finite_for_the_refused(match: ValueMatch) -> str | None:
    """It gives NaN for what should be refused, and finite numbers without."""
    if _of_finite_numbers(match) and match.disputed_results == {True}:
        names = ", ".join(one.name for one in match.source.disputed)
        return f"not finite for its {names}, and finite without"
    return None


@ACCEPTANCE.guard("same-name-accepted")
def _same_name_accepted(match: ValueMatch) -> str | None:
    """The argument that should be refused goes to a parameter of its name, and the two are near."""
    source, channels = match.source, match.channels
    if not carried(match.plan, source.disputed):
        return None
    close = near(channels)
    if source.refused:
        close = related(channels) and not match.plan.drops
    if any(one.operand for one in source.disputed):
        close = close and alike(channels)  # every other function takes an `input`
    names = ", ".join(one.name for one in source.disputed)
    return f"accepts what should be refused under the same name: {names}" if close else None


@ACCEPTANCE.doubt("accepts-everywhere")
def _accepts_everywhere(match: ValueMatch) -> str | None:
    """It accepts the same even where the report's own call is refused."""
    if match.replay.consistent:
        return "accepts it everywhere: nothing says that it should refuse it"
    return None


@ACCEPTANCE.guard("same-function-accepts")
def _same_function_accepts(match: ValueMatch) -> str | None:
    """It is the same function under another name, given the same.

    Its value may be whatever lies in memory there.
    """
    if match.same and match.channels.family is not None and not match.source.refused:
        return "accepts the very same arguments, and is the same function"
    return None


@ACCEPTANCE.guard("same-words-accepts")
def _same_words_accepts(match: ValueMatch) -> str | None:
    """It is described in the words of the report's API, and given the same."""
    plan, source = match.plan, match.source
    given_all = not (plan.filled or plan.drops or plan.renamed or source.disputed)
    if given_all and described_alike(match.channels) and not source.refused:
        return "accepts the very same arguments, and is described in the same words"
    return None


@ACCEPTANCE.guard("refuses-elsewhere")
def _refuses_elsewhere(match: ValueMatch) -> str | None:
    """It refuses in another place of the case what it accepts in this one.

    What is called for its effect alone is a check: it should be one everywhere. What is near, or
    refuses it elsewhere in the same words, may be given less, if nothing is filled in.
    """
    plan, replay = match.plan, match.replay
    its_own = near(match.channels) or plan.effect or replay.refused_alike
    its_own = its_own and not (plan.drops and plan.filled)
    if its_own and replay.inconsistent and not adds_inputs(plan):
        refusal = ", ".join(sorted(replay.inconsistent))
        return f"elsewhere it refuses what it accepts here ({refusal})"
    return None
