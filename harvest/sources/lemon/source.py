"""LEMON: seed models are mutated, and what drives backends further apart is mutated again.

Bugs are found by the relative error per layer, and by crashes and NaN on some backends only; they
are voted on, keyed by (library, layer) and confirmed by one-layer models, as all of `blaming`. What
the paper's own oracle (D_MAD above 0.4) calls inconsistent is told beside it; where no layer parts,
it is a hit for each (library, layer of the largest R).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from harvest.sources.backends import Backends, Execution, Failure
from harvest.sources.blaming import ROUNDING, Blame, Ran
from harvest.sources.judging import Judgement, judge
from harvest.sources.layers import api
from harvest.sources.lemon.guidance import Pool
from harvest.sources.lemon.inconsistencies import Inconsistencies, above, distances_of
from harvest.sources.lemon.layer_rules import LAYER_RULES
from harvest.sources.lemon.mutants import Change, Mutant
from harvest.sources.lemon.weight_rules import WEIGHT_RULES
from harvest.sources.metrics import localisation_map
from harvest.sources.model import Hit, HitKind, Search, State
from harvest.sources.networks import Array, Network, Weights, make_inputs, make_weights
from harvest.sources.seeds import FAMILIES, seed_network
from harvest.sources.suspects import Suspect

RULES = {**LAYER_RULES, **WEIGHT_RULES}
OFTEN = 10
"""One mutant of so many runs on every backend, so that what only a slow one does is seen, too."""
FLOOR = 1e-4
"""What D_MAD has on average where backends only round differently; below it ACC climbs noise."""


REMEMBERED = ("_configured", "_keys", "_voted")
"""Of a search, beside its pools."""
TURN = 20
"""Mutants of one seed model in a row, where models take turns."""


class Lemon:
    """The source; `patches` is what `Backends` takes, for tests."""

    name = "lemon"
    summary = "mutants of seed models, guided to where backends of Keras 3 drift apart (FSE'20)"
    settings = ("random", "mutants")
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
            work.resume(search.notes.read())
            while time.monotonic() < end and not work.complete:
                yield from work.turn()
                search.notes.write(lambda: work.state)
                search.progress()
            if work.complete:
                search.notes.clear()


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
        self._beyond = Inconsistencies()
        self._keys: set[str] = set()
        self._orders: Counter[int] = Counter()
        self._accs: list[float] = []
        self._amplified = self._thirds = 0
        self._voted: set[str] = set()
        self._applied: Counter[str] = Counter()
        self._each = search.mutants
        self._pools: list[Pool] = []
        self.pool = Pool.of_rules(RULES)

    @property
    def state(self) -> dict[str, Any]:
        """What is remembered: the pool and the rules, what comes next, what is known."""
        return {
            "random": self._random.bit_generator.state,
            "pools": [one.state for one in self._pools],
            "blame": self._blame.state,
            **{name: getattr(self, name) for name in REMEMBERED},
        }

    def resume(self, state: State) -> None:
        """Go on where an earlier search was."""
        if not state:
            return
        self._random.bit_generator.state = state["random"]
        self._pools = [Pool.of(one) for one in state["pools"]]
        self._blame.resume(state["blame"])
        for name in REMEMBERED:
            setattr(self, name, state[name])
        self._inputs = {
            one.name: make_inputs(one, self._seed)
            for one in (seed_network(family, self._seed) for family in FAMILIES)
        }

    @property
    def complete(self) -> bool:
        """Whether each seed model has all of its mutants, or none can be made."""
        return len(self._pools) == len(FAMILIES) and not self._open()

    def _open(self) -> list[Pool]:
        """The pools of which mutants are still to be made."""
        return [
            one
            for one in self._pools
            if one.seeds.mutants and (not self._each or one.made < self._each)
        ]

    def turn(self) -> Iterator[Hit]:
        """Take the next seed model in, or make a mutant.

        Models take turns, or are dealt with one after the other where each gets so many mutants.
        """
        able = self._open()
        if len(self._pools) < len(FAMILIES) and not (self._each and able):
            yield from self.enlist(seed_network(FAMILIES[len(self._pools)], self._seed))
        else:
            self.pool = min(able, key=lambda one: one.made // TURN)
            yield from self.step()
        if self._each:
            done = sum(one.made >= self._each for one in self._pools)
            self._tally.facts["seed models"] = (
                f"{done} of {len(FAMILIES)} have all of their {self._each} mutants"
            )

    def enlist(self, network: Network) -> Iterator[Hit]:
        """Take a seed model into a pool of its own."""
        self.pool = Pool.of_rules(RULES)
        self._pools.append(self.pool)
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
            self.pool.seeds.add(ran)
        yield from hits

    def step(self) -> Iterator[Hit]:
        """Make one mutant, run it everywhere, and let it join the pool if it is worth it."""
        parent = self.pool.seeds.choose(self._random, guided=self._guided)
        rule = self.pool.rules.choose(self._random, guided=self._guided)
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
                self.pool.seeds.add(ran)
        self.pool.rules.record(rule, amplified=amplified)
        self._orders[made.order] += 1
        self.pool.made += 1
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
        hits += self._inconsistent(mutant, executions, parted)
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
        places = {_place(mutant.network, one) for one in parted} | self._apart(mutant, done)
        often = self._tally.executed % OFTEN == OFTEN - 1
        if not slow:
            return done, parted
        if not often and places <= self._voted:
            return done, ()
        done |= self._backends.run(mutant.network, mutant.weights, inputs, only=slow)
        self._voted |= places
        self._thirds += 1
        return done, judge(mutant.network, done)

    def _apart(self, mutant: Mutant, done: Mapping[str, Execution]) -> set[str]:
        """The inputs of a model on which the quick backends are inconsistent by D_MAD."""
        if any(one.failure is not None for one in done.values()):
            return set()
        name = mutant.network.output.name
        distances = distances_of({each: one.states[name] for each, one in done.items()})
        return {f"D_MAD {mutant.seed} {number}" for _, number in above(distances)}

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
                measures={
                    "relative error": judged.error,
                    "order": float(mutant.order),
                    **_rated(mutant.network, ran.executions, judged),
                },
            )
            if hit is not None:
                yield hit

    def _inconsistent(
        self,
        mutant: Mutant,
        executions: Mapping[str, Execution],
        parted: tuple[Judgement, ...],
    ) -> Iterator[Hit]:
        """Keep what D_MAD calls inconsistent; the hits of it where no layer parts."""
        voted = len(executions) == len(self._backends.names)
        for one in self._beyond.take(mutant, executions, voted=voted):
            kind = mutant.network.find(one.layer).kind
            key = f"{HitKind.INCONSISTENCY}:D_MAD:{kind}:{one.odd}"
            if parted or key in self._keys:
                continue
            self._keys.add(key)
            model, number, pair = one.key
            chain = " ".join(mutant.chain) or "none"
            yield Hit(
                key=key,
                kind=HitKind.INCONSISTENCY,
                subject=api(kind),
                title=f"{' and '.join(pair)} by D_MAD; voted out: {one.odd}",
                origin=(
                    f"lemon, model {model}, mutations {chain}, input {number}, layer of the"
                    f" largest R {one.layer}, seed {self._seed}"
                ),
                measures=(("D_MAD", one.distance), ("R", one.rate), ("order", float(mutant.order))),
                no_case=ROUNDING,
            )

    def _acc(self, mutant: Mutant, executions: Mapping[str, Execution]) -> float:
        """ACC (section 3.3): D_MAD over pairs and inputs; here their mean, so that it has a floor.

        Only pairs of backends on which every mutant runs count: a mean over others, too, could not
        be compared with the parent's.
        """
        name = mutant.network.output.name
        always = {each: executions[each].states[name] for each in self._backends.quick}
        distances = distances_of(always)
        return float(np.mean([*distances.values()])) if distances else 0.0

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
            f" {self._thirds}; in the pools of seeds"
            f" {sum(len(one.seeds.mutants) for one in self._pools)}"
        )
        facts["mutants by rule"] = ", ".join(f"{n} {self._applied[n]}" for n in RULES)
        if self._accs:
            accs = np.array(self._accs)
            facts["ACC of mutants"] = (
                f"mean {accs.mean():.3g}, median {np.median(accs):.3g}, largest {accs.max():.3g};"
                f" above the floor {int((accs > FLOOR).sum())}"
            )
        facts.update(self._beyond.told())


def _rated(
    network: Network, executions: Mapping[str, Execution], judged: Judgement
) -> dict[str, float]:
    """R of a layer and its rank, for one that was voted out and one of the majority."""
    names = (*judged.vote.odd[:1], *judged.vote.majority[:1])
    if len(names) < 2:
        names = tuple(executions)[:2]
    rates = localisation_map(network, *(executions[name].states for name in names))
    if judged.layer not in rates:
        return {}
    own = rates[judged.layer]
    return {"R": own, "rank of R": 1.0 + sum(rate > own for rate in rates.values())}


def _place(network: Network, judged: Judgement) -> str:
    """What backends part over: once voted on, it is known."""
    layer = network.find(judged.layer)
    setting = Suspect(kind=layer.kind, config=layer.config, shapes=()).setting
    return f"{judged.kind} {layer.kind} {setting}"


LEMON = Lemon()
