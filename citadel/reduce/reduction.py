"""Reduces a case: as small as it gets while it shows the same, and its control runs through.

In: a script that fails by itself, its control if there is one, and a session. Out: both, smaller.
It is greedy, and the same each time (A. Zeller, R. Hildebrandt: Simplifying and Isolating
Failure-Inducing Input, 2002).
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

import libcst as cst

from analysis.errors import CitadelError
from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status
from citadel.oracle.alone import run_alone
from citadel.reduce.edits import KINDS, Script

MOST_RUNS = 400
SECONDS = 5.0
CONFIRMING = 3
"""Runs at the end: a reduced case that shows it in some of them only is no case."""
_ERRORS = re.compile(r"\b[A-Za-z_]\w*(?:Error|Exception)\b")


@dataclass(frozen=True, slots=True)
class Reduced:
    """A case and its control ("" for none), and the runs that it took."""

    code: str
    control: str
    runs: int


def reduced(
    code: str,
    control: str,
    api: str,
    symptom: Symptom,
    session: Session,
    limits: Limits,
    *,
    runs: int = MOST_RUNS,
    seconds: float = SECONDS,
) -> Reduced:
    """The case and its control without what they do not need; as they are where that is nothing.

    Args:
        code: a script that fails by itself.
        control: one that is nearly the same, and runs through; "" for none.
        api: the API that has to be called in it still.
        symptom: what it was seen to show.
        session: where it is run.
        limits: of one run.
        runs: most runs, of the case and of the control.
        seconds: most time.

    Raises:
        CitadelError: where the case does not fail, or its control does, or an exception is all
            that it shows and there is no control.
    """
    try:
        trees = [cst.parse_module(one) for one in (code, control) if one]
    except cst.ParserSyntaxError as problem:
        raise CitadelError("the case is no Python", "pass a generated case") from problem
    limits = replace(limits, wall=min(limits.wall, seconds))
    leaf, deadline = api.rpartition(".")[2], time.monotonic() + seconds
    work = _Work(session, limits, leaf, symptom, runs, deadline)
    wanted = work.shown(code)
    if wanted is None:
        raise CitadelError(
            "the case does not fail", "a case to reduce fails while the bug is there"
        )
    if wanted.raises and not control:
        raise CitadelError(
            "the case has no control",
            "without one nothing tells whether a smaller case is a call that should work",
        )
    if control and not work.goes_well(control):
        raise CitadelError("the control fails, too", "a control runs through")
    found = list(map(_spaced, work.smallest(trees, wanted)))
    texts = [one.code for one in found]
    small, good = texts[0], texts[-1] if control else ""
    again = [work.shown(small) for _ in range(CONFIRMING)]
    if any(one != wanted for one in again) or (good and not work.goes_well(good)):
        return Reduced(code, control, work.made)
    return Reduced(small.lstrip("\n"), good.lstrip("\n"), work.made)


def _spaced(module: cst.Module) -> cst.Module:
    """A script with an empty line behind its imports, and none at its ends."""
    body = list(module.body)
    imports = takewhile(_imports, body)
    at = sum(1 for _ in imports)
    if 0 < at < len(body) and not body[at].leading_lines:
        body[at] = body[at].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return module.with_changes(body=body, footer=[])


def _imports(one: cst.BaseStatement) -> bool:
    names = (cst.Import, cst.ImportFrom)
    return isinstance(one, cst.SimpleStatementLine) and isinstance(one.body[0], names)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a case shows: how it ends, at which check, and the exceptions that it prints."""

    pattern: str
    check: str
    told: frozenset[str]
    raises: bool


@dataclass
class _Work:
    """Tries edits on a case and its control, within limits."""

    session: Session
    limits: Limits
    leaf: str
    symptom: Symptom
    runs: int
    deadline: float
    made: int = 0
    _known: dict[str, bool] = field(default_factory=dict)

    def smallest(self, trees: list[cst.Module], wanted: _Shown) -> list[cst.Module]:
        """The scripts after all edits that keep what they show, until none does."""
        before: list[cst.Module] = []
        while before is not trees and self._time:
            before = trees
            for kind in range(KINDS):
                trees = self._reduced_by(kind, trees, wanted)
        return trees

    def _reduced_by(self, kind: int, trees: list[cst.Module], wanted: _Shown) -> list[cst.Module]:
        """The scripts after one kind of edits; after each that holds they are listed anew."""
        done = 0
        while self._time:
            for edit in islice(Script(trees[0], self.leaf).edits()[kind], done, None):
                if not self._time:
                    return trees
                tried = [edit.applied(one) for one in trees]
                new = [one for one in tried if one is not None]
                changed = len(new) == len(trees) and new[0].code != trees[0].code
                if changed and self._holds(new, wanted):
                    trees = new
                    break
                done += 1
            else:
                break
        return trees

    @property
    def _time(self) -> bool:
        return self.made < self.runs and time.monotonic() < self.deadline

    def _holds(self, trees: list[cst.Module], wanted: _Shown) -> bool:
        """Whether the case shows the same, and its control runs through; each is tried once."""
        texts = [one.code for one in trees]
        key = "\0".join(texts)
        if key not in self._known:
            well = bool(Script(trees[0], self.leaf).calls) and all(
                _parses(one) and wanted.check in one for one in texts
            )
            well = well and self.shown(texts[0]) == wanted
            self._known[key] = well and all(map(self.goes_well, texts[1:]))
        return self._known[key]

    def shown(self, code: str) -> _Shown | None:
        """What a script shows; None where it runs through."""
        self.made += 1
        seen = run_alone(code, self.symptom, self.session, self.limits)
        symptom = status.capture(seen)
        if symptom is None or seen.outcome is Outcome.OK:
            return None
        return _Shown(
            _pattern(symptom),
            status.asserted_at(code, seen),
            frozenset(_ERRORS.findall(seen.stdout)),
            symptom.kind is SymptomKind.RAISES,
        )

    def goes_well(self, code: str) -> bool:
        """Whether a script runs through."""
        self.made += 1
        return run_alone(code, self.symptom, self.session, self.limits).outcome is Outcome.OK


def _pattern(symptom: Symptom) -> str:
    """What a failure is compared by; an assertion's message tells numbers, its place tells more."""
    words = "" if symptom.exception == "AssertionError" else symptom.pattern or ""
    return "|".join((str(symptom.kind), symptom.exception or "", symptom.signal or "", words))


def _parses(code: str) -> bool:
    try:
        cst.parse_module(code)
    except cst.ParserSyntaxError:
        return False
    return True
