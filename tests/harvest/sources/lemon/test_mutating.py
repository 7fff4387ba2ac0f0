"""The loop of LEMON on backends that only pretend: who joins the pool, by which ACC, what is asked.

Outputs are one-hot scores plus an error per backend, so D_MAD of a pair with errors a and b is
|a - b| / (a + b), while the relative error stays far below what is a hit of a layer.
"""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from harvest.sources.backends import Execution, Failure
from harvest.sources.lemon import source
from harvest.sources.lemon.mutants import Change
from harvest.sources.lemon.source import FLOOR, OFTEN, RULES, TURN, Mutating
from harvest.sources.lemon.weight_rules import WEIGHT_RULES
from harvest.sources.model import Search, Tally
from harvest.sources.networks import Layer, Network
from harvest.sources.packing import pack, unpack

WIDTH = 4
TURNS = ("n1", "n2", "n3", "n1")
NETWORK = Network(
    name="n",
    inputs={"in": (2, WIDTH)},
    layers=(
        Layer(
            name="a", kind="Dense", config={"units": WIDTH, "activation": "relu"}, inputs=("in",)
        ),
        Layer(name="b", kind="Dense", config={"units": WIDTH, "activation": "tanh"}, inputs=("a",)),
        Layer(name="c", kind="ELU", inputs=("b",)),
        Layer(name="out", kind="Dense", config={"units": WIDTH}, inputs=("c",)),
    ),
)
NOISE = {"tensorflow": 1e-6, "torch": 1e-6, "jax": 1e-6}
APART = {"tensorflow": 1e-6, "torch": 3e-6, "jax": 1e-6}  # D_MAD is 0.5, 0 and 0.5
NEARER = {"tensorflow": 1e-6, "torch": 2e-6, "jax": 1e-6}  # a third


class Pretending:
    """Three backends, one of them slow; `errors` are what each adds to the scores."""

    names = ("tensorflow", "jax", "torch")
    quick = ("tensorflow", "torch")

    def __init__(self):
        self.errors = NOISE
        self.failing = False
        self.described, self.ran = [], []

    def describe(self, network, inputs):
        self.described.append(network)
        dense = [("kernel", (WIDTH, WIDTH)), ("bias", (WIDTH,))]
        return {one.name: dense if one.kind == "Dense" else [] for one in network.layers}

    def run(self, network, weights, inputs, *, only):
        self.ran.append((network, weights, tuple(only)))
        return {name: self._execution(network, name) for name in only}

    def _execution(self, network, name):
        if self.failing:
            failure = Failure(layer=network.layers[0].name, types=("ValueError",))
            return Execution(backend=name, states={}, failure=failure)
        states = {one.name: np.zeros((2, WIDTH)) for one in network.layers}
        states[network.output.name] = np.eye(WIDTH)[:2] + self.errors[name]
        return Execution(backend=name, states=states)


def layers_of(hits):
    """The hits but for those of the paper's own oracle."""
    return [hit for hit in hits if ":D_MAD:" not in hit.key]


def search_of(**more):
    given = {"interpreter": None, "budget": 0, "seed": 0, "progress": lambda: None}
    return Search(tally=Tally(), **given, **more)


def started(backends, *, random=False, errors=NOISE):
    work = Mutating(backends, search_of(random=random))
    backends.errors = errors
    assert layers_of(work.enlist(NETWORK)) == []
    return work


@pytest.fixture
def backends():
    return Pretending()


def reconfigured(units):
    """A rule whose mutant has a layer in a configuration of its own."""

    def rule(mutant, random):
        first, *rest = mutant.network.layers
        changed = Layer(name=first.name, kind="Dense", config={"units": units}, inputs=first.inputs)
        return Change(network=mutant.network.with_layers([changed, *rest]))

    return rule


@pytest.fixture
def step(backends, monkeypatch):
    """Make one mutant with these errors by a rule; whether it joined."""

    def stepped(work, errors, rule):
        for name in RULES:
            monkeypatch.setitem(source.RULES, name, rule)
        backends.errors = errors
        before = len(work.pool.seeds.mutants)
        assert layers_of(work.step()) == []
        return len(work.pool.seeds.mutants) > before

    return stepped


