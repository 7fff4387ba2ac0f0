"""One report from reading to family: verify, carry over to siblings, group.

In: a `Reading` and a `Workbench`. Out: a `Triage`; findings are also handed to `on_finding` as they
are confirmed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from analysis.catalog.model import Api
from analysis.errors import CitadelError
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.session import Limits, Session
from citadel.family.group import families
from citadel.members import failing_member, member, of_member, with_member
from citadel.model import Cut, Finding, Repro, Seconds, SymptomKind, Triage
from citadel.options import Options
from citadel.propagate.methods import other_methods
from citadel.reduce.reduction import reduced
from citadel.report.lead import lead
from citadel.report.order import ranked
from citadel.roads import Roads
from citadel.selection import used_late, variables
from citadel.selfcheck.standing import self_checking
from citadel.siblings import source_api
from citadel.traced import resolve
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified
from citadel.workbench import Stand, Workbench
from harvest.report.correction import BadCorrection
from harvest.report.model import Reading, Report


class Halted(KeyboardInterrupt):
    """The user pressed Ctrl-C while siblings were tried; `found` has those found by then."""

    def __init__(self, found: Triage) -> None:
        super().__init__()
        self.found = found


def triage(
    reading: Reading,
    bench: Workbench,
    options: Options,
    *,
    on_finding: Callable[[Finding], None] | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> Triage:
    """Triage one report.

    Raises:
        CitadelError: when the interpreter under test stops working.
        Halted: after Ctrl-C, once there was something to keep.
    """
    result = untried(reading.report)
    started = time.monotonic()
    verified = verify_on(reading, bench, options)
    if isinstance(verified, NotVerified):
        return replace(result, skipped=verified.reason)
    seconds = Seconds(verify=time.monotonic() - started)
    operation, method = bench.operations.of, member(verified, reading.mentions)
    case = replace(verified.case, operation=operation(verified.case.api))

    def named(finding: Finding) -> Finding:
        api = bench.index.catalog.apis.get(finding.api)
        made = api is not None and api.kind.is_class
        return of_member(finding, method if made else "")

    def tell(finding: Finding) -> None:
        nonlocal seconds
        if seconds.first_finding is None:
            seconds = replace(seconds, first_finding=time.monotonic() - started)
        if on_finding is not None:
            on_finding(finding)

    result = replace(result, case=with_member(case, method), seconds=seconds)
    end = started + seconds.verify + options.walk.seconds
    roads = Roads(verified, bench, options, end)
    siblings = roads.first
    failing, of_object = failing_member(verified), list[Finding]()
    halted = False
    try:
        for finding in roads.bugs(on_progress):
            tell(named(finding))
        if failing is not None:
            for finding in other_methods(verified, failing, siblings.done(), bench, options, end):
                of_object.append(finding)
                tell(finding)
    except KeyboardInterrupt:
        halted = True
    took = time.monotonic() - started - seconds.verify
    result = replace(
        result,
        case=result.case and roads.told(result.case),
        findings=(
            *(named(replace(one, operation=operation(one.api))) for one in roads.done()),
            *of_object,
        ),
        tried=siblings.tried,
        compared=roads.compared,
        unconfirmed=siblings.unconfirmed,
        cut=Cut.INTERRUPTED if halted else roads.cut,
        control=siblings.control(),
        seconds=replace(seconds, siblings=took),
    )
    result = replace(result, families=families(result))
    if halted:
        raise Halted(result)
    try:
        checked = self_checking(result, verified, bench.replays, options.limits)
        return replace(checked, repro=reduced_lead(checked, bench.replays[0], options.limits))
    except KeyboardInterrupt:
        raise Halted(result) from None


def reduced_lead(done: Triage, session: Session, limits: Limits) -> Repro | None:
    """The case to show first, as small as a few seconds make it; None where it does not fail by
    itself, or not each time."""
    first = lead(done.case, ranked(done.bugs)) if done.case is not None else None
    if first is None or not first.fails or first.symptom.kind is SymptomKind.HANGS:
        return None
    try:
        found = reduced(first.code, first.control, first.api, first.symptom, session, limits)
    except Exception:  # what is found must not be lost by what only makes it nicer
        return None
    return Repro(api=first.api, code=found.code, control=found.control)


def untried(report: Report) -> Triage:
    """What is known of a report before it is run."""
    return Triage(
        input=report.source,
        repository=report.repository,
        number=report.number,
        title=report.title,
        files=report.files,
    )


def verify_on(reading: Reading, bench: Stand, options: Options) -> Verified | NotVerified:
    """Reproduce a report on a build, with the environment that its code asks for.

    Raises:
        BadCorrection: when the build has no such API as a person says is to blame.
    """
    framework = FRAMEWORKS[bench.target.info.framework]
    late = used_late(reading, framework)
    own = {name: value for one in late for name, value in one.variables.items()}
    modules = [module for one in late for module in one.modules]
    bench.ask_for({**own, **variables(reading, framework)}, modules)
    wanted = _wanted(reading, bench)
    verified = verify(
        reading,
        bench.replays[0],
        bench.catalog,
        bench.target.info,
        runs=options.runs,
        limits=options.limits,
    )
    bench.share_imports()
    return verified if wanted is None else _as_corrected(wanted, verified, bench)


def _wanted(reading: Reading, bench: Stand) -> Api | None:
    """The API that a person says is to blame.

    Raises:
        BadCorrection: when the build has no such API.
    """
    if not reading.api:
        return None
    try:
        return source_api(bench.catalog, bench.target.info.framework, reading.api)
    except CitadelError as problem:
        raise BadCorrection(problem.message, problem.hint) from None


def _as_corrected(
    wanted: Api, verified: Verified | NotVerified, bench: Stand
) -> Verified | NotVerified:
    """The case, if its API is the one that a person says is to blame; else why it is not."""
    if isinstance(verified, NotVerified) or wanted.name == verified.api.name:
        return verified
    called = any(resolve(call, bench.catalog) == wanted for call in verified.observation.calls)
    told = "is called, but does not show it" if called else "is not called in the code that ran"
    shown = f"{verified.api.name} shows {verified.case.symptom.headline()}"
    return NotVerified(reason=f"{wanted.name} {told}: {shown}")
