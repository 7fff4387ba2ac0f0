"""What `citadel siblings` does: rank the siblings of one API, show or export them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from analysis.catalog.model import Api
from analysis.dynamic.phases import STACKS
from analysis.errors import CitadelError
from analysis.forms import Forms, forms
from analysis.index import ApiIndex
from analysis.target.target import Interpreter, Target
from citadel.commands.progress import Progress
from citadel.commands.triaging import find_index
from citadel.match.matches import Matches
from citadel.match.mode import Mode
from citadel.match.pairs import PAPER_CONTEXT
from citadel.match.rank import rank_as_paper
from citadel.report.build import (
    render_siblings,
    render_stacks,
    wide_console,
)
from citadel.report.document import target_record, write_json
from citadel.report.files import writable
from citadel.report.graph import Row, check_suffix, export
from citadel.selection import Wish, target_for
from citadel.siblings import Sibling, siblings, source_api
from citadel.workbench import others, summary

STACK_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SiblingsRequest:
    """What `citadel siblings` was asked to do."""

    api: str
    count: int
    mode: Mode
    threshold: Fraction | None = None
    stacks: bool = False
    json: str | None = None
    export: Path | None = None
    matches: Matches = field(default_factory=Matches)


def run_siblings(
    request: SiblingsRequest,
    find_interpreter: Callable[[], Interpreter],
    wish: Wish,
    progress: Progress,
) -> None:
    """Print the ranked siblings of one API, or its call stacks.

    Raises:
        CitadelError: when the build has no such API, or an output cannot be written.
    """
    writable(request.json)
    if request.export is not None:
        check_suffix(request.export)
        writable(request.export)
    interpreter = find_interpreter()
    target = target_for(request.api, interpreter, wish)
    with progress:
        index = find_index(target, progress)
    source = source_api(index.catalog, index.framework, request.api, others(interpreter, target))
    if request.stacks:
        render_stacks(wide_console(), source.name, stacks(target, source.name))
        return
    rows = siblings(
        index,
        source,
        mode=request.mode,
        threshold=request.threshold,
        count=request.count,
        matched=request.matches.of(source, index.catalog),
    )
    reached = forms(index).get(source.name, Forms())
    if request.export is not None:
        nodes: dict[str, Row] = {source.name: {"kind": str(source.kind)}}
        nodes.update({r.candidate.api.name: {"kind": str(r.candidate.api.kind)} for r in rows})
        export(request.export, nodes, [_edge(source.name, row) for row in rows])
    if request.json is not None:
        record = {
            "schema": 1,
            "target": target_record(summary(target)),
            "api": source.name,
            "mode": str(request.mode),
            "forms": list(reached.names),
            "siblings": [_sibling_record(row) for row in rows],
        }
        write_json(record, request.json)
    if request.json != "-":
        chosen = _chosen(index, source, request, len(rows))
        render_siblings(wide_console(), source, reached, rows, chosen)


def stacks(target: Target, api: str) -> list[dict[str, Any]]:
    """The call stacks of a sample call of an API, as the framework's profiler sees them.

    Raises:
        CitadelError: where no sample of the API runs, or its framework has no such profiler.
    """
    task = STACKS.get(target.info.framework)
    if task is None:
        raise CitadelError(f"there is no stack profiler for {target.info.framework}")
    with target.session() as session:
        outcome = session.task(task, {"name": api}, wall=STACK_SECONDS)
    records = [record for record in outcome.records if "part" in record]
    if not records:
        raise CitadelError(
            f"no sample of {api} runs: {outcome.died or 'none is known'}",
            "choose one of its siblings: citadel siblings " + api,
        )
    return records


def _chosen(index: ApiIndex, source: Api, request: SiblingsRequest, shown: int) -> str:
    """Which siblings are shown."""
    if request.mode is Mode.RANKED:
        return f"the first {shown} of {len(index.catalog.apis) - 1:,} ranked APIs"
    if source.name not in index.collapsed:
        return "no sample of it ran an operator, so that it has no context to compare"
    least = PAPER_CONTEXT[index.framework] if request.threshold is None else request.threshold
    total = len(rank_as_paper(source, index, least))
    return (
        f"{shown} of {total} APIs whose context is above {float(least):g}, "
        "analogous operators counted as one"
    )


def _edge(source: str, row: Sibling) -> Row:
    channels = row.candidate.channels
    return {
        "source": source,
        "target": row.candidate.api.name,
        "score": round(row.candidate.score, 4),
        "context": None if channels.context is None else round(float(channels.context), 4),
        "signature": round(channels.signature, 4),
        "documentation": round(channels.documentation, 4),
        "relation": channels.family,
        "matched": channels.matched,
        "call": None if row.takes is None else round(row.takes, 4),
        "shared": " ".join(row.shared),
    }


def _sibling_record(row: Sibling) -> dict[str, Any]:
    return {
        "api": row.candidate.api.name,
        "score": round(row.candidate.score, 4),
        "channels": row.candidate.channels.to_json(),
        "takes": row.takes,
        "obstacle": None if row.obstacle is None else str(row.obstacle),
        "shared": list(row.shared),
    }
