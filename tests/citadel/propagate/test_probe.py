"""The probe: many APIs on the live arguments of one failing call."""

from dataclasses import replace

import pytest

from analysis.target.instrument import instrument
from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits
from citadel.model import SymptomKind
from citadel.oracle import status
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Adaptation, Fill, Form, Slot, Step, Take
from citadel.propagate.probe import ProbeOutcome, attempt_seconds, probe
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

CHOLESKY = """
    import torch
    x = -torch.eye(3)
    torch.linalg.cholesky(x)
"""


def plan(target, *arguments, form=Form.FUNCTION, receiver=None):
    slots = tuple(Slot(name="a", keyword=False, value=value) for value in arguments)
    return Adaptation(
        target=target, form=form, receiver=receiver, new=(), call=slots, edits=(), plausibility=0.5
    )


X = Take(key="arg:0")
LINALG, OLD = "torch.linalg.cholesky", "torch.cholesky"


@pytest.fixture
def verified(bench, read):
    found = verify(
        read("cholesky", CHOLESKY), bench.replays[0], bench.index.catalog, bench.target.info, runs=1
    )
    assert isinstance(found, Verified), found
    return found


@pytest.fixture
def probed(bench, verified):
    def check(*tried, seconds=30.0):
        attempts = []
        probe(
            verified,
            tried,
            bench.probes[0],
            seconds=seconds,
            limits=Limits(wall=20.0),
            on_attempt=attempts.append,
        )
        return [(attempt.plan.target, attempt.outcome) for attempt in attempts]

    return check


def on_torch(test):
    return pytest.mark.torch(pytest.mark.slow(test))


@on_torch
def test_outcomes(probed):
    assert probed(
        plan(LINALG, X),
        plan("torch.exp", X),
        plan("torch.matmul", X, Fill(text="torch.ones(7)")),
        plan("torch.exp", X, X, X),
        plan("torch.no_such_thing", X),
        plan("torch.neg", Take(key="kw:missing")),
    ) == [
        (LINALG, ProbeOutcome.HIT),
        ("torch.exp", ProbeOutcome.CLEAN),
        ("torch.matmul", ProbeOutcome.OTHER),
        ("torch.exp", ProbeOutcome.NOT_ADAPTED),
        ("torch.no_such_thing", ProbeOutcome.NOT_ADAPTED),
        ("torch.neg", ProbeOutcome.NOT_ADAPTED),
    ]


@on_torch
def test_a_cast_changes_the_dtype(probed):
    whole, double = (replace(X, steps=(Step(name="cast", text=to),)) for to in ("int64", "float64"))
    tried = [plan("torch.bitwise_not", x) for x in (X, whole)]
    tried += [plan(OLD, x) for x in (whole, double)]
    assert [outcome for _, outcome in probed(*tried)] == [
        ProbeOutcome.OTHER,
        ProbeOutcome.CLEAN,
        ProbeOutcome.OTHER,
        ProbeOutcome.HIT,
    ]


@on_torch
def test_what_an_attempt_changes_does_not_reach_the_next_one(probed):
    """After `abs_` the matrix would be positive definite."""
    abs_ = plan("torch.Tensor.abs_", form=Form.METHOD, receiver=X)
    assert probed(abs_, plan(LINALG, X), abs_, plan(OLD, X)) == [
        ("torch.Tensor.abs_", ProbeOutcome.CLEAN),
        (LINALG, ProbeOutcome.HIT),
        ("torch.Tensor.abs_", ProbeOutcome.CLEAN),
        (OLD, ProbeOutcome.HIT),
    ]


HOLDERS = """
    import sys
    import types

    import torch


    class Odd(int):
        def __str__(self):
            raise ValueError("no text")


    layers = torch.nn.Sequential(torch.nn.Linear(1, 1))
    torch.nn.init.constant_(layers[0].weight, -1.0)
    layers(torch.ones(1)).sum().backward()
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    x = torch.ones(2)
    held = {"x": x, "layers": layers, "optimizer": optimizer, "big": 10**5000, "odd": Odd(3)}


    def same(held):
        assert x.sum() == 2
        assert layers[0].weight.item() == -1


    sys.modules["own"] = types.SimpleNamespace(
        adds=lambda held: held["x"].add_(1),
        fills=lambda held: torch.nn.init.constant_(held["layers"][0].weight, 7.0),
        steps=lambda held: held["optimizer"].step(),
        same=same,
    )
    torch.linalg.cholesky(held)
"""


