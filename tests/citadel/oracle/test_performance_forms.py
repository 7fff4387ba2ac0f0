"""Which comparison a run shows, whatever form a report gives it."""

import math

import pytest

from analysis.target.observation import Observation, Outcome, Raised
from citadel.oracle import performance, versions
from citadel.oracle.measure import Form
from citadel.oracle.performance import NoOracle
from citadel.oracle.quantities import Topic
from citadel.oracle.samples import Decision
from harvest.report.model import Report
from harvest.report.understand import understand

from .captured import CLOCKED, RATIO, captured, points_of, run_of, sides


def test_a_ratio_that_is_shown():
    code = CLOCKED + "a, b = f(), g()\nprint('ratio', a / b)\n"
    found = captured(code, {"a": (6.0, "s"), "b": (2.0, "s"), "a / b": (3.0, "ratio")})
    assert (found.measure.form, found.where, found.topic) == (Form.RATIO, "a / b", Topic.TIME)
    assert found.reproduces
    assert found.ratio == pytest.approx(3)
    assert found.needed == pytest.approx(math.log(3) / 2)


def test_a_ratio_whose_name_is_shown():
    found = captured("speedup = f()\nprint(speedup)\n", {"speedup": (0.25, "ratio")})
    assert found.reproduces
    assert found.ratio == pytest.approx(4)


def test_a_percentage():
    code = "a, b = f()\nprint(100 * a / b, '%')\n"
    found = captured(code, {"100 * a / b": (300.0, "ratio")})
    assert found.ratio == pytest.approx(3)


def test_by_how_much_more():
    code = "a, b = f()\nprint((a - b) / b)\n"
    found = captured(code, {"(a - b) / b": (1.5, "ratio")})
    assert found.ratio == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("test", "values", "ratio"),
    [
        ("a > 5 * b", {"a": (60.0, "s"), "5 * b": (10.0, "s")}, 30),
        ("5 * b < a", {"a": (60.0, "s"), "5 * b": (10.0, "s")}, 30),
        ("a < 1.5 * b", {"a": (60.0, "s"), "1.5 * b": (3.0, "s")}, 30),
        ("a > b * 100", {"a": (60.0, "s"), "b * 100": (20.0, "s")}, 3),
    ],
)
def test_a_comparison_of_durations(test, values, ratio):
    found = captured(f"a, b = f()\nprint({test})\n", values)
    assert found.measure.form is Form.ORDER
    assert found.ratio == pytest.approx(ratio)
    assert found.reproduces


def test_what_is_allowed_for_is_no_slowness():
    values = {"5 * b": (10.0, "s"), "a": (2.0, "s")}
    found = captured("a, b = f()\nprint(a > 5 * b)\n", values)
    assert not found.reproduces


def test_two_durations_that_are_shown():
    code = "slow, fast = f()\nprint(slow, fast)\n"
    found = captured(code, {"slow": (6.0, "s"), "fast": (2.0, "s")})
    assert (found.measure.form, found.measure.stated) == (Form.PAIR, True)
    assert found.ratio == pytest.approx(3)


NOTHING = "print('in place', used(f))\nprint('plain', used(g))\n"
MORE = "f uses more memory than g"


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [(640, 0, 10), (640, 64, 10), (0, 0, 1), (0, 640, 0.1)],
)
def test_what_takes_no_memory_is_compared_with_what_takes_some(one, other, ratio):
    found = captured(NOTHING, {"used(f)": (one, "B"), "used(g)": (other, "B")}, title=MORE)
    assert (found.measure.form, found.topic) == (Form.PAIR, Topic.MEMORY)
    assert found.ratio == pytest.approx(ratio)
    assert found.reproduces is (ratio == 10)


@pytest.mark.parametrize(("one", "other", "ratio"), [(640, 0, 10), (2.0, 0.5, 4), (40.0, 10.0, 4)])
def test_memory_that_an_assertion_compares(one, other, ratio):
    """In bytes, or in GiB and MiB."""
    values = {"used(f)": (one, "B"), "used(g)": (other, "B")}
    found = captured("assert used(f) <= used(g)\n", values, title=MORE)
    assert (found.measure.form, found.reproduces) == (Form.ORDER, True)
    assert found.ratio == pytest.approx(ratio)


