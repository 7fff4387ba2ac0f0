"""Runs that measure: clocks of CPU time, units, warming up; in the sandbox."""

import textwrap

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Outcome
from analysis.target.sandbox import SandboxKind


def measured(session, code, **arguments):
    """A run that measures, and what its watched expressions came to: text -> [values]."""
    case = watched(instrument(textwrap.dedent(code)))
    run = session.run(
        textwrap.dedent(code), traced=case.text, entry="measure:run", arguments=arguments
    )
    found = {}
    for seen in run.seen:
        found.setdefault(case.points[seen.point].text, []).append(seen.value)
    return run, found


@pytest.fixture(scope="module")
def session(bare):
    with bare(SandboxKind.NONE) as made:
        yield made


SPIN = "def spin(n):\n    return sum(i * i for i in range(n))\n"


@pytest.mark.parametrize(
    "clock",
    [
        *("time.time", "time.perf_counter", "time.monotonic", "time.process_time"),
        *("time.time_ns", "time.perf_counter_ns", "timeit.default_timer"),
    ],
)
def test_durations_of_each_clock_have_a_unit(session, clock):
    code = f"import time, timeit\n{SPIN}a = {clock}()\nspin(1000)\nprint({clock}() - a)\n"
    run, found = measured(session, code)
    (value,) = found[f"{clock}() - a"]
    assert run.outcome is Outcome.OK
    assert value.unit == ("ns" if clock.endswith("ns") else "s")
    assert float(value.text) > 0


def test_clocks_that_were_imported_by_name_are_the_same(session):
    code = "from time import perf_counter as now\na = now()\nprint(now() - a)\n"
    assert measured(session, code)[1]["now() - a"][0].unit == "s"


def test_work_counts_and_waiting_for_others_does_not(session):
    code = SPIN + textwrap.dedent(
        """
        import select, time
        a = time.time()
        select.select([], [], [], 0.2)
        b = time.time()
        spin(300_000)
        c = time.time()
        print(b - a, c - b)
        """
    )
    _, found = measured(session, code)
    assert float(found["b - a"][0].text) < float(found["c - b"][0].text)
    _, found = measured(session, code, wall=True)
    assert float(found["b - a"][0].text) >= 0.2


def test_who_sleeps_has_slept(session):
    code = "import time\na = time.time()\ntime.sleep(0.05)\nprint(time.time() - a)\n"
    (value,) = measured(session, code)[1]["time.time() - a"]
    assert float(value.text) >= 0.05


def test_the_time_of_the_watcher_is_not_the_cases(session):
    code = "import time\nbig = ['x' * 100] * 250\na = time.perf_counter()\n"
    code += "print(big)\n" * 50 + "b = time.perf_counter()\nprint(b - a)\n"
    every = measured(session, code)[1]["b - a"][0]
    points = watched(instrument(code)).points
    last = [point.number for point in points if point.text == "b - a"]
    alone = measured(session, code, points=last)[1]["b - a"][0]
    assert float(every.text) < 20 * float(alone.text)


def test_only_the_points_that_are_asked_for_are_told_of(session):
    run, _ = measured(session, "print(1 + 1)\na = 2\nprint(a)\nprint(a + 1)\n", points=[1])
    assert [seen.point for seen in run.seen] == [1]


@pytest.mark.parametrize(
    ("code", "unit"),
    [
        ("import timeit\nprint(timeit.timeit('1 + 1', number=100))", "s"),
        ("import timeit\nprint(min(timeit.repeat('1 + 1', number=100, repeat=3)))", "s"),
        ("from timeit import Timer\nprint(Timer('1 + 1').timeit(number=100) / 100)", "s"),
        ("import tracemalloc as t\nt.start()\nprint(t.get_traced_memory()[1])", "B"),
        ("import resource as r\nprint(r.getrusage(r.RUSAGE_SELF).ru_maxrss)", "B"),
        ("import time, statistics as s\nt = time.time()\nprint(s.fmean([time.time() - t]))", "s"),
        ("import time\nt = time.time()\nprint((time.time() - t) / 2 / (time.time() - t))", "ratio"),
    ],
)
def test_meters_have_units(session, code, unit):
    run, found = measured(session, code + "\n")
    assert run.outcome is Outcome.OK, run.stderr
    assert found[max(found, key=len)][0].unit == unit


def test_times_in_lists_have_units(session):
    code = "import timeit\nprint(timeit.repeat('1', number=10, repeat=3))\n"
    (value,) = next(iter(measured(session, code)[1].values()))
    assert [item.unit for item in value.items] == ["s"] * 3


