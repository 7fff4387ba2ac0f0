"""LEMON: seed models are mutated, and what drives backends further apart is mutated again.

Bugs are found by the relative error per layer, and by crashes and NaN on some backends only; they
are voted on, keyed by (library, layer) and confirmed by one-layer models, as all of `blaming`. The
paper's own oracle (D_MAD above 0.4) is counted beside it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from harvest.sources.backends import Backends, Execution, Failure
from harvest.sources.blaming import Blame, Ran
from harvest.sources.cradle.comparing import labels
from harvest.sources.judging import Judgement, judge
from harvest.sources.lemon.guidance import Rules, Seeds
from harvest.sources.lemon.layer_rules import LAYER_RULES
from harvest.sources.lemon.mutants import Change, Mutant
from harvest.sources.lemon.weight_rules import WEIGHT_RULES
from harvest.sources.metrics import d_mad
from harvest.sources.model import Hit, Search
from harvest.sources.networks import Array, Network, Weights, make_inputs, make_weights
from harvest.sources.seeds import FAMILIES, seed_network
from harvest.sources.suspects import Suspect

RULES = {**LAYER_RULES, **WEIGHT_RULES}
OFTEN = 10
"""One mutant of so many runs on every backend, so that what only a slow one does is seen, too."""
THRESHOLD = 0.4
"""T of the paper, for D_MAD."""
FLOOR = 1e-4
"""What D_MAD has on average where backends only round differently; below it ACC climbs noise."""


class Lemon:
    """The source; `patches` is what `Backends` takes, for tests."""

    name = "lemon"
    summary = "mutants of seed models, guided to where backends of Keras 3 drift apart (FSE'20)"
    settings = ("random",)
    """`random` is LEMON-r."""

    def __init__(self, patches: Mapping[str, str] | None = None) -> None:
        self._patches = patches

    def generate(self, search: Search) -> Iterator[Hit]:
        """Mutate until the budget is spent; see `CaseSource`."""
        with Backends(search.interpreter, patches=self._patches) as backends:
            backends.start()
            search.progress()
            end = time.monotonic() + search.budget
            work = Mutating(backends, search)
            for family in FAMILIES:
                if time.monotonic() >= end:
                    return
                yield from work.enlist(seed_network(family, search.seed))
                search.progress()
            while work.seeds.mutants and time.monotonic() < end:
                yield from work.step()
                search.progress()


class Mutating:
    """One search: the pool, the rules, and what was found."""

    def __init__(self, backends: Backends, search: Search) -> None:
        self._backends = backends
        self._tally = search.tally
        self._seed = search.seed
        self._guided = not search.random
        self._random = np.random.default_rng([search.seed, 4])
        self._blame = Blame(backends)
        self._inputs: dict[str, dict[str, Array]] = {}
        self._configured: set[str] = set()
        self._beyond: dict[tuple[str, int, tuple[str, ...]], float] = {}
        self._orders: Counter[int] = Counter()
        self._accs: list[float] = []
        self._amplified = self._thirds = 0
        self._voted: set[str] = set()
        self._applied: Counter[str] = Counter()
        self.seeds = Seeds([])
        self.rules = Rules(tuple(RULES))

    def enlist(self, network: Network) -> Iterator[Hit]:
        """Take a seed model into the pool."""
        inputs = self._inputs[network.name] = make_inputs(network, self._seed)
        shapes = self._backends.describe(network, inputs)
        if isinstance(shapes, Failure):
            return
        weights = make_weights(shapes, self._seed)
        known = {name: array.shape for name, array in inputs.items()}
        mutant = Mutant(seed=network.name, network=network, weights=weights, shapes=known)
        ran, hits = self._run(mutant)
        if ran is not None:
            self._new(ran)
            self.seeds.add(ran)
        yield from hits

    def step(self) -> Iterator[Hit]:
        """Make one mutant, run it everywhere, and let it join the pool if it is worth it."""
        parent = self.seeds.choose(self._random, guided=self._guided)
        rule = self.rules.choose(self._random, guided=self._guided)
        change = RULES[rule](parent, self._random)
        if change is None:  # does not apply
            return
        made = self._made(parent, rule, change)
        ran, hits = self._run(made)
        self._applied[rule] += 1
        self._tally.rules.add(rule)
        amplified = ran is not None and ran.acc > max(parent.acc, FLOOR)
        self._amplified += amplified
        if ran is not None:
            self._accs.append(ran.acc)
            # Whatever was run is known from now on, whether or not its ACC decides.
            new = self._new(ran)
            # Where both are noise, comparing them says nothing; what has a new layer goes on.
            noise = max(ran.acc, parent.acc) <= FLOOR
            if amplified or not self._guided or (noise and new):
                self.seeds.add(ran)
        self.rules.record(rule, amplified=amplified)
        self._orders[made.order] += 1
        self._told()
        yield from hits

    def _made(self, parent: Mutant, rule: str, change: Change) -> Mutant:
        weights: Weights = {**parent.weights, **change.weights}
        if change.rebuilt:
            weights = self._weights(change.network, weights, parent)
        return replace(parent, network=change.network, weights=weights, chain=(*parent.chain, rule))

    def _weights(self, network: Network, known: Weights, parent: Mutant) -> Weights:
        """The weights of those layers that the network has; new ones get some from a seed."""
        names = {layer.name for layer in network.layers}
        missing = names - known.keys()
        made: Weights = {}
        if missing:
            shapes = self._backends.describe(network, self._inputs[parent.seed])
            if not isinstance(shapes, Failure):
                made = make_weights({name: shapes[name] for name in missing}, self._seed)
        return {name: own for name, own in {**known, **made}.items() if name in names}

    def _run(self, mutant: Mutant) -> tuple[Mutant | None, list[Hit]]:
        """Run a mutant on all backends: with its shapes and its ACC, if all came to the end."""
        inputs = self._inputs[mutant.seed]
        executions, parted = self._executed(mutant, inputs)
        self._tally.executed += 1
        self._tally.apis |= {f"keras.layers.{layer.kind}" for layer in mutant.network.layers}
        ran = Ran(
            network=mutant.network, inputs=inputs, weights=mutant.weights, executions=executions
        )
        hits = list(self._hits(mutant, ran, parted))
        if any(one.failure is not None for one in executions.values()):
            return None, hits
        self._tally.valid += 1
        first = next(iter(executions.values()))
        shapes = {name: array.shape for name, array in inputs.items()}
        shapes |= {name: state.shape for name, state in first.states.items()}
        return replace(mutant, shapes=shapes, acc=self._acc(mutant, executions)), hits

    def _executed(
        self, mutant: Mutant, inputs: dict[str, Array]
    ) -> tuple[dict[str, Execution], tuple[Judgement, ...]]:
        """Run on the quick backends; on all where they part anew, and now and then.

        The second value is where they part, if all that are needed for a vote have run.
        """
        quick = self._backends.quick
        slow = [name for name in self._backends.names if name not in quick]
        done = self._backends.run(mutant.network, mutant.weights, inputs, only=quick)
        parted = judge(mutant.network, done)
        places = {_place(mutant.network, one) for one in parted}
        often = self._tally.executed % OFTEN == OFTEN - 1
        if not slow:
            return done, parted
        if not often and places <= self._voted:
            return done, ()
        done |= self._backends.run(mutant.network, mutant.weights, inputs, only=slow)
        self._voted |= places
        self._thirds += 1
        return done, judge(mutant.network, done)

    def _hits(
        self,
        mutant: Mutant,
        ran: Ran,
        parted: tuple[Judgement, ...],
    ) -> Iterator[Hit]:
        for judged in parted:
            chain = " ".join(mutant.chain) or "none"
            origin = f"lemon, model {mutant.seed}, mutations {chain}, layer {judged.layer}"
            hit = self._blame.hit(
                ran,
                judged,
                origin=f"{origin}, seed {self._seed}",
                measures={"relative error": judged.error, "order": float(mutant.order)},
            )
            if hit is not None:
                yield hit

    def _acc(self, mutant: Mutant, executions: Mapping[str, Execution]) -> float:
        """ACC (section 3.3): D_MAD over pairs and inputs; here their mean, so that it has a floor.

        Only pairs of backends on which every mutant runs count: a mean over others, too, could not
        be compared with the parent's.
        """
        outputs = {name: one.states[mutant.network.output.name] for name, one in executions.items()}
        for pair, found in distances_of(outputs).items():
            for number, distance in enumerate(found):
                if distance > THRESHOLD:
                    key = (mutant.seed, number, pair)
                    self._beyond[key] = max(distance, self._beyond.get(key, 0.0))
        always = {name: outputs[name] for name in self._backends.quick}
        return float(np.mean([*distances_of(always).values()]))

    def _new(self, mutant: Mutant) -> bool:
        """Whether it has a layer in a configuration that was never run; it has been by now."""
        configured = {f"{layer.kind} {dict(layer.config)}" for layer in mutant.network.layers}
        new = configured - self._configured
        self._configured |= new
        return bool(new)

    def _told(self) -> None:
        facts = self._tally.facts
        facts["mutants"] = (
            f"{self._orders.total()}, of them of the first order {self._orders[1]}, deepest"
            f" {max(self._orders)}; amplifying {self._amplified}; on every backend"
            f" {self._thirds}; seeds {len(self.seeds.mutants)}"
        )
        facts["mutants by rule"] = ", ".join(f"{n} {self._applied[n]}" for n in RULES)
        if self._accs:
            accs = np.array(self._accs)
            facts["ACC of mutants"] = (
                f"mean {accs.mean():.3g}, median {np.median(accs):.3g}, largest {accs.max():.3g};"
                f" above the floor {int((accs > FLOOR).sum())}"
            )
        facts["inconsistent by D_MAD"] = (
            f"{len(self._beyond)} (model, input, pair of backends) above {THRESHOLD}"
        )


def distances_of(outputs: Mapping[str, Array]) -> dict[tuple[str, ...], list[float]]:
    """D_MAD of each instance by the pair of backends; `outputs` are scores, (batch, classes).

    Instances with NaN or infinities in either count as 0: they are hits of their own, and would
    drown all else.
    """
    hot = np.eye(next(iter(outputs.values())).shape[-1])[labels(outputs)]
    found: dict[tuple[str, ...], list[float]] = {}
    for pair in combinations(outputs, 2):
        scores = zip(hot, *(outputs[name] for name in pair), strict=True)
        found[pair] = [
            d_mad(truth, one, other) if np.isfinite((one, other)).all() else 0.0
            for truth, one, other in scores
        ]
    return found


def _place(network: Network, judged: Judgement) -> str:
    """What backends part over: once voted on, it is known."""
    layer = network.find(judged.layer)
    setting = Suspect(kind=layer.kind, config=layer.config, shapes=()).setting
    return f"{judged.kind} {layer.kind} {setting}"


LEMON = Lemon()
