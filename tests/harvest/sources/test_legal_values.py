"""Values of the table that one might think a backend lacks: layers with them run, and agree."""

import pytest

from harvest.sources.layers import LAYERS, SHAPES
from harvest.sources.networks import make_inputs, make_weights
from harvest.sources.suspects import Suspect, looked

pytestmark = [pytest.mark.keras, pytest.mark.slow]
NAMES = ("groups", "dilation_rate", "data_format", "input_dim")
CASES = [
    (spec, one.name, value)
    for spec in LAYERS
    for one in spec.parameters
    for value in one.legal[1:]
    if one.name in NAMES
]


@pytest.mark.parametrize(
    ("spec", "name", "value"), CASES, ids=[f"{one.kind}-{name}-{to}" for one, name, to in CASES]
)
def test_a_value_is_legal_on_all_backends(backends, spec, name, value):
    config = {**{one.name: one.legal[0] for one in spec.parameters}, name: value}
    suspect = Suspect(
        kind=spec.kind,
        config=config,
        shapes=(SHAPES[spec.rank],) * spec.arity,
        domain=spec.indices or "real",
    )
    network = suspect.network
    inputs = make_inputs(network, 0)
    weights = make_weights(backends.describe(network, inputs), 0)
    done = backends.run(network, weights, inputs)
    assert {name: one.failure for name, one in done.items()} == dict.fromkeys(backends.names)
    assert looked(backends, suspect) is None
