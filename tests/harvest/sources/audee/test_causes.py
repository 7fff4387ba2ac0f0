"""Algorithm 2 on two small backends, one of which counts padding in average pooling."""

import numpy as np
import pytest

from harvest.sources.audee.amplifying import effect
from harvest.sources.audee.causes import (
    T1,
    Causes,
    Culprit,
    Effect,
    culprit,
    find_causes,
    first_above,
    localise,
    plainer,
)
from harvest.sources.audee.oracles import failing
from harvest.sources.audee.variants import others
from harvest.sources.model import HitKind
from harvest.sources.networks import Layer, Network
from harvest.sources.suspects import Suspect, suspected
from tests.harvest.sources.audee.scripted import KIND, SHAPE, Lab

WRONG = {"pool_size": 2, "strides": 2, "padding": "same", "data_format": "channels_last"}
FAULT = Culprit(layer="layer", kind=HitKind.INCONSISTENCY)
CRASH = Culprit(layer="layer", kind=HitKind.CRASH)


def suspect(**config):
    return Suspect(kind=KIND, config={**WRONG, **config}, shapes=(SHAPE,))


def told(one, fault=FAULT, **more):
    return effect(Lab(), one, fault, np.random.default_rng(0), **more)


def network(*layers):
    names = ["in", *(f"layer{number}" for number in range(len(layers)))]
    made = tuple(
        Layer(name=name, kind=kind, config=config, inputs=(before,))
        for name, before, (kind, config) in zip(names[1:], names[:-1], layers, strict=True)
    )
    return Network(name="scripted", inputs={"in": SHAPE}, layers=made)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, Effect.SHOWS),
        ({"padding": "valid"}, Effect.GONE),
        ({"strides": 1}, Effect.GONE),
        ({"pool_size": 0}, Effect.FAILS),
    ],
)
def test_what_a_layer_alone_shows(config, expected):
    assert told(suspect(**config)) is expected
    assert told(suspect(**config), strict=True) is expected


def test_what_only_one_refuses_is_a_crash_that_shows():
    assert told(suspect(padding="causal_"), CRASH) is Effect.SHOWS
    assert told(suspect(padding="valid"), CRASH) is Effect.GONE
    assert told(suspect(pool_size=0), CRASH) is Effect.FAILS


def test_rounding_is_below_the_second_threshold():
    lone = Suspect(kind="Rescaling", config={"scale": 1 / 255, "offset": -1.0}, shapes=(SHAPE,))
    assert told(lone) is Effect.GONE


def test_causes_are_the_parameters_whose_other_values_mend_it():
    causes = find_causes(suspect(), told)
    assert set(causes.mends) >= {"padding", "strides"}
    assert causes.mends["padding"] == "valid"
    assert "data_format" not in causes.mends


def test_what_crashes_on_replacement_is_undecided():
    def refuses(one):
        return Effect.FAILS if one.config["strides"] != 2 else told(one)

    causes = find_causes(suspect(), refuses)
    assert causes.fails == ("strides",)
    assert "strides" not in causes.mends


def test_no_cause_where_nothing_mends():
    causes = find_causes(suspect(), lambda _: Effect.SHOWS)
    assert causes == Causes(kind=KIND)


def test_what_is_no_cause_becomes_usual():
    larger = suspect(pool_size=3)
    causes = Causes(kind=KIND, mends={"padding": "valid"})
    plain = plainer(larger, causes, lambda one: told(one, strict=True) is Effect.SHOWS)
    assert plain.config["pool_size"] == 2
    assert plain.config["padding"] == "same"
    assert plainer(larger, causes, lambda _: False) == larger


def test_other_values_are_legal_ones_and_others():
    assert list(others(KIND, "padding", "same")) == ["valid"]
    assert "nonsense" not in list(others("Conv2D", "padding", "valid"))


def test_the_first_layer_above_t1_is_at_fault():
    two = network(("Rescaling", {}), (KIND, WRONG))
    assert first_above(two, {"layer1": T1 + 1, "layer0": T1 + 1}) == "layer0"
    assert first_above(two, {"layer1": T1 + 1, "layer0": T1}) == "layer1"
    assert first_above(two, {"layer0": 3.0, "layer1": float("nan")}) == ""


def test_a_network_is_mended_until_nothing_is_at_fault():
    lab = Lab()
    whole = network((KIND, WRONG), ("Rescaling", {"scale": 0.5}), (KIND, {**WRONG, "pool_size": 3}))

    def look(one):
        executions = lab.run(one, lab.prepare(one, 0))
        return culprit(one, executions, failing(one, executions))

    def find(one, fault):
        shapes = {name: array.shape for name, array in lab.prepare(one, 0).inputs.items()}
        shapes |= {n: s.shape for n, s in lab.run(one, lab.prepare(one, 0))["right"].states.items()}
        return find_causes(suspected(one, one.find(fault.layer), shapes), told)

    found = localise(whole, look, find)
    assert [layer for layer, _ in found] == ["layer0", "layer2"]
    for _, causes in found:
        assert causes.kind == KIND
        assert set(causes.mends) & {"padding", "strides"}


def test_localisation_ends_where_nothing_can_be_mended():
    whole = network((KIND, WRONG))
    fault = Culprit(layer="layer0", kind=HitKind.INCONSISTENCY)
    found = localise(whole, lambda _: fault, lambda *_: Causes(kind=KIND))
    assert found == [("layer0", Causes(kind=KIND))]
    assert localise(whole, lambda _: fault, lambda *_: None) == []
