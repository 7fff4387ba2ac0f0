"""Data that flows between the stages: case, adaptation, verdict, finding, triage.

Everything is frozen and JSON-serialisable; ids are sha256 of canonical content.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from citadel.experiment import NO_TRIGGER, Evidence, Trigger
from citadel.places import NOWHERE, Elsewhere
from harvest.tracker.issue import Issue


class BugKind(StrEnum):
    """What the report is about."""

    STATUS = "status"
    VALUE = "value"
    PERFORMANCE = "performance"


class SymptomKind(StrEnum):
    """How a bug shows (design, section 8)."""

    RAISES = "raises"
    CRASHES = "crashes"
    HANGS = "hangs"
    ACCEPTS = "accepts"
    """What should be refused runs through."""
    NON_FINITE = "non_finite"
    DISAGREES = "disagrees"
    """Two values differ that should agree: of two runs, or one and what the report expects."""
    FALSE = "false"
    """A check of the report's own fails."""
    SLOW = "slow"
    MEMORY = "memory"


STATUS_KINDS = frozenset((SymptomKind.RAISES, SymptomKind.CRASHES, SymptomKind.HANGS))
MEASURED_KINDS = frozenset((SymptomKind.SLOW, SymptomKind.MEMORY))
"""What the outcome of a run tells, without a look at values."""


