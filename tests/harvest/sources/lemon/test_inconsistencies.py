"""LEMON's own oracle: the largest D_MAD of each key, whose bug it is, and how that is told."""

import numpy as np
import pytest

from harvest.sources.backends import Execution
from harvest.sources.lemon import source
from harvest.sources.lemon.inconsistencies import Inconsistencies
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.lemon.source import Lemon
from harvest.sources.model import Search, Tally
from tests.harvest.sources.lemon.test_mutating import APART, NETWORK, NOISE, Pretending, started

MUTANT = Mutant(seed="first", network=NETWORK, weights={}, shapes={}, chain=("LA",))
TORCH = ("tensorflow", "torch")
SCORES = np.eye(4)[:2]


def ran(**errors):
    """Executions whose scores of the first instance miss the label by so much; torch's layer b is
    apart by the same."""
    done = {}
    for name, error in errors.items():
        apart = np.float64([[error], [0]])
        states = {layer.name: np.ones((2, 4)) for layer in NETWORK.layers}
        states["b"] = states["b"] + (apart if name == "torch" else 0)
        states["out"] = SCORES + apart
        done[name] = Execution(backend=name, states=states)
    return done


def test_the_largest_of_each_model_input_and_pair_is_kept():
    found = Inconsistencies()
    for error in (3e-6, 9e-6, 5e-6):
        found.take(MUTANT, ran(tensorflow=1e-6, torch=error), voted=False)
    assert found.largest == {("first", 0, TORCH): pytest.approx(0.8)}
    told = found.told()
    assert told["inconsistent by D_MAD"] == (
        "1 (model, input, pair of backends) above 0.4, largest 0.8 in first, input 0,"
        " tensorflow and torch"
    )
    assert told["inconsistent by D_MAD, by model"] == "first tensorflow+torch 1 (0.8)"
    assert "inconsistent by D_MAD, by layer of the largest R" not in told  # nobody has voted


def test_a_bug_is_who_is_voted_out_and_the_layer_of_the_largest_r():
    found = Inconsistencies()
    executions = ran(tensorflow=1e-6, jax=1e-6, torch=9e-6)
    first, second = found.take(MUTANT, executions, voted=True)
    assert {first.key[2], second.key[2]} == {TORCH, ("jax", "torch")}
    assert (first.odd, first.layer) == (second.odd, second.layer) == ("torch", "b")
    assert first.rate == pytest.approx(9e-6 / 1e-7, rel=0.5)
    told = found.told()["inconsistent by D_MAD, by layer of the largest R"]
    assert told == "torch Dense 2 (0.8)"
    parted = ran(tensorflow=1e-6, jax=9e-6, torch=99e-6)
    assert {one.odd for one in found.take(MUTANT, parted, voted=True)} == {"unknown"}


def test_it_is_a_hit_once_where_no_layer_parts_and_all_vote():
    backends = Pretending()
    work = started(backends, errors=NOISE)
    backends.errors = APART
    (hit,) = work.enlist(NETWORK)
    assert hit.key == "inconsistency:D_MAD:Dense:torch"
    assert dict(hit.measures)["D_MAD"] == pytest.approx(0.5)
    assert "layer of the largest R out" in hit.origin
    assert hit.case is None
    assert {only for _, _, only in backends.ran} == {TORCH, ("jax",)}
    assert list(work.enlist(NETWORK)) == []


class Opened(Pretending):
    """As `Backends` is opened by a search."""

    def __init__(self, interpreter, patches=None):
        super().__init__()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def start(self):
        pass


def test_so_many_mutants_of_each_seed_model_one_after_the_other(monkeypatch):
    pools = []
    models = [NETWORK.with_layers(NETWORK.layers, name) for name in ("first", "second")]
    monkeypatch.setattr(source, "Backends", Opened)
    monkeypatch.setattr(source, "FAMILIES", models)
    monkeypatch.setattr(source, "seed_network", lambda model, seed: model)
    right = source.Mutating.step

    def step(work):
        pools.append({one.seed for one in work.pool.seeds.mutants})
        return right(work)

    monkeypatch.setattr(source.Mutating, "step", step)
    tally = Tally()
    search = Search(
        interpreter=None, budget=60, seed=0, tally=tally, progress=lambda: None, mutants=7
    )
    assert list(Lemon().generate(search)) == []
    assert tally.executed == 2 * (1 + 7)
    assert tally.facts["mutants"].startswith("14,")
    assert tally.facts["seed models"] == "2 of 2 have all of their 7 mutants"
    assert pools == sorted(pools, key=lambda pool: "second" in pool)
    assert {frozenset(pool) for pool in pools} == {frozenset(["first"]), frozenset(["second"])}
