"""Which seed and which rule come next (LEMON, section 3.3): roulette wheel, Metropolis-Hastings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harvest.sources.lemon.mutants import Mutant

POOL = 50
"""How many seeds there are at most."""


@dataclass(slots=True)
class Seeds:
    """The pool of seeds, each with how often it was chosen."""

    mutants: list[Mutant]
    chosen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chosen = [0] * len(self.mutants)

    def choose(self, random: np.random.Generator, *, guided: bool) -> Mutant:
        """By the roulette wheel: p_i is score_i over their sum, score_i = 1 / (c_i + 1)."""
        scores = np.array([1 / (count + 1) if guided else 1.0 for count in self.chosen])
        place = int(random.choice(len(scores), p=scores / scores.sum()))
        self.chosen[place] += 1
        return self.mutants[place]

    def add(self, mutant: Mutant) -> None:
        """Take in a mutant, in the place of the one chosen most often if the pool is full.

        Seed models stay.
        """
        if len(self.mutants) >= POOL:
            mutated = [n for n, one in enumerate(self.mutants) if one.order]
            if not mutated:
                return
            gone = max(mutated, key=lambda n: self.chosen[n])
            del self.mutants[gone], self.chosen[gone]
        self.mutants.append(mutant)
        self.chosen.append(0)


class Rules:
    """The rules' records, and the chain that walks over them.

    The priority of a rule is the share of its mutants that amplified. Rules ranked by it from the
    best, ranks k_a and k_b: a proposal b, drawn uniformly, is accepted in the place of a with
    min(1, (1 - p)^(k_b - k_a)).
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.selected = dict.fromkeys(names, 0)
        self.amplified = dict.fromkeys(names, 0)
        self._p = 1 / len(self.names)
        self._current: str | None = None

    @property
    def state(self) -> dict[str, Any]:
        """The records, and where the chain is, to be remembered."""
        chain = {"current": self._current}
        return {"selected": self.selected, "amplified": self.amplified, **chain}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on where an earlier chain was."""
        self.selected, self.amplified = state["selected"], state["amplified"]
        self._current = state["current"]

    def priority(self, name: str) -> float:
        """#amplified / #selected; 0 for what was never selected."""
        return self.amplified[name] / self.selected[name] if self.selected[name] else 0.0

    def acceptance(self, current: str, proposed: str) -> float:
        """P_a(proposed | current)."""
        ranked = sorted(self.names, key=self.priority, reverse=True)
        distance = ranked.index(proposed) - ranked.index(current)
        return float(min(1.0, (1 - self._p) ** distance))

    def choose(self, random: np.random.Generator, *, guided: bool) -> str:
        """The next rule; without guidance any."""
        while True:
            proposed = self.names[int(random.integers(len(self.names)))]
            if not guided or self._current is None:
                break
            if random.random() < self.acceptance(self._current, proposed):
                break
        self._current = proposed
        return proposed

    def record(self, name: str, *, amplified: bool) -> None:
        """A rule was applied, with or without success."""
        self.selected[name] += 1
        self.amplified[name] += amplified


@dataclass(slots=True)
class Pool:
    """One seed model with its mutants, how the rules did on it, how many mutants were made."""

    seeds: Seeds
    rules: Rules
    made: int = 0

    @property
    def state(self) -> dict[str, Any]:
        """What is remembered of it."""
        seeds = {"mutants": self.seeds.mutants, "chosen": self.seeds.chosen}
        return {**seeds, "rules": self.rules.state, "made": self.made}

    @classmethod
    def of_rules(cls, names: Iterable[str]) -> Pool:
        """One without seeds."""
        return cls(seeds=Seeds([]), rules=Rules(tuple(names)))

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Pool:
        """The pool as it was."""
        pool = cls.of_rules(state["rules"]["selected"])
        pool.seeds.mutants, pool.seeds.chosen = state["mutants"], state["chosen"]
        pool.rules.resume(state["rules"])
        pool.made = state["made"]
        return pool