def test_counters_are_no_memory():
    values = {"kept(f)": (100, None), "kept(g)": (0, None)}
    code = "print('f', kept(f))\nprint('g', kept(g))\n"
    assert isinstance(captured(code, values, title=MORE), NoOracle)


def test_nothing_that_no_function_tells_is_no_amount():
    code = "for step in range(2):\n    print(step, used(f))\n"
    values = {"step": ([0, 0], "B"), "used(f)": ([640, 640], "B")}
    found = captured(code, values, title=MORE)
    assert "step" not in getattr(found, "where", "")


def test_pasted_numbers_tell_which_side_is_the_slow_one():
    code = "a, b = f()\nprint('eager', a)\nprint('graph', b)\n"
    values = {"a": (2.0, "s"), "b": (1.0, "s")}
    found = captured(code, values, text="```\neager 0.1\ngraph 0.7\n```")
    assert (found.measure.stated, found.reproduces) == (True, False)
    assert found.ratio == pytest.approx(0.5)
    assert captured(code, values).ratio == pytest.approx(2)


def test_the_words_tell_which_side_is_the_slow_one():
    code = "slow, fast = f()\nprint(slow, fast)\n"
    found = captured(code, {"slow": (1.0, "s"), "fast": (2.0, "s")})
    assert found.ratio == pytest.approx(0.5)
    assert not found.reproduces


def test_the_title_tells_which_side_is_the_slow_one():
    code = "a, b = f()\nprint('float16', a)\nprint('float32', b)\n"
    values = {"a": (1.0, "s"), "b": (2.0, "s")}
    found = captured(code, values, title="add is slower in fp16 than in fp32")
    assert found.ratio == pytest.approx(0.5)
    assert found.where == "a against b"
    found = captured(code, values, title="add is slower in fp32 than in fp16")
    assert found.ratio == pytest.approx(2)
    assert found.where == "b against a"


def test_where_nothing_tells_the_larger_is_the_slow_one():
    found = captured("a, b = f()\nprint(a, b)\n", {"a": (1.0, "s"), "b": (2.0, "s")})
    assert not found.measure.stated
    assert found.ratio == pytest.approx(2)


def test_variants_in_a_loop():
    code = "for kind in kinds:\n    t = f(kind)\n    print(kind, t)\n"
    found = captured(code, {"t": ([1.0, 4.0], "s")})
    assert (found.measure.form, found.ratio) == (Form.PAIR, pytest.approx(4))


def test_an_explicit_ratio_counts_rather_than_what_is_shown_beside_it():
    code = "a, b, c = f()\nprint(a, b, c)\nprint(a / b)\n"
    values = {"a": (1.0, "s"), "b": (1.0, "s"), "c": (9.0, "s"), "a / b": (1.0, "ratio")}
    assert not captured(code, values).reproduces


def test_bytes_count_where_the_report_is_about_memory():
    code = "a, b = f()\nprint(a, b, b / a)\n"
    values = {"a": (1000, None), "b": (2000, None), "b / a": (2.0, None)}
    found = captured(code, values, title="it keeps too much memory", count=2)
    assert (found.topic, found.ratio) == (Topic.MEMORY, pytest.approx(2))
    assert found.reproduces
    assert isinstance(captured(code, values, title="it is wrong"), NoOracle)


def test_growth_in_a_loop():
    code = "for step in range(12):\n    print(step, used())\n"
    values = {"used()": ([1000 * step for step in range(12)], "B")}
    found = captured(code, values, title="memory leak", count=2)
    assert (found.measure.form, found.ratio) == (Form.GROWTH, 1000)
    assert found.reproduces
    assert performance.judge(found, [run_of(code, values)] * 2).decision is Decision.BUG
    flat = {"used()": ([1000] * 12, "B")}
    assert performance.judge(found, [run_of(code, flat)] * 2).decision is Decision.CLEAN


