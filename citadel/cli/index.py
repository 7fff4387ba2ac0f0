"""The commands `citadel index` and `citadel siblings`; `app` has the others."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from analysis.errors import CitadelError
from analysis.static.similarity import Similarity
from citadel.cli.options import (
    Backend,
    Export,
    FirstFramework,
    FrameworkOfApi,
    Json,
    MatchesFile,
    NoSandbox,
    Python,
    given_matches,
    read_fraction,
    read_wish,
)
from citadel.commands.progress import Progress
from citadel.match.mode import Mode

DEFAULT_ARGUMENTS, DEFAULT_CALLEES = str(Similarity().arguments), str(Similarity().callees)


def index(
    python: Python = sys.executable,
    framework: FirstFramework = None,
    backend: Backend = None,
    json: Json = None,
    refresh: Annotated[bool, typer.Option("--refresh", metavar="", help="Build it anew.")] = False,
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
    from analysis.sources import SourceRequest
    from analysis.target.target import Interpreter
    from citadel.commands.indexing import IndexRequest, run_index

    chosen = None
    if source is not None:
        chosen = SourceRequest(
            root=source,
            similarity=Similarity(
                arguments=read_fraction(arguments, "--arguments"),
                callees=read_fraction(callees, "--callees"),
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
    wish = read_wish(framework, backend)
    request = IndexRequest(json=json, refresh=refresh, source=chosen, groups=groups, export=export)
    run_index(request, lambda: Interpreter(python, no_sandbox=no_sandbox), wish, Progress())


def siblings(
    api: Annotated[str, typer.Argument(metavar="API", help="A public name or an alias of it.")],
    python: Python = sys.executable,
    framework: FrameworkOfApi = None,
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
        bool,
        typer.Option("--stacks", metavar="", help="Show the call stacks of a sample call instead."),
    ] = False,
    matches: MatchesFile = None,
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
    from analysis.target.target import Interpreter
    from citadel.commands.explore import SiblingsRequest, run_siblings

    if threshold is not None and mode is not Mode.PAPER:
        raise CitadelError("--threshold is the paper's", "add --mode paper")
    if stacks and (json is not None or export is not None):
        raise CitadelError("--stacks prints trees only", "leave out --json and --export")
    if matches is not None and mode is Mode.PAPER:
        raise CitadelError("the paper knows no --matches", "leave out --mode paper")
    wish = read_wish(framework, backend)
    request = SiblingsRequest(
        api=api,
        count=count,
        mode=mode,
        threshold=None if threshold is None else read_fraction(threshold, "--threshold"),
        stacks=stacks,
        json=json,
        export=export,
        matches=given_matches(matches),
    )
    run_siblings(request, lambda: Interpreter(python, no_sandbox=no_sandbox), wish, Progress())


def _words(flags: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(flags))
    except ValueError as problem:
        raise CitadelError(f"--flags cannot be read: {problem}", "close its quotes") from None
