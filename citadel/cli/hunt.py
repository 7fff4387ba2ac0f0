"""The commands `citadel hunt`, `citadel report` and `citadel label`; `app` has the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from citadel.cli.options import (
    Attempts,
    BackendOfReport,
    Baseline,
    FrameworkOfReport,
    Json,
    KnownIssues,
    MatchesFile,
    MinConfidence,
    NoSandbox,
    Replays,
    Siblings,
    given_matches,
    read_siblings,
    read_wish,
)
from citadel.commands.progress import Progress
from citadel.limits import ATTEMPTS, SECONDS
from citadel.model import BugKind
from citadel.store.labels import LabelKind

StoreFile = Annotated[
    Path, typer.Option("--store", metavar="FILE", help="Where all that is found is kept.")
]
STORE = Path("citadel.db")


def hunt(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HARVEST...",
            help="Harvests of `citadel mine`, or reports and folders as `citadel triage` takes"
            " them; without any, the hunt goes on with what the store has.",
        ),
    ] = None,
    store: StoreFile = STORE,
    python: Annotated[
        list[str] | None,
        typer.Option(
            "--python",
            metavar="PATH",
            show_default=False,
            help="Interpreter under test; several are all hunted on, each report on those that"
            " have what it imports [default: the one that runs Citadel; without HARVEST, all"
            " that the store knows].",
        ),
    ] = None,
    framework: FrameworkOfReport = None,
    backend: BackendOfReport = None,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            metavar="SECONDS",
            min=1,
            help="Time for the whole hunt, indexes included; however short, one item is finished.",
        ),
    ] = None,
    per_report: Annotated[
        float,
        typer.Option(
            "--per-report",
            metavar="SECONDS",
            min=1,
            help="Most time to look for siblings of one; reproducing it comes on top.",
        ),
    ] = SECONDS,
    attempts: Attempts = ATTEMPTS,
    replays: Replays = None,
    siblings: Siblings = "all",
    min_confidence: MinConfidence = None,
    matches: MatchesFile = None,
    baseline: Baseline = None,
    jobs: Annotated[
        int,
        typer.Option("--jobs", metavar="N", min=1, help="Workers; each takes about two cores."),
    ] = max(1, (os.cpu_count() or 2) // 2),
    retry: Annotated[
        int,
        typer.Option(
            "--retry", metavar="N", min=0, help="Further attempts at what is flaky or failed."
        ),
    ] = 1,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Time limit of one run.")
    ] = 30.0,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for generated cases.")
    ] = Path("generated_cases"),
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Run the workers on a Ray cluster, which has Citadel and the interpreters.",
        ),
    ] = None,
    known: KnownIssues = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", metavar="", help="Wait for another hunt on the same store to end."),
    ] = False,
    json: Json = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Hunt for siblings over many reports: verify each, propagate what reproduces, keep it all.

    The store remembers what is done: stopped by Ctrl-C, a kill or its budget, the same command goes
    on. What promises most findings per second comes first; what measures time runs alone.

    Examples:

        citadel hunt harvests/pytorch/pytorch.jsonl --python ~/venvs/torch/bin/python --budget 28800

        citadel hunt reports/ --python ~/venvs/torch/bin/python --python ~/venvs/tf/bin/python

        citadel hunt --store citadel.db --retry 2

        citadel hunt slower/ --python ~/venvs/torch2.13/bin/python --baseline /usr/bin/python3
    """
    from analysis.target.session import Limits
    from citadel.commands.hunting import HuntingRequest, run_hunt
    from citadel.hunt.cluster import ClusterPool
    from citadel.hunt.executor import Executor
    from citadel.hunt.hunt import HuntRequest
    from citadel.hunt.local import LocalPool
    from citadel.hunt.worker import Worker
    from citadel.options import Options
    from citadel.propagate.walk import Walk

    options = Options(
        walk=Walk(
            siblings=read_siblings(siblings),
            attempts=attempts,
            replays=replays,
            seconds=per_report,
        ),
        limits=Limits(wall=timeout),
        least_confidence=min_confidence,
        matches=given_matches(matches),
    )
    request = HuntingRequest(
        inputs=tuple(inputs or ()),
        store=store,
        wait=wait,
        pythons=tuple(python or ([sys.executable] if inputs else [])),
        no_sandbox=no_sandbox,
        wish=read_wish(framework, backend),
        hunt=HuntRequest(options=options, out=out, budget=budget, retries=retry),
        known=known,
        json=json,
        baseline=baseline,
    )
    executor: Callable[[], Executor] = partial(LocalPool, Worker, jobs)
    if cluster is not None:
        executor = partial(ClusterPool, Worker, jobs, cluster)
    raise typer.Exit(run_hunt(request, executor, Progress()))


def report(
    store: StoreFile = STORE,
    framework: Annotated[
        str | None,
        typer.Option("--framework", metavar="NAME", help="Only findings of this framework."),
    ] = None,
    kind: Annotated[BugKind | None, typer.Option("--kind", help="Only bugs of this kind.")] = None,
    api: Annotated[
        str | None, typer.Option("--api", metavar="TEXT", help="Only APIs with this in the name.")
    ] = None,
    new: Annotated[
        bool,
        typer.Option(
            "--new", metavar="", help="Only findings that nothing and nobody is known to know."
        ),
    ] = False,
    no_plain: Annotated[
        bool,
        typer.Option(
            "--no-plain", metavar="", help="Without plain exceptions, which may be validation."
        ),
    ] = False,
    build: Annotated[
        list[str] | None,
        typer.Option(
            "--build",
            metavar="KEY",
            show_default=False,
            help="Tell novelty for this build [default: the one hunted on last].",
        ),
    ] = None,
    known: KnownIssues = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="Families that are shown.")
    ] = 20,
    show_all: Annotated[
        bool, typer.Option("--all", metavar="", help="Show all findings of a family.")
    ] = False,
    json: Json = None,
) -> None:
    """Show what hunts found: numbers by kind, cases and time by build, families across reports.

    Examples:

        citadel report --new --known umbrellas.toml

        citadel report --no-plain --framework torch --api norm --json findings.json
    """
    from citadel.commands.inputs import read_known_issues
    from citadel.commands.reporting import ReportRequest, run_report
    from citadel.store.queries import Filter

    read_wish(framework, None)
    request = ReportRequest(
        store=store,
        wanted=Filter(framework=framework, kind=kind, api=api, only_new=new, no_plain=no_plain),
        builds=tuple(build or ()),
        known=() if known is None else read_known_issues(known),
        limit=limit,
        show_all=show_all,
        json=json,
    )
    run_report(request)


def label(
    finding: Annotated[str, typer.Argument(metavar="FINDING", help="Its id, or how that begins.")],
    kind: Annotated[LabelKind, typer.Argument(metavar="LABEL", help=", ".join(LabelKind))],
    value: Annotated[
        str | None,
        typer.Argument(
            metavar="WHAT", help="Of what it is a duplicate, or in what version it is fixed."
        ),
    ] = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why.")] = "",
    store: StoreFile = STORE,
) -> None:
    """Say what a finding is. Labels are added, never overwritten; the latest one counts.

    Examples:

        citadel label 3f1c confirmed --note "same check is missing"

        citadel label 3f1c duplicate-of https://github.com/pytorch/pytorch/issues/88148

        citadel label 3f1c fixed-in 2.14.0

        citadel label 3f1c withdrawn --note "was another one"
    """
    from citadel.commands.reporting import run_label

    run_label(store, finding, kind, value, note)
