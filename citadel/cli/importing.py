"""The command `citadel import`; `app` has the others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citadel.cli.options import harvest_option
from citadel.commands.progress import Progress


def import_(
    format_: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="freefuzz, deeprel, titanfuzz, docter, acetest, nnsmith, scripts, or one that a"
            " package registers.",
        ),
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The fuzzer's output folder; it stays as it is.")
    ],
    python: Annotated[
        str,
        typer.Option(
            "--python",
            metavar="PATH",
            show_default=False,
            help="Interpreter under test, which opens pickles in its sandbox [default: the one"
            " that runs Citadel].",
        ),
    ] = sys.executable,
    out: Annotated[
        Path | None,
        harvest_option(
            "--out", "--harvest", what="the cases", default="harvests/FORMAT/NAME.jsonl"
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="At most N cases.")
    ] = None,
    match: Annotated[
        Path | None,
        typer.Option(
            "--match",
            metavar="FILE",
            help="Of deeprel: write its pairs of equal APIs to FILE, for --matches.",
        ),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help='Write JSON to FILE ("-": stdout).')
    ] = None,
    no_sandbox: Annotated[
        bool,
        typer.Option("--no-sandbox", help="Open pickles unconfined: only where you trust them."),
    ] = False,
) -> None:
    """Take over what another fuzzer found: its cases become a harvest, as those of a tracker do.

    Nothing runs here but the opening of pickles, in the sandbox. A second import reads what is new
    or has changed. Then:

        citadel triage harvests/FORMAT/NAME.jsonl --python ~/venvs/torch/bin/python

    Examples:

        citadel import freefuzz ~/FreeFuzz/torch_output

        citadel import docter ~/workdir --python ~/venvs/tensorflow/bin/python --limit 500

        citadel import deeprel ~/DeepREL/pytorch/expr --match pairs.jsonl
    """
    from analysis.errors import CitadelError
    from analysis.target.target import Interpreter
    from citadel.commands.importing import ImportRequest, run_import

    if match is not None and format_ != "deeprel":
        raise CitadelError("--match is about pairs of equal APIs", "deeprel has some")
    request = ImportRequest(
        format=format_, folder=folder, out=out, limit=limit, match=match, json=json
    )
    opened = lambda: Interpreter(python, no_sandbox=no_sandbox)  # noqa: E731
    raise typer.Exit(run_import(request, opened, Progress()))
