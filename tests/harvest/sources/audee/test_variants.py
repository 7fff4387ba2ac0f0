"""`--mutants N`: so many variants of each seed model, and nothing else."""

from collections import Counter

from harvest.sources.audee import source
from harvest.sources.audee.source import Audee
from harvest.sources.audee.variants import SEEDS
from harvest.sources.model import Search, Tally
from tests.harvest.sources.lemon.test_inconsistencies import Opened


def test_so_many_variants_of_each_seed_model_and_nothing_else(monkeypatch):
    names = []

    def agreed(_, network, __):
        names.append(network.name)
        return None, ""

    monkeypatch.setattr(source, "Backends", Opened)
    monkeypatch.setattr(source, "operations", lambda _: ())
    monkeypatch.setattr(source.Searching, "_searched", agreed)
    tally = Tally()
    search = Search(
        interpreter=None, budget=60, seed=0, tally=tally, progress=lambda: None, mutants=3
    )
    assert list(Audee().generate(search)) == []
    assert len(SEEDS) == 7
    assert Counter(Counter(names).values()) == {3: 7}
    assert tally.facts["seed models"] == "21 of 21 variants, 3 of each"
