"""What verification yields: a case with its run, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.catalog.model import Api
from analysis.target.instrument import Instrumented
from analysis.target.observation import Call, Observation, Outcome
from citadel.model import BugCase, Symptom, SymptomKind
from citadel.oracle import status
from citadel.verify.performance import Measured
from citadel.verify.witness import Witness
from harvest.report.model import Snippet
from harvest.report.text import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A call is refused which returns in another way, that should make no difference: for tensors
    with the attribute and the value that `way` has, or in a function that is compiled (None)."""

    refusal: Symptom
    way: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A case and what the stages after it need to know about its run."""

    case: BugCase
    api: Api
    call: Call
    observation: Observation
    source: Instrumented
    runs_on: str = ""
    """The other backend that runs what fails here, where the report speaks of one."""
    caught: bool = False
    """Whether the case itself catches the exception: then only the trace shows it."""
    witness: Witness | None = None
    """What shows a value bug, where this is one."""
    measured: Measured | None = None
    """What shows a performance bug, where this is one."""
    contradiction: Contradiction | None = None
    """Where the bug is that `call` is refused, and in another way is not."""
    contrast: Verified | None = None
    """The same bug as such a contradiction, where the report's words tell it otherwise."""

    @property
    def late(self) -> bool:
        """Whether it is a crash that only a run shows which is not traced."""
        crashes = self.case.symptom.kind is SymptomKind.CRASHES
        ended = self.observation.outcome is Outcome.OK
        return crashes and self.case.reproduces and ended and not self.shown

    @property
    def shown(self) -> bool:
        """Whether values or measurements show the bug, rather than how a run ends."""
        return self.witness is not None or self.measured is not None

    @property
    def tells(self) -> bool:
        """Whether there is something by which siblings can be judged."""
        return self.witness is None or self.witness.tells

    @property
    def deferred(self) -> bool:
        """Whether the blamed call itself returned, and its result did the damage."""
        return self.call.result is not None and not self.shown


@dataclass(frozen=True, slots=True, kw_only=True)
class NotVerified:
    """Why a report yields no case."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One snippet, run: what its outcome shows, in `hits` of `runs`."""

    snippet: Snippet
    source: Instrumented
    traced: Observation
    symptom: Symptom | None
    hits: int
    runs: int
    caught: Call | None = None

    @property
    def late(self) -> bool:
        """Whether the process dies of what a call has done to its memory, after the text's end.

        While the case is traced nothing is freed, and it lives.
        """
        crashed = self.symptom is not None and self.symptom.kind is SymptomKind.CRASHES
        return crashed and self.traced.outcome is Outcome.OK


def evidence(
    wanted: Symptom | None, seen: Symptom | None, snippet: Snippet, call: Call
) -> tuple[str, ...]:
    """What speaks for a case: what ran, whom the trace blames, what the report has instead."""
    lines = [f"ran {snippet.origin}", f"trace blames {call.name} (call {call.number})"]
    lines += [f"repaired: {repair}" for repair in snippet.repairs]
    if wanted is not None and not status.matches(wanted, seen):
        lines.append(f"the report recorded: {shorten(wanted.headline())}")
    return tuple(lines)
