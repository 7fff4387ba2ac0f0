"""What the channels of similarity say of one source API, as numbers for every API of a build.

In: an index. Out: for a source, one row per API of the build and one column per `Feature`; the
ranking weighs them, the channels shown to people are read from them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum, auto

import numpy as np
from numpy.typing import NDArray

from analysis.catalog.model import Api, ApiKind
from analysis.dynamic.canonical import CANONICAL, canonical_set
from analysis.dynamic.context import roots
from analysis.index import ApiIndex
from citadel.match.context import Contexts, Likenesses
from citadel.match.documentation import Documentation
from citadel.match.family import parse, relation
from citadel.match.signature import Signatures
from citadel.model import Channels

Floats = NDArray[np.float64]
RARE = 0.5
"""Rarity of an operator that says what an API is: anything may cast or reshape."""


class Feature(IntEnum):
    """Columns of the table; all values lie between 0 and 1, `RAW` between 0 and 2."""

    CONTEXT = 0
    """Jaccard index of the call sets; an API without one borrows that of a close relative."""
    WEIGHTED = auto()
    """The same with rare operators counting more."""
    SIGNATURE = auto()
    """Similarity of names and parameters."""
    FAMILY = auto()
    """1 for APIs of one name family."""
    RUNS = auto()
    """Rarity of one's operator where the other one runs it."""
    ROOTS = auto()
    """How far the operators that one calls itself are among those that the other calls itself."""
    NAMESPACE = auto()
    """1 for APIs that stand in the same namespace, 0.5 where one's lies within the other's."""
    ARGUMENTS = auto()
    """How well the API takes the failing call's own arguments."""
    CALLED = auto()
    """1 for APIs that ran within the failing call, or that a given pair links to the source."""
    DOCUMENTATION = auto()
    """Likeness of what is written about the two."""
    RAW = auto()
    """Steps away from what people call: raw operators, private names."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """The features of all APIs of a build beside one source: `values` has shape (n, features)."""

    apis: tuple[Api, ...]
    values: Floats
    relations: Mapping[int, str]
    likenesses: Likenesses
    profiled: NDArray[np.bool_]
    """Whether both have call sets of their own, so that their context says something."""
    arguments: bool
    of_class: bool
    """Whether the source is a class, and no layer."""
    called: Collection[str]
    matched: Mapping[str, str]

    def channels(self, row: int) -> Channels:
        """What people are shown of one API."""
        beside = self.of_class and self.apis[row].kind is ApiKind.CLASS
        return Channels(
            context=self.likenesses.fraction(row) if self.profiled[row] else None,
            signature=float(self.values[row, Feature.SIGNATURE]),
            documentation=float(self.values[row, Feature.DOCUMENTATION]),
            family=self.relations.get(row),
            arguments=float(self.values[row, Feature.ARGUMENTS]) if self.arguments else None,
            called=self.apis[row].name in self.called,
            matched=self.matched.get(self.apis[row].name),
            peers=beside and bool(self.values[row, Feature.NAMESPACE] == 1.0),
        )


class ChannelTables:
    """Everything about a build that the tables of its APIs share, computed once."""

    def __init__(self, index: ApiIndex) -> None:
        self._apis = tuple(index.catalog.apis.values())
        self._row = {api.name: row for row, api in enumerate(self._apis)}
        self._canonical = CANONICAL[index.framework]
        self._sets = _with_borrowed(index)
        self._contexts = Contexts(list(self._row), self._sets)
        self._own = np.array([api.name in index.call_sets for api in self._apis])
        self._roots = self._all_roots(index)
        self._starts = Contexts(list(self._row), self._roots)
        self._spaces, self._space = np.unique(
            [namespace(api) for api in self._apis], return_inverse=True
        )
        self._signatures = Signatures(self._apis)
        self._documentation = Documentation(self._apis)
        self._cores: dict[str, list[int]] = {}
        self._operators: dict[str, list[int]] = {}
        for row, api in enumerate(self._apis):
            self._cores.setdefault(parse(api.name, api.kind).core, []).append(row)
            self._operators.setdefault(self._operator(api), []).append(row)
        self._callers = _inverted(self._sets, self._row)
        self._raw = np.array([rawness(api) for api in self._apis])

    def of(
        self,
        source: Api,
        arguments: Mapping[str, float] | None,
        called: Collection[str] = (),
        matched: Mapping[str, str] | None = None,
    ) -> Table:
        """The table of a source; `arguments` is the compatibility of each API where known, `called`
        names the APIs that ran within the failing call, `matched` those that pairs of somebody
        else's (`citadel.match.matches`) link to the source."""
        matched = matched or {}
        own = self._sets.get(source.name, frozenset())
        likenesses = self._contexts.compare(own)
        relations = self._relations(source)
        values = np.zeros((len(self._apis), len(Feature)))
        values[:, Feature.CONTEXT] = likenesses.plain
        values[:, Feature.WEIGHTED] = likenesses.weighted
        values[:, Feature.SIGNATURE] = self._signatures.compare(source).score[0]
        values[list(relations), Feature.FAMILY] = 1.0
        self._fill_runs(source, own, values[:, Feature.RUNS])
        roots_of_source = self._roots.get(source.name, frozenset())
        values[:, Feature.ROOTS] = self._starts.compare(roots_of_source).contained
        values[:, Feature.NAMESPACE] = self._nearness(namespace(source))
        for name, plausibility in (arguments or {}).items():
            values[self._row[name], Feature.ARGUMENTS] = plausibility
        values[[self._row[name] for name in {*called, *matched}], Feature.CALLED] = 1.0
        values[:, Feature.DOCUMENTATION] = self._documentation.compare(self._row[source.name])
        values[:, Feature.RAW] = np.maximum(0.0, self._raw - rawness(source)).sum(axis=1)
        return Table(
            apis=self._apis,
            values=values,
            relations=relations,
            likenesses=likenesses,
            profiled=self._own & self._own[self._row[source.name]],
            arguments=arguments is not None,
            of_class=source.kind is ApiKind.CLASS,
            called=called,
            matched=matched,
        )

    def rarity(self, operator: str) -> float:
        """How much it tells that an API runs an operator: 0 (all do) to 1 (hardly any does)."""
        return self._contexts.rarity(operator)

    def operators(self, api: Api) -> frozenset[str]:
        """The APIs that are the operators which an API calls itself, and few others run."""
        own = self._roots.get(api.name, frozenset())
        rare = (name for name in own if self.rarity(name) >= RARE)
        rows = {row for name in rare for row in self._operators.get(name, ())}
        return frozenset(self._apis[row].name for row in rows)

    def _all_roots(self, index: ApiIndex) -> dict[str, frozenset[str]]:
        """Of an API that no sample reached, the operators that the catalog names."""
        known = roots(index.profiles, index.bodies)
        return {
            api.name: canonical_set(index.framework, known.get(api.name) or api.operators)
            for api in self._apis
        }

    def _relations(self, source: Api) -> dict[int, str]:
        found = {}
        for row in self._cores.get(parse(source.name, source.kind).core, ()):
            known = relation(source, self._apis[row])
            if known is not None:
                found[row] = known
        return found

    def _nearness(self, own: str) -> Floats:
        """How near each API's namespace is to this one."""
        return np.array([nearness(own, str(space)) for space in self._spaces])[self._space]

    def _fill_runs(self, source: Api, own: frozenset[str], column: Floats) -> None:
        """Rarity of the operator of one of the two that the other one runs."""
        for operator in own:
            column[self._operators.get(operator, [])] = self._contexts.rarity(operator)
        operator = self._operator(source)
        callers = self._callers.get(operator, [])
        column[callers] = np.maximum(column[callers], self._contexts.rarity(operator))

    def _operator(self, api: Api) -> str:
        return self._canonical(api.name.rpartition(".")[2])


def namespace(api: Api) -> str:
    """Where it stands: its name without the last part."""
    return api.name.rpartition(".")[0]


def nearness(one: str, other: str) -> float:
    """1 for one namespace, 0.5 where one lies within the other, else 0.

    `torch.nn.functional` lies within `torch.nn`: what layers do stands there as functions. That
    everything lies within the framework's own says nothing.
    """
    if one == other:
        return 1.0
    outer, inner = sorted((one, other), key=len)
    return 0.5 if "." in outer and inner.startswith(f"{outer}.") else 0.0


def rawness(api: Api) -> tuple[float, float]:
    """Whether it is a raw operator, and whether its name is private: people call neither."""
    leaf = api.name.rpartition(".")[2]
    private = leaf.startswith("_") and not leaf.startswith("__")
    return float(api.kind is ApiKind.OP), float(private)


def _inverted(sets: Mapping[str, frozenset[str]], row: Mapping[str, int]) -> dict[str, list[int]]:
    """Operator -> the APIs that run it."""
    found: dict[str, list[int]] = {}
    for name, operators in sets.items():
        for operator in operators:
            found.setdefault(operator, []).append(row[name])
    return found


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