def test_the_first_of_two_runs_is_silent(session):
    code = """
        import os, sys
        print("out"); print("err", file=sys.stderr); os.write(1, b"raw\\n")
        print(len(sys.argv))
    """
    run, found = measured(session, code)
    assert sorted(run.stdout.splitlines()) == ["1", "out", "raw"]
    assert run.stderr == "err\n"
    assert len(found["len(sys.argv)"]) == 1


def test_both_runs_draw_the_same_numbers(session):
    code = "import random\nprint(random.random())\n"
    warm, cold = (measured(session, code, warm=warm)[0].stdout for warm in (True, False))
    assert warm == cold


def test_what_a_case_leaves_in_a_file_is_there_the_second_time(session):
    code = "import os\nprint(os.path.exists('left'))\nopen('left', 'w').close()\n"
    assert measured(session, code)[0].stdout == "True\n"
    assert measured(session, code, warm=False)[0].stdout == "False\n"


def test_a_failing_case_fails_as_it_does_alone(session):
    run, _ = measured(session, "def f():\n    raise KeyError('no')\nf()\n")
    assert run.outcome is Outcome.EXCEPTION
    assert run.exception.type == "KeyError"
    assert run.stderr.count("Traceback") == 1
    assert [frame.line for frame in run.exception.frames] == [3, 2]


def test_the_end_tells_what_the_run_took(session):
    run, _ = measured(session, SPIN + "spin(100_000)\n")
    (event,) = [event for event in run.extra if event["e"] == "measured"]
    assert 0 < event["cpu"] <= event["wall"] * 1.5
    assert 0 < event["free"] <= 1.2


def test_no_tick_rounds_what_is_measured(session):
    code = SPIN + textwrap.dedent(
        """
        import time
        durations = []
        for _ in range(50):
            a = time.perf_counter()
            spin(100)
            durations.append(time.perf_counter() - a)
        print(min(durations), max(durations))
        """
    )
    low, high = (float(values[0].text) for values in measured(session, code)[1].values())
    assert 0 < low < high


@pytest.mark.torch
def test_torchs_own_benchmarks_have_units(bubblewrap_session):
    code = """
        import torch.utils.benchmark as benchmark
        made = benchmark.Timer("x + x", globals={"x": torch.ones(3)}).timeit(10)
        print(made)
        print(made.median, made.times[0])
    """
    run, found = measured(bubblewrap_session, "import torch\n" + textwrap.dedent(code))
    assert run.outcome is Outcome.OK, run.stderr
    assert {value[0].unit for value in found.values()} == {"s"}


@pytest.mark.torch
def test_numpys_means_have_units(bubblewrap_session):
    code = """
        import time
        import numpy as np
        times = []
        for _ in range(3):
            a = time.perf_counter()
            times.append(time.perf_counter() - a)
        print(np.mean(times), np.median(times), np.min(times))
    """
    _, found = measured(bubblewrap_session, code)
    assert [values[0].unit for values in found.values()] == ["s", "s", "s"]


@pytest.mark.torch
def test_tables_of_the_profiler_stand_for_their_time(bubblewrap_session):
    code = """
        import torch
        from torch.profiler import profile
        x = torch.rand(300, 300)
        def profiled(count):
            with profile(activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
                for _ in range(count):
                    x @ x
            return prof
        many, few = profiled(200), profiled(5)
        print(many.key_averages().table(sort_by="self_cpu_time_total"), few.key_averages())
        print(many.key_averages().self_cpu_time_total)
    """
    run, found = measured(bubblewrap_session, code)
    assert run.outcome is Outcome.OK, run.stderr
    (table,), (events,), (total,) = found.values()
    assert [table.unit, events.unit, total.unit] == ["s", "s", "us"]
    assert float(table.text) == pytest.approx(float(total.text) * 1e-6)
    assert 5 > float(table.text) > 3 * float(events.text) > 0


def test_warming_up_does_not_hide_how_much_memory_was_in_use(session):
    code = """
        import resource
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = peak()
        much = bytearray(80_000_000)
        after = peak()
        del much
        print(after - before)
    """
    for warm in (True, False):
        _, found = measured(session, code, warm=warm)
        (value,) = found["after - before"]
        assert value.unit == "B"
        assert int(value.text) > 60_000


def test_what_is_freed_may_stay_with_the_process(session):
    """Else new pages come with each allocation or not, as what lies above them has it."""
    code = """
        import resource
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(20):
            two = bytearray(20 << 20), bytearray(20 << 20)
            del two
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    """
    pages = [int(measured(session, code, keeps=keeps)[0].stdout) for keeps in (False, True)]
    assert pages[0] > 20 * pages[1]
