"""The command line: thin commands over the library.

Results go to stdout, progress and errors to stderr. Exit status: 0 done; 1 done and `--fail-on bug`
met; 2 usage or input error; 3 nothing could be run; 130 interrupted.
"""

from __future__ import annotations

import os
import shlex
import sys
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from analysis.errors import CitadelError
from analysis.sources import SourceRequest
from analysis.static.similarity import Similarity
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.session import Limits
from analysis.target.target import Interpreter, Target
from citadel import __version__, doctor
from citadel.cli_mine import mine
from citadel.commands import Interrupted, TriageRequest, run_triage
from citadel.explore import IndexRequest, SiblingsRequest, run_index, run_siblings
from citadel.match.rank import Mode
from citadel.progress import Progress
from citadel.selection import Wish
from citadel.triage import Options
from citadel.walk import Walk

INTERRUPTED = 130
DEFAULT_ARGUMENTS, DEFAULT_CALLEES = str(Similarity().arguments), str(Similarity().callees)

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Find the sibling APIs of a deep-learning framework that share a reported bug.",
)

Python = Annotated[
    str,
    typer.Option(
        "--python",
        metavar="PATH",
        show_default=False,
        help="Interpreter under test [default: the one that runs Citadel].",
    ),
]
Framework = Annotated[
    str | None,
    typer.Option(
        "--framework",
        show_default=False,
        help="If it has several: torch, tensorflow or keras [default: what a report imports].",
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        show_default=False,
        help="What Keras runs on: tensorflow, jax or torch [default: what a report's code sets,"
        " KERAS_BACKEND, tensorflow].",
    ),
]
NoSandbox = Annotated[
    bool, typer.Option("--no-sandbox", help="Run without confinement: only for code you trust.")
]
Export = Annotated[
    Path | None,
    typer.Option("--export", metavar="FILE", help="Write a graph: FILE.graphml or FILE.csv."),
]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help='Write JSON to FILE ("-": stdout).')
]


@app.command(no_args_is_help=True)
def triage(
    reports: Annotated[
        list[str],
        typer.Argument(
            metavar="REPORT...",
            help="OWNER/REPO#N or an issue's address, GitHub issue JSON, Markdown, a Python script,"
            ' a directory of these, or "-".',
        ),
    ],
    python: Python = sys.executable,
    framework: Framework = None,
    backend: Backend = None,
    json: Json = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for generated cases.")
    ] = Path("generated_cases"),
    siblings: Annotated[
        str,
        typer.Option("--siblings", metavar="N|all", help="Try at most the N best-ranked siblings."),
    ] = "all",
    mode: Annotated[
        Mode,
        typer.Option("--mode", help="Try all APIs in ranking order, or the paper's siblings only."),
    ] = Mode.RANKED,
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="SECONDS", min=1, help="Time for siblings, per report."),
    ] = 60.0,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Time limit of one run.")
    ] = 30.0,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Replays per finding.")] = 3,
    adaptations: Annotated[
        int,
        typer.Option("--adaptations", min=1, help="Rewritten cases tried at most per sibling."),
    ] = 6,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Processes that probe, and as many that replay.")
    ] = 2,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", metavar="bug", help="Exit with 1 on a finding.")
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every finding in the terminal.")
    ] = False,
    no_sandbox: NoSandbox = False,
) -> None:
    """Find which sibling APIs share the bug of a report.

    Examples:

        citadel triage issue.json --python ~/venvs/torch/bin/python

        citadel triage reports/ --python /usr/bin/python3 --json findings.json

        citadel triage pytorch/pytorch#85111 --python python3
    """
    if fail_on not in (None, "bug"):
        raise CitadelError(f"--fail-on takes bug, not {fail_on}", "leave it out to always exit 0")
    count = None
    if siblings != "all":
        if not siblings.isdigit() or int(siblings) == 0:
            raise CitadelError(
                f"--siblings takes a positive number or all, not {siblings}", "e.g. --siblings 150"
            )
        count = int(siblings)
    options = Options(
        walk=Walk(siblings=count, seconds=budget),
        mode=mode,
        runs=runs,
        adaptations=adaptations,
        limits=Limits(wall=timeout),
    )
    request = TriageRequest(
        inputs=tuple(reports), options=options, json=json, out=out, jobs=jobs, show_all=show_all
    )
    wish = _wish(framework, backend)
    done = run_triage(request, lambda: Interpreter(python, no_sandbox=no_sandbox), wish, Progress())
    raise typer.Exit(1 if done.status == 0 and fail_on and done.bugs else done.status)


app.command(no_args_is_help=True)(mine)


