"""The command `citadel spread`; `app` has the others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citadel.cli.options import Backend, FrameworkOfApi, Json, NoSandbox, Python, read_wish
from citadel.commands.progress import Progress

SECONDS = 300.0


def spread(
    api: Annotated[
        str, typer.Option("--api", metavar="API", help="The API of the bug; near ones come first.")
    ],
    trigger: Annotated[
        str,
        typer.Option(
            "--trigger",
            metavar="ROLE: FACT",
            help='What brings the bug about, several parted by ";". ROLE is inputs (all tensors),'
            " input (one), out, number or a parameter's name; FACT is one of docs/spreading.md.",
        ),
    ] = "",
    ways: Annotated[
        str,
        typer.Option(
            "--ways",
            metavar="A,B",
            help="Two ways to make a call that should agree. Without it, a call fails under the"
            " trigger alone.",
        ),
    ] = "",
    python: Python = sys.executable,
    framework: FrameworkOfApi = None,
    backend: Backend = None,
    json: Json = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for generated cases.")
    ] = Path("generated_cases"),
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="SECONDS", min=1, help="Most time for the search."),
    ] = SECONDS,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Time limit of one run.")
    ] = 30.0,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=1, help="Replays per generated case.")
    ] = 1,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, help="Processes that search.")
    ] = 2,
    show_all: Annotated[
        bool, typer.Option("--all", metavar="", help="Show every operation in the terminal.")
    ] = False,
    no_sandbox: NoSandbox = False,
) -> None:
    """Find the APIs whose own valid calls go wrong when they meet a trigger; no report is needed.

    Each call is first made without the trigger: only where all goes well then is it a finding.

    Examples:

        citadel spread --api torch.index_select --trigger 'out: dtype float64' --ways plain,meta

        citadel spread --api torch.nn.GroupNorm --trigger 'inputs: scaled 1e30'
        --ways 'plain, dtype float64'

        citadel spread --api tf.nn.top_k --trigger 'input: holding nan' --ways plain,xla

        citadel spread --api torch.cdist --ways forward-ad,plain
    """
    from analysis.target.session import Limits
    from analysis.target.target import Interpreter
    from citadel.commands.spreading import SpreadRequest, run_spread
    from citadel.spread.relation import read

    request = SpreadRequest(
        api=api,
        relation=read(trigger, ways),
        seconds=budget,
        jobs=jobs,
        runs=runs,
        limits=Limits(wall=timeout),
        out=out,
        json=json,
        show_all=show_all,
    )
    wish = read_wish(framework, backend)
    status = run_spread(
        request, lambda: Interpreter(python, no_sandbox=no_sandbox), wish, Progress()
    )
    raise typer.Exit(status)
