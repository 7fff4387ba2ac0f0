"""Doubts and guards by further runs: are two values promised to be equal, does a backend refuse?"""

from __future__ import annotations

from citadel.judge.doubts import Doubts
from citadel.judge.value_match import ValueMatch
from citadel.judge.verdicts import verdict
from citadel.model import Verdict, VerdictKind
from citadel.verify.guards import ill_conditioned, of_chance, of_draws, of_ties
from citadel.verify.infinities import no_real, no_room

UNSTEADY: Doubts[ValueMatch] = Doubts("doubt")
"""Nobody promises that two values are equal, or that they can be."""


@UNSTEADY.doubt("no-room-in-dtype")
def _no_room_in_dtype(match: ValueMatch) -> Verdict | None:
    """It is infinite where its dtype cannot hold the value that it is compared with."""
    oracle = match.oracle
    if no_room(oracle, match.replay.values) and not no_room(oracle, match.source.values):
        reason = "infinite just where its dtype has no room for what it is compared with"
        return verdict(VerdictKind.EXPECTED, reason=reason)
    return None


@UNSTEADY.doubt("no-real-result")
def _no_real_result(match: ValueMatch) -> Verdict | None:
    """It is NaN where the exact result is no real number."""
    oracle = match.oracle
    if no_real(oracle, match.replay.values) and not no_real(oracle, match.source.values):
        reason = "NaN just where the complex result is off the real axis"
        return verdict(VerdictKind.EXPECTED, reason=reason)
    return None


@UNSTEADY.doubt("drawn-at-random")
def _drawn_at_random(match: ValueMatch) -> str | None:
    """The two differ by the random numbers that it draws."""
    replay, oracle = match.replay, match.oracle
    draws = of_chance if match.source.random or oracle.beside else of_draws
    if draws(replay.rerun, oracle, replay.calls, match.free):
        return "its values are drawn at random"
    return None


@UNSTEADY.doubt("equal-elements")
def _equal_elements(match: ValueMatch) -> Verdict | None:
    """Two indices differ, and the elements that they select do not."""
    replay = match.replay
    if of_ties(replay.rerun, match.oracle, replay.calls, replay.values):
        return verdict(VerdictKind.EXPECTED, reason="the elements that they select are equal")
    return None


@UNSTEADY.doubt("ill-conditioned")
def _ill_conditioned(match: ValueMatch) -> Verdict | None:
    """The last digit of its inputs matters as much; not asked where the source is so, too."""
    replay = match.replay
    if match.source.ill_conditioned:
        return None
    if ill_conditioned(replay.rerun, match.oracle, replay.calls, replay.values, match.free):
        reason = "ill-conditioned: the last digit of its inputs matters as much"
        return verdict(VerdictKind.EXPECTED, reason=reason)
    return None


@UNSTEADY.guard("well-conditioned")
def _well_conditioned(match: ValueMatch) -> str | None:
    """The last digit of its inputs matters less."""
    return None if match.source.ill_conditioned else "not ill-conditioned"


BACKEND: Doubts[ValueMatch] = Doubts("doubt")
"""The other backend refuses the report's call: does it refuse the sibling's?"""


@BACKEND.guard("refused-on-other-backend")
def _refused_on_other_backend(match: ValueMatch) -> str | None:
    """The other backend refuses it."""
    if match.refused_beside:
        return f"the {match.source.refused_by} backend refuses it"
    return None


@BACKEND.doubt("unknown-on-other-backend")
def _unknown_on_other_backend(match: ValueMatch) -> str | None:
    """The run on the other backend does not tell."""
    if match.refused_beside is None:
        return f"nothing tells whether the {match.source.refused_by} backend refuses it"
    return None


@BACKEND.doubt("accepted-on-other-backend")
def _accepted_on_other_backend(match: ValueMatch) -> Verdict:
    """The other backend accepts it as well."""
    reason = f"accepted on the {match.source.refused_by} backend as well"
    return verdict(VerdictKind.EXPECTED, reason=reason)
