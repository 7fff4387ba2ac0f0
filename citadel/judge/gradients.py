"""Failures of gradient checks that are no sibling's: of other gradients, or of random numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.oracle.messages import told_numbers
from citadel.plan.model import Adaptation, Take
from citadel.traced import is_call_of, leaf
from citadel.verify.identify import GRADIENTS, failing_call
from citadel.verify.verified import Verified


@dataclass(frozen=True, slots=True)
class Failed:
    """A case whose traced run failed, and the API that it is about."""

    code: str
    traced: str
    observation: Observation
    api: Api


def other_numbers(observation: Observation, source: Observation) -> bool:
    """Whether both exceptions show tensors under the same labels, and one of them is finite (or
    NaN, or infinite) in one exception alone: the gradient is infinite here, and NaN there."""
    both = (observation.exception, source.exception)
    told = [dict(told_numbers(one.message)) for one in both if one is not None]
    return len(told) == 2 and any(told[0].get(n, kind) != kind for n, kind in told[1].items())


def fails_before(failed: Failed, source: Verified, catalog: Catalog) -> bool:
    """Whether a gradient check fails that the report's own code passes, before it fails another.

    What the place of its call has called before, in a loop through several APIs, is the sibling in
    the case: checks of that say nothing.
    """
    observation, own = failed.observation, source.observation
    ends = [failing_call(one) for one in (observation, own)]
    if not all(one is not None and leaf(one.name) in GRADIENTS for one in ends):
        return False
    placed = [call for call in own.calls if call.site == source.call.site]
    others = {call.number for call in placed if not is_call_of(call, source.api, catalog)}
    passed = [
        check
        for check in _checks(own)
        if max((call.number for call in placed if call.number < check), default=0) not in others
    ]
    return len(_checks(observation)) < len(passed)


def _checks(observation: Observation) -> list[int]:
    """The numbers of the calls that take gradients."""
    return [call.number for call in observation.calls if leaf(call.name) in GRADIENTS]


def cut(plan: Adaptation, source: Call, calls: Iterable[Call]) -> bool:
    """Whether gradients, which a case takes in `calls`, do not reach what the report's call
    (`source`) is given, because a layer has copies of it."""
    if not any(leaf(call.name) in GRADIENTS for call in calls):
        return False
    given = {f"arg:{n}": one.value for n, one in enumerate(source.arguments)}
    given |= {f"kw:{name}": one.value for name, one in source.keywords}
    own = [s.value.key for s in (*plan.state, *plan.new) if isinstance(s.value, Take)]
    return any(given[key].requires_grad for key in own if key in given)


def draws_alone(
    failed: Failed, source: Verified, session: Session, catalog: Catalog, limits: Limits
) -> bool:
    """Whether a case fails for the random numbers that the sibling draws, and the report's own code
    does not fail for those of its call. Asked of results that others choke on."""
    if not source.deferred or not _of_draws(failed, session, catalog, limits):
        return False
    module = source.source.module
    own = Failed(module.code, source.source.traced, source.observation, source.api)
    return not _of_draws(own, session, catalog, limits)


def _of_draws(failed: Failed, session: Session, catalog: Catalog, limits: Limits) -> bool:
    """Whether a case that failed runs to its end once all calls of its API draw the same."""
    calls = [one for one in failed.observation.calls if is_call_of(one, failed.api, catalog)]
    if not calls:
        return False
    steady = session.run(
        failed.code,
        traced=failed.traced,
        limits=limits,
        entry="perturb:reseeded",
        arguments={"sites": sorted({call.site for call in calls}), "number": 1},
    )
    return steady.outcome is Outcome.OK
