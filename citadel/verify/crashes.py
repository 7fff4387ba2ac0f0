"""Where a crash is: the case runs once more, and its native stack is printed.

In: a symptom and the code that showed it. Out: the symptom with the innermost native functions.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.model import Symptom, SymptomKind
from citadel.oracle.frames import top_frames
from citadel.verify.verified import Verified

MOST_SECONDS = 10.0
"""What prints a stack may wait forever for a lock that the dying code holds."""
NAMES_SECONDS = 2.0
"""A name can stand for one of any length."""
MOST_NAMES = 100
MOST_NAME = 4000
_MANGLED = re.compile(r"(?<=: )_Z\w{1,2000}(?= \+ 0x0$)", re.MULTILINE)


def located(symptom: Symptom, code: str, traced: str, session: Session, limits: Limits) -> Symptom:
    """A crash with its frames; as it is where it does not crash again, or nothing is told.

    What reads out of bounds does not always die of it; traced, memory is laid out otherwise.
    """
    if symptom.kind is not SymptomKind.CRASHES:
        return symptom
    limits = replace(limits, wall=min(limits.wall, MOST_SECONDS))
    for text in (None, traced):
        mark = secrets.token_hex()  # the case prints what it likes, but not this
        seen = session.run(
            code, traced=text, limits=limits, entry="postmortem:run", arguments={"mark": mark}
        )
        if seen.outcome is Outcome.TIMEOUT:
            break  # so would be every further one
        if seen.outcome is not Outcome.SIGNAL:
            continue
        stack = seen.stderr.rpartition(f"{mark}\n")[2] if mark in seen.stderr else ""
        frames = top_frames(_readable(stack, session).splitlines())
        if frames:
            return replace(symptom, frames=frames)
    return symptom


def located_case(found: Verified, session: Session, limits: Limits) -> Verified:
    """A case whose symptom has frames, where it is a crash that shows here, in the call itself.

    What fails when a result is used dies where that is used.
    """
    case = found.case
    if not case.reproduces or found.deferred:
        return found
    symptom = located(case.symptom, case.code, found.source.traced, session, limits)
    return replace(found, case=replace(case, symptom=symptom))


def _readable(stack: str, session: Session) -> str:
    """A stack with the names of C++ in the place of the linker's; the others tell nothing."""
    names = list(dict.fromkeys(_MANGLED.findall(stack)))[:MOST_NAMES]
    if not names:
        return stack
    told = session.task("postmortem:readable", {"names": names}, wall=NAMES_SECONDS)
    found = {str(one.get("name")): str(one.get("readable") or "") for one in told.records}
    return _MANGLED.sub(lambda name: found.get(name[0], name[0])[:MOST_NAME], stack)
