"""The probe in processes that cannot be forked, as on a GPU, on the CPU and by hand."""

import signal
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits
from citadel.model import SymptomKind
from citadel.plan.model import Adaptation, Form, Slot, Take
from citadel.propagate import probe as probing
from citadel.propagate.probe import ProbeOutcome, probe
from citadel.propagate.unforked import one_by_one
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

CASE = """
    import os
    import signal
    import sys
    import time
    import types

    import torch


    def breaks(x):
        def synchronize():
            raise RuntimeError("CUDA error: device-side assert triggered")

        sys.modules["live_torch"].synchronize = synchronize


    def fails(x):
        breaks(x)
        torch.linalg.cholesky(x)


    held = torch.ones(1)


    def crash_later(x):
        held.neg_()


    def crashes_then(x):
        if held.item() < 0:
            os.abort()


    sys.modules["own"] = types.SimpleNamespace(
        breaks=breaks, fails=fails, waits=lambda x: time.sleep(60), aborts=lambda x: os.abort(),
        crash_later=crash_later, crashes_then=crashes_then,
    )
    x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]])
    torch.linalg.cholesky(x)
"""
X = Take(key="arg:0")
FAILS = "torch.linalg.cholesky"


def plan(target):
    method = target.startswith("torch.Tensor.")
    slots = () if method else (Slot(name="a", keyword=False, value=X),)
    return Adaptation(
        target=target,
        form=Form.METHOD if method else Form.FUNCTION,
        receiver=X if method else None,
        new=(),
        call=slots,
        edits=(),
        plausibility=0.5,
    )


def on_gpu(found):
    """The case, as if what its first call was given or gives lay on a GPU."""
    first = next(call for call in found.observation.calls if call.result is not None)
    lies = replace(first.result, value=replace(first.result.value, device="cuda"))
    calls = [replace(c, result=lies) if c is first else c for c in found.observation.calls]
    return replace(found, observation=replace(found.observation, calls=tuple(calls)))


@pytest.fixture
def there(bench, read):
    """A case whose failing call says that it was given what lies on a GPU."""
    found = verify(
        read("cholesky", CASE), bench.replays[0], bench.index.catalog, bench.target.info, runs=1
    )
    assert isinstance(found, Verified), found
    return on_gpu(found)


@pytest.fixture
def probed(bench, there, monkeypatch):
    monkeypatch.setattr(probing, "GPU_SECONDS", 2.0)

    def check(*targets):
        assert there.observation.on_gpu
        attempts, entries = [], []
        session = SimpleNamespace(
            run=lambda *given, entry, **more: (
                entries.append(entry),
                bench.probes[0].run(*given, entry=entry, **more),
            )[1]
        )
        probe(
            there,
            [plan(target) for target in targets],
            session,
            seconds=60.0,
            limits=Limits(wall=20.0),
            on_attempt=attempts.append,
        )
        assert set(entries) == {"probe_unforked:run"}
        told = [(attempt.plan.target, attempt.outcome) for attempt in attempts]
        return told, len(entries), attempts

    return check


def on_torch(test):
    return pytest.mark.torch(pytest.mark.slow(test))


@on_torch
def test_many_attempts_take_one_process(probed):
    told, processes, _ = probed(FAILS, "torch.exp", "torch.no_such_thing", "torch.cholesky")
    assert told == [
        (FAILS, ProbeOutcome.HIT),
        ("torch.exp", ProbeOutcome.CLEAN),
        ("torch.no_such_thing", ProbeOutcome.NOT_ADAPTED),
        ("torch.cholesky", ProbeOutcome.HIT),
    ]
    assert processes == 1


@on_torch
def test_what_writes_to_the_arguments_has_copies_of_its_own(probed):
    told, processes, _ = probed("torch.Tensor.abs_", FAILS, "torch.Tensor.zero_", "torch.cholesky")
    assert [outcome.value for _, outcome in told] == ["clean", "hit", "clean", "hit"]
    assert processes == 1


@on_torch
@pytest.mark.parametrize(
    ("ends", "kind"), [("own.aborts", SymptomKind.CRASHES), ("own.waits", SymptomKind.HANGS)]
)
def test_what_ends_its_process_loses_nothing(probed, ends, kind):
    told, _, attempts = probed("torch.exp", ends, "torch.cholesky")
    assert [target for target, _ in told] == ["torch.exp", ends, "torch.cholesky"]
    assert told[2][1] is ProbeOutcome.HIT
    assert attempts[1].symptom.kind is kind


@on_torch
def test_a_broken_device_is_left_behind(probed):
    told, processes, attempts = probed("own.breaks", "torch.exp")
    assert told[1] == ("torch.exp", ProbeOutcome.CLEAN)
    assert "device-side assert" in attempts[0].symptom.message
    assert processes == 2


@on_torch
def test_what_has_hit_takes_no_other_process_with_it(probed):
    told, processes, _ = probed("own.fails", "own.fails", "torch.exp")
    assert told == [("own.fails", ProbeOutcome.HIT), ("torch.exp", ProbeOutcome.CLEAN)]
    assert processes == 2


@on_torch
def test_the_damage_of_another_attempt_is_not_ones_own(probed):
    """Nobody sees that the first one harms the second."""
    told, processes, _ = probed("own.crash_later", "own.crashes_then")
    assert [outcome for _, outcome in told] == [ProbeOutcome.CLEAN] * 2
    assert processes == 2


