"""The command line: thin commands over the library, which they import when they run.

Results go to stdout, progress and errors to stderr. Exit status: 0 done; 1 done and `--fail-on bug`
met; 2 usage or input error; 3 nothing could be run; 130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from analysis import rules
from analysis.errors import CitadelError
from citadel import __version__
from citadel.cli.cases import bisect, export, recheck, reduce
from citadel.cli.fuzz import fuzz
from citadel.cli.hunt import hunt, label, report
from citadel.cli.importing import import_
from citadel.cli.index import index, siblings
from citadel.cli.mine import mine
from citadel.cli.options import (
    AlsoOn,
    Attempts,
    BackendOfReport,
    Baseline,
    CorrectedApi,
    CorrectedBlock,
    CorrectedExpect,
    CorrectedKind,
    CorrectedLine,
    CorrectedSymptom,
    FrameworkOfReport,
    Json,
    KnownIssues,
    MatchesFile,
    MinConfidence,
    NoSandbox,
    Python,
    Replays,
    Siblings,
    TrackerFile,
    given_matches,
    read_correction,
    read_siblings,
    read_wish,
)
from citadel.cli.read import read
from citadel.cli.spread import spread
from citadel.commands.progress import Interrupted, Progress
from citadel.limits import ATTEMPTS, SECONDS
from citadel.match.mode import Mode
from citadel.model import Road
from citadel.report.text import plain
from citadel.rulebook import all_rules

MISUSED = 2
INTERRUPTED = 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Find the sibling APIs of a deep-learning framework that share a reported bug.",
)


@app.command(no_args_is_help=True)
def triage(
    reports: Annotated[
        list[str],
        typer.Argument(
            metavar="REPORT...",
            help="OWNER/REPO#N or an issue's address, GitHub issue JSON, Markdown, a Python script,"
            ' a directory of these, a harvest (.jsonl), FILE#N for number N of one, or "-".',
        ),
    ],
    python: Python = sys.executable,
    framework: FrameworkOfReport = None,
    backend: BackendOfReport = None,
    json: Json = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page to look at, with all cases, to FILE."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for generated cases.")
    ] = Path("generated_cases"),
    siblings: Siblings = "all",
    mode: Annotated[
        Mode,
        typer.Option("--mode", help="Try all APIs in ranking order, or the paper's siblings only."),
    ] = Mode.RANKED,
    attempts: Attempts = ATTEMPTS,
    replays: Replays = None,
    budget: Annotated[
        float,
        typer.Option(
            "--budget",
            metavar="SECONDS",
            min=1,
            help="Most time for siblings, per report. What it cuts off depends on the machine;"
            " --attempts and --replays give the same answer everywhere.",
        ),
    ] = SECONDS,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Time limit of one run.")
    ] = 30.0,
    runs: Annotated[
        int,
        typer.Option(
            "--runs",
            metavar="N",
            min=1,
            help="Replays per finding; what is measured takes as many as tell.",
        ),
    ] = 3,
    adaptations: Annotated[
        int,
        typer.Option(
            "--adaptations", metavar="N", min=1, help="Rewritten cases tried at most per sibling."
        ),
    ] = 6,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", metavar="N", min=1, help="Processes that probe, and as many that replay."
        ),
    ] = 2,
    min_confidence: MinConfidence = None,
    road: Annotated[
        Road,
        typer.Option(
            "--road",
            help="Make the report's call through siblings, bring its trigger into their own calls,"
            " or both.",
        ),
    ] = Road.BOTH,
    matches: MatchesFile = None,
    baseline: Baseline = None,
    also_on: AlsoOn = None,
    known: KnownIssues = None,
    tracker: TrackerFile = None,
    api: CorrectedApi = "",
    kind: CorrectedKind = "",
    symptom: CorrectedSymptom = "",
    block: CorrectedBlock = "",
    line: CorrectedLine = "",
    expect: CorrectedExpect = "",
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", metavar="bug", help="Exit with 1 on a finding.")
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", metavar="", help="Show every finding in the terminal.")
    ] = False,
    only_reproduce: Annotated[
        bool,
        typer.Option(
            "--only-reproduce",
            metavar="",
            help="Stop where it is known whether the report reproduces: no siblings, no index.",
        ),
    ] = False,
    no_sandbox: NoSandbox = False,
) -> None:
    """Find which sibling APIs share the bug of a report.

    Examples:

        citadel triage issue.json --python ~/venvs/torch/bin/python

        citadel triage reports/ --python /usr/bin/python3 --json findings.json

        citadel triage pytorch/pytorch#85111 --python python3

        citadel triage harvests/fuzz/eagle.jsonl#16 --python ~/venvs/torch/bin/python

        citadel triage harvests/deeprel/expr.jsonl --matches pairs.jsonl --python python3

        citadel triage slower.md --python ~/venvs/torch2.13/bin/python --baseline /usr/bin/python3

        citadel triage issue.json --python ~/venvs/torch2.13/bin/python
        --also-on ~/venvs/torch2.9/bin/python

        citadel triage issue.json --tracker harvests/pytorch/pytorch.jsonl
        --known pytorch/pytorch#137213

        citadel triage issue.md --api torch.matmul --symptom nonfinite --block 2 --python python3
    """
    from analysis.target.session import Limits
    from analysis.target.target import Interpreter
    from citadel.commands.triaging import TriageRequest, run_triage
    from citadel.options import Options
    from citadel.propagate.walk import Walk

    if fail_on not in (None, "bug"):
        raise CitadelError(f"--fail-on takes bug, not {fail_on}", "leave it out to always exit 0")
    options = Options(
        walk=Walk(
            siblings=read_siblings(siblings),
            attempts=attempts,
            replays=replays,
            seconds=budget,
        ),
        mode=mode,
        runs=runs,
        adaptations=adaptations,
        limits=Limits(wall=timeout),
        least_confidence=min_confidence,
        road=road,
        matches=given_matches(matches),
    )
    request = TriageRequest(
        inputs=tuple(reports),
        options=options,
        json=json,
        html=html,
        out=out,
        jobs=jobs,
        show_all=show_all,
        correction=read_correction(api, kind, symptom, block, line, expect),
        only_reproduce=only_reproduce,
        known=known,
        tracker=tracker,
    )

    done = run_triage(
        request,
        lambda: Interpreter(python, no_sandbox=no_sandbox),
        read_wish(framework, backend),
        Progress(),
        find_baseline=lambda: (
            None if baseline is None else Interpreter(baseline, no_sandbox=no_sandbox)
        ),
        find_others=lambda: [Interpreter(one, no_sandbox=no_sandbox) for one in also_on or ()],
    )
    raise typer.Exit(1 if done.status == 0 and fail_on and done.bugs else done.status)


app.command(no_args_is_help=True)(read)
app.command(no_args_is_help=True)(mine)
app.command("import", no_args_is_help=True)(import_)
app.command(no_args_is_help=True)(fuzz)
app.command()(hunt)
app.command()(report)
app.command(no_args_is_help=True)(label)


app.command()(index)
app.command(no_args_is_help=True)(siblings)
app.command(no_args_is_help=True)(spread)
app.command(no_args_is_help=True)(reduce)
app.command(no_args_is_help=True)(bisect)
app.command(no_args_is_help=True)(recheck)
app.command(no_args_is_help=True)(export)


@app.command("doctor")
def doctor_command(python: Python = sys.executable) -> None:
    """Check the sandbox and the frameworks of an interpreter, and say what to do about problems.

    Exit status: 0 when reports can be run, 2 when not.

    Example:

        citadel doctor --python /usr/bin/python3
    """
    from citadel.commands import doctor

    doctor.examine(python, Console())


@app.callback(invoke_without_command=True)
def top(
    version: Annotated[
        bool, typer.Option("--version", metavar="", help="Print the version.")
    ] = False,
) -> None:
    """Entry."""
    if version:
        typer.echo(f"citadel {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; users' errors become two lines and exit status 2.

    What ends by a scheduler or by `timeout` (SIGTERM) keeps what is finished, as after Ctrl-C.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if os.environ.get(rules.VARIABLE):
            all_rules()
            rules.check_known()
        status = app(prog_name="citadel", standalone_mode=False) or 0
    except CitadelError as problem:
        _refuse(problem.message, problem.hint)
    except typer.TyperException as problem:
        context = getattr(problem, "ctx", None)  # which typer has, and does not declare
        _refuse(_misuse(problem), f"see {context.command_path if context else 'citadel'} --help")
    except (KeyboardInterrupt, Interrupted):
        status = INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # a reader such as `head` has had enough
        sys.exit(0)
    if status == INTERRUPTED:
        typer.echo("interrupted", err=True)
    sys.exit(status)


def _refuse(message: str, hint: str) -> NoReturn:
    """End with the lines that say what is wrong; none where the help was shown instead."""
    if message:
        typer.echo(f"error: {plain(message)}", err=True)
        if hint:
            typer.echo(f"hint: {plain(hint)}", err=True)
    sys.exit(MISUSED)


def _misuse(problem: typer.TyperException) -> str:
    """What typer says of wrong usage, without the words of the library that it asks."""
    text = problem.format_message().replace("Value error, ", "").rstrip(".")
    return text[:1].lower() + text[1:]
