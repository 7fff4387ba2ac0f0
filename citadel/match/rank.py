"""Order every API of a build by how likely it shares a bug of the source API.

In: the source, the index, and where known how well each API takes the failing call's arguments.
Out: one candidate per API, best first, nothing cut: similarity orders, the oracle decides.

    score = 0.5 * context + 1.0 * weighted + 1.5 * signature + 0.5 * family
            + 0.3 * runs + 0.5 * arguments - 0.5 * raw

`context` is the Jaccard index of the call sets, `weighted` the one in which rare operators count
more (an API without a call set borrows that of its closest relative), `signature` the similarity of
names and parameters, `family` 1 for APIs of one name family, `runs` the rarity of one's operator
where the other one runs it, `arguments` the given compatibility, left out when unknown, and `raw`
1 for raw operators (`torch.ops.aten`) of a source that is none, 1 for names with `_` before them
of a source without: people call the public forms, so those go first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from analysis.catalog.model import Api, ApiKind
from analysis.dynamic.canonical import canonical
from analysis.index import ApiIndex
from citadel.match.context import NOTHING, Contexts, Likeness
from citadel.match.family import parse, relation
from citadel.match.signature import Signatures
from citadel.model import Channels

W_CONTEXT = 0.5
W_WEIGHTED = 1.0
W_SIGNATURE = 1.5
W_FAMILY = 0.5
W_RUNS = 0.3
W_ARGUMENTS = 0.5
W_RAW = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible sibling with its similarity per channel."""

    api: Api
    channels: Channels
    score: float


class Ranking:
    """What ranking needs to know about a build, computed once."""

    def __init__(self, index: ApiIndex) -> None:
        self._apis = index.catalog.apis
        self._own = index.call_sets
        self._sets = _with_borrowed(index)
        self._contexts = Contexts(self._sets)
        self._signatures = Signatures(self._apis.values())

    def rank(self, source: Api, arguments: Mapping[str, float] | None) -> list[Candidate]:
        """Every API but the source, best first; equal scores in the order of names."""
        likenesses = self._contexts.compare(self._set(source.name), self._apis)
        signatures = self._signatures.compare(source)
        found = []
        for name, api in self._apis.items():
            if name == source.name:
                continue
            likeness = likenesses.get(name, NOTHING)
            profiled = name in self._own and source.name in self._own
            channels = Channels(
                context=likeness.plain if profiled else None,
                signature=signatures[name],
                family=relation(source, api),
                arguments=None if arguments is None else arguments.get(name, 0.0),
            )
            score = self._score(channels, likeness, self._runs(source.name, name))
            score -= W_RAW * rawness(source, api)
            found.append(Candidate(api=api, channels=channels, score=score))
        found.sort(key=lambda candidate: (-candidate.score, candidate.api.name))
        return found

    def _set(self, name: str) -> frozenset[str]:
        return self._sets.get(name, frozenset())

    def _runs(self, source: str, target: str) -> float:
        """Rarity of the operator of one of the two that the other one runs."""
        rarity = 0.0
        for caller, callee in ((source, target), (target, source)):
            operator = canonical(callee.rpartition(".")[2])
            if operator in self._set(caller):
                rarity = max(rarity, self._contexts.rarity(operator))
        return rarity

    @staticmethod
    def _score(channels: Channels, likeness: Likeness, runs: float) -> float:
        return (
            W_CONTEXT * float(likeness.plain)
            + W_WEIGHTED * likeness.weighted
            + W_SIGNATURE * channels.signature
            + W_FAMILY * (channels.family is not None)
            + W_RUNS * runs
            + W_ARGUMENTS * (channels.arguments or 0.0)
        )


def rawness(source: Api, target: Api) -> int:
    """How many steps the target is farther from what people call than the source is."""
    operator = target.kind is ApiKind.OP and source.kind is not ApiKind.OP
    private = is_private(target.name) and not is_private(source.name)
    return operator + private


def is_private(name: str) -> bool:
    """Whether the last part of a dotted name begins with `_` and is no special method's."""
    leaf = name.rpartition(".")[2]
    return leaf.startswith("_") and not leaf.startswith("__")


def rank(
    source: Api, index: ApiIndex, arguments: Mapping[str, float] | None = None
) -> list[Candidate]:
    """Every API of the build but the source, the likeliest sibling first."""
    return _ranking(index).rank(source, arguments)


@lru_cache(maxsize=2)
def _ranking(index: ApiIndex) -> Ranking:
    return Ranking(index)


def _with_borrowed(index: ApiIndex) -> dict[str, frozenset[str]]:
    """Call sets of all APIs; one without takes that of a relative of the same dimension."""
    sets = dict(index.call_sets)
    relatives: dict[tuple[str, str], str] = {}
    for name in sorted(sets):
        parsed = parse(name, index.catalog.apis[name].kind)
        relatives.setdefault((parsed.core, parsed.dimension), name)
    for name, api in index.catalog.apis.items():
        parsed = parse(name, api.kind)
        relative = relatives.get((parsed.core, parsed.dimension))
        if name not in sets and relative is not None and not parsed.variants & {"backward"}:
            sets[name] = index.call_sets[relative]
    return sets
