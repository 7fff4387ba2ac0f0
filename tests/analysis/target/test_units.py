"""Numbers with units: what is computed of clocks and meters knows what it counts."""

import copy
import importlib
import math
import pickle
import statistics
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.inside import units
from analysis.inside.units import common, measured, record, unit_of
from analysis.target.sandbox import INSIDE

early, late = measured(10.0, "clock"), measured(12.5, "clock")
short, long = measured(0.5, "s"), measured(2.5, "s")
tick = measured(1_000_000, "ns")
some, much = measured(1000, "B"), measured(4000, "B")


@pytest.mark.parametrize(
    ("value", "number", "unit"),
    [
        (late - early, 2.5, "s"),
        (early + long, 12.5, "clock"),
        (late - short, 12.0, "clock"),
        (late - 1.0, 11.5, "clock"),
        (early + late, 22.5, "clock"),
        (early * 2, 20.0, None),
        (long / short, 5.0, "ratio"),
        (late / early, 1.25, None),
        (long - short, 2.0, "s"),
        (1e3 * long, 2500.0, "s"),
        (long * 1000, 2500.0, "s"),
        (long / 10, 0.25, "s"),
        (10 / short, 20.0, "rate"),
        ((10 / short) / (10 / long), 5.0, "ratio"),
        (much / long, 1600.0, "rate"),
        (much / some, 4.0, "ratio"),
        (much - some, 3000, "B"),
        (much // 1024, 3, "B"),
        (much % 1000, 0, "B"),
        (much / 2**20, 4000 / 2**20, "B"),
        (long / short + 0, 5.0, "ratio"),
        (long / short - 1, 4.0, None),
        (long / short * 100, 500.0, "ratio"),
        (long * (short / long), 0.5, "s"),
        (1 / (long / short), 0.2, "ratio"),
        (long * short, 1.25, None),
        (long + some, 1002.5, None),
        (tick / 1e6, 1.0, "ns"),
        (tick * 1e-9, 0.001, "ns"),
        (1e-9 * tick, 0.001, None),  # a float takes an int for an int
        (tick + 1, 1_000_001, "ns"),
        (-long, -2.5, "s"),
        (abs(-long), 2.5, "s"),
        (round(long, 1), 2.5, "s"),
        (round(long), 2, "s"),
        (min(long, short), 0.5, "s"),
        (sum([long, short]), 3.0, "s"),
        (sum([some, much]), 5000, "B"),
        (sorted([long, short])[-1], 2.5, "s"),
        (statistics.mean([long, short]), 1.5, "s"),
        (statistics.median([long, short, long]), 2.5, "s"),
        (divmod(long, 1)[1], 0.5, "s"),
        (math.sqrt(long), math.sqrt(2.5), None),
    ],
)
def test_what_is_computed_has_its_unit(value, number, unit):
    assert value == pytest.approx(number)
    assert unit_of(value) == unit


def test_they_are_numbers_in_every_respect():
    assert (
        f"{long:.2f}",
        f"{some:>6d}",
        "%.1f" % long,  # noqa: UP031 - as reports do
        str(long),
        repr(some),
    ) == (*("2.50", "  1000", "2.5", "2.5", "1000"),)
    assert type(long > short) is bool
    assert {long: 1}[2.5] == 1
    assert [0, 1, 2, 3][measured(2, "B")] == 2
    assert math.isclose(long, 2.5)
    assert "ab" * measured(2, "B") == "abab"


def test_copies_keep_their_unit():
    for made in (copy.copy(long), copy.deepcopy([some])[0], pickle.loads(pickle.dumps(tick))):
        assert unit_of(made) in ("s", "B", "ns")


def test_truth_values_and_texts_get_none():
    assert measured(True, "B") is True
    assert measured("text", "B") == "text"
    assert unit_of("text") is None
    assert unit_of(2.5) is None


def test_a_list_has_the_unit_that_its_numbers_share():
    assert common([long, short]) == "s"
    assert common([long, some]) is None
    assert common([long, 1.0]) is None
    assert common([]) is None


def test_records_are_those_of_plain_numbers_with_a_unit():
    assert record(long) == {"k": "float", "v": "2.5", "unit": "s"}
    assert record(some) == {"k": "int", "v": "1000", "unit": "B"}
    assert record(2.5) is None


@given(st.floats(0.01, 1e6), st.floats(0.01, 1e6))
def test_arithmetic_is_that_of_plain_numbers(one, other):
    a, b = measured(one, "s"), measured(other, "s")
    assert (a + b, a - b, a / b, a * 3, 3 * a, a // 2) == (
        *(one + other, one - other, one / other, one * 3, 3 * one, one // 2),
    )
    assert (a < b, a == b) == (one < other, one == other)


@given(st.integers(1, 10**9), st.floats(0.01, 1e6))
def test_whole_numbers_meet_floats(whole, other):
    a = measured(whole, "ns")
    assert (a * other, other * a, a / other, other / a, a - other) == (
        *(whole * other, other * whole, whole / other, other / whole, whole - other),
    )


def test_every_unit_has_its_classes():
    assert {unit for unit, _ in units.CLASSES} == set(units.UNITS)


def test_what_a_gpu_has_still_to_do_is_the_reports_own(monkeypatch):
    """Looking at a value waits for the device, which is not what the looking takes."""
    monkeypatch.syspath_prepend(str(INSIDE))
    pending = []
    clock = importlib.import_module("clocks").Clock(
        wall=True, wait=lambda: time.sleep(pending.pop() if pending else 0)
    )
    started = clock.now()
    pending.append(0.05)
    clock.outside(clock.wait)()
    assert clock.now() - started >= 0.05e9
