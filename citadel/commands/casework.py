"""What `citadel reduce` and `citadel bisect` do with generated cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.session import Limits
from analysis.target.target import Interpreter, Target
from citadel.casefile import CONTROL, CaseFile, read_case
from citadel.commands.installing import installed, requirements
from citadel.commands.progress import Progress
from citadel.elsewhere import at
from citadel.places import Place, State, release_order, turns
from citadel.reduce.reduction import Reduced, reduced
from citadel.report.document import SCHEMA, write_json
from citadel.report.files import writable, write_atomically
from citadel.report.headline import headline
from citadel.report.literal import cell, say, table
from citadel.report.text import lines_of, plain
from citadel.selection import Wish

NOTHING_RUN = 3
REDUCED = ".reduced.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReduceRequest:
    """What `citadel reduce` was asked to do; `out` is where the reduced case goes."""

    case: Path
    out: Path | None
    runs: int
    seconds: float
    limits: Limits


def run_reduce(
    request: ReduceRequest, find_interpreter: Callable[[], Interpreter], wish: Wish
) -> int:
    """Reduce one case; the exit status.

    Raises:
        CitadelError: where the file is no case that fails on this build.
    """
    case = read_case(request.case)
    out = request.out or request.case.with_name(request.case.stem + REDUCED)
    if out.suffix != ".py":
        raise CitadelError(f"{out} is no name of a script", "name a file that ends in .py")
    writable(out)
    target = _target(case, find_interpreter(), wish)
    with target.session() as session:
        found = reduced(
            case.code,
            case.control,
            case.api,
            case.symptom,
            session,
            request.limits,
            runs=request.runs,
            seconds=request.seconds,
        )
    console = Console()
    before, after = lines_of(case.code), lines_of(found.code)
    if found.code.strip() == case.code.strip():
        say(console, f"as small as it gets: {before} lines, {found.runs} runs")
        return 0
    _write(out, case, found, target)
    for line in found.code.rstrip().splitlines():
        console.print(cell(console, line), soft_wrap=True)
    console.print()
    say(console, f"{before} lines -> {after}, {found.runs} runs; in {out}")
    return 0


def _target(case: CaseFile, interpreter: Interpreter, wish: Wish) -> Target:
    return interpreter.target(wish.framework or case.framework, wish.backend)


def _write(out: Path, case: CaseFile, found: Reduced, target: Target) -> None:
    """Write the reduced case, its control, and its record, which is that of the case."""
    build = f"{target.info.framework} {target.info.version}"
    head = f"# Reduced by Citadel from {case.path.name}, on {build}.\n"
    head += f"#\n# Shows:    {plain(case.api)}\n\n"
    write_atomically(out, head + found.code)
    write_atomically(out.with_suffix(".json"), case.path.with_suffix(".json").read_text("utf-8"))
    good = out.with_name(out.stem + CONTROL)
    if not found.control:
        good.unlink(missing_ok=True)  # of an earlier run
    else:
        control = f"# The control of {out.name}, which runs through.\n\n"
        write_atomically(good, control + found.control)


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectRequest:
    """What `citadel bisect` was asked to do; `install` are requirements of releases to be had."""

    case: Path
    pythons: tuple[str, ...]
    install: tuple[str, ...]
    json: str | None
    no_sandbox: bool
    limits: Limits


def run_bisect(request: BisectRequest, wish: Wish, progress: Progress) -> int:
    """Run one case on several builds; the exit status.

    Raises:
        CitadelError: where the file is no case, there is no interpreter, or one has not its
            framework.
    """
    case = read_case(request.case)
    wanted = [one for given in request.install for one in requirements(given)]
    if not request.pythons and not wanted:
        raise CitadelError(
            "no release to run it on", "name interpreters with --python, or releases with --install"
        )
    if not case.fails:
        raise CitadelError(
            f"{case.path.name} does not fail by itself", "of what it prints nothing can be said"
        )
    writable(request.json)

    def opened(python: str) -> Target:
        return _target(case, Interpreter(python, no_sandbox=request.no_sandbox), wish)

    targets = [(python, opened(python)) for python in request.pythons]
    for requirement in wanted:
        made = installed(requirement, progress.note)
        if made is not None:
            try:
                targets.append((made, opened(made)))
            except CitadelError as problem:
                progress.note(f"{requirement} does not work: {problem.message}")
    if not targets:
        raise CitadelError("no release could be installed", "see above, or name interpreters")
    targets.sort(key=lambda one: release_order(one[1].info.version))
    builds: list[tuple[str, Place]] = []
    with progress:
        for number, (python, target) in enumerate(targets):
            progress.update("builds", number, len(targets))
            with target.session() as session:
                place = at(target.info.version, case.script, session, request.limits)
            builds.append((python, place))
    if request.json is not None:
        write_json(_record(case, builds), request.json)
    if request.json != "-":
        _render(Console(), case, builds)
    told = {State.BAD, State.GOOD} & {place.state for _, place in builds}
    return 0 if told else NOTHING_RUN


def _record(case: CaseFile, builds: Sequence[tuple[str, Place]]) -> dict[str, object]:
    rows = [
        {
            "python": python,
            "version": place.name,
            "state": str(place.state),
            "seen": place.seen,
        }
        for python, place in builds
    ]
    return {
        "schema": SCHEMA,
        "case": str(case.path),
        "api": case.api,
        "framework": case.framework,
        "builds": rows,
        "change": turns([place for _, place in builds]),
    }


def _render(console: Console, case: CaseFile, builds: Sequence[tuple[str, Place]]) -> None:
    say(console, f"{case.api}: {headline(case.symptom, 160)}")
    console.print()
    rows = table(case.framework, "", "what is seen")
    for _, place in builds:
        rows.add_row(place.name, str(place.state), cell(console, place.seen))
    console.print(rows)
    console.print()
    say(console, turns([place for _, place in builds]))
