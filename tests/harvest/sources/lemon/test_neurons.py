"""The rules for the inside of a layer against what the layer then computes, kind by kind.

A layer stands alone and without an activation, so its outputs are the pre-activation.
"""

import numpy as np
import pytest

from harvest.sources.lemon.mutants import Mutant
from harvest.sources.lemon.weight_rules import SHARE, WEIGHT_RULES
from harvest.sources.networks import Layer, Network, make_inputs, make_weights

SEEDS = range(3)
CHANNELS = 5
PLACES = (2, 4, 5, CHANNELS)
VOLUME = (2, 3, 4, 3, CHANNELS)
WORDS = (2, 6, CHANNELS)
KINDS = {  # configuration, shape of inputs, neurons
    "Dense": ({"units": 7}, (2, CHANNELS), 7),
    "Conv1D": ({"filters": 7, "kernel_size": 2}, WORDS, 7),
    "Conv2D": ({"filters": 7, "kernel_size": 2}, PLACES, 7),
    "Conv3D": ({"filters": 7, "kernel_size": 2}, VOLUME, 7),
    "Conv1DTranspose": ({"filters": 7, "kernel_size": 2}, WORDS, 7),
    "Conv2DTranspose": ({"filters": 7, "kernel_size": 2}, PLACES, 7),
    "Conv3DTranspose": ({"filters": 7, "kernel_size": 2}, VOLUME, 7),
    "DepthwiseConv1D": ({"kernel_size": 2, "depth_multiplier": 2}, WORDS, 10),
    "DepthwiseConv2D": ({"kernel_size": 2, "depth_multiplier": 2}, PLACES, 10),
    "SeparableConv1D": ({"filters": 7, "kernel_size": 2, "depth_multiplier": 2}, WORDS, 7),
    "SeparableConv2D": ({"filters": 7, "kernel_size": 2, "depth_multiplier": 2}, PLACES, 7),
    # Of one step, so that nothing of the state before it comes in.
    "SimpleRNN": ({"units": 7, "activation": "linear"}, (2, 1, CHANNELS), 7),
}
AT_A_POINT = {  # by NumPy, with windows of one place
    "Dense": lambda x, kernel, bias: x @ kernel + bias,
    "Conv2D": lambda x, kernel, bias: x @ kernel[0, 0] + bias,
    "Conv2DTranspose": lambda x, kernel, bias: x @ kernel[0, 0].T + bias,
    "DepthwiseConv2D": lambda x, kernel, bias: (
        (x[..., None] * kernel[0, 0]).reshape(*x.shape[:-1], -1) + bias
    ),
    "SeparableConv2D": lambda x, deep, kernel, bias: (
        (x[..., None] * deep[0, 0]).reshape(*x.shape[:-1], -1) @ kernel[0, 0] + bias
    ),
}
BY_NUMPY = {
    "Dense": [(CHANNELS, 7), (7,)],
    "Conv2D": [(1, 1, CHANNELS, 7), (7,)],
    "Conv2DTranspose": [(1, 1, 7, CHANNELS), (7,)],
    "DepthwiseConv2D": [(1, 1, CHANNELS, 2), (10,)],
    "SeparableConv2D": [(1, 1, CHANNELS, 2), (1, 1, 10, 7), (7,)],
}


def alone(kind, config, shape, weights):
    layer = Layer(name="it", kind=kind, config=config, inputs=("in",))
    network = Network(name="n", inputs={"in": shape}, layers=(layer,))
    return Mutant(seed="n", network=network, weights=weights, shapes={"in": shape})


def mutated(mutant, rule, seed=0):
    change = WEIGHT_RULES[rule](mutant, np.random.default_rng(seed))
    return change.weights


def channels(found):
    """What each neuron gives, (neurons, instances and places)."""
    return found.reshape(-1, found.shape[-1]).T


def flipped_and_kept(before, after):
    """How many neurons give the opposite, and how many the same."""
    pairs = list(zip(channels(before), channels(after), strict=True))
    flipped = sum(np.allclose(one, -other, atol=1e-5) for one, other in pairs)
    return flipped, sum(np.allclose(one, other, atol=1e-5) for one, other in pairs)


def changed(before, after):
    pairs = zip(channels(before), channels(after), strict=True)
    return sum(not np.allclose(one, other, atol=1e-5) for one, other in pairs)


@pytest.fixture(params=BY_NUMPY)
def by_numpy(request):
    """A mutant of one layer with windows of one place, and what computes its outputs."""
    kind = request.param
    random = np.random.default_rng(1)
    arrays = tuple(random.standard_normal(shape) for shape in BY_NUMPY[kind])
    inputs = random.standard_normal(PLACES)
    mutant = alone(kind, KINDS[kind][0], PLACES, {"it": arrays})
    return mutant, lambda weights: AT_A_POINT[kind](inputs, *weights["it"])


