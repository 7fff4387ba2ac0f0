"""The command `citadel mine`; `app` has the others."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from citadel.cli.options import harvest_option
from citadel.commands.progress import Progress
from harvest.report.filters import FILTERS, Preset, choose

_NAMES = ", ".join(one.name for one in FILTERS)


class State(StrEnum):
    """Issues in which state."""

    ALL = "all"
    OPEN = "open"
    CLOSED = "closed"


def mine(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="OWNER/REPO on GitHub, or files: an export of issues as JSON, a dump of"
            " GH Archive, a folder of these.",
        ),
    ],
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Only issues updated then or later."),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option("--labels", metavar="A,B", help="Only issues with one of these labels."),
    ] = None,
    state: Annotated[State, typer.Option("--state", help="Only open or closed ones.")] = State.ALL,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=1, help="At most N issues, least recently updated first."
        ),
    ] = None,
    repository: Annotated[
        str,
        typer.Option(
            "--repository", metavar="OWNER/REPO", help="Of files: only issues of this one."
        ),
    ] = "",
    preset: Annotated[
        Preset,
        typer.Option("--preset", help="What is dropped: what cannot run, or the paper's rules."),
    ] = Preset.WIDE,
    with_: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="NAME", help=f"Switch a filter on. There are {_NAMES}."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--no-filter", metavar="NAME", help="Switch one off.")
    ] = None,
    follow_links: Annotated[
        bool,
        typer.Option(
            "--follow-links",
            metavar="",
            help="Fetch code that is only behind links to gists and Colab.",
        ),
    ] = False,
    harvest: Annotated[
        Path | None,
        harvest_option(
            "--harvest", "--out", what="the issues", default="harvests/OWNER/REPO.jsonl"
        ),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help='Write JSON to FILE ("-": stdout).')
    ] = None,
) -> None:
    """Harvest the issues of a tracker and queue those that are worth running.

    A second run goes on where the first one ended; later ones fetch what was updated since. Lists
    of issues need a token: GITHUB_TOKEN, or `gh auth login`.

    Examples:

        citadel mine pytorch/pytorch --since 2020-01-01 --limit 30000

        citadel mine keras-team/keras --labels type:Bug --preset paper --json mined.json

        citadel mine 2024-01-15-12.json.gz --repository tensorflow/tensorflow
    """
    from citadel.commands.mining import MineRequest, moment, run_mine  # its libraries are large
    from harvest.tracker.pages import Wanted

    names = [name.strip() for one in labels or () for name in one.split(",")]
    request = MineRequest(
        source=source,
        wanted=Wanted(
            repository=repository,
            since=moment(since),
            labels=tuple(dict.fromkeys(name for name in names if name)),
            state=state.value,
        ),
        limit=limit,
        filters=choose(preset, tuple(with_ or ()), tuple(without or ())),
        follow_links=follow_links,
        harvest=harvest,
        json=json,
    )
    run_mine(request, Progress())
