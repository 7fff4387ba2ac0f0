"""The rules of LEMON on a network of known shapes."""

import numpy as np
import pytest

from harvest.sources.layers import SHAPES
from harvest.sources.lemon.insertions import KEEPING, additions, kept
from harvest.sources.lemon.layer_rules import (
    activation_removal,
    activation_replacement,
    layer_addition,
    layer_copy,
    layer_removal,
    layer_switch,
    multi_layer_addition,
)
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.lemon.weight_rules import WEIGHT_RULES
from harvest.sources.networks import Layer, Network

LAYERS = (
    Layer(name="dense", kind="Dense", config={"units": 6, "activation": "relu"}, inputs=("in",)),
    Layer(name="norm", kind="BatchNormalization", inputs=("dense",)),
    Layer(name="elu", kind="ELU", inputs=("norm",)),
    Layer(name="add", kind="Add", inputs=("dense", "elu")),
    Layer(name="out", kind="Dense", config={"units": 3, "activation": "softmax"}, inputs=("add",)),
)
WIDE = dict.fromkeys(("dense", "norm", "elu", "add"), (2, 6))


@pytest.fixture
def mutant():
    network = Network(name="n", inputs={"in": (2, 4)}, layers=LAYERS)
    random = np.random.default_rng(0)
    weights = {
        "dense": (random.standard_normal((4, 6)), random.standard_normal(6)),
        "norm": tuple(random.uniform(0.5, 1, 6) for _ in range(4)),
        "out": (random.standard_normal((6, 3)), random.standard_normal(3)),
    }
    shapes = {"in": (2, 4), **WIDE, "out": (2, 3)}
    return Mutant(seed="n", network=network, weights=weights, shapes=shapes)


def applied(rule, mutant, seed=0):
    return rule(mutant, np.random.default_rng(seed))


def test_what_keeps_its_shape(mutant):
    assert [layer.name for layer in mutant.keeping()] == ["norm", "elu"]


def test_removal_wires_around(mutant):
    networks = [applied(layer_removal, mutant, seed).network for seed in range(8)]
    gone = {tuple(layer.name for layer in network.layers) for network in networks}
    assert gone == {("dense", "elu", "add", "out"), ("dense", "norm", "add", "out")}
    for network in networks:
        known = {"in", *(layer.name for layer in network.layers)}
        assert all(set(layer.inputs) <= known for layer in network.layers)


def test_switched_layers_take_their_weights_along(mutant):
    change = applied(layer_switch, mutant)
    assert change.network.find("norm").kind == "ELU"
    assert change.network.find("elu").kind == "BatchNormalization"
    assert change.weights == {"norm": (), "elu": mutant.weights["norm"]}


def test_layers_of_branches_beside_each_other_are_switched_too():
    """Both take 4 numbers and give 6; neither keeps its shape."""
    layers = (
        Layer(name="one", kind="Dense", config={"units": 6}, inputs=("in",)),
        Layer(name="other", kind="Dense", config={"units": 6, "use_bias": False}, inputs=("in",)),
        Layer(name="narrow", kind="Dense", config={"units": 3}, inputs=("in",)),
        Layer(name="add", kind="Add", inputs=("one", "other")),
        Layer(name="out", kind="Dense", config={"units": 3}, inputs=("add",)),
    )
    random = np.random.default_rng(0)
    weights = {
        "one": (random.standard_normal((4, 6)), random.standard_normal(6)),
        "other": (random.standard_normal((4, 6)),),
    }
    network = Network(name="n", inputs={"in": (2, 4)}, layers=layers)
    wide = dict.fromkeys(("one", "other", "add"), (2, 6))
    shapes = {"in": (2, 4), **wide, "narrow": (2, 3), "out": (2, 3)}
    branched = Mutant(seed="n", network=network, weights=weights, shapes=shapes)
    for seed in range(4):
        change = applied(layer_switch, branched, seed)
        assert change.network.find("one").config == layers[1].config
        assert change.network.find("other").config == layers[0].config
        assert change.network.layers[2:] == layers[2:]
        assert change.weights == {"one": weights["other"], "other": weights["one"]}