class VerdictKind(StrEnum):
    """What a replay says about a sibling (design, section 8)."""

    BUG = "bug"
    ALIKE = "alike"
    """It shows the symptom, and too little says that this is the same bug."""
    CLEAN = "clean"
    REFUSED = "refused"
    DIFFERENT = "different"
    FLAKY = "flaky"
    NOISY = "noisy"
    """Too much noise to measure."""
    EXPECTED = "expected"
    """The observation is what mathematics demands of this API."""
    NEEDS = "needs"
    NOT_ADAPTED = "not_adapted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """What a run shows, for people and for status oracles.

    `raises`: `exception` is the class name and `message` the first line as seen, `pattern` the
    normalised message that two symptoms are compared by. `crashes`: `signal` is e.g. "SIGSEGV"
    (None where a report does not tell), `message` the framework's last words if any and `pattern`
    their crash state, which tells two crashes of one signal apart, and `frames` the innermost
    native functions that tell where it is, if known. `hangs`: neither. All others: `where` is the
    expression of the report's code that shows it, `observed` what it comes to and `expected` what
    it should be, if that is known; `ratio` is set where times or memory are compared.
    """

    kind: SymptomKind
    exception: str | None = None
    message: str | None = None
    pattern: str | None = None
    signal: str | None = None
    where: str | None = None
    observed: str | None = None
    expected: str | None = None
    ratio: float | None = None
    frames: tuple[str, ...] = ()

    def to_json(self) -> dict[str, str | float | list[str]]:
        """The contract's `symptom` object: only the fields that are set."""
        texts = ("exception", "message", "pattern", "signal", "where", "observed", "expected")
        fields = (*texts, "ratio")
        record: dict[str, str | float | list[str]] = {"kind": str(self.kind)}
        record.update({f: getattr(self, f) for f in fields if getattr(self, f) is not None})
        return {**record, "frames": list(self.frames)} if self.frames else record

    def headline(self) -> str:
        """One line for people."""
        if self.kind is SymptomKind.CRASHES:
            signal = f" with {self.signal}" if self.signal else ""
            place = f" in {self.frames[0]}" if self.frames and not self.message else ""
            return f"crashes{signal}{place}" + (f" ({self.message})" if self.message else "")
        if self.kind is SymptomKind.HANGS:
            return "hangs"
        if self.kind is not SymptomKind.RAISES:
            return self._told()
        return f"{self.exception}: {self.message}"

    def _told(self) -> str:
        """The headline of what is no status symptom."""
        if self.kind is SymptomKind.ACCEPTS:
            result = f" and gives {self.observed}" if self.observed else ""
            wanted = f" ({self.expected})" if self.expected else ""
            return f"accepts what should be refused{wanted}{result}"
        if self.where is None:
            return str(self.kind)
        seen = f"{self.where} is {self.observed}"
        return seen if self.expected is None else f"{seen}, expected {self.expected}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BugCase:
    """A reproduced (or recorded) bug with self-contained code: the one currency of Citadel.

    `reproduces` tells whether this build still shows `symptom`; where it does not, the symptom is
    the one the report recorded and `observed` says what happens instead ("fixed here").
    """

    id: str
    origin: str
    framework: str
    build: str
    api: str
    code: str
    kind: BugKind
    symptom: Symptom
    reproduces: bool
    runs: tuple[int, int]
    observed: str = ""
    needs: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why what is shown may be no bug."""
    aliases: tuple[str, ...] = ()
    """The API's other public names."""
    samples: tuple[float, ...] = ()
    """What was measured, as in a `Verdict`."""
    file: str | None = None
    operation: str = ""
    """As in a `Finding`."""
    trigger: Trigger = NO_TRIGGER
    """What brings the bug about, as far as runs tell."""
    relation: str = ""
    """What was asked of other APIs' own calls, for people; "" where nothing was."""
    drifted: bool = False
    """Whether the failure is told otherwise than the report recorded it."""
    check: str = ""
    """The code with a check in it, so that it fails where the bug is; "" where there is none."""
    control: str = ""
    """The same with a cure of the trigger, which runs through; "" where there is none."""
    cured: str = ""
    """That cure, for people."""
    distance: float | None = None
    """As in a `Finding`."""
    issues: tuple[Issue, ...] = ()
    """As in a `Finding`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """Similarity of a sibling to the source API, per channel; None where a channel is silent."""

    context: Fraction | None = None
    signature: float = 0.0
    documentation: float = 0.0
    """How much of what is written about the two is the same (0 to 1)."""
    family: str | None = None
    """How the names are related ("dimension", "method", "module", "in-place", ...), or None."""
    arguments: float | None = None
    """How well the sibling's signature takes the failing call's own arguments (0 to 1)."""
    called: bool = False
    """Whether it ran within the failing call."""
    matched: str | None = None
    """What somebody else's pairs call equal of the two ("value", "status", "candidate")."""
    peers: bool = False
    """Whether both are classes of one namespace, and no layers: two optimisers, say."""

    def to_json(self) -> dict[str, float | bool | str | None]:
        """The contract's `channels` object."""
        return {
            "context": None if self.context is None else round(float(self.context), 3),
            "signature": round(self.signature, 3),
            "documentation": round(self.documentation, 3),
            "family": self.family is not None,
            "relation": self.family,
            "arguments": None if self.arguments is None else round(self.arguments, 3),
            "called": self.called,
            "matched": self.matched,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the replays of one generated case say: k of n runs showed the symptom.

    `guards` are those that passed beside the runs, up to the one that decided, which is the
    `reason` where the symptom shows and is no bug; `samples` the ratios that were
    measured, one per run, where the symptom is one of time or memory. `rule` is the id of the
    decision rule (`analysis.rules`) that decided, where one did.
    """

    kind: VerdictKind
    runs: tuple[int, int]
    confidence: float
    symptom: Symptom | None = None
    reason: str | None = None
    guards: tuple[str, ...] = ()
    samples: tuple[float, ...] = ()
    rule: str = ""


class Road(StrEnum):
    """How a bug is carried over to a sibling."""

    CALL = "call"
    """The report's call is made through the sibling."""
    TRIGGER = "trigger"
    """The sibling's own valid call meets the report's trigger."""
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One sibling API with its verdict and, where a case was generated, its file."""

    api: str
    verdict: Verdict
    channels: Channels
    edits: tuple[str, ...] = ()
    code: str = ""
    file: str | None = None
    aliases: tuple[str, ...] = ()
    operation: str = ""
    """What forms of one operation have in common (`citadel.family.operations`)."""
    evidence: Evidence | None = None
    """What a finding rests on; None where it is none."""
    road: Road = Road.CALL
    fails: bool = False
    """Whether the code fails by itself where the bug is, and its control, if any, does not."""
    issues: tuple[Issue, ...] = ()
    """What it may be known by, where somebody has named a tracker or an umbrella."""
    distance: float | None = None
    """How far its wrong value is from the right one, as a part of that: from what it is compared
    with, or from what a control gives whose result should be the same (in double precision, say).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Findings with one likely root cause, the source API first."""

    key: str
    apis: tuple[str, ...]
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seconds:
    """Wall time of one triage, in seconds; `first_finding` is None when there was none."""

    verify: float = 0.0
    siblings: float = 0.0
    first_finding: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repro:
    """The case of a family that people see first, reduced; `control` is "" where it has none."""

    api: str
    code: str
    control: str


class Cut(StrEnum):
    """The limit that kept a triage from trying all siblings that it would have tried.

    After `SECONDS` and `INTERRUPTED` the answer depends on the machine; the others give the same
    answer each time.
    """

    SIBLINGS = "siblings"
    ATTEMPTS = "attempts"
    REPLAYS = "replays"
    SECONDS = "seconds"
    INTERRUPTED = "interrupted"
    ONLY_REPRODUCE = "only-reproduce"
    """None were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """The result for one report: exactly one of `error`, `skipped` and `case` is set."""

    input: str
    repository: str | None = None
    number: int | None = None
    title: str = ""
    error: str | None = None
    skipped: str | None = None
    case: BugCase | None = None
    findings: tuple[Finding, ...] = ()
    families: tuple[Family, ...] = ()
    seconds: Seconds = Seconds()
    tried: int = 0
    """APIs that were tried on the failing call, including those that came out clean."""
    compared: int = 0
    """APIs whose own calls met the trigger, and could be compared."""
    unconfirmed: int = 0
    """Hits of the probe that were not replayed within the budget: neither findings nor clean."""
    cut: Cut | None = None
    """The limit at which the walk along the siblings ended, if not at its own end."""
    control: str | None = None
    """A warning when an unrelated API shows the same symptom."""
    files: tuple[str, ...] = ()
    """What lies beside the harvest that the report is of: where a search says the bug is."""
    unsure: tuple[str, ...] = ()
    """What the reading leaves open, with the options that settle it (`harvest.report.unsure`)."""
    repro: Repro | None = None
    elsewhere: Elsewhere = NOWHERE
    """Where else the case that people see first was run."""
    rules: tuple[str, ...] = ()
    """The ids of the rules that decided something, from reading to verdicts (`analysis.rules`)."""

    @property
    def bugs(self) -> tuple[Finding, ...]:
        """The findings whose verdict is `bug`."""
        return tuple(f for f in self.findings if f.verdict.kind is VerdictKind.BUG)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSummary:
    """The build under test, as every output names it.

    `settings` are the environment variables that choose what it runs on.
    """

    python: str
    framework: str
    version: str
    devices: tuple[str, ...]
    sandbox: str
    settings: tuple[tuple[str, str], ...] = ()
    python_version: str = ""


def content_id(*parts: str) -> str:
    """sha256 over the parts, shortened to 16 hexadecimal digits."""
    canonical = json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hashlib.sha256(canonical).hexdigest()[:16]
