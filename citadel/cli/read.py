"""The command `citadel read`; `app` has the others."""

from __future__ import annotations

from typing import Annotated

import typer

from citadel.cli.options import (
    CorrectedApi,
    CorrectedBlock,
    CorrectedExpect,
    CorrectedKind,
    CorrectedLine,
    CorrectedSymptom,
    Json,
    read_correction,
)


def read(
    reports: Annotated[
        list[str],
        typer.Argument(
            metavar="REPORT...",
            help='OWNER/REPO#N, GitHub issue JSON, Markdown, a Python script, a harvest or "-".',
        ),
    ],
    json: Json = None,
    api: CorrectedApi = "",
    kind: CorrectedKind = "",
    symptom: CorrectedSymptom = "",
    block: CorrectedBlock = "",
    line: CorrectedLine = "",
    expect: CorrectedExpect = "",
) -> None:
    """Show what is read of a report: its code, what it says goes wrong, and what is unsure.

    Nothing runs, and no framework is needed. Corrections are the same as of `citadel triage`; as a
    comment in the report they are kept: `<!-- citadel: api=torch.matmul block=2 -->`.

    Examples:

        citadel read issue.md

        citadel read issue.json --block 2,3 --symptom 'raises RuntimeError: shape mismatch'

        citadel read reports/ --json readings.json
    """
    from citadel.commands.reading import ReadRequest, run_read

    request = ReadRequest(
        inputs=tuple(reports),
        json=json,
        correction=read_correction(api, kind, symptom, block, line, expect),
    )
    raise typer.Exit(run_read(request))
