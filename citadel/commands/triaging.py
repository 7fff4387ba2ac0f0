"""What the commands do: load, index, triage each report, write the outputs."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from analysis import rules
from analysis.errors import CitadelError
from analysis.index import ApiIndex, load_or_build
from analysis.sources import SourceRequest
from analysis.target.target import Interpreter, Target
from citadel.commands.benches import Benches
from citadel.commands.inputs import loaded
from citadel.commands.knowing import Knowledge
from citadel.commands.placing import Placing, placed
from citadel.commands.progress import Findings, Interrupted, Progress
from citadel.model import Cut, Finding, TargetSummary, Triage
from citadel.options import Options
from citadel.report.cases import write_cases
from citadel.report.document import document, write_json
from citadel.report.files import creatable, writable, write_atomically
from citadel.report.named import as_reported
from citadel.report.page import page
from citadel.report.terminal import render_summary, render_target, render_triage
from citadel.report.text import plain
from citadel.selection import Unavailable, Wish
from citadel.triage import Halted, triage, untried, verify_on
from citadel.verify.verified import NotVerified
from citadel.workbench import Workbench, summary
from harvest.report.correction import NO_CORRECTION, BadCorrection, Correction
from harvest.report.model import BadInput, Reading, Report
from harvest.report.understand import understand
from harvest.report.unsure import unsure

NOTHING_RUN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageRequest:
    """What `citadel triage` was asked to do."""

    inputs: tuple[str, ...]
    options: Options
    json: str | None
    out: Path
    jobs: int
    show_all: bool
    correction: Correction = NO_CORRECTION
    """What a person says of the one report that is given."""
    only_reproduce: bool = False
    known: str | None = None
    """An umbrella, which covers APIs."""
    tracker: Path | None = None
    """A harvest, in which issues about findings are looked for."""
    html: Path | None = None
    """Where the page of all families is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Exit status (without `--fail-on`) and the number of findings."""

    status: int
    bugs: int


def run_triage(
    request: TriageRequest,
    find_interpreter: Callable[[], Interpreter],
    wish: Wish,
    progress: Progress,
    *,
    find_baseline: Callable[[], Interpreter | None] = lambda: None,
    find_others: Callable[[], Sequence[Interpreter]] = lambda: (),
) -> Done:
    """Triage all inputs; one bad report among many is a row with its error.

    Each report is run on the build that it is about; `wish` is what the user says about that.
    The baseline has the builds that measurements are compared with, the others those that the first
    case of each report is run on as well.

    Raises:
        CitadelError: when there is nothing to triage or the target is unusable.
        CitadelError: also when a case or the JSON cannot be written; what was finished is.
        Interrupted: after Ctrl-C, once the finished part has been written.
    """
    _check_places(request)
    knowledge = Knowledge(request.known, request.tracker, progress.note)
    entries = loaded(request.inputs, request.correction)
    interpreter, baseline, others = find_interpreter(), find_baseline(), find_others()
    console = Console(
        file=sys.stderr if request.json == "-" else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    triages: list[Triage] = []
    stopped: Exception | None = None

    targets: list[TargetSummary] = []

    def opened(bench: Workbench) -> None:
        targets.append(bench.summary())
        render_target(console, targets[-1])

    def found(target: Target) -> ApiIndex:
        return find_index(target, progress)

    benches = Benches(interpreter, wish, found, opened, jobs=request.jobs, baseline=baseline)
    with progress, benches, closing(knowledge):
        try:
            for entry in entries:
                one = knowledge.told(_one(entry, benches, others, request, progress))
                done, stopped = _written(one, benches, request)
                triages.append(done)
                render_triage(console, done, show_all=request.show_all)
                if stopped is not None:
                    break
        except KeyboardInterrupt as halt:
            benches.abort()
            stopped = Interrupted()
            if isinstance(halt, Halted):
                progress.note("interrupted: this report has the siblings found by now")
                done, _ = _written(as_reported(halt.found), benches, request)
                triages.append(done)
                render_triage(console, done, show_all=request.show_all)
            else:
                progress.note("the report in progress is not kept: nothing was found yet")
        told = summary(benches.any())
    if len(triages) > 1:
        render_summary(console, triages)
    if request.json is not None:
        write_json(document(told, triages, complete=stopped is None), request.json)
    if request.html is not None:
        write_atomically(request.html, page([told, *targets], triages))
    if stopped is not None:
        raise stopped
    ran = any(t.case is not None for t in triages)
    return Done(status=0 if ran else NOTHING_RUN, bugs=sum(len(t.bugs) for t in triages))


def _check_places(request: TriageRequest) -> None:
    """Notice before the work what would spoil its results."""
    creatable(request.out)
    writable(request.json)
    writable(request.html)


def _written(
    done: Triage, benches: Benches, request: TriageRequest
) -> tuple[Triage, CitadelError | None]:
    """The triage with the files of its cases, or the problem, where these cannot be written; where
    nothing was reproduced there are none."""
    if done.case is None:
        return done, None
    try:
        return write_cases(request.out, summary(benches.target(done)), done), None
    except CitadelError as problem:
        return done, problem


def _one(
    entry: Report | BadInput,
    benches: Benches,
    others: Sequence[Interpreter],
    request: TriageRequest,
    progress: Progress,
) -> Triage:
    if isinstance(entry, BadInput):
        return Triage(input=entry.source, error=entry.error)
    before = rules.counts()
    try:
        reading = benches.readable(understand(entry, request.correction))
        done = _done(reading, benches, others, request, progress)
        decided, open_ = rules.deciding(before), unsure(reading)
        return as_reported(replace(done, title=entry.title, rules=decided, unsure=open_))
    except CitadelError as problem:
        if isinstance(problem, BadCorrection) and not request.correction:
            return replace(untried(entry), skipped=f"{problem.message}: {problem.hint}")
        if benches.unusable or isinstance(problem, BadCorrection):
            raise  # the first build does not work at all: nothing will
        error = problem.message
    except Exception as problem:  # a bug of ours costs one row, not the night's other reports
        for line in traceback.format_exc().splitlines():
            progress.note(plain(line))  # it may quote the report
        error = f"internal error: {type(problem).__name__}: {problem}"
    finally:
        progress.finish("siblings")
    return replace(untried(entry), error=error)


def _done(
    reading: Reading,
    benches: Benches,
    others: Sequence[Interpreter],
    request: TriageRequest,
    progress: Progress,
) -> Triage:
    """One report, run: where its build has no index so far, it has to reproduce before it gets one,
    as that takes minutes."""
    findings, result = Findings(progress), untried(reading.report)

    def found(finding: Finding) -> None:
        findings.found(plain(finding.api))

    stand = benches.stand(reading)
    if isinstance(stand, Unavailable):
        return replace(result, skipped=stand.reason)
    if request.only_reproduce or not isinstance(stand, Workbench):
        seen = verify_on(reading, stand, request.options)
        if isinstance(seen, NotVerified):
            return replace(result, skipped=seen.reason)
        if request.only_reproduce:
            return replace(result, case=seen.case, cut=Cut.ONLY_REPRODUCE)
        stand = benches.of(reading)
    done = triage(reading, stand, request.options, on_finding=found, on_progress=progress.update)
    where = Placing(
        target=stand.target,
        catalog=stand.catalog,
        backends=benches.other_backends,
        others=others,
        limits=request.options.limits,
        note=progress.note,
    )
    try:
        return placed(done, reading, where)
    except KeyboardInterrupt:
        raise Halted(done) from None


def find_index(
    target: Target,
    progress: Progress,
    *,
    refresh: bool = False,
    source: SourceRequest | None = None,
) -> ApiIndex:
    """The index of a build, with its progress shown.

    Raises:
        CitadelError: when the build cannot be indexed at all.
    """
    index = load_or_build(
        target, progress=progress.update, warn=progress.note, refresh=refresh, source=source
    )
    progress.clear()
    return index
