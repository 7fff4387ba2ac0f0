"""Networks with other parameters of some layers."""

import numpy as np
import pytest

from harvest.sources.layers import specs
from harvest.sources.reconfigured import CHANGED, WIDTHS, reconfigured
from harvest.sources.seeds import FAMILIES, seed_network


def values(kind):
    """Legal and invalid values by parameter; layers of several ranks have several tables."""
    legal, invalid = {}, {}
    for spec in specs(kind):
        for parameter in spec.parameters:
            legal.setdefault(parameter.name, []).extend(parameter.legal)
            invalid.setdefault(parameter.name, []).extend(parameter.invalid)
    return legal, invalid


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_layers_get_other_legal_values_and_widths_stay(family):
    network = seed_network(family, 0)
    some = False
    for seed in range(20):
        made = reconfigured(network, np.random.default_rng(seed))
        pairs = list(zip(network.layers, made.layers, strict=True))
        changed = [(old, new) for old, new in pairs if old != new]
        assert len(changed) <= CHANGED
        assert network.output == made.output
        for old, new in changed:
            legal, _ = values(new.kind)
            other = {name for name in new.config if new.config[name] != old.config.get(name, old)}
            assert 1 <= len(other) <= 2
            assert not other & set(WIDTHS)
            assert all(new.config[name] in legal[name] for name in other)
            some = True
    assert some


def test_wrong_values_come_only_where_they_are_asked_for_and_some_layers_are_kept():
    network = seed_network(FAMILIES[0], 0)
    kept = network.layers[0].name
    wrong = 0
    for seed in range(40):
        made = reconfigured(network, np.random.default_rng(seed), keep=(kept,), invalid=1.0)
        assert made.layers[0] == network.layers[0]
        for layer in made.layers:
            _, invalid = values(layer.kind)
            wrong += any(value in invalid.get(name, ()) for name, value in layer.config.items())
    assert wrong
