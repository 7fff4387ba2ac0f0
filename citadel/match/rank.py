"""Order every API of a build by how likely it shares a bug of the source API.

In: the source, the index, and where known how well each API takes the failing call's arguments.
Out: one candidate per API, best first, nothing cut: similarity orders, the oracle decides. The
score is a weighted sum of the channels; docs/similarity.md tells how the weights were found and
what each channel is worth.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from analysis.catalog.model import Api
from analysis.index import ApiIndex
from citadel.match.channels import ChannelTables, Feature
from citadel.match.context import Contexts
from citadel.model import Channels

WEIGHTS: Mapping[Feature, float] = {
    Feature.CONTEXT: 0.5,
    Feature.WEIGHTED: 1.0,
    Feature.SIGNATURE: 1.5,
    Feature.FAMILY: 0.25,
    Feature.RUNS: 0.3,
    Feature.ROOTS: 0.25,
    Feature.NAMESPACE: 0.25,
    Feature.ARGUMENTS: 0.35,
    Feature.CALLED: 1.0,
    Feature.DOCUMENTATION: 1.5,
    Feature.RAW: -0.5,
}

OF_TESTS = "_test_"
"""How names of operators begin that only the framework's own tests call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible sibling with its similarity per channel.

    `score` is at most 1; one that all channels speak for has 1. In the paper's mode it is the
    context similarity.
    """

    api: Api
    channels: Channels
    score: float


def rank(
    source: Api,
    index: ApiIndex,
    arguments: Mapping[str, float] | None = None,
    called: Collection[str] = (),
    matched: Mapping[str, str] | None = None,
) -> list[Candidate]:
    """Every API of the build but the source and those of tests, the likeliest sibling first.

    `called` are the APIs that ran within the failing call (`citadel.propagate.callees`), `matched`
    those that pairs of somebody else's link to the source. Equal scores are in the order of names.
    """
    table = tables(index).of(source, arguments, called, matched)
    weights = np.array([WEIGHTS[feature] for feature in Feature])
    scores = table.values @ weights / weights[weights > 0].sum()
    found = [
        Candidate(api=api, channels=table.channels(row), score=float(scores[row]))
        for row, api in enumerate(table.apis)
        if api.name != source.name and not api.name.rpartition(".")[2].startswith(OF_TESTS)
    ]
    found.sort(key=lambda candidate: (-candidate.score, candidate.api.name))
    return found


def rank_as_paper(source: Api, index: ApiIndex, threshold: Fraction) -> list[Candidate]:
    """The siblings of the paper (section 4.5): APIs whose call sets are similar enough.

    Plain Jaccard index of what runs forward and backward, analogous operators counting as one,
    strictly above the threshold; the most similar first, equals in the order of names.
    """
    names = list(index.catalog.apis)
    found = Contexts(names, index.collapsed).compare(index.collapsed.get(source.name, frozenset()))
    similar = {
        names[row]: found.fraction(int(row)) for row in np.flatnonzero(found.above(threshold))
    }
    chosen = [
        Candidate(
            api=candidate.api,
            channels=replace(candidate.channels, context=similar[candidate.api.name]),
            score=float(similar[candidate.api.name]),
        )
        for candidate in rank(source, index)
        if candidate.api.name in similar
    ]
    return sorted(chosen, key=lambda candidate: (-candidate.score, candidate.api.name))


def shared_operators(source: Api, target: Api, index: ApiIndex) -> tuple[str, ...]:
    """Canonical names of what both run, the rarest first: why their contexts are similar."""
    left, right = (index.call_sets.get(api.name, frozenset()) for api in (source, target))
    rarity = tables(index).rarity
    return tuple(sorted(left & right, key=lambda name: (-rarity(name), name)))


@lru_cache(maxsize=2)
def tables(index: ApiIndex) -> ChannelTables:
    """The tables of a build, made once."""
    return ChannelTables(index)