@pytest.mark.parametrize(
    ("loop", "numbers"),
    [
        ("for step in count(3):", list(range(3, 15))),
        ("for step in range(0, 2400, 200):", list(range(0, 2400, 200))),
    ],
)
def test_the_numbers_that_a_loop_goes_through_are_no_memory(loop, numbers):
    code = f"{loop}\n    print(step)\n    print(used())\n"
    grown = [9000 + 500 * step for step in range(12)]
    values = {"step": (numbers, None), "used()": (grown, None)}
    found = captured(code, values, title="memory leak", count=2)
    assert (found.measure.form, found.where, found.ratio) == (Form.GROWTH, "used()", 500)
    assert isinstance(captured(code, values | {"used()": ([9000] * 12, None)}), NoOracle)
    objects = list(range(100, 112))  # one more each time is a leak, too
    found = captured(code, values | {"used()": (objects, None)}, title="memory leak", count=2)
    assert (found.where, found.ratio) == ("used()", 1)


AT_SIZES = (
    CLOCKED
    + """
for n in SIZES:
    a = time.time()
    f(n)
    print(n, time.time() - a)
"""
)


@pytest.mark.parametrize(
    ("title", "times", "shown", "ratio"),
    [
        ("f takes quadratic time", [1.0, 4.0, 16.0], True, 4),
        ("f takes quadratic time", [1.0, 2.0, 4.0], False, 1),
        ("f gets slower as n grows", [1.0, 4.0, 16.0], True, 4),
        ("f gets slower as n grows", [1.0, 2.0, 4.0], False, 1),
        ("f should take constant time", [1.0, 2.0, 4.0], True, 4),
        ("the time of f should not depend on n", [1.0, 2.0, 4.0], True, 4),
        ("f should take constant time", [1.0, 1.01, 0.99], False, 1),
        # Below some size it is the call that takes the time.
        ("the cost is not linear", [1.0, 1.0, 1.0, 4.0, 16.0], True, 4),
    ],
)
def test_times_at_several_sizes(title, times, shown, ratio):
    sizes = [100 * 2**place for place in range(len(times))]
    code = AT_SIZES.replace("SIZES", str(sizes))
    given = {"n": (sizes, None), "time.time() - a": (times, "s")}
    oracle = captured(code, given, title=title)
    assert oracle.measure.form is Form.SCALING
    assert oracle.reproduces == shown
    assert oracle.ratio == pytest.approx(ratio, rel=0.02)
    assert str(sizes[-1]) in oracle.where
    told_by_loop = captured(code.replace("print(n, ", "print("), given, title=title)
    assert told_by_loop.measure.form is Form.SCALING
    assert told_by_loop.ratio == oracle.ratio


def test_more_takes_longer_is_no_comparison():
    given = {"n": ([100, 200, 400], None), "time.time() - a": ([1.0, 2.0, 4.0], "s")}
    code = AT_SIZES.replace("SIZES", "(100, 200, 400)")
    assert isinstance(captured(code, given, title="f is slow"), NoOracle)
    # Of threads, more make it faster; far more time than size is worth a look.
    for sizes, times in (([1, 8], [8.0, 1.0]), ([0, 1], [1.0, 10.0]), ([1, 8], [1.0, 30.0])):
        given = {"n": (sizes, None), "time.time() - a": (times, "s")}
        found = captured(AT_SIZES.replace("SIZES", str(sizes)), given, title="f is slow")
        assert (found.measure.form, found.ratio > 7) == (Form.PAIR, True)
    # Which variant runs is no size.
    given = {"name": (None, None), "time.time() - a": ([1.0, 2.0, 4.0], "s")}
    code = AT_SIZES.replace("SIZES", "('a', 'b', 'c')").replace("print(n", "print(name")
    assert captured(code, given, title="f is slow").measure.form is Form.PAIR


