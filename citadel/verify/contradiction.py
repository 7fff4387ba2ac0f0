"""Calls of a report that contradict each other: with tensors made otherwise, one ends otherwise.

In: the runs of a report's code. Out: a case that needs no words and no check of the report's: the
API that it names is refused in one way, and returns in another that should make no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call
from analysis.target.target import TargetInfo
from citadel.model import BugCase, BugKind, Symptom, SymptomKind, content_id
from citadel.oracle import status
from citadel.traced import alike, resolve
from citadel.verify.suspects import named, spoken
from citadel.verify.verified import Attempt, Contradiction, Verified, evidence
from harvest.report.model import Reading

WAYS = (("device", "meta"),)
"""Attributes of tensors, and their values, with which a call should end as without."""


def contradicting(
    reading: Reading, attempts: Iterable[Attempt], catalog: Catalog, info: TargetInfo
) -> Verified | None:
    """The case of the first call that ends in two ways, of an API that the report names."""
    for attempt in attempts:
        for api, found in _contradictions(attempt.traced.calls, catalog):
            known = named(api, reading.mentions) or spoken(api, reading.report.title)
            if known and found.refused.site < len(attempt.source.nodes):
                return _case(reading, attempt, api, found, info)
    return None


def _contradictions(calls: Sequence[Call], catalog: Catalog) -> Iterator[tuple[Api, Contradiction]]:
    """Per name and way: all calls made so end alike, and all others otherwise."""
    for name in dict.fromkeys(call.name for call in calls):
        made = [one for one in calls if one.name == name and one.finished]
        api = resolve(made[0], catalog) if made else None
        found = (_between(made, way) for way in WAYS)
        yield from ((api, one) for one in found if api is not None and one is not None)


def _between(made: Sequence[Call], way: tuple[str, str]) -> Contradiction | None:
    parts = [[one for one in made if _has(one, way) is has] for has in (False, True)]
    ends = [{one.raised is None for one in part} for part in parts]
    if any(len(end) != 1 for end in ends) or ends[0] == ends[1]:
        return None
    refused, accepted = sorted((part[-1] for part in parts), key=lambda one: one.raised is None)
    if refused.raised is None or not alike(refused, accepted):
        return None
    return Contradiction(
        refused=refused, accepted=accepted, refusal=status.of_raised(refused.raised), way=way
    )


def _has(call: Call, way: tuple[str, str]) -> bool:
    attribute, value = way
    given = (one.value for one in call.inputs())
    return any(one.is_tensor and getattr(one, attribute) == value for one in given)


def _case(
    reading: Reading, attempt: Attempt, api: Api, found: Contradiction, info: TargetInfo
) -> Verified:
    """The case; where the plain call is refused, that the other one returns is wrong."""
    code, refused, symptom = attempt.snippet.code, found.refused, found.refusal
    if found.accepts:
        symptom = Symptom(
            kind=SymptomKind.ACCEPTS,
            pattern=symptom.pattern,
            observed=f"a result ({' '.join(found.way)})",
            expected=symptom.headline(),
        )
    case = BugCase(
        id=content_id(info.key, api.name, code, symptom.pattern or ""),
        origin=reading.report.source,
        framework=info.framework,
        build=info.key,
        api=api.name,
        code=code,
        kind=BugKind.STATUS,
        symptom=symptom,
        reproduces=True,
        runs=(1, 1),
        observed=symptom.headline(),
        evidence=evidence(None, symptom, attempt.snippet, refused),
        aliases=api.aliases,
    )
    return Verified(
        case=case,
        api=api,
        call=refused,
        observation=attempt.traced,
        source=attempt.source,
        caught=True,
        contradiction=found,
    )
