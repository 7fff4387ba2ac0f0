"""Calls of a report that contradict each other: what is refused returns if it is made otherwise.

In: the runs of a report's code. Out: a case that needs no words and no check of the report's: the
API that it names is refused, and returns in another way that should make no difference. (What is
refused in that way alone is a plain failure.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call
from analysis.target.target import TargetInfo
from citadel.model import BugCase, BugKind, Symptom, SymptomKind, content_id
from citadel.oracle import status
from citadel.traced import alike, resolve
from citadel.verify.suspects import named, spoken
from citadel.verify.verified import Attempt, Contradiction, Verified, evidence
from harvest.report.model import Reading

WAYS = {
    ("device", "meta"): "on the device meta",
    ("text", "torch._subclasses.fake_tensor.FakeTensor"): "fake tensors",
}
"""Attributes of tensors, and their values, with which a call should end as without, and what people
call that."""


def contradicting(
    reading: Reading, attempts: Iterable[Attempt], catalog: Catalog, info: TargetInfo
) -> Verified | None:
    """The case of the first call that ends in two ways, of an API that the report names."""
    for attempt in attempts:
        for refused, found in _contradictions(attempt.traced.calls):
            api = resolve(refused, catalog)
            if api is None or refused.site >= len(attempt.source.nodes):
                continue
            if named(api, reading.mentions) or spoken(api, reading.report.title):
                return _case(reading, attempt, api, refused, found, info)
    return None


def _contradictions(calls: Sequence[Call]) -> Iterator[tuple[Call, Contradiction]]:
    """The refused calls: all of that name made in one way return, and all others are refused."""
    for name, way in product(dict.fromkeys(call.name for call in calls), WAYS):
        made = [one for one in calls if one.name == name and one.finished]
        plain = [one for one in made if not _has(one, way)]
        other = [one for one in made if _has(one, way)]
        if not plain or not other or any(one.raised is not None for one in other):
            continue
        refused = plain[-1]
        if all(one.raised for one in plain) and refused.raised and alike(refused, other[-1]):
            yield refused, Contradiction(refusal=status.of_raised(refused.raised), way=way)


def _has(call: Call, way: tuple[str, str]) -> bool:
    attribute, value = way
    given = (one.value for one in call.inputs())
    return any(one.is_tensor and getattr(one, attribute) == value for one in given)


def _case(
    reading: Reading,
    attempt: Attempt,
    api: Api,
    refused: Call,
    found: Contradiction,
    info: TargetInfo,
) -> Verified:
    code = attempt.snippet.code
    symptom = Symptom(
        kind=SymptomKind.ACCEPTS,
        pattern=found.refusal.pattern,
        observed=f"a result ({WAYS[found.way]})",
        expected=found.refusal.headline(),
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
