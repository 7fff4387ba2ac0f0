"""How likely a maintainer who accepts the report accepts a finding, and what becomes of it then.

In: a finding that shows the symptom, with its controls, and the base rate of the symptom. Out: the
finding with its class, a confidence (0 to 1), and the verdict `alike` in place of `bug` where the
confidence is too low. The confidence is a logistic regression over a few features whose signs are
fixed; `python -m benchmarks.calibration` trains it on findings that people have judged.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from citadel.evidence.controls import FLOOD, class_of, own_fault
from citadel.experiment import Class, Evidence, Under
from citadel.judge.verdicts import rate
from citadel.model import Channels, Finding, Road, SymptomKind, VerdictKind
from citadel.verify.verified import Verified

FILE = Path(__file__).with_name("coefficients.json")
UNCURED = 0.01
"""Share of true ones among findings that rest on the symptom alone: 2 of 234 that people judged."""
FINITE = "finite"
"""The variation that takes NaN and infinities away."""
_WITHOUT_CURE = (SymptomKind.ACCEPTS, SymptomKind.SLOW, SymptomKind.MEMORY)
SIGNS: Mapping[str, int] = {
    "near": 1,
    "own_call": 1,
    "disagrees": -1,
    "guessed": -1,
    "not_finite": -1,
    "dropped": -1,
    "refuted": -1,
    "untested": -1,
    "shared": -1,
    "drifted": -1,
}
"""The features, each with the sign that its weight may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Log-odds are `intercept` and the weighted features; what is below `threshold` is `alike`."""

    intercept: float
    weights: Mapping[str, float]
    threshold: float

    def confidence(self, features: Mapping[str, float]) -> float:
        """The probability (0 to 1) that a finding is the same bug."""
        weights = self.weights.items()
        odds = self.intercept + sum(w * features.get(name, 0.0) for name, w in weights)
        return 1 / (1 + math.exp(-odds))


@cache
def model() -> Model:
    """The committed coefficients."""
    given = json.loads(FILE.read_text(encoding="utf-8"))
    return Model(
        intercept=given["intercept"], weights=given["weights"], threshold=given["threshold"]
    )


def weighed(
    finding: Finding, verified: Verified, base_rate: float | None, least: float | None
) -> Finding:
    """The finding with its class and its confidence; `alike` below `least` (None: the model's own
    threshold). What is no bug stays what it is."""
    if finding.verdict.kind is not VerdictKind.BUG:
        return finding
    evidence = finding.evidence or Evidence()
    # That two ways disagree is no limitation, however many operations do.
    evidence = replace(evidence, base_rate=None if evidence.contradicts else base_rate)
    evidence = replace(evidence, kind=class_of(evidence, finding.verdict.symptom))
    told = features(finding, evidence, verified)
    evidence = replace(evidence, features=tuple(told.items()))
    sure = model().confidence(told)
    if rests_on_the_symptom(finding, evidence, verified):
        sure = min(sure, UNCURED)
    sure *= rate(*finding.verdict.runs)
    verdict = replace(finding.verdict, confidence=round(sure, 2))
    if sure < (model().threshold if least is None else least):
        verdict = replace(verdict, kind=VerdictKind.ALIKE, reason=reason(evidence))
    return replace(finding, verdict=verdict, evidence=evidence)


def rests_on_the_symptom(finding: Finding, evidence: Evidence, verified: Verified) -> bool:
    """Whether no change is known under which the report's call goes well, or none can be made on
    the sibling's, though there may be one: that an API that is no relative fails as well is most
    often right then. Relatives are told by their names, as forms of one operation are. Of classes
    of one kind, methods of one name do the same job: their values are compared, but what one of
    them lacks another may lack as well.

    Something that is accepted, or takes its time, has no such change; what dies or fails an
    internal assertion needs none.
    """
    symptom = finding.verdict.symptom or verified.case.symptom
    return (
        finding.road is Road.CALL
        and not evidence.controls
        and not evidence.contradicts
        and finding.channels.family is None
        and (not finding.channels.peers or symptom.kind is SymptomKind.RAISES)
        and symptom.kind not in _WITHOUT_CURE
        and not own_fault(symptom)
    )


def features(finding: Finding, evidence: Evidence, verified: Verified) -> dict[str, float]:
    """What the confidence is computed of, by name (see `SIGNS`)."""
    outcomes = {one.outcome for one in evidence.controls}
    own, kind = finding.road is Road.TRIGGER, verified.case.symptom.kind
    shared = (evidence.base_rate or 0.0) >= FLOOD
    return {
        "near": nearness(finding.channels),
        # Its own valid call fails under the trigger, which unrelated operations stand.
        "own_call": float(own and not evidence.contradicts and not shared),
        # Its own valid call, made in two ways, comes to two values: that may have reasons. That it
        # is refused in one way alone has none.
        "disagrees": float(own and evidence.contradicts and kind is not SymptomKind.ACCEPTS),
        "guessed": float(evidence.guessed),
        # Finite numbers cure the report's call: of infinities arithmetic itself makes NaN.
        "not_finite": float(any(FINITE in one.variations for one in evidence.controls)),
        "dropped": evidence.dropped,
        "refuted": float(Under.SHOWN in outcomes),
        # There are cures, and none says anything of this sibling.
        "untested": float(bool(outcomes) and not outcomes & {Under.CURED, Under.SHOWN}),
        "shared": float(shared),
        "drifted": float(verified.case.drifted),
    }


def nearness(channels: Channels) -> float:
    """How close a sibling is to the source: the largest of its similarities (0 to 1)."""
    context = 0.0 if channels.context is None else float(channels.context)
    return max(context, channels.signature, float(channels.family is not None))


def reason(evidence: Evidence) -> str:
    """Why a finding is not presented as the same bug."""
    if evidence.guessed:
        return "it goes wrong under a fact that the report's bug is not known to come of"
    if evidence.kind is Class.REFUTED:
        told = next(one for one in evidence.controls if one.outcome is Under.SHOWN)
        return f"a change that cures the report's call does not cure this one: {told.sentence}"
    if evidence.kind is Class.SHARED:
        share = round(100 * (evidence.base_rate or 0.0))
        return f"a shared limitation: {share} % of unrelated operations show it as well"
    if evidence.kind is Class.UNCONTROLLED:
        if evidence.controls:
            return "no change that cures the report's call says anything of this one"
        return "no change is known that makes both calls go well: nothing to compare"
    return "too little in common with the report's call"
