"""What `citadel index` and `citadel siblings` do: build or load, show, export."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console

from analysis.catalog.model import Api
from analysis.dynamic.canonical import CANONICAL
from analysis.dynamic.phases import STACKS
from analysis.errors import CitadelError
from analysis.forms import Forms, forms
from analysis.index import ApiIndex
from analysis.sources import SourceRequest, installed
from analysis.static.model import FunctionRecord
from analysis.static.sources import Sources
from analysis.target.target import Interpreter, Target
from citadel.commands import find_index
from citadel.match.matches import Matches
from citadel.match.mode import Mode
from citadel.match.pairs import PAPER_CONTEXT, Matched, matched
from citadel.match.rank import rank_as_paper
from citadel.progress import Progress
from citadel.report.build import (
    PIPE,
    render_groups,
    render_index,
    render_siblings,
    render_stacks,
)
from citadel.report.document import target_record, write_json
from citadel.report.files import writable
from citadel.report.graph import Row, check_suffix, export
from citadel.report.terminal import render_target
from citadel.selection import Wish, target_for
from citadel.siblings import Sibling, siblings, source_api
from citadel.workbench import summary

STACK_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
    """What `citadel index` was asked to do."""

    json: str | None = None
    refresh: bool = False
    source: SourceRequest | None = None
    groups: str | None = None
    """A pattern: show the groups with a member that matches."""
    export: Path | None = None


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


def run_index(
    request: IndexRequest,
    find_interpreter: Callable[[], Interpreter],
    wish: Wish,
    progress: Progress,
) -> None:
    """Build the index if need be; print, write or export what it holds.

    Raises:
        CitadelError: for an unusable build or an output that cannot be written.
    """
    writable(request.json)
    if request.export is not None:
        check_suffix(request.export)
        writable(request.export)
    interpreter = find_interpreter()
    target = target_for("", interpreter, wish)
    with progress:
        index = find_index(target, progress, refresh=request.refresh, source=request.source)
    found = matched(index)
    if request.export is not None:
        export(request.export, *pairs_graph(index, found))
    if request.json is not None:
        write_json(index_record(target, index, found), request.json)
    if request.json == "-":
        return
    console = _console()
    if request.groups is not None:
        with progress:
            sources = (index.source or installed(target.info.folder)).read(progress.update)
        render_groups(console, groups_like(index, sources, request.groups))
        return
    render_target(console, summary(target))
    others = _others(interpreter, target)
    if others and wish.framework is None:
        console.print(f"it has {' and '.join(others)}, too: --framework", markup=False)
    render_index(console, index, found, in_names(index, found))


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
    source = source_api(index, request.api, _others(interpreter, target))
    if request.stacks:
        render_stacks(_console(), source.name, stacks(target, source.name))
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
        render_siblings(_console(), source, reached, rows, chosen)


def _others(interpreter: Interpreter, target: Target) -> list[str]:
    return [name for name in interpreter.frameworks if name != target.info.framework]


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


def index_record(target: Target, index: ApiIndex, found: Matched) -> dict[str, Any]:
    """The contract's JSON of an index; `matched_apis` and `pairs` count objects, not names."""
    names, pairs = in_names(index, found)
    return {
        "schema": 1,
        "target": target_record(summary(target)),
        "counts": {
            **index.counts,
            "matched_apis": len(found.apis),
            "matched_names": names,
            "pairs": len(found.pairs),
            "pairs_of_names": pairs,
            "pairs_by_channel": found.by_channel,
        },
        "coverage": dict(index.coverage),
        "source": None if index.source is None else index.source.to_json(),
        "failures": dict(index.failures),
        "candidates": [
            {
                "api": crash.api,
                "sample": crash.sample,
                "how": crash.how,
                "alone": crash.alone,
            }
            for crash in index.crashes
        ],
        "seconds": {**index.seconds, "match": found.seconds},
    }


def in_names(index: ApiIndex, found: Matched) -> tuple[int, int]:
    """(APIs, pairs) counted by public names, aliases included, as publications count them."""
    root = {"tensorflow": "tf."}.get(index.framework, f"{index.framework}.")
    names = {
        api: sum(
            name.startswith(root) and "._" not in name
            for name in (api, *index.catalog.apis[api].aliases)
        )
        for api in found.apis
    }
    return sum(names.values()), sum(names[left] * names[right] for left, right in found.pairs)


def groups_like(index: ApiIndex, sources: Sources, pattern: str) -> list[tuple[str, ...]]:
    """Groups of analogous operators, then functions with their places, that match a pattern.

    A pattern without `*`, `?` or `[` may stand anywhere in the name of a member.
    """
    wanted = pattern if any(mark in pattern for mark in "*?[") else f"*{pattern}*"
    canonical = CANONICAL[index.framework](wanted)
    operators = [
        group
        for group in index.groups
        if any(fnmatch.fnmatchcase(name, canonical) for name in group)
    ]
    functions = [
        tuple(_placed(sources.functions[member]) for member in group.members)
        for group in sources.find(wanted)
    ]
    return [*operators, *functions]


def _placed(function: FunctionRecord) -> str:
    return f"{function.name} ({function.file}:{function.line})"


def pairs_graph(index: ApiIndex, found: Matched) -> tuple[dict[str, Row], list[Row]]:
    """Nodes and edges of all pairs of a build."""
    apis = index.catalog.apis
    nodes: dict[str, Row] = {
        name: {"kind": str(apis[name].kind), "profiled": name in index.call_sets}
        for name in sorted(found.apis)
    }
    edges: list[Row] = []
    for (left, right), channels in found.pairs.items():
        one, other = (index.collapsed.get(name, frozenset()) for name in (left, right))
        both = len(one | other)
        edges.append(
            {
                "source": left,
                "target": right,
                "channels": " ".join(sorted(channels)),
                "context": round(len(one & other) / both, 4) if one and other else None,
            }
        )
    return nodes, edges


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


def _console() -> Console:
    terminal = sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=not terminal, width=None if terminal else PIPE)
