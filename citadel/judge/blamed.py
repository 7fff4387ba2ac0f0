"""Whose failure it is that a replay ends with: the sibling's own, or that of another call."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.catalog.model import Api, Catalog
from analysis.rules import Registry
from analysis.target.observation import Observation, Outcome
from citadel.traced import is_call_of, makers, resolve
from citadel.verify.culprit import culprit
from citadel.verify.identify import failing_call
from citadel.verify.verified import Verified
from harvest.report.model import Mention


@dataclass(frozen=True, slots=True)
class _Failed:
    """A sibling's run in which a call failed."""

    observation: Observation
    target: Api
    source: Verified
    catalog: Catalog


OWN: Registry[[_Failed], bool] = Registry("blame")
"""Why a failure is the sibling's."""


@OWN.rule("sibling-fails")
def _sibling_fails(run: _Failed) -> bool | None:
    """The call that fails is its own."""
    failing = failing_call(run.observation)
    api = resolve(failing, run.catalog) if failing is not None else None
    return True if api is not None and api.name == run.target.name else None


@OWN.rule("sibling-made-what-fails")
def _sibling_made_what_fails(run: _Failed) -> bool | None:
    """It is to blame as the report's API would be, had the report named it."""
    own = (Mention(name=run.target.name, title=1, body=0),)
    blamed = culprit(run.observation, run.catalog, own)
    return True if blamed is not None and blamed[1].name == run.target.name else None


@OWN.rule("sibling-in-place-of-source")
def _sibling_in_place_of_source(run: _Failed) -> bool | None:
    """It stands in the place of the report's call, which words alone blame."""
    source, target, catalog = run.source, run.target, run.catalog
    if not source.deferred or _told_by_trace(source, catalog):
        return None
    failing, failed = failing_call(run.observation), failing_call(source.observation)
    calls = [call for call in run.observation.calls if is_call_of(call, target, catalog)]
    alike = (failing and failing.name) == (failed and failed.name)
    if not alike or all(call.result is None for call in calls):
        return None
    made = _made_what_fails(source.observation, source.case.api, catalog)
    return True if not made or _made_what_fails(run.observation, target.name, catalog) else None


def blames(observation: Observation, target: Api, source: Verified, catalog: Catalog) -> bool:
    """Whether the call that fails (or made what fails) is the sibling's.

    Where nothing but the report's words tells who made what fails in the source's run, it is the
    call that stands in its place.
    """
    return OWN.first(_Failed(observation, target, source, catalog)) is True


def fails_itself(observation: Observation, target: Api, catalog: Catalog) -> bool:
    """Whether the call that fails is the sibling's own."""
    failing = failing_call(observation)
    return failing is not None and is_call_of(failing, target, catalog)


def gives_nothing(observation: Observation, target: Api, catalog: Catalog) -> bool:
    """Whether the sibling returns None, and its use fails for that."""
    made = [call.result for call in observation.calls if is_call_of(call, target, catalog)]
    return bool(made) and all(one is not None and one.value.kind == "none" for one in made)


def unfilled(observation: Observation, target: Api, catalog: Catalog) -> bool:
    """Whether a layer's own parameters could not be given it: another call than its own fails."""
    own = fails_itself(observation, target, catalog)
    return failing_call(observation) is not None and not own


def returned(observation: Observation, target: Api, catalog: Catalog) -> bool:
    """Whether the sibling was called and returned, in a run that came to its end."""
    made = [call for call in observation.calls if is_call_of(call, target, catalog)]
    ended = observation.outcome is Outcome.OK
    return ended and any(call.result is not None for call in made)


def _told_by_trace(source: Verified, catalog: Catalog) -> bool:
    """Whether the trace of the source's own run tells whose failure it is."""
    own = (Mention(name=source.case.api, title=1, body=0),)
    blamed = culprit(source.observation, catalog, own)
    return blamed is not None and blamed[1].name == source.case.api


def _made_what_fails(observation: Observation, name: str, catalog: Catalog) -> bool:
    """Whether a call of an API made, at whatever remove, what the failing call is given."""
    failing = failing_call(observation)
    if failing is None:
        return False
    found = (resolve(call, catalog) for call in makers(failing, observation.calls))
    return any(api is not None and api.name == name for api in found)
