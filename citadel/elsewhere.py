"""Where else a case fails: run in other ways, on other backends, on other builds. Runs tell.

In: a script that fails by itself, its control if there is one, and a session. Out: a `Place`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.target.frameworks import FRAMEWORKS
from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.model import Symptom
from citadel.oracle import status
from citadel.oracle.alone import run_alone
from citadel.places import Place, State
from citadel.report.headline import headline, is_measured

SECONDS = 40.0
"""Most time for all ways to run a case."""
_GONE = ("AttributeError", "ImportError", "ModuleNotFoundError")
"""How Python says that there is no such name."""
_COMPILED = "compiled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A case: `control` is "" where there is none; `api` and what the case shows."""

    code: str
    control: str
    api: str
    symptom: Symptom


def at(name: str, script: Script, session: Session, limits: Limits) -> Place:
    """Run a case in a session, and its control where that matters. Of a case that measures, two of
    three runs have to agree.

    Raises:
        CitadelError: when the interpreter cannot be started at all.
    """
    found = _once(name, script, session, limits)
    if not is_measured(script.symptom):
        return found
    second = _once(name, script, session, limits)
    if second.state is found.state:
        return found
    third = _once(name, script, session, limits)
    agreed = next((one for one in (found, second) if one.state is third.state), None)
    return agreed or Place(name, State.UNSURE, "three runs come to three ends")


def _once(name: str, script: Script, session: Session, limits: Limits) -> Place:
    seen = run_alone(script.code, script.symptom, session, limits)
    if not _is_shown(script, seen):
        return _told(name, script, seen)
    if script.control:
        well = run_alone(script.control, script.symptom, session, limits)
        if well.outcome is not Outcome.OK:
            return Place(name, State.UNSURE, _words(seen))
    return Place(name, State.BAD, _words(seen))


def in_ways(
    script: Script, names: Sequence[str], framework: str, session: Session, limits: Limits
) -> Iterator[Place]:
    """Run a case eagerly, and compiled in each way that its framework has; `names` are those under
    which its API can be called: these calls are compiled where the case compiles nothing itself.
    What compiles nothing then either, or takes too long, is left out.

    Raises:
        CitadelError: when the interpreter cannot be started at all.
    """
    deadline = time.monotonic() + SECONDS
    compiles = False

    def run(code: str, way: str) -> Observation | None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        within = replace(limits, wall=min(limits.wall, left))
        arguments = {"way": way, "names": [] if compiles else list(names)}
        seen = session.run(code, entry="compiling:run", arguments=arguments, limits=within)
        return None if seen.outcome is Outcome.TIMEOUT else seen

    plain, *_ = ways = FRAMEWORKS[framework].ways
    for way in ways:
        seen = run(script.code, way)
        if seen is None:
            continue
        compiled = any(one.get("e") == _COMPILED for one in seen.extra)
        if way == plain:
            compiles = compiled  # by the case itself: this way compiles no calls
        elif not compiled:
            continue
        if not _is_shown(script, seen):
            yield _told(way, script, seen)
        elif not script.control:
            yield Place(way, State.BAD, _words(seen))
        elif (well := run(script.control, way)) is not None:
            state = State.BAD if well.outcome is Outcome.OK else State.UNSURE
            yield Place(way, state, _words(seen))


def _is_shown(script: Script, seen: Observation) -> bool:
    """Whether a run ends as the case was seen to end, or by a check of its own."""
    found = status.capture(seen)
    return found is not None and (
        bool(status.asserted_at(script.code, seen)) or status.matches(script.symptom, found)
    )


def _told(name: str, script: Script, seen: Observation) -> Place:
    """What a run that does not show the bug says."""
    if seen.outcome is Outcome.OK:
        return Place(name, State.GOOD, "runs through")
    found = status.capture(seen)
    if found is not None:
        leaf = script.api.rpartition(".")[2]
        gone = found.exception in _GONE and leaf in (found.message or "")
        if gone or status.unavailable(found):
            return Place(name, State.LACKS, _words(seen))
    return Place(name, State.OTHERWISE, _words(seen))


def _words(seen: Observation) -> str:
    found = status.capture(seen)
    return str(seen.outcome) if found is None else headline(found, 160).removesuffix(":")
