"""LEMON finds bugs that only its mutations lead to, when they are planted into one backend."""

import pytest

from harvest.sources.lemon.guidance import Rules
from harvest.sources.lemon.source import Mutating
from harvest.sources.model import Search, Tally
from tests.harvest.sources import planted
from tests.harvest.sources.conftest import started
from tests.harvest.sources.cradle.test_planted import network

pytestmark = [pytest.mark.keras, pytest.mark.slow]
PLANTED = {"AveragePooling2D", "BatchNormalization"}
"""What the seed model has none of."""
ADDING = ("LA", "MLA")
"""The rules that put such layers in. Without the others the search is short enough for a test."""
MUTANTS = 200
PLAIN = {"filters": 4, "kernel_size": 3}
SEED_MODEL = network((4, 8, 8, 3), ("Conv2D", PLAIN), ("ReLU", {}), ("Conv2D", PLAIN))


@pytest.fixture(scope="module")
def both_planted(keras_interpreter):
    """The bugs are in TensorFlow's process; what PyTorch does in a way of its own is mended.

    With two that differ in one layer nobody would be voted out.
    """
    both = planted.PADDING_IS_COUNTED + planted.EPSILON_OUTSIDE_THE_ROOT
    patches = {"tensorflow": both, "torch": planted.POOLING_IS_MENDED}
    yield from started(keras_interpreter, patches=patches)


def test_layers_that_are_added_show_their_bugs(keras_interpreter, both_planted):
    tally = Tally()
    search = Search(
        interpreter=keras_interpreter, budget=0, seed=0, tally=tally, progress=lambda: None
    )
    work = Mutating(both_planted, search)
    assert not PLANTED & {layer.kind for layer in SEED_MODEL.layers}
    assert list(work.enlist(SEED_MODEL)) == []
    work.pool.rules = Rules(ADDING)
    found = {}
    for _ in range(MUTANTS):
        told = [hit for hit in work.step() if ":tensorflow" in hit.key]
        for hit in told:
            found.setdefault(hit.subject.rpartition(".")[2], hit)
        if found.keys() >= PLANTED:
            break
    assert found.keys() >= PLANTED
    for kind in PLANTED:
        hit = found[kind]
        assert "LA" in hit.origin
        assert dict(hit.measures)["rank of R"] == 1, hit.origin
        assert hit.case is not None, hit.no_case
    assert tally.valid > 0
    assert float(tally.facts["ACC of mutants"].split()[1].rstrip(",")) > 0
