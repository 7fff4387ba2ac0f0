"""What `citadel read` does: read reports, show what was read, run nothing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from citadel.commands.inputs import loaded
from citadel.report.document import SCHEMA, write_json
from citadel.report.files import writable
from citadel.report.readings import reading_record, render_reading
from citadel.report.text import plain
from harvest.report.correction import Correction
from harvest.report.markdown import read_markdown
from harvest.report.model import BadInput
from harvest.report.understand import understand

NOTHING_READ = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """What `citadel read` was asked to do."""

    inputs: tuple[str, ...]
    json: str | None
    correction: Correction


def run_read(request: ReadRequest) -> int:
    """Show what is read of each report; the exit status: 3 where none has anything to run.

    Raises:
        CitadelError: when there is nothing to read, a correction cannot hold, or the JSON cannot be
            written.
    """
    writable(request.json)
    console = Console(
        file=sys.stderr if request.json == "-" else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    records: list[dict[str, Any]] = []
    runs = False
    for entry in loaded(request.inputs, request.correction):
        if isinstance(entry, BadInput):
            console.print(f"\n{plain(entry.source)}: {plain(entry.error)}", markup=False)
            records.append({"input": entry.source, "error": entry.error})
            continue
        blocks = read_markdown(entry.body).blocks
        reading = understand(entry, request.correction)
        runs = runs or bool(reading.candidates)
        render_reading(console, reading, blocks)
        records.append(reading_record(reading, blocks))
    if request.json is not None:
        write_json({"schema": SCHEMA, "reports": records}, request.json)
    return 0 if runs else NOTHING_READ
