"""LEMON finds bugs that only its mutations lead to, when they are planted into one backend."""

import pytest

from harvest.sources.lemon.source import Mutating
from harvest.sources.model import Search, Tally
from harvest.sources.seeds import seed_network, vgg

pytestmark = [pytest.mark.keras, pytest.mark.slow]
PLANTED = {"AveragePooling2D", "BatchNormalization"}
"""What the seed model has none of; its convolutions have strides that hide the third bug."""


def test_a_layer_that_is_added_shows_its_bug(keras_interpreter, planted_backends):
    tally = Tally()
    search = Search(
        interpreter=keras_interpreter, budget=0, seed=0, tally=tally, progress=lambda: None
    )
    work = Mutating(planted_backends, search)
    network = seed_network(vgg, 0)
    assert not PLANTED & {layer.kind for layer in network.layers}
    assert list(work.enlist(network)) == []
    found = {}
    for _ in range(400):
        # PyTorch pads averages in a way of its own: with both bugs in a layer, nobody is voted out.
        told = [hit for hit in work.step() if ":tensorflow" in hit.key]
        found.update({hit.subject.rpartition(".")[2]: hit for hit in told})
        if PLANTED & found.keys():
            break
    kind = next(iter(PLANTED & found.keys()))
    hit = found[kind]
    assert "LA" in hit.origin
    assert dict(hit.measures)["rank of R"] >= 1
    assert hit.case is not None, hit.no_case
    assert tally.valid > 0
    assert float(tally.facts["ACC of mutants"].split()[1].rstrip(",")) > 0
