"""The table of layers and what is drawn from it."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvest.sources.layers import KINDS, LAYERS, SHAPES, draw, specs
from harvest.sources.strategies import least, simpler, smaller
from harvest.sources.suspects import Suspect


def test_the_table_has_the_layers_of_the_papers():
    assert len(KINDS) >= 41
    assert {"Conv2D", "BatchNormalization", "GRU", "AveragePooling3D"} <= set(KINDS)


def test_names_are_unique_and_shapes_known():
    for spec in LAYERS:
        names = [parameter.name for parameter in spec.parameters]
        assert len(names) == len(set(names))
        assert spec.rank in SHAPES
    assert len({(spec.kind, spec.rank) for spec in LAYERS}) == len(LAYERS)


@pytest.mark.parametrize("invalid", [0.0, 1.0])
def test_invalid_values_are_drawn_when_asked_for(invalid):
    (spec,) = specs("Conv2D")
    config = draw(spec, np.random.default_rng(0), invalid=invalid)
    for parameter in spec.parameters:
        expected = parameter.invalid if invalid and parameter.invalid else parameter.legal
        assert config[parameter.name] in expected


def test_equal_seeds_draw_equal_configurations():
    (spec,) = specs("LSTM")
    drawn = [draw(spec, np.random.default_rng(7)) for _ in range(2)]
    assert drawn[0] == drawn[1]


@given(st.sampled_from(LAYERS), st.integers(0, 99))
def test_legal_values_are_drawn(spec, seed):
    config = draw(spec, np.random.default_rng(seed))
    assert all(config[one.name] in one.legal for one in spec.parameters)


def test_every_parameter_has_values_that_no_layer_should_take():
    lacking = {
        (spec.kind, one.name) for spec in LAYERS for one in spec.parameters if not one.invalid
    }
    assert not lacking


def test_every_parameter_has_another_legal_value_that_algorithm_2_can_try():
    legal = {}
    for spec in LAYERS:
        for one in spec.parameters:
            legal.setdefault((spec.kind, one.name), set()).update(map(str, one.legal))
    assert {key for key, values in legal.items() if len(values) < 2} == set()


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [
        ("Conv2D", "kernel_size", {2.5, (3, 2, 2)}),
        ("Dense", "units", {4.5}),
        ("ELU", "alpha", set()),
    ],
)
def test_what_no_type_of_legal_values_allows_is_invalid(kind, name, wrong):
    (one,) = (one for one in specs(kind)[0].parameters if one.name == name)
    assert wrong <= set(one.invalid)


FOUND = Suspect(kind="Conv2D", config={"filters": 6, "padding": "same"}, shapes=((2, 9, 9, 4),))


@given(smaller(FOUND))
def test_smaller_is_never_larger(suspect):
    assert all(1 <= new <= old for new, old in zip(suspect.shapes[0], FOUND.shapes[0], strict=True))
    assert suspect.config.items() <= {"filters": 6, "padding": "same"}.items() or (
        suspect.config.get("filters") in (4, 6, None)
    )


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_numbers_become_as_round_as_what_they_show_allows(dtype):
    found = np.array([[-3.217, 12.34, 0.5], [738.25, 1e-7, 41.0]], dtype)
    round_ones = least(simpler(found), lambda one: one[1, 0] > 650 and one[0, 0] < -2.5, 10.0)
    assert round_ones.dtype == dtype
    first, large = (-3.0, 700.0) if dtype == "float32" else (-3, 738)
    assert round_ones.tolist() == [[first, 0, 0], [large, 0, 0]]


def test_whole_numbers_do_not_grow():
    assert least(simpler(np.array([17, 29])), lambda one: one.max() > 29, 10.0) is None


def test_what_was_made_smaller_is_kept_when_time_is_up():
    asked = []

    def shows(suspect):
        asked.append(suspect)
        time.sleep(0.05)
        return suspect.shapes[0][1] > 1

    found = least(smaller(FOUND), shows, 0.4)
    assert found.shapes[0][1] > 1
    assert found in asked
    assert len(asked) < 12


def test_what_comes_and_goes_is_not_made_smaller():
    first = iter([False, False, True])
    assert least(smaller(FOUND), lambda _: next(first, False), 10.0) is None


def test_what_is_unusual_names_a_bug_and_sizes_do_not():
    config = {"pool_size": 3, "padding": "same", "strides": None}
    suspect = Suspect(kind="AveragePooling2D", config=config, shapes=((1, 4, 4, 1),))
    assert suspect.unusual == ("padding", "pool_size")
    assert suspect.setting == "padding=same,pool_size"
