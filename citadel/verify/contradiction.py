"""Calls of a report that contradict each other: what is refused returns if it is made otherwise.

In: the runs of a report's code. Out: a case that needs no words and no check of the report's: the
API that it names is refused, and returns in another way that should make no difference. (What is
refused in that way alone is a plain failure.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call, Outcome, Raised
from analysis.target.target import TargetInfo
from citadel.model import BugCase, BugKind, Symptom, SymptomKind, content_id
from citadel.oracle import status
from citadel.oracle.value import asserts
from citadel.traced import alike, leaf, resolve
from citadel.verify.identify import failing_call
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
        calls = attempt.traced.calls
        for refused, found in (*_contradictions(calls), *_lost_where_compiled(attempt)):
            api = resolve(refused, catalog)
            if api is None or refused.site >= len(attempt.source.nodes):
                continue
            said = named(api, reading.mentions) or spoken(api, reading.report.title)
            if said or found.way is None:
                return _case(reading, attempt, api, refused, found, info)
    return None


def accepted_at_last(
    reading: Reading, attempts: Sequence[Attempt], catalog: Catalog
) -> tuple[Attempt, Raised, Api] | None:
    """The code, the refusal, and the API, which the report names, that returns in its last call
    what it has refused before: people show what is right first. The code handles the refusal. It
    may be that of NumPy's function of that name as well, wherever it stands.

    Of 15 reports with such code, 14 were about what is accepted.
    """
    refused = [call for one in attempts for call in one.traced.calls if call.raised is not None]
    for attempt in attempts:
        calls, failed = attempt.traced.calls, failing_call(attempt.traced)
        handled = attempt.traced.outcome is Outcome.OK or asserts(attempt.traced)
        if not handled and (failed is None or not _of_reference(failed)):
            continue
        last = {call.name: call for call in calls if call.finished and call.form != "other"}
        returning = [call for call in last.values() if call.raised is None]
        for taken, call in product(returning, refused):
            api = resolve(taken, catalog)
            if api is None or call.raised is None:
                continue
            if _of_reference(call):
                contrasts = leaf(taken.name) == leaf(call.name)
            else:
                contrasts = taken.name == call.name and call in calls
            if contrasts and (named(api, reading.mentions) or spoken(api, reading.report.title)):
                return attempt, call.raised, api
    return None


def _of_reference(call: Call) -> bool:
    """Whether a call is of NumPy or SciPy, with which a report compares."""
    return call.form == "other" and call.name.partition(".")[0] in ("numpy", "scipy")


def _lost_where_compiled(attempt: Attempt) -> Iterator[tuple[Call, Contradiction]]:
    """The refused calls that return in a function which is compiled, given the very same.

    What is traced is not compiled as a whole, and may fail where it did not.
    """
    calls = [one for one in attempt.traced.calls if not one.explained]
    ends_well = attempt.symptom is None or attempt.caught is not None
    traced_alone = ends_well and attempt.traced.exception is not None
    compiled = [one for one in calls if one.compiled and (one.result is not None or traced_alone)]
    for refused in calls:
        if refused.raised is None or refused.compiled or refused.form == "other":
            continue
        asked = refused, _outermost(refused, calls)
        if any(_same(one, other) for one in asked for other in compiled):
            yield refused, Contradiction(refusal=status.of_raised(refused.raised))


def _same(one: Call, other: Call) -> bool:
    """Whether two calls are of one function, and given the same tensors; of arrays nobody knows."""
    if one.name != other.name or any(given.value.kind == "array" for given in one.inputs()):
        return False
    return alike(one, other) and _tensors(one) == _tensors(other)


def _tensors(call: Call) -> list[tuple[int, ...]]:
    return [argument.ids for argument in call.inputs()]


def _outermost(call: Call, calls: Sequence[Call]) -> Call:
    """The call of the text's top level that a call is made in."""
    before = (one for one in reversed(calls) if one.number <= call.number)
    return next((one for one in before if one.depth == 0), call)


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
        observed=f"a result ({'compiled' if found.way is None else WAYS[found.way]})",
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
