"""What `citadel recheck` does: run cases that were found before on another build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.session import Limits
from analysis.target.target import Interpreter
from citadel.casefile import CONTROL, CaseFile, read_case
from citadel.commands.casework import NOTHING_RUN, REDUCED
from citadel.commands.progress import Progress
from citadel.elsewhere import at
from citadel.places import Place, State, release_order
from citadel.report.document import SCHEMA, write_json
from citadel.report.files import writable
from citadel.report.literal import cell, say, table
from citadel.report.text import counted
from citadel.selection import Wish
from citadel.store import labels, queries
from citadel.store.database import open_to_label, open_to_read
from citadel.store.details import FindingRow
from citadel.store.labels import LabelKind
from citadel.store.queries import Filter

TOLD = {
    State.BAD: "still there",
    State.GOOD: "fixed",
    State.OTHERWISE: "changed",
    State.LACKS: "no such API",
    State.UNSURE: "control fails, too",
}
"""What became of a finding."""
_EARLIER = "not there yet"
"""Of one that an older build than its own does not have."""
_OTHERS = frozenset(("test_family.py",))
"""Scripts beside the cases that are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckRequest:
    """What `citadel recheck` was asked to do; `mark`: fixed findings of a store get a label."""

    paths: tuple[Path, ...]
    mark: bool
    json: str | None
    limits: Limits


@dataclass(frozen=True, slots=True)
class Rechecked:
    """A case, and what it shows by now; `finding` is its id in the `store` that it is of."""

    case: CaseFile
    place: Place
    store: Path | None = None
    finding: str = ""

    @property
    def earlier(self) -> bool:
        """Whether the build is older than the one that it was found on, and does not have it."""
        found, here = self.case.version, self.place.name
        older = bool(found) and release_order(here) < release_order(found)
        return older and self.place.state is State.GOOD

    @property
    def now(self) -> str:
        """What became of it, for people."""
        return _EARLIER if self.earlier else TOLD[self.place.state]


def run_recheck(
    request: RecheckRequest,
    find_interpreter: Callable[[], Interpreter],
    wish: Wish,
    progress: Progress,
) -> int:
    """Run all cases on one build; the exit status.

    Raises:
        CitadelError: where a path has no cases, or the interpreter no framework of theirs.
    """
    writable(request.json)
    given = [one for path in request.paths for one in cases_of(path)]
    if request.mark and all(store is None for _, store, _ in given):
        raise CitadelError("nothing to mark", "--mark labels the findings of a store")
    found = [one for one in given if one[0].fails]
    interpreter = find_interpreter()
    cases = [one for one in found if one[0].framework in interpreter.frameworks]
    if found and not cases:
        names = " and ".join(sorted({case.framework for case, _, _ in found}))
        raise CitadelError(
            f"the cases are of {names}, the interpreter has {', '.join(interpreter.frameworks)}",
            "name another interpreter with --python",
        )
    if not cases:
        raise CitadelError(
            "no case that fails by itself",
            "name a case, a folder of generated cases, or the store of a hunt",
        )
    done: list[Rechecked] = []
    versions: dict[str, str] = {}
    with progress:
        for framework in dict.fromkeys(case.framework for case, _, _ in cases):
            target = interpreter.target(framework, wish.backend)
            versions[framework] = target.info.version
            with target.session() as session:
                for case, store, finding in cases:
                    if case.framework == framework:
                        progress.update("cases", len(done), len(cases))
                        place = at(versions[framework], case.script, session, request.limits)
                        done.append(Rechecked(case, place, store, finding))
    marked = _marked(done, versions) if request.mark else 0
    if request.json is not None:
        write_json(_record(done, versions), request.json)
    if request.json != "-":
        _render(Console(), done, versions, len(given) - len(cases), marked)
    told = (State.BAD, State.GOOD, State.OTHERWISE)
    return 0 if any(one.place.state in told for one in done) else NOTHING_RUN


def cases_of(path: Path) -> Iterator[tuple[CaseFile, Path | None, str]]:
    """The cases of a path, each with its store and its id there.

    Raises:
        CitadelError: where it is neither a case, nor a folder, nor a store.
    """
    if path.suffix == ".py":
        yield read_case(path), None, ""
    elif path.is_dir():
        for script in sorted(path.rglob("*.py")):
            if script.name in _OTHERS or script.name.endswith((CONTROL, REDUCED)):
                continue
            case = _known(script)
            if case is not None:
                yield case, None, ""
    elif not path.exists():
        raise CitadelError(f"{path}: no such file or folder", "check the path")
    elif path.suffix in (".md", ".json", ".txt"):
        raise CitadelError(f"{path} has no cases", "name a case, a folder of these, or a store")
    else:
        for row in _findings(path):
            case = None if row.file is None else _known(Path(row.file))
            if case is not None:
                yield case, path, row.id


def _known(script: Path) -> CaseFile | None:
    """A case; None for what is none, or has lost its record."""
    try:
        return read_case(script)
    except CitadelError:
        return None


def _findings(path: Path) -> Sequence[FindingRow]:
    with open_to_read(path) as store:
        return queries.findings(store, Filter(), queries.latest_builds(store))


def _marked(done: Sequence[Rechecked], versions: dict[str, str]) -> int:
    """How many findings got the label of being fixed in this version."""
    good = (one for one in done if one.place.state is State.GOOD and not one.earlier)
    fixed = [one for one in good if one.finding]
    for path in dict.fromkeys(one.store for one in fixed if one.store is not None):
        with open_to_label(path) as store:
            for one in fixed:
                if one.store == path:
                    version = versions[one.case.framework]
                    labels.add(store, one.finding, LabelKind.FIXED_IN, version, "runs through")
    return len(fixed)


def _record(done: Sequence[Rechecked], versions: dict[str, str]) -> dict[str, object]:
    rows = [
        {
            "api": one.case.api,
            "file": str(one.case.path),
            "finding": one.finding or None,
            "state": str(one.place.state),
            "now": one.now,
            "seen": one.place.seen,
        }
        for one in done
    ]
    return {"schema": SCHEMA, "versions": versions, "cases": rows}


def _render(
    console: Console, done: Sequence[Rechecked], versions: dict[str, str], left: int, marked: int
) -> None:
    rows = table("API", "now", "what is seen")
    for one in done:
        if one.place.state is not State.BAD:
            rows.add_row(
                cell(console, one.case.api),
                one.now,
                cell(console, one.place.seen),
            )
    if rows.row_count:
        console.print(rows)
        console.print()
    counts = Counter(one.now for one in done)
    builds = ", ".join(f"{name} {version}" for name, version in versions.items())
    told = ", ".join(
        f"{name} {counts[name]}" for name in (*TOLD.values(), _EARLIER) if counts[name]
    )
    say(console, f"{counted(len(done), 'case')} on {builds}: {told}")
    if marked:
        say(console, f"{counted(marked, 'finding')} marked as fixed")
    if left:
        say(console, f"passed over, as no test or of another framework: {counted(left, 'case')}")