def own(found):
    """The report's own call, as a plan."""
    call = found.call
    method = call.form == "method"
    slots = [
        Slot(name=name or "a", keyword=bool(name), value=Take(key=key))
        for name, key in (
            *(("", f"arg:{at}") for at in range(len(call.arguments))),
            *((name, f"kw:{name}") for name, _ in call.keywords),
        )
    ]
    return Adaptation(
        target=found.api.name,
        form=Form.METHOD if method else Form.FUNCTION,
        receiver=Take(key="recv") if method else None,
        new=(),
        call=tuple(slots),
        edits=(),
        plausibility=0.5,
    )


@on_torch
@pytest.mark.parametrize(
    "code",
    [
        "w = torch.ones(4, requires_grad=True)\nw[:2].add_(1)",
        "w = torch.ones(4, requires_grad=True)\nw.unbind(0)[0].add_(1)",
        "x = torch.ones(5)\ntorch.add(x[1:], x[:-1], out=x[:-1])",
        "x = torch.zeros(9, dtype=torch.uint8)\nx[1:5].view(torch.int32)",
        "x = torch.ones(4)\ntorch.as_strided(x[1:3], (3,), (1,), 4)",
        "x = torch.ones(3).expand(2, 3)\nx.add_(1)",
        "x = torch.ones(2, requires_grad=True)\nx.add_(1)",
    ],
)
def test_the_reports_own_call_fails_as_it_does_in_a_fork(bench, read, code):
    code = "import torch\n" + code
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(read("It fails", code), bench.replays[0], catalog, info, runs=1)
    assert isinstance(found, Verified), found
    outcomes = []
    for where in (found, on_gpu(found)):
        attempts = []
        probe(
            where,
            [own(found)],
            bench.probes[0],
            seconds=20.0,
            limits=Limits(wall=20.0),
            on_attempt=attempts.append,
        )
        outcomes.append([(attempt.outcome, attempt.symptom) for attempt in attempts])
    assert outcomes[0] == outcomes[1]
    assert [outcome for outcome, _ in outcomes[0]] == [ProbeOutcome.HIT]


BLOCKED = """
    import signal
    import threading
    import time
    import sys
    import types
    import torch

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM})
    sys.modules["own"] = types.SimpleNamespace(waits=lambda x: time.sleep(60))
    problems = []

    def work():
        try:
            torch.linalg.cholesky(-torch.eye(2))
        except RuntimeError as problem:
            problems.append(problem)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    raise problems[0]
"""


@on_torch
def test_the_watchdog_needs_no_signal_and_no_main_thread(bench, read, monkeypatch):
    monkeypatch.setattr(probing, "GPU_SECONDS", 1.0)
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(read("cholesky", BLOCKED), bench.replays[0], catalog, info, runs=1)
    assert isinstance(found, Verified), found
    attempts = []
    probe(
        on_gpu(found),
        [plan("own.waits"), plan("torch.cholesky")],
        bench.probes[0],
        seconds=20.0,
        limits=Limits(wall=20.0),
        on_attempt=attempts.append,
    )
    assert attempts[0].symptom.kind is SymptomKind.HANGS
    assert attempts[1].outcome is ProbeOutcome.HIT


BEGUN, TOLD = {"e": "begun", "i": 0}, {"e": "probe", "i": 0, "o": "ok"}
DIED = Observation(outcome=Outcome.SIGNAL, code=signal.SIGSEGV)
OK = Observation(outcome=Outcome.OK)


def tried(events, ended=OK, plans=3):
    """(The plans that processes begin with, what is told) where each process says the same."""
    begun, told = [], []

    def run(start, _deadline, on_event):
        begun.append(start)
        for event in events[len(begun) - 1] if events and isinstance(events[0], list) else events:
            on_event(event)
        return ended

    one_by_one(run, plans, told.append, time.monotonic() + 60)
    return begun, told


@pytest.mark.parametrize(
    ("events", "ended", "runs"),
    [
        ([{"e": "left", "i": 0}], OK, [0]),
        ([{"e": "left", "i": -5}], OK, [0]),
        ([{"e": "left", "i": "2"}], OK, [0]),
        ([{"e": "begun", "i": True}], DIED, [0]),
        ([{"e": "begun", "i": -7}], DIED, [0]),
        ([{"e": "begun", "i": 10**9}], DIED, [0]),
        ([], DIED, [0]),
        ([BEGUN, {"e": "left", "i": None}], OK, [0]),
        ([BEGUN, {"e": "left", "i": 3}], OK, [0]),
        ([BEGUN, {"e": "left", "i": 2}], OK, [0, 2]),
    ],
)
def test_forged_events_end_the_walk(events, ended, runs):
    """The case may write to the pipe of events itself; no event makes this go on for ever."""
    assert tried(events, ended)[0] == runs


def test_a_death_behind_an_attempt_is_not_its_own():
    begun, told = tried([BEGUN, TOLD], DIED)
    assert begun == [0, 1]
    assert [event for event in told if event["e"] == "probe"] == [TOLD] * 2


def test_a_process_that_does_not_come_as_far_as_the_call_has_a_second_chance():
    first = [BEGUN, {"e": "left", "i": 1}]
    begun, _ = tried([first, [], [{"e": "begun", "i": 1}, {"e": "left", "i": 2}], [], []])
    assert begun == [0, 1, 1, 2, 2]
