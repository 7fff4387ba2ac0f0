"""What `citadel index` does: build or load an index, show it, export it."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.dynamic.canonical import CANONICAL
from analysis.index import ApiIndex
from analysis.sources import SourceRequest, installed
from analysis.static.model import FunctionRecord
from analysis.static.sources import Sources
from analysis.target.target import Interpreter, Target
from citadel.commands.progress import Progress
from citadel.commands.triaging import find_index
from citadel.match.pairs import Matched, matched
from citadel.report.build import render_groups, render_index, wide_console
from citadel.report.document import target_record, write_json
from citadel.report.files import writable
from citadel.report.graph import Row, check_suffix, export
from citadel.report.terminal import render_target
from citadel.selection import Wish, target_for
from citadel.workbench import others, summary


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
    """What `citadel index` was asked to do."""

    json: str | None = None
    refresh: bool = False
    source: SourceRequest | None = None
    groups: str | None = None
    """A pattern: show the groups with a member that matches."""
    export: Path | None = None


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
    console = wide_console()
    if request.groups is not None:
        with progress:
            sources = (index.source or installed(target.info.folder)).read(progress.update)
        render_groups(console, groups_like(index, sources, request.groups))
        return
    render_target(console, summary(target))
    beside = others(interpreter, target)
    if beside and wish.framework is None:
        console.print(f"it has {' and '.join(beside)}, too: --framework", markup=False)
    render_index(console, index, found, in_names(index, found))


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
