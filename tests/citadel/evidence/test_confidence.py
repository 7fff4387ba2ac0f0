"""How sure a finding is, and when it is `alike` rather than a bug."""

from dataclasses import replace
from fractions import Fraction

import pytest

from citadel.evidence.confidence import SIGNS, Model, model, nearness, weighed
from citadel.experiment import Class, Control, Evidence, Under
from citadel.model import Channels, Finding, Road, Symptom, SymptomKind, Verdict, VerdictKind

RAISED = Symptom(kind=SymptomKind.RAISES, exception="RuntimeError", message="no", pattern="no")
CRASH = Symptom(kind=SymptomKind.CRASHES, signal="SIGSEGV")
NEAR = Channels(context=Fraction(9, 10), signature=0.8, arguments=1.0)
FAR = Channels(signature=0.1, arguments=0.3)


@pytest.fixture
def source(by_hand, call):
    return by_hand(call("torch.exp", {(2, 3)}), RAISED)


def control(outcome):
    return Control(variations=("wider",), sentence="`x` is half (float32: works)", outcome=outcome)


def finding(*outcomes, channels=NEAR, seen=RAISED, kind=VerdictKind.BUG):
    verdict = Verdict(kind=kind, runs=(3, 3), confidence=0.9, symptom=seen)
    evidence = Evidence(controls=tuple(map(control, outcomes)))
    return Finding(api="torch.sin", verdict=verdict, channels=channels, evidence=evidence)


def told(one, source, base_rate=0.0, least=None):
    return weighed(one, source, base_rate, least)


def test_classes(source):
    assert told(finding(Under.CURED), source).evidence.kind is Class.CONTROLLED
    assert told(finding(Under.CURED, seen=CRASH), source).evidence.kind is Class.INTRINSIC
    assert told(finding(Under.CURED, Under.SHOWN), source).evidence.kind is Class.REFUTED
    assert told(finding(Under.OTHERWISE), source).evidence.kind is Class.UNCONTROLLED
    assert told(finding(Under.CURED), source, 0.5).evidence.kind is Class.SHARED


def test_a_control_speaks_for_a_finding_and_what_it_leaves_against(source):
    cured = told(finding(Under.CURED), source).verdict.confidence
    untested = told(finding(Under.OTHERWISE), source).verdict.confidence
    refuted = told(finding(Under.SHOWN), source).verdict.confidence
    assert cured > max(untested, refuted)


def test_what_unrelated_operations_refuse_as_well_is_less_sure(source):
    alone = told(finding(Under.CURED), source, 0.0).verdict.confidence
    shared = told(finding(Under.CURED), source, 0.6).verdict.confidence
    assert shared < alone


def test_however_many_disagree_with_themselves_it_is_no_limitation(source):
    one = finding(Under.CURED)
    both = replace(one, evidence=replace(one.evidence, contradicts=True))
    found = told(both, source, 0.9)
    assert (found.evidence.kind, found.evidence.base_rate) == (Class.CONTRADICTION, None)
    assert found.verdict.confidence > told(one, source, 0.9).verdict.confidence


def test_a_valid_call_of_its_own_that_fails_under_the_trigger_alone_speaks_for_a_finding(source):
    """However far it is from the report's API; not where unrelated ones fail as well."""
    far = finding(Under.CURED, channels=FAR)
    own = replace(far, road=Road.TRIGGER)
    assert told(own, source).verdict.confidence > told(far, source).verdict.confidence
    shared = told(own, source, 0.6).verdict
    assert (shared.kind, shared.confidence) == (
        VerdictKind.ALIKE,
        told(far, source, 0.6).verdict.confidence,
    )


def test_what_is_too_unsure_is_alike_and_says_why(source):
    one = told(finding(Under.SHOWN, channels=FAR), source)
    assert one.verdict.kind is VerdictKind.ALIKE
    assert "`x` is half" in one.verdict.reason
    shared = told(finding(Under.CURED, channels=FAR), source, 0.62)
    assert shared.verdict.kind is VerdictKind.ALIKE
    assert "62 % of unrelated operations" in shared.verdict.reason


def test_the_user_moves_the_threshold(source):
    assert (
        told(finding(Under.SHOWN, channels=FAR), source, 0.9, 0.0).verdict.kind is VerdictKind.BUG
    )
    assert told(finding(Under.CURED), source, 0.0, 1.0).verdict.kind is VerdictKind.ALIKE


def test_a_failure_that_is_told_otherwise_than_recorded_is_less_sure(source):
    drifted = replace(source, case=replace(source.case, drifted=True))
    one = finding(Under.CURED)
    assert told(one, drifted).verdict.confidence < told(one, source).verdict.confidence


def test_what_shows_in_some_runs_is_less_sure(source):
    one = finding(Under.CURED)
    rare = replace(one, verdict=replace(one.verdict, runs=(1, 3)))
    assert told(rare, source).verdict.confidence < told(one, source).verdict.confidence / 2


def test_what_is_no_bug_stays_what_it_is(source):
    one = finding(kind=VerdictKind.FLAKY)
    assert told(one, source) is one


def test_nearness_is_the_largest_similarity():
    assert nearness(FAR) == pytest.approx(0.1)
    assert nearness(NEAR) == pytest.approx(0.9)
    assert nearness(replace(FAR, family="method")) == pytest.approx(1.0)


def test_the_committed_weights_have_the_signs_that_they_may_have():
    assert model().weights.keys() == SIGNS.keys()
    assert all(SIGNS[name] * weight >= 0 for name, weight in model().weights.items())
    assert 0 < model().threshold < 1


def test_a_model_gives_probabilities():
    one = Model(intercept=0.0, weights={"near": 2.0}, threshold=0.5)
    assert one.confidence({}) == pytest.approx(0.5)
    assert one.confidence({"near": 1.0}) == pytest.approx(0.8808, abs=1e-4)


OWN = replace(NEAR, family="method")
ASSERTS = replace(RAISED, message="x INTERNAL ASSERT FAILED at a.cpp:3, please report a bug")
ACCEPTED = Symptom(kind=SymptomKind.ACCEPTS)
SLOW = Symptom(kind=SymptomKind.SLOW, ratio=9.0)
WRONG = Symptom(kind=SymptomKind.FALSE)


def test_the_symptom_alone_is_no_finding(source):
    """Where no change makes the report's call go well, nothing can be compared."""
    one = told(finding(), source)
    assert (one.verdict.kind, one.verdict.confidence) == (VerdictKind.ALIKE, 0.01)
    assert "no change is known" in one.verdict.reason
    assert told(finding(), source, least=0.0).verdict.kind is VerdictKind.BUG
    # What one class lacks, another one of its kind may lack as well.
    relative = finding(channels=replace(NEAR, peers=True))
    assert told(relative, source).verdict.kind is VerdictKind.ALIKE


@pytest.mark.parametrize(
    ("channels", "seen"),
    [
        (OWN, RAISED),
        (replace(NEAR, peers=True), WRONG),
        (NEAR, CRASH),
        (NEAR, ASSERTS),
        (NEAR, ACCEPTED),
        (NEAR, SLOW),
    ],
)
def test_what_needs_no_cure_or_has_none(source, channels, seen):
    assert told(finding(channels=channels, seen=seen), source).verdict.confidence > 0.5
