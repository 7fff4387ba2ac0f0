"""The forms in which people can reach what one API does: function, method, layer, in place, raw.

In: an index. Out: per API the others that stand for the same operator of the framework. Which one
that is, the catalog tells (from the schema behind a signature); of an API whose signature has no
schema, such as a layer, the samples do, where all it calls itself is one operator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from analysis.catalog.model import Api, ApiKind
from analysis.dynamic.context import roots
from analysis.index import ApiIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """Names by form, each sorted; `out` are those that write their result where `out=` says."""

    functions: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    out: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, the ones that people call first."""
        return (
            *self.functions,
            *self.methods,
            *self.modules,
            *self.in_place,
            *self.operators,
        )


def forms(index: ApiIndex) -> Mapping[str, Forms]:
    """The forms of every API for which an operator is known, itself included."""
    by_operator: dict[str, list[Api]] = defaultdict(list)
    for name, operator in operators(index).items():
        by_operator[operator].append(index.catalog.apis[name])
    found = {}
    for apis in by_operator.values():
        shared = _sorted(apis)
        found.update({api.name: shared for api in apis})
    return found


def operators(index: ApiIndex) -> dict[str, str]:
    """The operator that an API stands for, for every API for which one is known."""
    called = roots(index.profiles, index.bodies)
    found = {
        api.name: _operator(api, called.get(api.name, frozenset()))
        for api in index.catalog.apis.values()
    }
    return {name: operator for name, operator in found.items() if operator}


def _operator(api: Api, called: frozenset[str]) -> str:
    """Base name of the one operator behind an API, without the mark of its in-place form."""
    known = {name.removeprefix("aten::").rstrip("_") for name in api.operators or called}
    return known.pop() if len(known) == 1 else ""


def _sorted(apis: list[Api]) -> Forms:
    names: dict[str, list[str]] = defaultdict(list)
    for api in sorted(apis, key=lambda item: item.name):
        names[_form(api)].append(api.name)
        if api.out:
            names["out"].append(api.name)
    return Forms(**{form: tuple(found) for form, found in names.items()})


def _form(api: Api) -> str:
    leaf = api.name.rpartition(".")[2]
    if api.kind is ApiKind.OP:
        return "operators"
    if api.kind.is_class:
        return "modules"
    if leaf.endswith("_") and not leaf.startswith("__"):
        return "in_place"
    return "methods" if api.kind is ApiKind.METHOD else "functions"
