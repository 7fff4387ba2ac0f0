"""What workers build for LEMON's mutants, counted in their processes."""

from dataclasses import replace

import numpy as np
import pytest

from harvest.sources.lemon.layer_rules import LAYER_RULES
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.lemon.weight_rules import WEIGHT_RULES
from harvest.sources.networks import make_inputs, make_weights
from harvest.sources.seeds import lenet, mobilenet, seed_network

pytestmark = [pytest.mark.keras, pytest.mark.slow]
COUNT = """
import network_keras
network_keras.counted = []
network_keras.uncounted = network_keras.made
def counting(told):
    network_keras.counted.append(told["name"])
    return network_keras.uncounted(told)
network_keras.made = counting
"""
TELL = "import network_keras\nraise RuntimeError(len(network_keras.counted))"
STOP = "import network_keras\nnetwork_keras.made = network_keras.uncounted"


@pytest.fixture
def built(backends):
    """Tells how many layers each quick backend has built since the test began."""
    quick = backends.quick

    def told():
        failures = backends.script(TELL, quick)
        return {name: int(one.message) for name, one in failures.items()}

    assert set(backends.script(COUNT, quick).values()) == {None}
    yield told
    assert set(backends.script(STOP, quick).values()) == {None}


def only_here(network):
    """The same with names that no other test has: workers keep layers by their names, too."""
    own = {layer.name: f"rebuilt_{layer.name}" for layer in network.layers}
    return network.with_layers(
        replace(
            layer, name=own[layer.name], inputs=tuple(own.get(one, one) for one in layer.inputs)
        )
        for layer in network.layers
    )


@pytest.mark.parametrize("family", [lenet, mobilenet], ids=lambda family: family.__name__)
def test_other_weights_build_no_layer_and_other_layers_do(backends, built, family):
    network = only_here(seed_network(family, 77))
    inputs = make_inputs(network, 0)
    weights = make_weights(backends.describe(network, inputs), 0)
    first = backends.run(network, weights, inputs, only=backends.quick)
    shapes = {"in": network.inputs["in"]}
    shapes |= {name: state.shape for name, state in first["torch"].states.items()}
    parent = Mutant(seed="n", network=network, weights=weights, shapes=shapes)
    before = built()
    # PyTorch's process has described the network first; the layers are kept.
    assert set(before.values()) == {len(network.layers)}
    for number, rule in enumerate(WEIGHT_RULES.values()):
        change = rule(parent, np.random.default_rng(number))
        own = {**weights, **change.weights}
        done = backends.run(change.network, own, inputs, only=backends.quick)
        assert {one.failure for one in done.values()} == {None}
        (changed,) = change.weights
        for name, one in done.items():
            assert not np.array_equal(one.states[changed], first[name].states[changed])
    assert built() == before
    for seed in range(3):  # of which another test may have had one
        change = LAYER_RULES["LA"](parent, np.random.default_rng(seed))
        backends.run(change.network, weights, inputs, only=backends.quick)
    assert all(count > before[name] for name, count in built().items())
