"""Apply plans in value space: which APIs show the symptom on the failing call's live arguments?

In: plans in ranking order. Out: hits, as they come. The probe proposes; only the replay of the
generated case makes a finding.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from analysis.target.observation import Observation, Raised, signal_name
from analysis.target.session import Limits, Session
from analysis.values import Value
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status
from citadel.oracle.metering import alone
from citadel.plan.model import Adaptation, Fill
from citadel.propagate.unforked import OnEvent, one_by_one
from citadel.verify.verified import Verified

ATTEMPT_SECONDS = 2.0
MOST_SECONDS = 20.0
GPU_SECONDS = 10.0
"""At least so long where attempts run on a GPU: the first one of its kind loads libraries."""
AS_LONG = 4.0
"""Times as long as the report's own call, or its code, that an attempt may take: slowness may be
the bug."""


class ProbeOutcome(StrEnum):
    """What one attempt came to."""

    HIT = "hit"
    CLEAN = "clean"
    OTHER = "other"
    NOT_ADAPTED = "not_adapted"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One plan, tried; `number` is its place among those that were given."""

    number: int
    plan: Adaptation
    outcome: ProbeOutcome
    symptom: Symptom | None


def probe(
    verified: Verified,
    plans: Sequence[Adaptation],
    session: Session,
    *,
    seconds: float,
    limits: Limits,
    on_attempt: Callable[[Attempt], None],
    every: bool = False,
) -> Observation:
    """Try all plans at the failing call; `on_attempt` is called as results arrive.

    A plan that settles what an API does spares the API's others, unless `every` one is wanted.
    """
    wanted, result = verified.case.symptom, verified.call.result
    outputs = 0 if result is None else _outputs(result.value)
    on_gpu = verified.observation.on_gpu
    groups = [str(i) if every else _group(plan) for i, plan in enumerate(plans)]
    settled: set[str] = set()

    def told(event: dict[str, Any]) -> None:
        index = event.get("i")
        if event.get("e") == "probe" and type(index) is int and 0 <= index < len(plans):
            try:
                plan = _shaped(plans[index], event.get("taken"), outputs)
                attempt = _attempt(index, plan, event, wanted, verified.case.api)
            except (KeyError, TypeError, ValueError):
                return  # the case has written to the pipe of events itself
            if attempt.outcome is ProbeOutcome.HIT or event.get("o") == "timeout":
                settled.add(groups[index])
            on_attempt(attempt)

    def run(start: int, deadline: float, on_event: OnEvent) -> Observation:
        # What has hit, or takes too long, need not take another process with it.
        left = [i for i in range(start, len(plans)) if groups[i] not in settled]
        # Nobody computes on a GPU while something is measured there.
        with alone(gpu=on_gpu and verified.measured is not None):
            total = max(0.0, deadline - time.monotonic())
            given = {
                "site": verified.call.site,
                "occurrence": verified.call.occurrence,
                "plans": [[i, groups[i], plans[i].to_json()] for i in left],
                "wanted": _coarse(wanted),
                "outputs": outputs,
                "total": total,
            }
            return session.run(
                verified.case.code,
                traced=verified.source.traced,
                limits=Limits(wall=limits.wall + total, memory=limits.memory),
                entry="probe_unforked:run" if on_gpu else "probe:run",
                arguments=given | _walls(verified),
                on_event=on_event,
            )

    deadline = time.monotonic() + seconds
    return one_by_one(run, len(plans), told, deadline) if on_gpu else run(0, deadline, told)


def _walls(verified: Verified) -> dict[str, Any]:
    """How long attempts may take, and whether they go on to the end of the case."""
    own = attempt_seconds(verified.call.seconds)
    if verified.observation.on_gpu:
        return {"wall": max(GPU_SECONDS, own)}
    return {
        "onward": may_show_later(verified),
        "wall": own,
        "onward_wall": attempt_seconds(verified.observation.wall),
    }


def _outputs(value: Value) -> int:
    """As how many tensors a result comes: 0 where it is none, or has others in it."""
    if value.is_tensor:
        return 1
    items = value.items or ()
    return len(items) if len(items) > 1 and all(one.is_tensor for one in items) else 0


def _shaped(plan: Adaptation, taken: object, outputs: int) -> Adaptation:
    if taken == "first":
        return plan.first()
    if taken == "reduced" and plan.reduce:
        return plan.reduced()
    return plan.spread(outputs) if taken == "spread" else plan


def _group(plan: Adaptation) -> str:
    """Plans of which one that runs settles all: one API with one choice of what is filled."""
    given = (slot.value for slot in (*plan.new, *plan.call))
    filled = (one.text for one in given if isinstance(one, Fill) and not one.tensor)
    return " ".join((plan.target, *filled))


def attempt_seconds(own: float) -> float:
    """How long one attempt may take, in seconds, where the report's own call took what it took, or
    its whole case where an attempt goes on to its end."""
    return min(MOST_SECONDS, max(ATTEMPT_SECONDS, AS_LONG * own))


def may_show_later(verified: Verified) -> bool:
    """Whether what went wrong shows when the result is used: as a crash that this build no longer
    shows may have done."""
    case = verified.case
    gone = not case.reproduces and case.symptom.kind is SymptomKind.CRASHES
    return verified.deferred or gone


def _coarse(wanted: Symptom) -> str | int | None:
    """What the probe compares by: the signal's number or "timeout"; nothing for exceptions."""
    if wanted.kind is SymptomKind.RAISES:
        return None
    if wanted.kind is SymptomKind.HANGS:
        return "timeout"
    known = signal.Signals.__members__.get(wanted.signal or "")
    return None if known is None else int(known)


def _attempt(
    number: int, plan: Adaptation, event: dict[str, Any], wanted: Symptom, source: str
) -> Attempt:
    seen: Symptom | None = None
    how = event.get("o")
    if how == "raise":
        seen = status.of_raised(Raised.from_json(event))
    elif how == "signal":
        seen = status.crashes(signal_name(event["code"]))
    elif how == "timeout":
        seen = Symptom(kind=SymptomKind.HANGS)
    slow = how == "timeout" and wanted.kind is SymptomKind.SLOW
    if how == "ok" or slow:  # how long it takes is for a measurement to say
        outcome = ProbeOutcome.CLEAN
    elif how == "budget":
        outcome = ProbeOutcome.BUDGET
    elif how == "raise" and event.get("stage") == "adapt":
        outcome = ProbeOutcome.NOT_ADAPTED
    elif status.matches(wanted, seen, (source, plan.target), plan.renamed):
        outcome = ProbeOutcome.HIT
    elif seen is not None and status.refuses_arguments(seen):
        outcome = ProbeOutcome.NOT_ADAPTED
    else:
        outcome = ProbeOutcome.OTHER
    return Attempt(number=number, plan=plan, outcome=outcome, symptom=seen)
