"""Order every API of a build by how likely it shares a bug of the source API.

In: the source, the index, and where known how well each API takes the failing call's arguments.
Out: one candidate per API, best first, nothing cut: similarity orders, the oracle decides. The
score is a weighted sum of the channels; docs/similarity.md tells how the weights were found and
what each channel is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analysis.catalog.model import Api
from analysis.index import ApiIndex
from citadel.match.channels import ChannelTables, Feature
from citadel.model import Channels

WEIGHTS: Mapping[Feature, float] = {
    Feature.CONTEXT: 0.5,
    Feature.WEIGHTED: 1.0,
    Feature.SIGNATURE: 1.5,
    Feature.FAMILY: 0.5,
    Feature.RUNS: 0.3,
    Feature.ROOTS: 0.25,
    Feature.NAMESPACE: 0.15,
    Feature.ARGUMENTS: 0.5,
    Feature.RAW: -0.5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible sibling with its similarity per channel."""

    api: Api
    channels: Channels
    score: float


def rank(
    source: Api, index: ApiIndex, arguments: Mapping[str, float] | None = None
) -> list[Candidate]:
    """Every API of the build but the source, the likeliest sibling first.

    Equal scores are in the order of names.
    """
    table = tables(index).of(source, arguments)
    weights = np.array([WEIGHTS[feature] for feature in Feature])
    scores = table.values @ weights
    found = [
        Candidate(api=api, channels=table.channels(row), score=float(scores[row]))
        for row, api in enumerate(table.apis)
        if api.name != source.name
    ]
    found.sort(key=lambda candidate: (-candidate.score, candidate.api.name))
    return found


@lru_cache(maxsize=2)
def tables(index: ApiIndex) -> ChannelTables:
    """The tables of a build, made once."""
    return ChannelTables(index)