@app.command()
def index(
    python: Python = sys.executable,
    framework: Framework = None,
    backend: Backend = None,
    json: Json = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Build it anew.")] = False,
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="DIR", help="Checkout of the build's C++ sources."),
    ] = None,
    precise: Annotated[
        list[str] | None,
        typer.Option("--precise", metavar="FILE", help="File in it to read with libclang."),
    ] = None,
    flags: Annotated[
        str, typer.Option("--flags", metavar="TEXT", help="Compiler flags for --precise.")
    ] = "",
    arguments: Annotated[
        str,
        typer.Option("--arguments", metavar="X", help="Least similarity of arguments in a group."),
    ] = DEFAULT_ARGUMENTS,
    callees: Annotated[
        str,
        typer.Option("--callees", metavar="X", help="Least similarity of callees in a group."),
    ] = DEFAULT_CALLEES,
    groups: Annotated[
        str | None,
        typer.Option("--groups", metavar="PATTERN", help="Show analogous functions like PATTERN."),
    ] = None,
    export: Export = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Build or show the index of a framework build: APIs, signatures, call sets, similar pairs.

    Examples:

        citadel index --python ~/venvs/torch/bin/python

        citadel index --python python3 --source ~/src/pytorch --groups conv

        citadel index --python python3 --export pairs.graphml --json index.json
    """
    chosen = None
    if source is not None:
        chosen = SourceRequest(
            root=source,
            similarity=Similarity(
                arguments=_fraction(arguments, "--arguments"),
                callees=_fraction(callees, "--callees"),
            ),
            precise=tuple(precise or ()),
            flags=_words(flags),
        )
    elif precise or flags or (arguments, callees) != (DEFAULT_ARGUMENTS, DEFAULT_CALLEES):
        raise CitadelError(
            "--precise, --flags, --arguments and --callees are about a checkout",
            "name it with --source DIR",
        )
    if groups is not None and json == "-":
        raise CitadelError("--groups and --json - both write to stdout", "give --json a file")
    wish = _wish(framework, backend)
    request = IndexRequest(json=json, refresh=refresh, source=chosen, groups=groups, export=export)
    run_index(request, lambda: _target(python, wish, no_sandbox), Progress())


@app.command(no_args_is_help=True)
def siblings(
    api: Annotated[str, typer.Argument(metavar="API", help="A public name or an alias of it.")],
    python: Python = sys.executable,
    framework: Framework = None,
    backend: Backend = None,
    count: Annotated[int, typer.Option("--siblings", metavar="N", min=1, help="How many.")] = 20,
    mode: Annotated[
        Mode,
        typer.Option("--mode", help="All APIs ranked, or those above the paper's threshold."),
    ] = Mode.RANKED,
    threshold: Annotated[
        str | None,
        typer.Option(
            "--threshold",
            metavar="X",
            show_default=False,
            help="Least context similarity of --mode paper [default: 0.6; TensorFlow: 0.8].",
        ),
    ] = None,
    stacks: Annotated[
        bool, typer.Option("--stacks", help="Show the call stacks of a sample call instead.")
    ] = False,
    json: Json = None,
    export: Export = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Show the ranked siblings of an API, with their scores per channel and what both run.

    Examples:

        citadel siblings torch.nn.functional.conv1d --python ~/venvs/torch/bin/python

        citadel siblings torch.nn.Conv2d --mode paper --python python3 --export siblings.csv

        citadel siblings torch.median --stacks --python python3
    """
    if threshold is not None and mode is not Mode.PAPER:
        raise CitadelError("--threshold is the paper's", "add --mode paper")
    if stacks and (json is not None or export is not None):
        raise CitadelError("--stacks prints trees only", "leave out --json and --export")
    wish = _wish(framework, backend)
    request = SiblingsRequest(
        api=api,
        count=count,
        mode=mode,
        threshold=None if threshold is None else _fraction(threshold, "--threshold"),
        stacks=stacks,
        json=json,
        export=export,
    )
    run_siblings(request, lambda: _target(python, wish, no_sandbox), Progress())


@app.command("doctor")
def doctor_command(python: Python = sys.executable) -> None:
    """Check the sandbox and the interpreter under test, and say what to do about problems.

    Example:

        citadel doctor --python /usr/bin/python3
    """
    raise typer.Exit(0 if doctor.examine(python, Console()) else 3)


@app.callback(invoke_without_command=True)
def top(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Entry."""
    if version:
        typer.echo(f"citadel {__version__}")
        raise typer.Exit


def _fraction(text: str, option: str) -> Fraction:
    """An exact fraction: 0.6 is 3/5, on which many pairs lie."""
    try:
        given = Fraction(text)
    except (ValueError, ZeroDivisionError):
        given = Fraction(-1)
    if not 0 <= given <= 1:
        raise CitadelError(f"{option} takes a number from 0 to 1, not {text}", f"e.g. {option} 0.6")
    return given


def _words(flags: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(flags))
    except ValueError as problem:
        raise CitadelError(f"--flags cannot be read: {problem}", "close its quotes") from None


def _wish(framework: str | None, backend: str | None) -> Wish:
    """What the user asks for, by options and by the variables that frameworks look at."""
    if framework is not None and framework not in FRAMEWORKS:
        known = ", ".join(FRAMEWORKS)
        raise CitadelError(f"--framework takes no {framework}", f"one of {known}")
    if backend is not None and not any(backend in f.backends for f in FRAMEWORKS.values()):
        known = ", ".join(name for f in FRAMEWORKS.values() for name in f.backends)
        raise CitadelError(f"--backend takes no {backend}", f"one of {known}")
    switches = [one.switch for one in FRAMEWORKS.values() if one.switch]
    given = tuple((name, os.environ[name]) for name in switches if name in os.environ)
    return Wish(framework=framework, backend=backend, environment=given)


def _target(python: str, wish: Wish, no_sandbox: bool) -> Target:  # noqa: FBT001
    interpreter = Interpreter(python, no_sandbox=no_sandbox)
    name = wish.framework or interpreter.frameworks[0]
    asked = wish.on(FRAMEWORKS[name]) if name in FRAMEWORKS else None
    return interpreter.target(name, asked)


def main() -> None:
    """Run the command line; users' errors become two lines and exit status 2."""
    try:
        app()
    except CitadelError as problem:
        typer.echo(f"error: {problem.message}", err=True)
        if problem.hint:
            typer.echo(f"hint: {problem.hint}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, Interrupted):
        typer.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer has caught Ctrl-C and said nothing
            typer.echo("interrupted", err=True)
        raise
    except BrokenPipeError:
        sys.stderr.close()  # a reader such as `head` has had enough
        sys.exit(0)