@pytest.mark.parametrize("seed", SEEDS)
def test_inversion_flips_its_share_of_the_outputs(by_numpy, seed):
    mutant, computed = by_numpy
    before, after = computed(mutant.weights), computed(mutated(mutant, "NAI", seed))
    share = round(SHARE * before.shape[-1])
    assert flipped_and_kept(before, after) == (share, before.shape[-1] - share)


@pytest.mark.parametrize("rule", ["GF", "WS"])
def test_other_weights_change_their_share_of_the_outputs(by_numpy, rule):
    mutant, computed = by_numpy
    before, after = computed(mutant.weights), computed(mutated(mutant, rule))
    # A neuron of the depthwise one has a single incoming weight here, so nothing to shuffle.
    single = (rule, mutant.network.output.kind) == ("WS", "DepthwiseConv2D")
    assert changed(before, after) == (0 if single else round(SHARE * before.shape[-1]))


def test_switched_neurons_give_what_the_other_gave(by_numpy):
    mutant, computed = by_numpy
    if mutant.network.output.kind == "DepthwiseConv2D":  # each neuron sees a channel of its own
        assert WEIGHT_RULES["NS"](mutant, np.random.default_rng(0)) is None
        return
    before = channels(computed(mutant.weights))
    after = channels(computed(mutated(mutant, "NS")))
    order = [int(np.argmin(np.abs(before - one).sum(axis=1))) for one in after]
    np.testing.assert_allclose(after, before[order])
    moved = [number for number, place in enumerate(order) if number != place]
    assert len(moved) == round(SHARE * len(before)) // 2 * 2
    assert all(order[order[number]] == number for number in moved)


def test_what_comes_from_a_blocked_neuron_is_not_looked_at(by_numpy):
    mutant, _ = by_numpy
    kind = mutant.network.output.kind
    blocked = mutated(mutant, "NEB")["it"]
    counted = 0
    for channel in range(CHANNELS):
        only = np.zeros(PLACES)
        only[..., channel] = 1
        silent = AT_A_POINT[kind](0 * only, *blocked)
        counted += np.array_equal(AT_A_POINT[kind](only, *blocked), silent)
    assert counted == round(SHARE * CHANNELS)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_all_gates_of_a_unit_go_together(kind):
    gates, units = {"LSTM": 4, "GRU": 3}[kind], 6
    random = np.random.default_rng(1)
    shapes = [(5, gates * units), (units, gates * units), (2, gates * units)]
    old = tuple(random.standard_normal(shape) for shape in shapes)
    new = mutated(alone(kind, {"units": units}, (2, 3, 5), {"it": old}), "NAI")["it"]
    for one, other in zip(old, new, strict=True):
        flipped = (one == -other).all(axis=0).reshape(gates, units)
        assert flipped.all(axis=0).sum() == flipped.any(axis=0).sum() == round(SHARE * units)


@pytest.mark.parametrize("rule", WEIGHT_RULES)
@pytest.mark.parametrize(
    ("kind", "shapes"),
    [
        ("MultiHeadAttention", [(5, 2, 4), (2, 4)] * 3 + [(2, 4, 5), (5,)]),
        ("Bidirectional", [(5, 18), (6, 18), (2, 18)] * 2),
        ("PReLU", [(4, 5, 5)]),
    ],
)
def test_layers_without_known_neurons_are_left_alone(kind, shapes, rule):
    weights = {"it": tuple(np.ones(shape) for shape in shapes)}
    assert WEIGHT_RULES[rule](alone(kind, {}, PLACES, weights), np.random.default_rng(0)) is None


@pytest.mark.keras
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_inversion_flips_what_keras_gives(backends, kind):
    config, shape, neurons = KINDS[kind]
    mutant = alone(kind, config, shape, {})
    inputs = make_inputs(mutant.network, 0)
    weights = make_weights(backends.describe(mutant.network, inputs), 0)
    mutant = alone(kind, config, shape, weights)
    share = round(SHARE * neurons)

    def outputs(own):
        done = backends.run(mutant.network, own, inputs, only=backends.quick)
        assert {one.failure for one in done.values()} == {None}
        return {name: one.states["it"] for name, one in done.items()}

    before, after = outputs(weights), outputs(mutated(mutant, "NAI"))
    for name, found in before.items():
        assert flipped_and_kept(found, after[name]) == (share, neurons - share), name
