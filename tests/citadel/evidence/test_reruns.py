"""What is believed of events, which a case may forge."""

from dataclasses import replace

import pytest

from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits
from citadel.evidence.reruns import CALL, Reruns, StatusOracle, TimeOracle
from citadel.evidence.trigger import _alterations
from citadel.evidence.variations import Variation, way
from citadel.experiment import Under
from citadel.model import Symptom, SymptomKind

WANTED = Symptom(kind=SymptomKind.RAISES, exception="ValueError", message="no", pattern="no")
TURNED = Variation(
    name="turned",
    fact="is not turned",
    cured="turned",
    examples={},
    ways=(way("dtype(x)", torch="x.t()"),),
)
CHANGE = [(CALL, "arg:0", TURNED)]
VARIED = {"e": "varied", "site": 0, "made": [["arg:0", "x.t()"]]}
RETURNED = {"e": "returned", "value": {"k": "tensor", "shape": [2], "dtype": "float32"}, "rank": 2}


class Scripted:
    """A session whose runs end as they are told."""

    def __init__(self, *events, outcome=Outcome.OK):
        self.seen = Observation(outcome=outcome, extra=events)

    def run(self, code, **given):
        return self.seen


def rerun(*events, outcome=Outcome.OK, late=False):
    again = Reruns(
        code="f(a)",
        traced="f(a)",
        session=Scripted(*events, outcome=outcome),
        limits=Limits(),
        sites={CALL: frozenset((0,))},
        oracle=StatusOracle(wanted=WANTED, apis=("torch.f", "torch.f"), late=late),
    )
    return again.under("torch", CHANGE)


def failed(kind, message):
    return {"e": "failed", "types": [kind, "Exception"], "message": message}


def test_a_call_that_returns_is_cured():
    found = rerun(VARIED, RETURNED)
    assert found.outcome is Under.CURED
    assert (found.job.kind, found.job.rank) == ("float", -1)
    assert found.made == ((0, "arg:0", "x.t()"),)


def test_the_same_failure_is_shown_and_another_one_says_nothing():
    assert rerun(VARIED, failed("ValueError", "no")).outcome is Under.SHOWN
    assert rerun(VARIED, failed("TypeError", "other")).outcome is Under.OTHERWISE


def test_what_shows_behind_the_call_is_cured_only_at_the_end():
    ended = rerun(VARIED, RETURNED, outcome=Outcome.EXCEPTION, late=True)
    assert ended.outcome is Under.OTHERWISE
    assert rerun(VARIED, RETURNED, late=True).outcome is Under.CURED


def test_a_process_that_dies_is_not_cured():
    assert rerun(VARIED, outcome=Outcome.SIGNAL).outcome is Under.OTHERWISE


def test_nothing_altered_says_nothing():
    assert rerun({**VARIED, "made": []}).outcome is Under.UNCHANGED
    assert rerun().outcome is Under.UNCHANGED


@pytest.mark.parametrize(
    "forged",
    [
        {**VARIED, "made": [["arg:0", "__import__('os').system('true')"]]},
        {**VARIED, "made": [["arg:0", ["x.t()"]]]},
        {**VARIED, "made": [[{"a": 1}, "x.t()"]]},
        {**VARIED, "made": [["a b\nc", "x.t()"]]},
        {**VARIED, "made": "x.t()"},
        {**VARIED, "site": "0"},
        {**VARIED, "site": -1},
    ],
)
def test_forged_changes_are_left_out(forged):
    assert rerun(forged, RETURNED).outcome is Under.UNCHANGED


@pytest.mark.parametrize(
    "change", [[0, "arg:0"], [0, ["arg:0"], {}, {}], ["0", "arg:0", {}, {}], 7]
)
def test_forged_alterations_are_left_out(change):
    assert list(_alterations([{"e": "alters", "changes": [change]}])) == []
    assert list(_alterations([{"e": "alters", "changes": change}])) == []


def test_of_several_calls_the_last_one_reached_has_to_be_changed():
    untouched = {**VARIED, "made": []}
    assert rerun(VARIED, RETURNED, untouched, failed("ValueError", "no")).outcome is Under.UNCHANGED
    assert rerun(untouched, RETURNED, VARIED, RETURNED).outcome is Under.CURED


def test_a_layer_that_was_built_otherwise_is_judged_by_its_call():
    built = {**VARIED, "site": 5}
    called = {**VARIED, "made": []}
    assert rerun(built, called, failed("ValueError", "no")).outcome is Under.SHOWN
    assert rerun(built, called, RETURNED).outcome is Under.CURED
    assert rerun(built).outcome is Under.UNCHANGED  # its call was never reached


def timed(pairs):
    again = Reruns(
        code="f(a)",
        traced="f(a)",
        session=Scripted(VARIED, {"e": "timed", "pairs": pairs}, RETURNED),
        limits=Limits(),
        sites={CALL: frozenset((0,))},
        oracle=TimeOracle(),
        timed=1,
    )
    return again.under("torch", [(CALL, "arg:0", replace(TURNED, preserves=True))])


def test_what_takes_less_time_is_cured():
    found = timed([[300, 100]] * 10)
    assert found.outcome is Under.CURED
    assert found.gain == pytest.approx(3.0)


@pytest.mark.parametrize("pairs", [[[100, 300]] * 10, [[100, 100]] * 10])
def test_what_takes_as_long_is_shown(pairs):
    assert timed(pairs).outcome is Under.SHOWN


FORGED = [[], "x", [["a", "b"]] * 10, [[0, 0]] * 10, [[1]] * 10, [[300, 100], [100, 300]] * 5]


@pytest.mark.parametrize("pairs", FORGED)
def test_times_that_are_none_or_unsteady_say_nothing(pairs):
    assert timed(pairs).outcome is Under.OTHERWISE
