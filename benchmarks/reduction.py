"""How small generated cases get in the time that a triage gives to the one it shows first.

usage: python -m benchmarks.reduction PATH... --python PYTHON

PATH is a case, a folder of cases or the store of a hunt. Each case that fails by itself, and
crashes or has a control, is reduced (5 s, 400 runs at most). Then it is run once more, as
`citadel recheck` does: does it still show what is recorded of it, and its control not? Printed are
lines before and after (without comments and empty ones), seconds, and that answer, by kind.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from analysis.errors import CitadelError
from analysis.target.session import Limits, Session
from analysis.target.target import Interpreter
from citadel.casefile import CaseFile
from citadel.commands.rechecking import cases_of
from citadel.elsewhere import at
from citadel.model import SymptomKind
from citadel.places import State
from citadel.reduce.reduction import reduced
from citadel.report.text import lines_of

LIMITS = Limits(wall=30.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One case: its lines before and after, the seconds, and whether it shows the same."""

    kind: str
    before: int
    after: int
    seconds: float
    same: bool


def main() -> None:
    """Print a row per case, and the medians by kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--python", required=True)
    parser.add_argument("--most", type=int, default=40, help="cases, evenly chosen")
    given = parser.parse_args()
    every = [case for path in given.paths for case, _, _ in cases_of(path)]
    found = [one for one in every if one.fails and (one.control or _crashes(one))]
    interpreter = Interpreter(given.python)
    cases = [one for one in found if one.framework in interpreter.frameworks]
    rows: list[Row] = []
    for case in cases[:: max(1, len(cases) // given.most)][: given.most]:
        with interpreter.target(case.framework).session() as session:
            try:
                row = _row(case, session)
            except CitadelError as problem:
                print(f"{case.api}: {problem}")
                continue
        rows.append(row)
        told = "the same" if row.same else "ANOTHER SYMPTOM"
        print(f"{case.api} ({row.kind}): {row.before} -> {row.after}, {row.seconds:.1f} s, {told}")
    for kind in sorted({one.kind for one in rows}):
        _print(kind, [one for one in rows if one.kind == kind])
    _print("all", rows)


def _crashes(case: CaseFile) -> bool:
    return case.symptom.kind is SymptomKind.CRASHES


def _row(case: CaseFile, session: Session) -> Row:
    started = time.monotonic()
    found = reduced(case.code, case.control, case.api, case.symptom, session, LIMITS)
    took = time.monotonic() - started
    script = replace(case.script, code=found.code, control=found.control)
    place = at("again", script, session, LIMITS)
    kind, lines = str(case.symptom.kind), (lines_of(case.code), lines_of(found.code))
    return Row(kind, *lines, took, place.state is State.BAD)


def _print(kind: str, rows: Sequence[Row]) -> None:
    if rows:
        lines = (median(one.before for one in rows), median(one.after for one in rows))
        took, same = median(one.seconds for one in rows), sum(one.same for one in rows)
        print(
            f"{kind:12} {len(rows):3} cases, median lines {lines[0]:g} -> {lines[1]:g}, "
            f"median {took:.1f} s, {same} show the same"
        )


if __name__ == "__main__":
    main()
