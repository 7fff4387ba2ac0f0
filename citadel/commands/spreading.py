"""What `citadel spread` does: bring a trigger into the valid calls of all APIs; tell who fails."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from analysis.catalog.model import Api
from analysis.errors import CitadelError
from analysis.index import ApiIndex
from analysis.target.session import Limits
from analysis.target.target import Interpreter
from citadel.commands.progress import Findings, Interrupted, Progress
from citadel.commands.triaging import find_index
from citadel.family.operations import Operations
from citadel.match.rank import rank
from citadel.report.build import wide_console
from citadel.report.document import write_json
from citadel.report.files import creatable, writable
from citadel.report.spreads import Spreading, document, render, write_cases
from citadel.selection import Wish, target_for
from citadel.siblings import source_api
from citadel.spread.cases import Hit, replayed
from citadel.spread.relation import Relation
from citadel.spread.samples import by_operation
from citadel.spread.search import SEARCHED, Tally, spread
from citadel.workbench import others, summary

NOTHING_RUN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRequest:
    """What `citadel spread` was asked to do; `seconds` are those of the search."""

    api: str
    relation: Relation
    seconds: float
    jobs: int
    runs: int
    limits: Limits
    out: Path
    json: str | None
    show_all: bool


def run_spread(
    request: SpreadRequest,
    find_interpreter: Callable[[], Interpreter],
    wish: Wish,
    progress: Progress,
) -> int:
    """Run it; the exit status.

    Raises:
        CitadelError: when the build has no such API, or not what the trigger needs.
        Interrupted: after Ctrl-C, with all written that was found by then.
    """
    writable(request.json)
    creatable(request.out)
    interpreter = find_interpreter()
    target = target_for(request.api, interpreter, wish)
    if target.info.framework not in SEARCHED:
        raise CitadelError(
            f"calls of {target.info.framework} cannot be compared yet",
            f"name an API of {' or '.join(SEARCHED)}",
        )
    lacking = request.relation.lacking(target.info.framework)
    if lacking:
        raise CitadelError(
            f"{target.info.framework} has no {lacking!r}",
            "docs/facts.md tells which framework has which",
        )
    with progress:
        index = find_index(target, progress)
        source = source_api(
            index.catalog, index.framework, request.api, others(interpreter, target)
        )
        operations = Operations(index)
        apis = _ordered(source, request.relation, index, operations)
        started, tally = time.monotonic(), Tally()
        found, limits, lost, halted = list[Hit](), Counter[str](), 0, False
        told = Findings(progress)
        with ExitStack() as stack:
            jobs = [stack.enter_context(target.session()) for _ in range(request.jobs)]
            replays = stack.enter_context(target.session())
            try:
                for one in spread(request.relation, index, apis, jobs, request.seconds, tally):
                    if one.limit:
                        limits[one.limit] += 1
                        continue
                    hit = replayed(
                        one,
                        request.relation,
                        replays,
                        index.framework,
                        runs=request.runs,
                        limits=request.limits,
                    )
                    if hit is None:
                        lost += 1
                        continue
                    found.append(hit)
                    told.found(hit.api)
                    progress.update("APIs that could be compared", len(tally.valid), tally.apis)
            except KeyboardInterrupt:
                halted = True
    done = Spreading(
        source=source.name,
        relation=request.relation,
        target=summary(target),
        hits=tuple(found),
        operations={name: operations.of(name) for name in (source.name, *(h.api for h in found))},
        tally=tally,
        limits=dict(limits),
        lost=lost,
        seconds=time.monotonic() - started,
        interrupted=halted,
    )
    folder = write_cases(request.out, done)
    if request.json is not None:
        write_json(document(done, folder), request.json)
    if request.json != "-":
        render(wide_console(), done, folder, show_all=request.show_all)
    if halted:
        raise Interrupted
    return 0 if tally.pairs else NOTHING_RUN


def _ordered(
    source: Api, relation: Relation, index: ApiIndex, operations: Operations
) -> Sequence[Api]:
    """The source, then all others, the nearest first; further forms of an operation at the end."""
    ranked = (candidate.api for candidate in rank(source, index))
    near = [api for api in ranked if not relation.documented(api)]
    return by_operation([source, *near], operations.of)