def test_a_copy_stands_behind_its_original(mutant):
    change = applied(layer_copy, mutant, 1)
    (copy,) = (one for one in change.network.layers if one.name not in {*WIDE, "out"})
    (original,) = copy.inputs
    assert copy.kind == mutant.network.find(original).kind
    assert change.network.after(original) == (copy,)
    assert change.weights[copy.name] == mutant.weights.get(original, ())


@pytest.mark.parametrize("seed", range(12))
def test_an_addition_is_put_between(mutant, seed):
    change = applied(layer_addition, mutant, seed)
    (added,) = (one for one in change.network.layers if one.name not in {*WIDE, "out"})
    assert change.network.after(added.inputs[0]) == (added,)
    assert change.network.after(added.name)


@pytest.mark.parametrize("rank", SHAPES)
def test_what_works_on_elements_is_added_at_any_rank(rank):
    kinds = [spec.kind for spec in additions(rank)]
    assert {"ReLU", "Softmax", "Dense", "ELU"} <= set(kinds)
    assert len(kinds) == len(set(kinds))
    assert ("AveragePooling2D" in kinds) is (rank == 4)
    assert ("MultiHeadAttention" in kinds) is (rank == 3)


def test_attention_is_added_with_the_layer_before_it_as_query_and_value():
    layers = (
        Layer(name="one", kind="Dense", config={"units": 4}, inputs=("in",)),
        Layer(name="out", kind="Dense", config={"units": 3}, inputs=("one",)),
    )
    network = Network(name="n", inputs={"in": (2, 12, 4)}, layers=layers)
    shapes = {"in": (2, 12, 4), "one": (2, 12, 4), "out": (2, 12, 3)}
    mutant = Mutant(seed="n", network=network, weights={}, shapes=shapes)
    changes = (applied(layer_addition, mutant, seed) for seed in range(200))
    (added, *_) = (
        layer
        for change in changes
        for layer in change.network.layers
        if layer.kind == "MultiHeadAttention"
    )
    assert added.inputs == ("one", "one")


def test_additions_choose_the_sizes_that_keep_the_shape():
    spec = next(one for one in KEEPING if one.kind == "Conv2D")
    config = kept(spec, {"filters": 1, "strides": 2, "padding": "valid"}, (2, 8, 8, 5))
    assert config == {"filters": 5, "strides": 1, "padding": "same"}


@pytest.mark.parametrize("kind", ["GroupNormalization", "Conv2D"])
@pytest.mark.parametrize(("channels", "groups"), [(6, 2), (5, 1)])
def test_groups_divide_the_channels(kind, channels, groups):
    spec = next(one for one in KEEPING if one.kind == kind)
    assert kept(spec, {"groups": 2}, (2, 8, 8, channels))["groups"] == groups


@pytest.mark.parametrize("seed", range(6))
def test_a_bundle_is_a_chain(mutant, seed):
    change = applied(multi_layer_addition, mutant, seed)
    if change is None:  # no bundle for this shape was drawn
        return
    first, *rest = (one for one in change.network.layers if one.name not in {*WIDE, "out"})
    assert rest
    assert rest[0].inputs == (first.name,)


def test_no_two_layers_have_one_name_however_many_come_and_go():
    random = np.random.default_rng(0)
    network = Network(
        name="n",
        inputs={"in": (2, 4)},
        layers=(
            Layer(name="first", kind="ELU", inputs=("in",)),
            Layer(name="out", kind="Dense", config={"units": 3}, inputs=("first",)),
        ),
    )
    for _ in range(60):
        shapes = {layer.name: (2, 4) for layer in network.layers}
        mutant = Mutant(seed="n", network=network, weights={}, shapes={"in": (2, 4), **shapes})
        adds = len(network.layers) < 6
        change = (multi_layer_addition if adds else layer_removal)(mutant, random)
        network = change.network if change is not None else network
        names = [layer.name for layer in network.layers]
        assert len(names) == len(set(names))


def test_some_bundle_applies_to_a_vector(mutant):
    assert any(applied(multi_layer_addition, mutant, seed) for seed in range(6))


