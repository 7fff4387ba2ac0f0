"""The command `citadel fuzz`; `app` has the others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citadel.cli.options import FrameworkOfRules, Json, NoSandbox, Python, harvest_option


def fuzz(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="audee, cradle, eagle, lemon, or one that a package registers."
        ),
    ],
    python: Python = sys.executable,
    framework: FrameworkOfRules = None,
    budget: Annotated[
        float,
        typer.Option(
            "--budget",
            metavar="SECONDS",
            min=1,
            help="Time to search, start-up not counted; what was found by then is confirmed.",
        ),
    ] = 600.0,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Equal seeds make equal inputs.")
    ] = 0,
    out: Annotated[
        Path | None,
        harvest_option(
            "--out",
            "--harvest",
            what="the cases",
            default="harvests/fuzz/SOURCE.jsonl; each build needs its own",
        ),
    ] = None,
    random: Annotated[
        bool,
        typer.Option(
            "--random", metavar="", help="Of lemon: search without guidance, for comparison."
        ),
    ] = False,
    models: Annotated[
        Path | None,
        typer.Option(
            "--models",
            metavar="DIR",
            help="Of cradle: the .keras files in there, in the place of seed models.",
        ),
    ] = None,
    mutants: Annotated[
        int | None,
        typer.Option(
            "--mutants",
            metavar="N",
            min=1,
            help="Of lemon and audee: N of each seed model and nothing else; the papers made 100"
            " and 500.",
        ),
    ] = None,
    json: Json = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Search a framework build for bugs: what is found becomes a harvest, as bug reports do.

    eagle compares equivalent programs of one PyTorch or TensorFlow. cradle (seed models), lemon
    (mutants of these) and audee (mutated parameters, inputs and weights) compare backends of Keras
    3: two at least, three to tell which of them is wrong.

    What shows only as a disagreement becomes a script that shows it on one framework, where that
    is possible; what is known to be no bug, or has no such script, is recorded with the reason. A
    further search with another seed adds to the harvest; the same one goes on where it was stopped.
    Then:

        citadel triage harvests/fuzz/cradle.jsonl --python ~/venvs/keras/bin/python

    Exit status: 0 done, 2 wrong usage, 3 nothing could be run, 130 interrupted (what was found by
    then is kept).

    Examples:

        citadel fuzz eagle --python ~/venvs/torch/bin/python --budget 120

        citadel fuzz cradle --python ~/venvs/keras/bin/python --budget 120

        citadel fuzz cradle --models saved --python ~/venvs/keras/bin/python

        citadel fuzz lemon --python ~/venvs/keras/bin/python --seed 1 --json found.json
    """
    from analysis.target.target import Interpreter
    from citadel.commands.fuzzing import run_fuzz
    from citadel.commands.progress import Progress
    from citadel.report.fuzzed import FuzzRequest

    request = FuzzRequest(
        source=source,
        budget=budget,
        seed=seed,
        out=out,
        json=json,
        framework=framework or "",
        random=random,
        models=models,
        mutants=mutants or 0,
    )
    opened = lambda: Interpreter(python, no_sandbox=no_sandbox)  # noqa: E731
    raise typer.Exit(run_fuzz(request, opened, Progress()))
