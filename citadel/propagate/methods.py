"""The other methods of an object whose method fails: `dequeue_many` beside `dequeue_up_to`.

In: a verified case that blames the class of such an object. Out: a `Finding` per method that fails
in the same way, on this object and on those of the classes that were found to share the bug. What
an object can do is asked of the interpreter, as catalogs name but the methods of tensors.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.catalog.model import Api, ApiKind
from analysis.catalog.records import read_api
from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from analysis.target.observation import Call
from analysis.values import Value
from citadel.match.rank import Candidate
from citadel.model import Channels, Finding, VerdictKind
from citadel.options import Options
from citadel.plan.adapt import plans
from citadel.plan.model import Obstacle, Take
from citadel.propagate.propagation import Propagation
from citadel.propagate.walk import Entry
from citadel.traced import leaf
from citadel.verify.identify import failing_call
from citadel.verify.verified import Verified
from citadel.workbench import Workbench

RELATION = "method"
AT_LEAST = 5.0
"""Seconds for them, whatever the other siblings have used up."""
MOST_OBJECTS = 20
"""Siblings whose objects' methods are tried."""
RECEIVER = Take(key="recv")


class Methods(Propagation):
    """Carries a case that fails in a method over to `others`, methods of the same object."""

    def __init__(
        self, verified: Verified, others: Sequence[Api], bench: Workbench, options: Options
    ) -> None:
        super().__init__(verified, bench.knowing((verified.api, *others)), options)
        self._others = others

    def _callees(self) -> Mapping[str, Mapping[str, Value]]:
        return {}

    def _entries(self, called: Collection[str]) -> list[Entry]:
        source, bench = self._uses.invocation, self.bench
        found: list[Entry] = []
        for api in self._others:
            made = plans(source, api, bench.samples, bench.lexicon)
            known = () if isinstance(made, Obstacle) else made
            own = [plan for plan in known if plan.receiver == RECEIVER and not plan.drops]
            if own:
                channels = Channels(family=RELATION, arguments=own[0].plausibility)
                candidate = Candidate(api=api, channels=channels, score=own[0].plausibility)
                found.append((candidate, tuple(own)))
        return sorted(found, key=lambda entry: -entry[0].score)


def other_methods(
    verified: Verified,
    called: Call,
    findings: Sequence[Finding],
    bench: Workbench,
    options: Options,
    deadline: float,
) -> Iterator[Finding]:
    """What fails as the method `called` does: methods of its object first, then of those that the
    first `findings` have in its place. It is cut at `deadline`, or a little later."""
    deadline = max(deadline, time.monotonic() + AT_LEAST)
    found: set[str] = set()
    of_method = replace(verified, call=called)
    for finding in _methods(of_method, verified.api.name, None, bench, options, deadline):
        found.add(leaf(finding.api))
        yield finding
    bugs = [one for one in findings if one.verdict.kind is VerdictKind.BUG and one.code]
    for sibling in bugs[:MOST_OBJECTS]:
        if not found or time.monotonic() > deadline:
            return
        there = _of_finding(verified, called, sibling, bench, options)
        if there is not None:
            yield from _methods(there, sibling.api, found, bench, options, deadline)


def _methods(
    verified: Verified,
    owner: str,
    names: Collection[str] | None,
    bench: Workbench,
    options: Options,
    deadline: float,
) -> Iterator[Finding]:
    """Findings among the methods of one object, of the class `owner`; those of these `names` only
    where they are told."""
    left = max(1.0, deadline - time.monotonic())
    options = replace(options, walk=replace(options.walk, seconds=left))
    told = _told(verified, owner, bench, options)
    own = next((api for api in told if verified.call.name in api.aliases), None)
    others = [api for api in told if api is not own and (not names or leaf(api.name) in names)]
    if own is not None and others:
        case = replace(verified.case, api=own.name)
        source = replace(verified, api=own, case=case)
        yield from (
            one
            for one in Methods(source, others, bench, options).findings(None)
            if one.verdict.kind is VerdictKind.BUG
        )


def _told(verified: Verified, owner: str, bench: Workbench, options: Options) -> list[Api]:
    """The methods of the object that the failing call is a method of, and whose class is `owner`;
    what the trace calls them is an alias."""
    call = verified.call
    seen = bench.replays[0].run(
        verified.case.code,
        traced=verified.source.traced,
        limits=options.limits,
        entry="methods:run",
        arguments={"site": call.site, "occurrence": call.occurrence},
    )
    return [
        read_api(
            {
                "n": f"{owner}.{event['n'].rpartition('.')[2]}",
                "k": ApiKind.METHOD,
                "a": (event["n"],),
                "s": [{"s": "inspect", "p": event["p"]}],
                "c": (),
                "d": True,
            }
        )
        for event in seen.extra
        if event.get("e") == "method"
    ]


def _of_finding(
    verified: Verified, called: Call, sibling: Finding, bench: Workbench, options: Options
) -> Verified | None:
    """The case that shows a sibling class, as that of the same method of its object."""
    try:
        source = instrument(sibling.code)
    except CitadelError:
        return None
    seen = bench.replays[0].run(sibling.code, traced=source.traced, limits=options.limits)
    failing = failing_call(seen)
    if failing is None or failing.form != called.form or leaf(failing.name) != leaf(called.name):
        return None
    case = replace(verified.case, code=sibling.code)
    return replace(verified, case=case, call=failing, observation=seen, source=source)
