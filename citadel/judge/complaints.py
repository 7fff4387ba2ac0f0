"""What an exception complains about: an argument of the report's, or what was filled in?

In: a sibling's replay, which fails as the report's call does, and has arguments that this has not.
Out: the argument of both without which both fail in another way, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.judge.gradients import Failed
from citadel.model import Symptom
from citadel.oracle import status
from citadel.plan.invocation import invocation
from citadel.plan.model import Adaptation
from citadel.traced import is_call_of
from citadel.verify.disputed import Disputed, carried
from citadel.verify.verified import Verified

MOST = 3
"""Arguments that are left out in turn, of the report's call and of the sibling's."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_KINDS = frozenset(("int", "float", "bool", "str"))


def of_one_argument(
    failed: Failed,
    plan: Adaptation,
    source: Verified,
    session: Session,
    catalog: Catalog,
    limits: Limits,
) -> str | None:
    """The name of an argument that both are given, and that both fail for.

    Both come to their end without it, or both fail in one other way, and what they fail with names
    its value.
    """
    calls = source.observation.calls
    given = invocation(source.call, source.api, calls).values
    literals = {value.key: value.value.literal() for value in given}
    told = [Disputed(key=v.key, name=v.name) for v in given if v.value.kind in _KINDS]
    free = _optional(source.api) & _optional(failed.api)
    handed_on = [one for one in told if one.name in free and carried(plan, [one])]
    if not handed_on or source.caught:
        return None
    apis = (source.case.api, failed.api.name)
    theirs = {call.site for call in calls if is_call_of(call, source.api, catalog)}
    own = {call.site for call in failed.observation.calls if is_call_of(call, failed.api, catalog)}

    def without(name: str, text: str, sites: Collection[int]) -> tuple[bool, Symptom | None]:
        seen = session.run(
            text,
            traced=text,
            limits=limits,
            entry="perturb:defaulted",
            arguments={"sites": sorted(sites), "name": name},
        )
        return seen.outcome is Outcome.OK, status.capture(seen)

    def same(left: Symptom | None, right: Symptom | None) -> bool:
        return left is not None and status.matches(left, right, apis, plan.renamed)

    raised = failed.observation.exception
    said = frozenset() if raised is None else frozenset(_NUMBER.findall(raised.message))
    for one in handed_on[:MOST]:
        fine, report = without(one.name, source.source.traced, theirs)
        ended, other = without(one.name, failed.traced, own)
        if fine and ended:
            return one.name
        changed = not same(source.case.symptom, report) and same(report, other)
        if changed and literals[one.key] in said:
            return one.name
    return None


def _optional(api: Api) -> frozenset[str]:
    """The parameters without which an API can be called."""
    all_of = (parameter for one in api.signatures for parameter in one.parameters)
    return frozenset(parameter.name for parameter in all_of if parameter.default is not None)