def same(mutant, random):
    """A rule that changes nothing but the history."""
    return Change(network=mutant.network, rebuilt=False)


@pytest.mark.parametrize(
    ("parent", "child", "known", "new"),
    [
        pytest.param(NOISE, APART, True, True, id="amplifies"),
        pytest.param(NEARER, APART, True, True, id="amplifies above the floor"),
        pytest.param(APART, APART, False, False, id="equal"),
        pytest.param(APART, NEARER, False, False, id="less"),
        pytest.param(APART, NOISE, False, False, id="falls below the floor"),
        pytest.param(NOISE, NOISE, False, True, id="noise"),
    ],
)
def test_a_mutant_joins_if_it_amplifies_or_is_new_among_noise(
    backends, step, parent, child, known, new
):
    for rule, joins in ((same, known), (reconfigured(7), new)):
        work = started(backends, errors=parent)
        assert step(work, child, rule) == joins


@pytest.mark.parametrize("meanwhile", [APART, NOISE], ids=["amplifying", "noise"])
def test_a_configuration_is_new_once(backends, step, meanwhile):
    work = started(backends)
    assert step(work, meanwhile, reconfigured(7))
    work.pool.seeds.mutants[1:] = []
    work.pool.seeds.chosen[1:] = []
    assert not step(work, NOISE, reconfigured(7))
    assert step(work, NOISE, reconfigured(8))


def test_a_configuration_that_did_not_join_is_known_as_well(backends, step):
    work = started(backends, errors=APART)
    assert not step(work, NEARER, reconfigured(7))
    backends.errors = NOISE
    assert layers_of(work.enlist(NETWORK)) == []  # in a pool of its own
    assert work.pool.seeds.mutants[0].acc <= FLOOR
    assert not step(work, NOISE, reconfigured(7))


def test_acc_is_over_the_same_pairs_however_many_ran(backends, step):
    """With all three pairs the mean would be 0.6 now and then, and look like more."""
    errors = {"tensorflow": 1e-6, "torch": 3e-6, "jax": 9e-6}
    work = started(backends, errors=errors)
    for _ in range(2 * OFTEN):
        assert not step(work, errors, same)
    assert {only for _, _, only in backends.ran} == {("tensorflow", "torch"), ("jax",)}
    (seed,) = work.pool.seeds.mutants
    assert seed.acc == pytest.approx(0.5)
    assert "amplifying 0" in work._tally.facts["mutants"]
    assert "mean 0.5, median 0.5, largest 0.5;" in work._tally.facts["ACC of mutants"]


def test_what_exceeds_the_papers_threshold_is_counted_for_all_pairs(backends, step):
    work = started(backends, errors=APART)
    for _ in range(OFTEN):
        step(work, APART, same)
    pairs = {pair for _, _, pair in work._beyond.largest}
    assert pairs == {("tensorflow", "torch"), ("torch", "jax")}


def test_without_guidance_every_valid_mutant_joins(backends, step):
    work = started(backends, random=True, errors=APART)
    for errors in (APART, NEARER, NOISE):
        assert step(work, errors, same)
    assert [one.order > 0 for one in work.pool.seeds.mutants] == [False, True, True, True]
    backends.failing = True
    assert not step(work, APART, same)
    assert work._tally.valid == 4  # with the seed model
    assert work._tally.executed == 5


def recorded(backends, monkeypatch, *, random, steps=360):
    """How often the loop chose each rule where only LR, the first, amplifies."""
    chosen = Counter()

    def named(name):
        def rule(mutant, random):
            chosen[name] += 1
            backends.errors = APART if name == "LR" else NOISE
            return same(mutant, random)

        return rule

    for name in RULES:
        monkeypatch.setitem(source.RULES, name, named(name))
    work = started(backends, random=random)
    monkeypatch.setattr(work.pool.rules, "_p", 0.9)  # a rule of a lower rank is hardly accepted
    for _ in range(steps):
        assert layers_of(work.step()) == []
        work.pool.seeds.mutants[1:], work.pool.seeds.chosen[1:] = (
            [],
            [],
        )  # so that LR goes on to amplify
    return chosen