@on_torch
def test_tensors_inside_of_objects_do_not_reach_the_next_attempt_changed(bench, read):
    found = verify(
        read("cholesky", HOLDERS), bench.replays[0], bench.index.catalog, bench.target.info, runs=1
    )
    assert isinstance(found, Verified), found
    names = ("own.adds", "own.same", "own.fills", "own.same", "own.steps", "own.same")
    attempts = []
    probe(
        found,
        [plan(name, X) for name in names],
        bench.probes[0],
        seconds=30.0,
        limits=Limits(wall=20.0),
        on_attempt=attempts.append,
    )
    assert [(attempt.plan.target, attempt.outcome) for attempt in attempts] == [
        (name, ProbeOutcome.CLEAN) for name in names
    ]


@on_torch
def test_a_crash_loses_nothing_of_what_follows(probed):
    crash = plan("torch.os.abort")
    assert probed(plan(LINALG, X), crash, plan(OLD, X), crash, plan("torch.exp", X)) == [
        (LINALG, ProbeOutcome.HIT),
        ("torch.os.abort", ProbeOutcome.OTHER),
        (OLD, ProbeOutcome.HIT),
        ("torch.os.abort", ProbeOutcome.OTHER),
        ("torch.exp", ProbeOutcome.CLEAN),
    ]


@on_torch
def test_the_first_plan_of_an_api_that_settles_it_spares_the_others(probed):
    isnan = plan("torch.isnan", X)
    assert probed(isnan, isnan, plan(OLD, X)) == [
        ("torch.isnan", ProbeOutcome.CLEAN),
        (OLD, ProbeOutcome.HIT),
    ]


@on_torch
def test_an_exception_does_not_spare_the_other_plans(probed):
    """Most are of one class: another plan of the API may bring the right one."""
    assert len(probed(plan(LINALG, X), plan(LINALG, X))) == 2


@on_torch
def test_without_time_nothing_is_tried(probed):
    assert probed(plan(LINALG, X), seconds=0.0) == [(LINALG, ProbeOutcome.BUDGET)]


@on_torch
def test_plans_and_probe_speak_of_the_same_values(bench, verified, probed):
    source = invocation(verified.call, verified.api, verified.observation.calls)
    target = bench.index.catalog.resolve("torch.Tensor.cholesky")
    found = plans(source, target, bench.samples)
    assert probed(found[0]) == [("torch.Tensor.cholesky", ProbeOutcome.HIT)]


class Forger:
    """A session whose case writes to the pipe of events itself."""

    def __init__(self, *events):
        self.events = events

    def run(self, _code, *, on_event, **_fields):
        for event in self.events:
            on_event(event)
        return Observation(outcome=Outcome.OK)


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"e": "probe"},
        {"e": "probe", "i": 7, "o": "ok"},
        {"e": "probe", "i": -1, "o": "ok"},
        {"e": "probe", "i": 0.0, "o": "ok"},
        {"e": "probe", "i": [0], "o": "ok"},
        {"e": "probe", "i": 0, "o": "signal"},
        {"e": "probe", "i": True, "o": "ok"},
    ],
)
def test_forged_events_are_ignored(forged, by_hand, call):
    attempts = run_forged(by_hand, call, forged, {"e": "probe", "i": 0, "o": "ok"})
    assert [attempt.outcome for attempt in attempts] == [ProbeOutcome.CLEAN]


def test_an_event_that_tells_no_outcome_is_none_of_the_wanted_ones(by_hand, call):
    (attempt,) = run_forged(by_hand, call, {"e": "probe", "i": 0})
    assert attempt.outcome is ProbeOutcome.OTHER


@pytest.mark.parametrize("code", [99999, 40])
def test_signals_without_a_name(by_hand, call, code):
    (attempt,) = run_forged(by_hand, call, {"e": "probe", "i": 0, "o": "signal", "code": code})
    assert attempt.outcome is ProbeOutcome.OTHER


def run_forged(by_hand, call, *events):
    attempts = []
    probe(
        by_hand(call("torch.exp", {(2,)}), status.raises("RuntimeError", "bad")),
        (plan("torch.sqrt", X),),
        Forger(*events),
        seconds=1.0,
        limits=Limits(),
        on_attempt=attempts.append,
    )
    return attempts


