"""The commands for generated cases: `reduce`, `bisect`, `recheck`, `export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citadel.cli.options import Backend, FrameworkOfApi, Json, NoSandbox, Python, read_wish
from citadel.commands.progress import Progress
from citadel.report.exports import Format

SECONDS = 60.0
RUNS = 1000

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH...", help="Generated cases, folders of these, or the store of a hunt."
    ),
]
Case = Annotated[Path, typer.Argument(metavar="CASE.py", help="A generated case.")]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Time limit of one run.")
]


def reduce(
    case: Case,
    python: Python = sys.executable,
    framework: FrameworkOfApi = None,
    backend: Backend = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE.py",
            show_default=False,
            help="Where the reduced case goes, with its control [default: CASE.reduced.py].",
        ),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, help="Most runs.")] = RUNS,
    budget: Annotated[
        float, typer.Option("--budget", metavar="SECONDS", min=1, help="Most time.")
    ] = SECONDS,
    timeout: Timeout = 30.0,
    no_sandbox: NoSandbox = False,
) -> None:
    """Make a case smaller: it fails in the same way, at the same check, and its control does not.

    What is not needed goes: statements, blocks, arguments, parts of expressions; sizes become
    one. What is changed in the case is changed in its control, too.

    Example:

        citadel reduce generated_cases/torch/2cc230920927e050/source.py --python python3
    """
    from analysis.target.session import Limits
    from analysis.target.target import Interpreter
    from citadel.commands.casework import ReduceRequest, run_reduce

    request = ReduceRequest(
        case=case, out=out, runs=runs, seconds=budget, limits=Limits(wall=timeout)
    )
    wish = read_wish(framework, backend)
    raise typer.Exit(run_reduce(request, lambda: Interpreter(python, no_sandbox=no_sandbox), wish))


def bisect(
    case: Case,
    builds: Annotated[
        list[str] | None,
        typer.Option(
            "--python",
            metavar="PATH",
            show_default=False,
            help="Interpreter with a release of the framework; give it once for each.",
        ),
    ] = None,
    install: Annotated[
        list[str] | None,
        typer.Option(
            "--install",
            metavar="NAME==V,V",
            show_default=False,
            help="Releases that uv, or else pip, is to install, each in an environment of its own"
            " that is kept in the cache: 'torch==2.5.*,2.9.1'.",
        ),
    ] = None,
    framework: FrameworkOfApi = None,
    backend: Backend = None,
    json: Json = None,
    timeout: Timeout = 30.0,
    no_sandbox: NoSandbox = False,
) -> None:
    """Say which releases of a framework have a bug: run its case, and the control, on each.

    A release is bad where the case fails as it was recorded and the control runs through, good
    where the case runs through. What fails otherwise, or has no such API, says nothing.

    Exit status: 0 where a release says something, 3 where none does.

    Examples:

        citadel bisect generated_cases/torch/2cc230920927e050/source.py
        --python /usr/bin/python3 --python ~/venvs/torch2.13/bin/python

        citadel bisect generated_cases/tensorflow/a4b5e12850991100/tf.norm.py
        --install 'tensorflow-cpu==2.16.*,2.18.*,2.21.*'
    """
    from analysis.target.session import Limits
    from citadel.commands.casework import BisectRequest, run_bisect

    request = BisectRequest(
        case=case,
        pythons=tuple(dict.fromkeys(builds or ())),
        install=tuple(install or ()),
        json=json,
        no_sandbox=no_sandbox,
        limits=Limits(wall=timeout),
    )
    raise typer.Exit(run_bisect(request, read_wish(framework, backend), Progress()))


def recheck(
    paths: Paths,
    python: Python = sys.executable,
    backend: Backend = None,
    mark: Annotated[
        bool,
        typer.Option(
            "--mark", metavar="", help="Label findings of a store that are fixed: fixed-in VERSION."
        ),
    ] = False,
    json: Json = None,
    timeout: Timeout = 30.0,
    no_sandbox: NoSandbox = False,
) -> None:
    """Run what was found before on another build: still there, fixed, changed, no such API.

    Cases that do not fail by themselves are passed over.

    Exit status: 0 where a case says something, 3 where none does.

    Examples:

        citadel recheck generated_cases/torch/2cc230920927e050 --python ~/venvs/nightly/bin/python

        citadel recheck hunt.db --python ~/venvs/torch2.14/bin/python --mark
    """
    from analysis.target.session import Limits
    from analysis.target.target import Interpreter
    from citadel.commands.rechecking import RecheckRequest, run_recheck

    request = RecheckRequest(paths=tuple(paths), mark=mark, json=json, limits=Limits(wall=timeout))
    wish = read_wish(None, backend)
    status = run_recheck(
        request, lambda: Interpreter(python, no_sandbox=no_sandbox), wish, Progress()
    )
    raise typer.Exit(status)


def export(
    paths: Paths,
    form: Annotated[
        Format, typer.Option("--format", help="csv, junit, pytest or sarif.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where it goes.")],
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            metavar="DIR",
            show_default=False,
            help="A checkout of the framework, at the build's release: SARIF names lines of it.",
        ),
    ] = None,
) -> None:
    """Write findings for other tools: a table, a test report, a test, or code scanning's results.

    CSV has a line per finding, JUnit a failed test per report and operation, pytest a strict
    xfail per case that fails by itself, SARIF a result per finding.

    Examples:

        citadel export generated_cases --format csv --out findings.csv

        citadel export hunt.db --format junit --out findings.xml

        citadel export generated_cases/torch/2cc230920927e050/source.py --format pytest
        --out test_norm.py

        citadel export generated_cases --format sarif --source ~/src/pytorch --out found.sarif
    """
    from citadel.commands.exporting import run_export

    count = run_export(paths, form, out, source)
    typer.echo(f"{count:,} finding{'' if count == 1 else 's'} in {out}")
