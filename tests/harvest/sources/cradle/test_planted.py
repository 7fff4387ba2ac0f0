"""CRADLE finds the papers' own bugs when they are planted into one backend, and localises them."""

import pytest

from harvest.sources.cradle.source import Comparing
from harvest.sources.model import Tally
from harvest.sources.networks import Layer, Network

pytestmark = [pytest.mark.keras, pytest.mark.slow]


def network(shape, *layers, domain="real"):
    """Layers behind each other, and a classifier."""
    head = (("Flatten", {}), ("Dense", {"units": 10, "activation": "softmax"}))
    names = ["in", *(f"{kind.lower()}_{n}" for n, (kind, _) in enumerate((*layers, *head)))]
    made = [
        Layer(name=name, kind=kind, config=config, inputs=(before,))
        for name, before, (kind, config) in zip(
            names[1:], names[:-1], (*layers, *head), strict=True
        )
    ]
    return Network(name="planted", inputs={"in": shape}, layers=tuple(made), domain=domain)


IMAGE = (4, 16, 16, 3)
SAME = {"kernel_size": 3, "filters": 4, "padding": "same"}
RIGHT = ("Conv2D", {**SAME, "padding": "valid"})
"""Each bug lies behind a layer that is right, before one that passes it on."""
CASES = {
    "BatchNormalization": (IMAGE, RIGHT, ("BatchNormalization", {}), ("ReLU", {})),
    "AveragePooling2D": (
        IMAGE,
        RIGHT,
        ("AveragePooling2D", {"pool_size": 3, "strides": 1, "padding": "same"}),
        ("ReLU", {}),
    ),
    "Conv2D": (IMAGE, RIGHT, ("ReLU", {}), ("Conv2D", {**SAME, "strides": 2})),
    "SimpleRNN": (
        (4, 12, 5),
        ("Conv1D", {"kernel_size": 3, "filters": 4, "padding": "valid"}),
        ("SimpleRNN", {"units": 4, "go_backwards": True}),
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_planted_bug_is_found_localised_and_handed_over(planted_backends, kind):
    shape, *layers = CASES[kind]
    tally = Tally()
    (hit,) = Comparing(planted_backends, tally).hits(network(shape, *layers), 0)
    assert hit.subject == f"keras.layers.{kind}"
    assert ":tensorflow" in hit.key
    assert dict(hit.measures)["rank of R"] == 1
    assert hit.case is not None, hit.no_case
    assert 'os.environ["KERAS_BACKEND"] = "tensorflow"' in hit.case.code
    told = planted_backends.script(hit.case.code)
    assert told["tensorflow"].label == "AssertionError"
    assert told["jax"] is None
    assert told["torch"] is None
    assert hit.files[0][1].startswith("<svg")
    assert "the first layer above the third quartile of R is " in hit.origin
    assert "; pattern of tensorflow and " in hit.origin


@pytest.mark.parametrize("kind", CASES)
def test_nothing_is_found_where_nothing_is_planted(backends, kind):
    shape, *layers = CASES[kind]
    tally = Tally()
    assert list(Comparing(backends, tally).hits(network(shape, *layers), 0)) == []
    assert (tally.executed, tally.valid) == (1, 1)
