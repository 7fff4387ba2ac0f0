"""The method that a case is about, where the class of its object is carried over to siblings.

`StudentT(df).cdf(x)` raises: the call that changes is that of `StudentT`, and what shares the bug
is `Beta.cdf`. Both are names of what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.target.observation import Call
from citadel.model import BugCase, Finding
from citadel.traced import leaf
from citadel.verify.identify import caught_calls, failing_call
from citadel.verify.verified import Verified
from harvest.report.model import Mention


def member(verified: Verified, mentions: Sequence[Mention]) -> str:
    """The method of the blamed class's object that fails or, of values and of what does not fail
    here, that the title names; nothing where it is the object itself."""
    if verified.shown or not verified.case.reproduces:
        titled = {leaf(mention.name) for mention in mentions if mention.title}
        named = {_own(call) for call in _called(verified) if leaf(call.name) in titled}
        return named.pop() if len(named) == 1 else ""
    failing = failing_member(verified)
    return "" if failing is None else _own(failing)


def failing_member(verified: Verified) -> Call | None:
    """The call of a method of the blamed class's object that fails, where a run ends by one."""
    if verified.shown or not verified.case.reproduces:
        return None
    called, observation = _called(verified), verified.observation
    ended = caught_calls(observation) if verified.caught else [failing_call(observation)]
    return next((call for call in ended if call is not None and call in called), None)


def _called(verified: Verified) -> list[Call]:
    """The calls of methods of the object that the blamed class made."""
    made = verified.call
    if made.form != "class" or made.result is None:
        return []
    owners = (made.name, made.result.value.text)
    later = [call for call in verified.observation.calls if call.number > made.number]
    return [call for call in later if call.name.rpartition(".")[0] in owners]


def _own(call: Call) -> str:
    return call.name.rpartition(".")[2]


def with_member(case: BugCase, name: str) -> BugCase:
    """The case under the name of its method as well."""
    return replace(case, aliases=(f"{case.api}.{name}", *case.aliases)) if name else case


def of_member(finding: Finding, name: str) -> Finding:
    """A sibling under the name of its method as well."""
    return (
        replace(finding, aliases=(f"{finding.api}.{name}", *finding.aliases)) if name else finding
    )