def test_no_effect_where_the_report_complains_of_that():
    code = "a, b = f()\nprint(a / b)\n"
    values = {"a": (1000, "B"), "b": (1000, "B"), "a / b": (1.0, "ratio")}
    found = captured(code, values, title="inplace=True has no effect on memory", count=2)
    assert found.reproduces
    assert found.equal
    judged = performance.judge(found, [run_of(code, values)] * 2)
    assert judged.decision is Decision.BUG
    half = {"a": (500, "B"), "b": (1000, "B"), "a / b": (0.5, "ratio")}
    assert performance.judge(found, [run_of(code, half)] * 2).decision is Decision.CLEAN
    assert not captured(code, values, title="memory", count=2).reproduces


def test_no_effect_is_not_of_two_that_set_the_same_option():
    code = "print(peak(A(inplace=True)))\nprint(peak(B(inplace=True)))\n"
    values = {"peak(A(inplace=True))": (1000, "B"), "peak(B(inplace=True))": (1000, "B")}
    title = "B(inplace=True) uses as much memory as out of place: no effect"
    assert not captured(code, values, title=title, count=2).reproduces
    less = code.replace("A(inplace=True)", "B()")
    values = {"peak(B())": (1000, "B"), "peak(B(inplace=True))": (1000, "B")}
    assert captured(less, values, title=title, count=2).equal


def test_a_report_that_ends_in_an_assertion():
    code = "a, b = f()\nassert a < 2 * b\n"
    values = {"a": (9.0, "s"), "2 * b": (2.0, "s")}
    failed = Raised(types=("AssertionError", "Exception"), message="")
    found = captured(code, values, outcome=Outcome.EXCEPTION, exception=failed)
    assert found.ratio == pytest.approx(9)


@pytest.mark.parametrize(
    ("given", "outcome", "reason"),
    [
        ({"t": (3.0, "s")}, Outcome.OK, "compares"),
        ({"t": (3.0, None)}, Outcome.OK, "measures"),
        ({"t": (3.0, "clock")}, Outcome.OK, "measures"),
        ({}, Outcome.OK, "measures"),
        ({"t": (3.0, "s")}, Outcome.SIGNAL, "run through"),
    ],
)
def test_what_cannot_be_captured_is_said(given, outcome, reason):
    found = captured("t = f()\nprint(t)\n", given, outcome=outcome)
    assert isinstance(found, NoOracle)
    assert reason in found.reason


@pytest.mark.parametrize("least", [5e-324, 1e-200])
def test_what_no_clock_measures_is_no_ratio(least):
    oracle = captured(RATIO, sides(9.0))
    runs = [run_of(RATIO, {"a": (1.7e308, "s"), "b": (least, "s")})] * 5
    assert performance.judge(oracle, runs).decision is Decision.UNREACHED


def test_waiting_shows_in_what_a_run_took():
    def took(cpu, wall, free):
        event = {"e": "measured", "cpu": cpu, "wall": wall, "free": free}
        return Observation(outcome=Outcome.OK, extra=(event,))

    assert performance.sleeps(took(0.01, 1.0, 1.0))
    assert not performance.sleeps(took(0.9, 1.0, 1.0))
    assert not performance.sleeps(took(0.2, 1.0, 0.25))
    assert not performance.sleeps(Observation(outcome=Outcome.OK))


@pytest.mark.parametrize("unit", ["s", "rate"])
def test_of_two_versions_the_one_under_test_is_the_suspect(unit):
    code = CLOCKED + "print(took(f))"
    here, there = (4.0, 1.0) if unit == "s" else (1.0, 4.0)
    runs = [
        versions.both(
            run_of(code, {"took(f)": (here, unit)}), run_of(code, {"took(f)": (there, unit)})
        )
        for _ in range(8)
    ]
    assert [len(part.seen) for part in versions.split(runs[0])] == [1, 1]
    reading = understand(Report(source="r.md", title="f is slower than in 1.0", body=""))
    oracle = performance.capture(points_of(code), runs, reading, code, baseline="torch 1.0")
    assert oracle.reproduces
    assert oracle.ratio == pytest.approx(4)
    assert versions.on_one(oracle.measure.points) == [0]
