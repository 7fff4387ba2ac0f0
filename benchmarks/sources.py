"""The four sources of cases: how fast each one searches, and what its persistent workers save.

usage: python -m benchmarks sources

Rates are those of searches of some seconds, start-up apart, with everything that comes with them:
what is found is reduced and confirmed. Ratios are of two ways to run the same networks, in turn:
only weights changed against everything built anew, and workers that live on against new ones.
"""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from analysis.errors import CitadelError
from analysis.index import load_or_build
from analysis.target.target import Interpreter
from harvest.sources.audee.source import AUDEE
from harvest.sources.backends import Backends, Failure
from harvest.sources.cradle.source import Comparing
from harvest.sources.eagle.source import Eagle
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.lemon.source import LEMON
from harvest.sources.lemon.weight_rules import WEIGHT_RULES
from harvest.sources.model import CaseSource, Search, Tally
from harvest.sources.networks import Array, Network, Weights, make_inputs, make_weights
from harvest.sources.seeds import FAMILIES, lenet, seed_network

SECONDS = 45.0
MODELS = 12
ROUNDS = 8
COLD = 3


def measure(targets: Path) -> None:
    for framework in ("torch", "tensorflow"):
        found = _interpreter(targets, framework)
        if found is not None:
            load_or_build(found.target(framework))  # its time is no part of the search
            _searched("eager pairs of EAGLE", Eagle(plans=("eager",)), found, framework)
    found = _interpreter(targets, "keras")
    if found is None:
        return
    _searched("cases of Audee", AUDEE, found, "keras")
    _searched("mutants of LEMON", LEMON, found, "keras")
    _models(found)
    _workers(found)


def _interpreter(targets: Path, name: str) -> Interpreter | None:
    try:
        return Interpreter(str(targets / name / "bin/python"))
    except CitadelError as problem:
        print(f"sources: no {name} here ({problem.message})")
        return None


def _searched(what: str, source: CaseSource, interpreter: Interpreter, framework: str) -> None:
    """Search for some seconds; the clock starts when the workers are ready."""
    tally = Tally()
    started: list[float] = []

    def tick() -> None:
        started.append(time.perf_counter())

    search = Search(interpreter=interpreter, budget=SECONDS, seed=0, tally=tally, progress=tick)
    hits = list(source.generate(search))
    spent = started[-1] - started[0]
    cases = sum(hit.case is not None for hit in hits)
    print(
        f"{framework}: {tally.executed / spent:.1f} {what} per second ({tally.executed:,} in "
        f"{spent:.0f} s, {tally.valid:,} valid, {len(tally.apis)} APIs; {len(hits)} hits, "
        f"{cases} cases), {_load()}",
        flush=True,
    )


def _models(interpreter: Interpreter) -> None:
    """CRADLE on a dozen models, layer by layer and compiled, from the start of its workers."""
    begun = time.perf_counter()
    tally = Tally()
    with Backends(interpreter) as backends:
        backends.start()
        ready = time.perf_counter()
        work = Comparing(backends, tally)
        hits = 0
        for number in range(MODELS):
            family, variant = FAMILIES[number % len(FAMILIES)], number // len(FAMILIES)
            hits += len(list(work.hits(seed_network(family, variant), 0)))
        count = len(backends.names)
    whole, spent = time.perf_counter() - begun, time.perf_counter() - ready
    print(
        f"keras: {MODELS} models of CRADLE on {count} backends in {whole:.0f} s, of these "
        f"{whole - spent:.0f} s start-up ({tally.valid} valid, {hits} hits), {_load()}",
        flush=True,
    )


def _workers(interpreter: Interpreter) -> None:
    """One seed model in three ways: other weights only, all layers anew, all processes anew."""
    network = seed_network(lenet, 0)
    inputs = make_inputs(network, 0)
    weights_only: list[float] = []
    rebuilt: list[float] = []
    cold: list[float] = []
    with Backends(interpreter) as backends:
        backends.start()
        shapes = backends.describe(network, inputs)
        if isinstance(shapes, Failure):
            raise SystemExit(f"the benchmark's own network does not run: {shapes.message}")
        weights = make_weights(shapes, 0)
        quick = backends.quick
        backends.run(network, weights, inputs, only=quick)
        for number in range(ROUNDS):
            changed = _mutated(network, weights, inputs, number)
            other, named = _renamed(network, changed, f"_{number}")
            run = partial(backends.run, only=quick)
            weights_only.append(_spent(partial(run, network, changed, inputs)))
            rebuilt.append(_spent(partial(run, other, named, inputs)))
            if number < COLD:
                cold.append(_spent(partial(_run_once, interpreter, network, changed, inputs)))
    warm, anew, new = (statistics.median(times) for times in (weights_only, rebuilt, cold))
    print(
        f"keras: a mutant in weights only {warm * 1e3:.0f} ms, with all layers built anew "
        f"{anew * 1e3:.0f} ms ({anew / warm:.1f}x), in new processes {new:.1f} s "
        f"({new / warm:.0f}x); {', '.join(quick)}, {_load()}",
        flush=True,
    )


def _mutated(network: Network, weights: Weights, inputs: dict[str, Array], number: int) -> Weights:
    """The weights after one of the rules that change nothing else."""
    mutant = Mutant(seed=network.name, network=network, weights=weights, shapes={})
    rules = list(WEIGHT_RULES.values())
    for rule in (*rules[number % len(rules) :], *rules):
        change = rule(mutant, np.random.default_rng(number))
        if change is not None:
            return {**weights, **change.weights}
    raise SystemExit("no rule applies to the benchmark's own network")


def _renamed(network: Network, weights: Weights, ending: str) -> tuple[Network, Weights]:
    """The same under other names: no worker has such layers."""
    names = {layer.name: layer.name + ending for layer in network.layers}
    layers = [
        replace(
            layer,
            name=names[layer.name],
            inputs=tuple(names.get(one, one) for one in layer.inputs),
        )
        for layer in network.layers
    ]
    return network.with_layers(layers), {names[name]: own for name, own in weights.items()}


def _run_once(
    interpreter: Interpreter, network: Network, weights: Weights, inputs: dict[str, Array]
) -> None:
    with Backends(interpreter) as backends:
        backends.run(network, weights, inputs, only=backends.quick)


def _spent(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