def test_activations_go_or_change_but_not_the_last(mutant):
    linear = {"activation": "linear"}
    gone = {
        (layer.name, layer.kind, tuple(layer.config.items()))
        for seed in range(12)
        for layer in applied(activation_removal, mutant, seed).network.layers
        if layer not in LAYERS
    }
    assert gone == {
        ("dense", "Dense", (("units", 6), *linear.items())),
        ("elu", "Activation", (*linear.items(),)),
    }
    for seed in range(12):
        changed = applied(activation_replacement, mutant, seed).network
        (other,) = (layer for layer in changed.layers if layer not in LAYERS)
        assert other.config["activation"] not in (
            "linear",
            "relu" if other.name == "dense" else "elu",
        )
        assert changed.find("out") == LAYERS[-1]


@pytest.mark.parametrize(
    ("kind", "config", "removed"),
    [
        ("LSTM", {"units": 2}, ("LSTM", {"units": 2, "activation": "linear"})),
        ("LeakyReLU", {"negative_slope": 0.3}, ("Activation", {"activation": "linear"})),
        ("GRU", {"units": 2, "activation": None}, None),
        ("Dense", {"units": 2}, None),
    ],
)
def test_layers_that_have_an_activation_without_saying_so(kind, config, removed):
    layers = [
        Layer(name="own", kind=kind, config=config, inputs=("in",)),
        Layer(name="out", kind="Dense", config={"units": 3}, inputs=("own",)),
    ]
    network = Network(name="n", inputs={"in": (2, 3, 4)}, layers=tuple(layers))
    mutant = Mutant(seed="n", network=network, weights={}, shapes={})
    change = applied(activation_removal, mutant)
    if removed is None:
        assert change is None
    else:
        changed = change.network.find("own")
        assert (changed.kind, dict(changed.config)) == removed
        assert changed.inputs == ("in",)


@pytest.mark.parametrize("name", WEIGHT_RULES)
def test_weight_rules_leave_network_and_parent_alone(mutant, name):
    before = {layer: [array.copy() for array in own] for layer, own in mutant.weights.items()}
    change = applied(WEIGHT_RULES[name], mutant)
    assert change.network is mutant.network
    assert not change.rebuilt
    ((layer, arrays),) = change.weights.items()
    assert not np.array_equal(arrays[0], before[layer][0])
    for own, kept_ in zip(mutant.weights[layer], before[layer], strict=True):
        np.testing.assert_array_equal(own, kept_)


def changed_columns(mutant, name, seed=0):
    change = applied(WEIGHT_RULES[name], mutant, seed)
    ((layer, (kernel, bias)),) = change.weights.items()
    old, old_bias = mutant.weights[layer]
    return old, kernel, old_bias, bias


def test_a_third_of_the_neurons_get_noise(mutant):
    old, kernel, _, _ = changed_columns(mutant, "GF")
    changed = (old != kernel).any(axis=0)
    assert changed.sum() == max(1, round(0.3 * old.shape[1]))


def test_shuffling_keeps_the_weights_of_a_neuron(mutant):
    old, kernel, _, _ = changed_columns(mutant, "WS")
    np.testing.assert_array_equal(np.sort(old, axis=0), np.sort(kernel, axis=0))


def test_inversion_flips_the_bias_too(mutant):
    old, kernel, old_bias, bias = changed_columns(mutant, "NAI")
    flipped = (old == -kernel).all(axis=0)
    assert flipped.any()
    np.testing.assert_array_equal(bias, np.where(flipped, -old_bias, old_bias))


def test_a_blocked_neuron_has_no_effect(mutant):
    _, kernel, _, _ = changed_columns(mutant, "NEB")
    assert (kernel == 0).all(axis=1).sum() == max(1, round(0.3 * kernel.shape[0]))


def test_switched_neurons_keep_their_bias(mutant):
    old, kernel, old_bias, bias = changed_columns(mutant, "NS")
    moved = [n for n in range(old.shape[1]) if not np.array_equal(old[:, n], kernel[:, n])]
    one, other = moved
    np.testing.assert_array_equal(kernel[:, one], old[:, other])
    assert (bias[one], bias[other]) == (old_bias[other], old_bias[one])