def test_without_guidance_rules_are_drawn_evenly_in_the_loop(backends, monkeypatch):
    chosen = recorded(backends, monkeypatch, random=True)
    assert chosen.keys() == RULES.keys()
    assert all(14 <= count <= 46 for count in chosen.values())  # 30, and three deviations
    guided = recorded(Pretending(), monkeypatch, random=False)
    assert guided["LR"] > 120


def by_rule(backends, monkeypatch, names, *, steps=40):
    """Mutants of the rules named, and how often a network was described for them."""
    work = started(backends, random=True)
    monkeypatch.setattr(work.pool.rules, "names", tuple(names))
    before = len(backends.described)
    for _ in range(steps):
        assert layers_of(work.step()) == []
    assert work._tally.executed > steps / 2
    return work.pool.seeds.mutants[1:], len(backends.described) - before


@pytest.mark.parametrize("name", WEIGHT_RULES)
def test_rules_for_weights_build_nothing(backends, monkeypatch, name):
    mutants, described = by_rule(backends, monkeypatch, [name])
    assert described == 0
    assert {one.network.to_json() for one in mutants} == {NETWORK.to_json()}


def test_rules_for_layers_ask_for_the_weights_of_new_ones(backends, monkeypatch):
    mutants, described = by_rule(backends, monkeypatch, ["LA"])
    assert described == len(mutants) > 0


def test_another_search_goes_on_with_the_same_mutants(backends):
    """After any number of steps: the pool, the rules and what is drawn are those of one search."""

    def made(work, steps):
        backends.errors = APART
        for _ in range(steps):
            assert layers_of(work.step()) == []
        return [one.chain for one in work.pool.seeds.mutants]

    whole = started(backends)
    expected = made(whole, 30)
    first = started(backends)
    made(first, 12)
    state = unpack(json.loads(json.dumps(pack(first.state))))
    second = Mutating(backends, search_of())
    second.resume(state)
    second._inputs[NETWORK.name] = first._inputs[NETWORK.name]
    (second.pool,) = second._pools
    assert made(second, 18) == expected
    assert second.pool.rules.state == whole.pool.rules.state
    assert second.pool.seeds.chosen == whole.pool.seeds.chosen


def test_each_seed_model_gets_its_mutants_before_the_next(backends, monkeypatch):
    """Also where another search goes on."""
    monkeypatch.setattr(source, "FAMILIES", (1, 2, 3))
    monkeypatch.setattr(
        source, "seed_network", lambda family, seed: replace(NETWORK, name=f"n{family}")
    )
    for name in RULES:
        monkeypatch.setitem(source.RULES, name, same)
    work, seeds, turns = Mutating(backends, search_of(mutants=4)), [], 0
    while not work.complete:
        assert layers_of(work.turn()) == []
        seeds.append({one.seed for one in work.pool.seeds.mutants})
        state, turns = unpack(pack(work.state)), turns + 1
        work = Mutating(backends, search_of(mutants=4))
        work.resume(state)
    assert turns == 3 * (1 + 4)
    assert seeds == [{name} for name in ("n1", "n2", "n3") for _ in range(5)]


def test_without_a_number_seed_models_take_turns(backends, monkeypatch):
    monkeypatch.setattr(source, "FAMILIES", (1, 2, 3))
    monkeypatch.setattr(
        source, "seed_network", lambda family, seed: replace(NETWORK, name=f"n{family}")
    )
    for name in RULES:
        monkeypatch.setitem(source.RULES, name, same)
    work, turns = Mutating(backends, search_of()), []
    for _ in range(3 + 4 * TURN):
        assert layers_of(work.turn()) == []
        turns.append(work.pool.seeds.mutants[0].seed)
    assert turns == [*("n1", "n2", "n3"), *(name for name in TURNS for _ in range(TURN))]
