"""What `citadel reduce` and `citadel bisect` do with generated cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.session import Limits
from analysis.target.target import Interpreter, Target
from citadel.casefile import CONTROL, CaseFile, Shown, State, read_case, shown_on
from citadel.commands.progress import Progress
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
    """What `citadel bisect` was asked to do."""

    case: Path
    pythons: tuple[str, ...]
    json: str | None
    no_sandbox: bool
    limits: Limits


@dataclass(frozen=True, slots=True)
class Build:
    """A build, and what the case shows there."""

    python: str
    version: str
    shown: Shown


def run_bisect(request: BisectRequest, wish: Wish, progress: Progress) -> int:
    """Run one case on several builds; the exit status.

    Raises:
        CitadelError: where the file is no case, or an interpreter has not its framework.
    """
    case = read_case(request.case)
    if not case.fails:
        raise CitadelError(
            f"{case.path.name} does not fail by itself", "of what it prints nothing can be said"
        )
    writable(request.json)
    targets = []
    for python in request.pythons:
        found = _target(case, Interpreter(python, no_sandbox=request.no_sandbox), wish)
        targets.append((python, found))
    targets.sort(key=lambda one: _order(one[1].info.version))
    builds: list[Build] = []
    with progress:
        for number, (python, target) in enumerate(targets):
            progress.update("builds", number, len(targets))
            with target.session() as session:
                shown = shown_on(case, session, request.limits)
            builds.append(Build(python, target.info.version, shown))
    if request.json is not None:
        write_json(_record(case, builds), request.json)
    if request.json != "-":
        _render(Console(), case, builds)
    told = {State.BAD, State.GOOD} & {one.shown.state for one in builds}
    return 0 if told else NOTHING_RUN


def _order(version: str) -> tuple[tuple[int, ...], bool]:
    """Versions in their order: 1.13.1 before 2.9, and what comes before a release before it.

    >>> _order("2.13.0rc1") < _order("2.13.0+cpu") and _order("2.9.1") < _order("2.13.0.dev1")
    True
    """
    release = re.match(r"[\d.]*\d", version)
    numbers = release[0] if release else "0"
    return tuple(map(int, numbers.split("."))), re.search(r"\d(rc|a|b|\.dev)", version) is None


def change(builds: Sequence[Build]) -> str:
    """Between which releases it became wrong, or right; of builds in their order."""
    told = [one for one in builds if one.shown.state in (State.BAD, State.GOOD)]
    if not told:
        return "no build says whether the bug is there"
    turns = [
        f"{'first bad' if new.shown.state is State.BAD else 'first good'}: {new.version}"
        f" ({old.shown.state} in {old.version})"
        for old, new in pairwise(told)
        if new.shown.state is not old.shown.state
    ]
    return "; ".join(turns) or f"{told[0].shown.state} in {', '.join(one.version for one in told)}"


def _record(case: CaseFile, builds: Sequence[Build]) -> dict[str, object]:
    rows = [
        {
            "python": one.python,
            "version": one.version,
            "state": str(one.shown.state),
            "seen": one.shown.seen,
        }
        for one in builds
    ]
    return {
        "schema": SCHEMA,
        "case": str(case.path),
        "api": case.api,
        "framework": case.framework,
        "builds": rows,
        "change": change(builds),
    }


def _render(console: Console, case: CaseFile, builds: Sequence[Build]) -> None:
    say(console, f"{case.api}: {headline(case.symptom, 160)}")
    console.print()
    rows = table(case.framework, "", "what is seen")
    for one in builds:
        rows.add_row(one.version, str(one.shown.state), cell(console, one.shown.seen))
    console.print(rows)
    console.print()
    say(console, change(builds))
