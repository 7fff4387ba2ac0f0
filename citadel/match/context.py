"""Context similarity: how much of what two APIs run is the same (paper, section 4.5).

In: call sets of canonical operator names. Out: for one API, its exact Jaccard index with every
other one, and a weighted one in which rare operators count more, which only orders candidates:
unweighted, operators that half of all APIs run (`empty`, `copy_`) make strangers look alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Similarity of two call sets: the paper's exact one, and the one weighted by rarity."""

    plain: Fraction
    weighted: float


class Contexts:
    """The call sets of one build, with the rarity of each operator."""

    def __init__(self, call_sets: Mapping[str, frozenset[str]]) -> None:
        self._sets = call_sets
        frequency = Counter(name for found in call_sets.values() for name in found)
        total = len(call_sets) + 1
        self._weight = {name: log(total / count) for name, count in frequency.items()}
        self._heaviest = max(self._weight.values(), default=0.0) or 1.0
        self._mass = {name: self._sum(found) for name, found in call_sets.items()}

    def compare(self, source: frozenset[str], names: Iterable[str]) -> dict[str, Likeness]:
        """Likeness of a call set to those of the named APIs that have one."""
        if not source:
            return {}
        mass = self._sum(source)
        found = {}
        for name in names:
            other = self._sets.get(name)
            if other is None:
                continue
            shared = source & other
            if not shared:
                found[name] = NOTHING
                continue
            common = self._sum(shared)
            union = mass + self._mass[name] - common
            found[name] = Likeness(
                plain=jaccard(source, other), weighted=common / union if union else 0.0
            )
        return found

    def rarity(self, operator: str) -> float:
        """How much an operator tells: 0 where all APIs run it or none does, 1 where one does."""
        return self._weight.get(operator, 0.0) / self._heaviest

    def _sum(self, operators: frozenset[str]) -> float:
        return sum(self._weight.get(name, 0.0) for name in operators)


def jaccard(left: frozenset[str], right: frozenset[str]) -> Fraction:
    """Shared share of two sets, exactly: thresholds lie on common fractions such as 3/5."""
    union = len(left | right)
    return Fraction(len(left & right), union) if union else Fraction(0)


NOTHING = Likeness(plain=Fraction(0), weighted=0.0)
