"""What LA and MLA insert: values of the table, but for what the shape demands."""

import numpy as np
import pytest

from harvest.sources.layers import specs
from harvest.sources.lemon.insertions import (
    BUNDLES,
    KEEPING,
    cropped,
    halved,
    kept,
    permuted,
    repeated,
    widened,
)
from harvest.sources.networks import Layer, Network, make_inputs, make_weights

SHAPES = {2: (2, 6), 3: (2, 12, 4), 4: (2, 8, 10, 4), 5: (2, 6, 4, 6, 4)}
DEMANDED = {  # by the layer's place in the bundle
    halved: [
        {"filters", "strides", "padding", "dilation_rate", "data_format"},
        {"filters", "strides", "padding", "dilation_rate", "size"},
    ],
    cropped: [set(), {"cropping"}],
    widened: [set(), {"units"}],
    repeated: [set(), {"keepdims", "data_format"}],
    permuted: [set(), set(), {"dims"}],
}


def spec_of(kind, rank):
    known = specs(kind)
    return next((one for one in known if one.rank == rank), known[0])


def bundles(make, rank, count):
    made = [make(SHAPES[rank], np.random.default_rng(seed)) for seed in range(count)]
    return [one for one in made if one is not None]


def test_every_bundle_is_looked_at():
    assert set(DEMANDED) == set(BUNDLES)


@pytest.mark.parametrize("rank", SHAPES)
@pytest.mark.parametrize("make", BUNDLES, ids=lambda make: make.__name__)
def test_values_are_the_tables_but_for_what_the_shape_demands(make, rank):
    drawn = {}
    for bundle in bundles(make, rank, 400):
        for (kind, config), demanded in zip(bundle, DEMANDED[make], strict=True):
            legal = {one.name: one.legal for one in spec_of(kind, rank).parameters}
            assert set(config) == set(legal)
            for name in set(legal) - demanded:
                assert config[name] in legal[name], (kind, name)
                drawn.setdefault((kind, name), (legal[name], set()))[1].add(config[name])
    for (kind, name), (legal, seen) in drawn.items():
        assert seen == set(legal), (kind, name)


@pytest.mark.parametrize("spec", KEEPING, ids=lambda spec: f"{spec.kind}-{spec.rank}")
def test_an_addition_has_values_of_the_table_but_for_its_sizes(spec):
    usual = {one.name: one.legal[0] for one in spec.parameters}
    config = kept(spec, usual, SHAPES[spec.rank])
    changed = {name for name, value in config.items() if value != usual[name]}
    multiplied = {"depth_multiplier"} if spec.kind.startswith("Depthwise") else set()
    sizes = {"filters", "units", "strides", "padding", "return_sequences"}
    assert changed <= sizes | multiplied


def test_what_is_taken_apart_is_put_together():
    for rank in (3, 4, 5):
        for (_, padded), (_, back) in bundles(cropped, rank, 20):
            assert padded["padding"] == back["cropping"]
    for (_, turned), _, (_, back) in bundles(permuted, 4, 20):
        order = [0, *turned["dims"]]
        assert [order[place] for place in (0, *back["dims"])] == [0, 1, 2, 3]


def test_odd_sizes_are_not_halved():
    assert halved((2, 7, 4), np.random.default_rng(0)) is None


@pytest.mark.keras
@pytest.mark.slow
@pytest.mark.parametrize("rank", SHAPES)
@pytest.mark.parametrize("make", BUNDLES, ids=lambda make: make.__name__)
def test_a_bundle_keeps_the_shape(backends, make, rank):
    """A backend may refuse a layer, which would be a hit; none gives another shape."""
    found = []
    for bundle in bundles(make, rank, 8):
        names = ["in", *(f"layer_{number}" for number in range(len(bundle)))]
        layers = tuple(
            Layer(name=name, kind=kind, config=config, inputs=(before,))
            for before, name, (kind, config) in zip(names, names[1:], bundle, strict=False)
        )
        network = Network(name="n", inputs={"in": SHAPES[rank]}, layers=layers)
        inputs = make_inputs(network, 0)
        weights = make_weights(backends.describe(network, inputs), 0)
        for one in backends.run(network, weights, inputs, only=backends.quick).values():
            if one.failure is None:
                found.append(one.states[names[-1]].shape)
    assert set(found) <= {SHAPES[rank]}
    assert len(found) >= len(bundles(make, rank, 8))
