"""Analogous operators: those that count as one when call sets are compared (paper, section 4.5).

In: the operators' schemas from the catalog and what each was seen to call itself; where sources
have been read, their groups of analogous functions too. Out: disjoint groups of canonical names.

An operator that was seen to take several ways (overloads, layouts) has several bodies, as several
functions would have; two operators are analogous where one body of each is. What many operators
call (allocation, views, copies) is neither evidence nor in a group itself, and an operator is no
analogue of a gradient.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from analysis.catalog.model import ApiKind, Catalog
from analysis.dynamic.canonical import CANONICAL, canonical_set
from analysis.static.observed import cut_off, observed_groups
from analysis.static.similarity import Similarity
from analysis.static.sources import Sources

Bodies = Mapping[str, Sequence[frozenset[str]]]
Groups = tuple[tuple[str, ...], ...]


def analogues(
    framework: str, catalog: Catalog, bodies: Bodies, similarity: Similarity | None = None
) -> Groups:
    """Groups of canonical operators by schema and observed calls."""
    arguments: dict[str, frozenset[str]] = {}
    callees: dict[str, frozenset[str]] = {}
    known = canonical_bodies(framework, bodies)
    schemas = _schemas(framework, catalog)
    common = _common(known)
    for operator in sorted(known.keys() - common):
        for number, schema in enumerate(schemas.get(operator, ())):
            for way, body in enumerate(known[operator]):
                key = f"{operator}#{number}.{way}"
                arguments[key], callees[key] = schema, body - common
    found = observed_groups(arguments, callees, similarity, ubiquitous=len(callees))
    return disjoint(
        part for group in found for part in _apart({name.partition("#")[0] for name in group.names})
    )


def from_operators(framework: str, sources: Sources, bodies: Bodies) -> Groups:
    """Groups of canonical operators whose functions are analogous in the sources."""
    canonical = CANONICAL[framework]
    common = _common(canonical_bodies(framework, bodies))
    members: dict[str, set[str]] = defaultdict(set)
    for operator in sources.operators:
        for group in sources.groups_of(operator):
            members[group] |= {canonical(operator)} - common
    return disjoint(part for group in members.values() for part in _apart(group))


def disjoint(groups: Iterable[Iterable[str]]) -> Groups:
    """Each member in one group only, the larger group first; groups of one are none."""
    given = sorted({tuple(sorted(set(group) - {""})) for group in groups}, key=_large_first)
    taken: set[str] = set()
    found = []
    for group in given:
        rest = tuple(name for name in group if name not in taken)
        if len(rest) > 1:
            found.append(rest)
            taken.update(rest)
    return tuple(sorted(found))


def collapsed(call_sets: Mapping[str, frozenset[str]], groups: Groups) -> dict[str, frozenset[str]]:
    """Call sets in which all members of a group have the name of its first one."""
    first = {name: group[0] for group in groups for name in group}
    return {
        api: frozenset(first.get(name, name) for name in names) for api, names in call_sets.items()
    }


def _apart(group: Iterable[str]) -> tuple[set[str], set[str]]:
    """The operators of a group, and its gradients."""
    names = set(group)
    gradients = {name for name in names if "backward" in name.lower() or name.endswith("Grad")}
    return names - gradients, gradients


def _large_first(group: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    return -len(group), group


def _schemas(framework: str, catalog: Catalog) -> dict[str, list[frozenset[str]]]:
    """Canonical operator -> the arguments of each of its overloads."""
    canonical = CANONICAL[framework]
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for api in catalog.apis.values():
        if api.kind is ApiKind.OP:
            found[canonical(api.name.rpartition(".")[2])] |= {
                frozenset(f"{item.type} {item.name}" for item in signature.parameters)
                for signature in api.signatures
            }
    return {operator: sorted(schemas, key=sorted) for operator, schemas in found.items()}


def canonical_bodies(framework: str, bodies: Bodies) -> dict[str, list[frozenset[str]]]:
    """Bodies of canonical operators by canonical names, each once, without calls of themselves.

    Ranges that are no operators (a dispatch mode, a backward node) have no `::` in their names.
    """
    canonical = CANONICAL[framework]
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for name, ways in bodies.items():
        operator = canonical(name)
        for body in ways:
            operators = (callee for callee in body if "::" in callee)
            found[operator].add(canonical_set(framework, operators) - {operator})
    return {operator: sorted(ways, key=sorted) for operator, ways in found.items() if operator}


def _common(bodies: Bodies) -> set[str]:
    """Operators that so many others call that being like one of them says nothing."""
    nothing: frozenset[str] = frozenset()
    joined = {operator: nothing.union(*ways) for operator, ways in bodies.items()}
    frequency = Counter(callee for callees in joined.values() for callee in callees)
    most = cut_off(joined)
    return {operator for operator, count in frequency.items() if count > most}
