"""Value oracles of runs that are made up: from a text and what its expressions came to."""

import math
from textwrap import dedent

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Observation, Outcome, Raised, Seen
from analysis.values import Numbers, Value
from citadel.oracle.capture import capture
from citadel.oracle.value import shows, values_of
from harvest.report.model import Report
from harvest.report.understand import understand

NAN, INF = math.nan, math.inf


def value(thing):
    """What the run of a case records of a plain value, None, or a list of numbers as a tensor."""
    if isinstance(thing, Value):
        return thing
    if isinstance(thing, list):
        bad = [n for n in thing if not math.isfinite(n)]
        held = Numbers(
            count=len(thing),
            nan=sum(map(math.isnan, bad)),
            inf=sum(n == math.inf for n in bad),
            low=0.0,
            high=0.0,
            few=tuple(thing),
        )
        return Value(kind="tensor", dtype="float32", shape=(len(thing),), numbers=held)
    return Value(kind="none" if thing is None else type(thing).__name__, text=repr(thing))


def holding(code, *events, **more):
    """The first oracle that holds: (its places, kind); `events` as in `first`."""
    points, oracle = first(code, *events, **more)
    places = None if oracle is None else [points[spot.point].text for spot in oracle.spots]
    return None if oracle is None else (places, str(oracle.kind))


def first(code, *events, title="wrong result", text="", stdout="", asserts=False, calls=()):
    """The points of a code, and the first oracle that holds, if any; `events` are (text of a point,
    value), in order."""
    code = dedent(code).strip()
    points = watched(instrument(code)).points
    numbers = {point.text: point.number for point in reversed(points)}
    told, seen = {}, []
    for name, thing in events:
        occurrence = told[name] = told.get(name, 0) + 1
        seen.append(Seen(point=numbers[name], occurrence=occurrence, value=value(thing)))
    raised = Raised(types=("AssertionError",), message="") if asserts else None
    outcome = Outcome.EXCEPTION if asserts else Outcome.OK
    run = Observation(
        outcome=outcome, exception=raised, seen=tuple(seen), stdout=stdout, calls=tuple(calls)
    )
    body = f"{text}\n\n```python\n{code}\n```\n"
    reading = understand(Report(source="r.md", title=title, body=body))
    for oracle in capture(points, run, reading):
        if shows(oracle, run, values_of(run)):
            return points, oracle
    return points, None
