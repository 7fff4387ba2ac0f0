"""All pairs of APIs that one channel or another calls similar (paper, sections 4.4 and 4.5).

In: an index and thresholds. Out: pairs of canonical names with the channels that vouch for them.
Context pairs have a Jaccard index strictly above the threshold; so that two APIs which merely both
allocate memory are no pair, they must share an operator that few APIs run. Signature pairs are
those among an API's nearest few whose score and whose names alone are similar enough. Family pairs
have one core name.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from analysis.catalog.model import Api
from analysis.index import ApiIndex
from analysis.static.join import similar_pairs, tokens
from citadel.match.family import parse
from citadel.match.signature import Signatures

Pair = tuple[int, int]


class Channel(StrEnum):
    """What vouches for a pair."""

    CONTEXT = "context"
    SIGNATURE = "signature"
    FAMILY = "family"


PAPER_CONTEXT = {
    "torch": Fraction(3, 5),
    "tensorflow": Fraction(4, 5),
    "keras": Fraction(4, 5),
}
"""The paper's thresholds of context similarity (section 5.1); pairs must exceed them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What makes a pair.

    `context`: the Jaccard index that must be exceeded. `rare`: at least one shared operator is run
    by no more than this share of the APIs (1 switches that off). `signature` and `names`: least
    score, and least similarity of the names alone. `most`: nearest APIs considered per API.
    """

    context: Fraction
    rare: Fraction = Fraction(1, 20)
    signature: float = 0.6
    names: float = 0.3
    most: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The pairs of a build, by canonical names in order, and what they amount to."""

    pairs: Mapping[tuple[str, str], frozenset[Channel]]
    seconds: float

    @property
    def apis(self) -> frozenset[str]:
        """APIs that have a partner."""
        return frozenset(name for pair in self.pairs for name in pair)

    @property
    def by_channel(self) -> dict[str, int]:
        """Number of pairs per channel; a pair may have several."""
        found = Counter(str(channel) for channels in self.pairs.values() for channel in channels)
        return {str(channel): found[str(channel)] for channel in Channel}


def thresholds(framework: str) -> Thresholds:
    """The defaults for a framework."""
    return Thresholds(context=PAPER_CONTEXT[framework])


def matched(index: ApiIndex, given: Thresholds | None = None) -> Matched:
    """All pairs of a build."""
    chosen = given or thresholds(index.framework)
    started = time.monotonic()
    apis = tuple(index.catalog.apis.values())
    found: dict[Pair, set[Channel]] = {}
    for channel, pairs in (
        (Channel.CONTEXT, context_pairs(apis, index.collapsed, chosen)),
        (Channel.SIGNATURE, signature_pairs(apis, chosen)),
        (Channel.FAMILY, family_pairs(apis)),
    ):
        for pair in pairs:
            found.setdefault(pair, set()).add(channel)
    named = {
        (apis[left].name, apis[right].name): frozenset(channels)
        for (left, right), channels in sorted(found.items())
    }
    return Matched(pairs=named, seconds=time.monotonic() - started)


def context_pairs(
    apis: tuple[Api, ...], call_sets: Mapping[str, frozenset[str]], given: Thresholds
) -> Iterator[Pair]:
    """Pairs of APIs that run much the same (paper, section 4.5)."""
    sets = [call_sets.get(api.name, frozenset()) for api in apis]
    frequency = Counter(name for found in sets for name in found)
    known = sum(bool(found) for found in sets)
    most = max(Fraction(2), given.rare * known)
    rare = {name for name, count in frequency.items() if count <= most}
    for left, right in similar_pairs(tokens(sets), given.context):
        shared = sets[left] & sets[right]
        jaccard = Fraction(len(shared), len(sets[left] | sets[right]))
        if jaccard > given.context and not shared.isdisjoint(rare):
            yield int(left), int(right)


def signature_pairs(apis: tuple[Api, ...], given: Thresholds) -> Iterator[Pair]:
    """Pairs of APIs with similar names and parameters (paper, section 4.4)."""
    for start, block in Signatures(apis).blocks():
        fit = (block.score >= given.signature) & (block.names >= given.names)
        for offset, chosen in enumerate(fit):
            row = start + offset
            chosen[row] = False
            for other in _nearest(block.score[offset], np.flatnonzero(chosen), given.most):
                yield (row, other) if row < other else (other, row)


def family_pairs(apis: tuple[Api, ...]) -> Iterator[Pair]:
    """Pairs of APIs whose names have one core: forms, dimensions, in-place and such variants."""
    families: dict[str, list[int]] = {}
    for row, api in enumerate(apis):
        families.setdefault(parse(api.name, api.kind).core, []).append(row)
    for members in families.values():
        yield from combinations(members, 2)


def _nearest(score: NDArray[np.float64], rows: NDArray[np.intp], most: int) -> list[int]:
    order = np.argsort(-score[rows], kind="stable")[:most]
    return [int(row) for row in rows[order]]