LAZY = """
    import importlib
    import importlib.machinery
    import sys
    import time
    import types

    import torch


    class Slow:
        def find_spec(self, name, path=None, target=None):
            if name == "heavy":
                return importlib.machinery.ModuleSpec(name, self)

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            time.sleep(60)


    def imports(x):
        importlib.import_module("heavy")


    sys.meta_path.append(Slow())
    sys.modules["lazy"] = types.SimpleNamespace(imports=imports, waits=lambda x: time.sleep(60))
    torch.linalg.cholesky(-torch.eye(3))
"""


@on_torch
def test_a_package_that_takes_long_to_import_is_no_hang(bench, read):
    found = verify(
        read("cholesky", LAZY), bench.replays[0], bench.index.catalog, bench.target.info, runs=1
    )
    assert isinstance(found, Verified), found
    attempts = []
    probe(
        found,
        [plan("lazy.imports", X), plan("torch.exp", X), plan("lazy.waits", X)],
        bench.probes[0],
        seconds=30.0,
        limits=Limits(wall=20.0),
        on_attempt=attempts.append,
    )
    imports, clean, waits = attempts
    assert status.unavailable(imports.symptom)
    assert "heavy is not loaded" in imports.symptom.message
    assert clean.outcome is ProbeOutcome.CLEAN
    assert waits.symptom.kind is SymptomKind.HANGS


@pytest.mark.parametrize(
    ("took", "allowed"),
    [(0.0, 2.0), (1.5, 6.0), (100.0, 20.0), (float("inf"), 20.0), (float("nan"), 2.0)],
)
def test_an_attempt_may_take_longer_than_the_reports_own_call(took, allowed):
    assert attempt_seconds(took) == allowed


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("line", ["time.sleep(0.3)", "time.sleep(0.3); raise ValueError('no')"])
def test_calls_tell_how_long_they_take(bench, line):
    code = f"""
import time
import torch
class Slow(torch.nn.Module):
    def forward(self, x):
        {line}
        return x
Slow()(torch.ones(1))
"""
    seen = bench.replays[0].run(code, traced=instrument(code).traced)
    (took,) = (call.seconds for call in seen.calls if call.form == "module")
    assert 0.3 <= took < 30


DOUBLE = """
    import torch
    layer = torch.nn.BatchNorm1d(4).double().eval()
    layer(torch.ones(1, 3).double())
"""


@on_torch
def test_a_layer_gets_the_dtype_and_the_mode_of_the_reports_own(bench, read):
    index = bench.index
    found = verify(
        read("BatchNorm1d", DOUBLE), bench.replays[0], index.catalog, bench.target.info, runs=1
    )
    assert isinstance(found, Verified), found
    source = invocation(found.call, found.api, found.observation.calls)
    size = Fill(text="3")
    new = (Slot(name="num_features", keyword=False, value=size),)
    tried = Adaptation(
        target="torch.nn.BatchNorm1d",
        form=Form.MODULE,
        receiver=None,
        new=new,
        call=(Slot(name="input", keyword=False, value=Take(key=source.main.key)),),
        edits=(),
        plausibility=0.5,
    )
    attempts = []
    probe(
        found,
        (tried,),
        bench.probes[0],
        seconds=20.0,
        limits=Limits(wall=20.0),
        on_attempt=attempts.append,
    )
    assert [attempt.outcome for attempt in attempts] == [ProbeOutcome.CLEAN]


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [(SymptomKind.SLOW, ProbeOutcome.CLEAN), (SymptomKind.RAISES, ProbeOutcome.OTHER)],
)
@on_torch
def test_what_is_slow_is_for_a_measurement_to_say(verified, kind, outcome):
    class Session:
        def run(self, code, *, on_event, **more):
            on_event({"e": "probe", "i": 0, "o": "timeout"})

    symptom = replace(verified.case.symptom, kind=kind)
    attempts = []
    probe(
        replace(verified, case=replace(verified.case, symptom=symptom)),
        [plan(OLD, X)],
        Session(),
        seconds=1.0,
        limits=Limits(),
        on_attempt=attempts.append,
    )
    assert [attempt.outcome for attempt in attempts] == [outcome]
