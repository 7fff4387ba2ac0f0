"""What is known of why a case fails, and of whether a finding is the same bug."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from analysis.values import Value


class Under(StrEnum):
    """What a case shows with some of its call's arguments changed."""

    CURED = "cured"
    """The call returns, and the symptom is gone."""
    SHOWN = "shown"
    OTHERWISE = "otherwise"
    """It fails in another way: says nothing."""
    UNCHANGED = "unchanged"
    """The change finds nothing to alter: says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a call that goes well gives: its kind ("float", "integer", "bool", "complex", "none",
    "several", "other"), and how many dimensions more than its inputs it has."""

    kind: str
    rank: int

    def to_json(self) -> dict[str, Any]:
        """As the JSON document has it."""
        return {"kind": self.kind, "rank": self.rank}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A variation of one argument of the report's call, by its key: of a list of tensors, `before`
    and `after` are the first one."""

    variation: str
    key: str
    fact: str
    """What it takes away, in words: "`input` has dtype float16"."""
    cured: str
    """What it puts there: "float32"."""
    name: str = ""
    """The parameter's."""
    before: Value | None = None
    after: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cure:
    """Changes under which, made together, the report's call goes well."""

    changes: tuple[Change, ...]
    job: Job | None = None
    gain: float | None = None
    """Of a call that is slow: how many times as long it takes without them."""
    made: tuple[tuple[int, str, str], ...] = ()
    """The same in the report's code (`citadel.evidence.written.Made`)."""

    @property
    def sentence(self) -> str:
        """For people: "`input` is not contiguous (contiguous: works)"."""
        facts = " and ".join(dict.fromkeys(one.fact for one in self.changes))
        made = " and ".join(dict.fromkeys(one.cured for one in self.changes))
        well = "works" if self.gain is None else "faster, change included"
        return f"{facts} ({made}: {well})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """What brings the bug about: the ways to take it away, preserving ones first. `tried` are the
    runs that it took, `changes` what the variations alter of the call that may matter, cure or
    not."""

    cures: tuple[Cure, ...] = ()
    changes: tuple[Change, ...] = ()
    tried: int = 0

    @property
    def sentence(self) -> str:
        """The first cure, for people; "" where there is none."""
        return self.cures[0].sentence if self.cures else ""

    def to_json(self) -> dict[str, Any]:
        """The `trigger` of a case in the JSON document."""
        first = self.cures[0].changes if self.cures else ()
        return {
            "sentence": self.sentence,
            "variations": [one.variation for one in first],
            "arguments": [one.key for one in first],
            "cures": [
                {
                    "variations": [one.variation for one in cure.changes],
                    "arguments": [one.key for one in cure.changes],
                    "sentence": cure.sentence,
                }
                for cure in self.cures
            ],
        }


NO_TRIGGER = Trigger()
"""Of what was not, or cannot be, changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A cure of the report's call, made on a sibling's; `code` is the case with it in the text,
    where that was written, run, and went well."""

    variations: tuple[str, ...]
    sentence: str
    outcome: Under
    job: Job | None = None
    code: str = ""

    def to_json(self) -> dict[str, Any]:
        """As the JSON document has it."""
        return {
            "variations": list(self.variations),
            "sentence": self.sentence,
            "outcome": str(self.outcome),
        }


class Class(StrEnum):
    """What a finding rests on, from the strongest to the weakest."""

    INTRINSIC = "intrinsic"
    """It crashes, hangs or fails an internal assertion, and goes well under a control."""
    CONTRADICTION = "contradiction"
    """Made in two ways that should agree it comes to two ends, and without the trigger to one."""
    CONTROLLED = "controlled"
    """It goes well under a control, and is no limitation that unrelated APIs share."""
    SHARED = "shared"
    """Unrelated APIs show the symptom as well."""
    UNCONTROLLED = "uncontrolled"
    REFUTED = "refuted"
    """What cures the report's call leaves the symptom of this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What speaks for and against a finding.

    `contradicts`: the sibling's own call disagrees with itself, made in two ways. `guessed`: under
    a fact of the report's call of which no run tells that it matters.
    `dropped`: the share of the report's arguments that the sibling is not given (0 to 1).
    `same_job`: whether, where both go well, the sibling gives what the report's call gives (see
    `Job`; None where nobody knows). `base_rate`: the share of unrelated operations that show the
    symptom (0 to 1; None where too few came so far). `features` are what the confidence was
    computed of.
    """

    controls: tuple[Control, ...] = ()
    contradicts: bool = False
    guessed: bool = False
    dropped: float = 0.0
    same_job: bool | None = None
    kind: Class = Class.UNCONTROLLED
    base_rate: float | None = None
    features: tuple[tuple[str, float], ...] = ()
    file: str | None = None
    """Where the control that is written down lies."""

    @property
    def control(self) -> Control | None:
        """The control that is told: one that was written down, else any that goes well."""
        well = [one for one in self.controls if one.outcome is Under.CURED]
        return next((one for one in well if one.code), well[0] if well else None)

    def to_json(self) -> dict[str, Any]:
        """The `evidence` of a sibling in the JSON document."""
        return {
            "class": str(self.kind),
            "controls": [one.to_json() for one in self.controls],
            "base_rate": None if self.base_rate is None else round(self.base_rate, 3),
            "same_job": self.same_job,
            "features": {name: round(value, 3) for name, value in self.features},
        }
