"""What a sibling shows of an effect that the report's own code has."""

import math
from dataclasses import replace

import pytest

from citadel.oracle import performance
from citadel.oracle.samples import Decision

from .captured import CLOCKED, RATIO, captured, run_of, sides


def test_what_is_proportional_is_no_sibling_of_what_is_quadratic():
    oracle = captured(
        CLOCKED + "print(took(400) / took(200))",
        {"took(400) / took(200)": (4.0, "ratio"), "took(400)": (4.0, "s"), "took(200)": (1.0, "s")},
        title="f has quadratic complexity",
    )
    assert math.log(2) < oracle.needed < math.log(4)
    other = captured(
        CLOCKED + "print(t_float16 / t_float32)",
        {"t_float16 / t_float32": (9.0, "ratio"), "t_float16": (9.0, "s"), "t_float32": (1.0, "s")},
        title="f has quadratic complexity",
    )
    assert other.needed == pytest.approx(math.log(3))


@pytest.mark.parametrize(
    ("ratio", "decision"),
    [(9.0, Decision.BUG), (3.5, Decision.BUG), (2.0, Decision.CLEAN), (0.1, Decision.CLEAN)],
)
def test_a_sibling_shows_half_of_the_effect_in_the_same_direction(ratio, decision):
    oracle = captured(RATIO, sides(9.0))
    judged = performance.judge(oracle, [run_of(RATIO, sides(ratio))] * 5)
    assert judged.decision is decision
    assert judged.ratio == pytest.approx(ratio)
    assert judged.hits == (5 if decision is Decision.BUG else 0)


def test_a_sibling_that_does_not_get_there():
    oracle = captured(RATIO, sides(9.0))
    judged = performance.judge(oracle, [run_of(RATIO, {})] * 5)
    assert judged.decision is Decision.UNREACHED


def test_a_noisy_sibling_on_a_busy_machine():
    oracle = captured(RATIO, sides(2.0))
    busy = ({"e": "measured", "free": 0.2, "cpu": 1.0, "wall": 5.0},)
    runs = [run_of(RATIO, sides(9.0 if n % 2 else 0.4), extra=busy) for n in range(20)]
    assert performance.judge(oracle, runs, last=False).decision is Decision.MORE
    judged = performance.judge(oracle, runs)
    assert judged.decision is Decision.NOISY
    assert "busy" in judged.reason


def test_what_does_not_grow_is_no_leak_where_the_source_does_not_grow_either():
    code = "for i in range(12):\n    print(memory())\n"
    growing = {"memory()": ([1000 * n for n in range(12)], "B")}
    oracle = captured(code, growing, title="memory leak")
    fixed = replace(oracle, decision=Decision.CLEAN, needed=0.0)
    flat = [run_of(code, {"memory()": ([1000] * 12, "B")})] * 2
    assert performance.judge(fixed, flat).decision is Decision.CLEAN
    assert performance.judge(fixed, [run_of(code, growing)] * 2).decision is Decision.BUG


def test_what_is_fixed_still_serves_for_siblings():
    oracle = captured(RATIO, sides(1.0), text="It takes 9x as long.")
    assert not oracle.reproduces
    assert oracle.needed == pytest.approx(math.log(3))
    assert captured(RATIO, sides(1.0)).needed == pytest.approx(math.log(performance.UNSEEN))
