"""Functions to the sets that are compared: arguments and callees under the chosen rules.

In: function records. Out: per function a set of "type name" and "-> type" and a set of callees.
Derived anew on every run, so that other rules need no new parsing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from analysis.static.model import FunctionRecord, Kind
from analysis.static.similarity import Similarity
from analysis.static.stop_list import is_stop

_NAMESPACES = re.compile(
    r"(?<![\w:])(?:::)?(?:(?:at|c10|torch|native|std|detail|tensorflow|tsl)::)+"
)
_QUALIFIERS = re.compile(r"\b(?:const|volatile|typename|struct|class|constexpr|inline|static)\b")
_PERHAPS_DIMENSION = re.compile("[1-4][dD]")
_DIMENSION = re.compile(r"(?<![0-9])[1-4]([dD])(?![a-z0-9])")


class Normaliser:
    """Makes the sets of function records under given settings; equal records cost once."""

    def __init__(self, settings: Similarity) -> None:
        self._callees = {python: _CalleeSets(settings, python=python) for python in (False, True)}
        self._arguments = _ArgumentSets()

    def callees(self, record: FunctionRecord) -> frozenset[str]:
        """The distinct callees as they count under the settings."""
        return self._callees[record.kind is Kind.PYTHON][record.callees]

    def arguments(self, record: FunctionRecord) -> frozenset[str]:
        """The parameters as "type name" and the result as "-> type".

        The first parameter of Python methods carries nothing. Structured kernels return nothing
        because the framework allocates their outputs.
        """
        pairs = record.parameters
        if record.kind is Kind.PYTHON and pairs and pairs[0][1] in ("self", "cls"):
            pairs = pairs[1:]
        structured = record.kind is Kind.STRUCTURED or record.kind is Kind.META
        return self._arguments[pairs, record.returns, structured]


class _CalleeSets(dict[tuple[str, ...], frozenset[str]]):
    """Callees as written to the set of those that count."""

    def __init__(self, settings: Similarity, *, python: bool) -> None:
        self._compared = _Callees(settings, python=python)

    def __missing__(self, callees: tuple[str, ...]) -> frozenset[str]:
        found = frozenset(filter(None, map(self._compared.__getitem__, callees)))
        self[callees] = found
        return found


class _ArgumentSets(dict[tuple[tuple[tuple[str, str], ...], str, bool], frozenset[str]]):
    """Parameters, result, and whether the function is of a structured kernel, to what counts."""

    def __init__(self) -> None:
        self._compared = _Arguments()

    def __missing__(self, key: tuple[tuple[tuple[str, str], ...], str, bool]) -> frozenset[str]:
        pairs, returns, structured = key
        found = frozenset(map(self._compared.__getitem__, pairs))
        if returns:
            found |= {"-> " + type_name(returns)}
        elif structured:
            found |= {"-> outputs"}
        self[key] = found
        return found


class _Callees(dict[str, str]):
    """Callees as written to callees as compared, "" for what does not count."""

    def __init__(self, settings: Similarity, *, python: bool) -> None:
        self._settings, self._python = settings, python

    def __missing__(self, name: str) -> str:
        stopped = self._settings.stop_list and is_stop(name, python=self._python)
        found = self[name] = "" if stopped else callee(name, dimensions=self._settings.dimensions)
        return found


class _Arguments(dict[tuple[str, str], str]):
    """Types and names as written to arguments as compared."""

    def __missing__(self, pair: tuple[str, str]) -> str:
        found = self[pair] = f"{type_name(pair[0])} {pair[1]}".strip()
        return found


def callee(name: str, *, dimensions: bool) -> str:
    """A callee without the framework's namespaces, its dimension abstracted where asked for."""
    plain = _NAMESPACES.sub("", name) if "::" in name else name
    if plain.startswith(("self.", "cls.")):
        plain = plain[plain.index(".") :]
    if dimensions and _PERHAPS_DIMENSION.search(plain):
        return _DIMENSION.sub(r"#\1", plain)
    return plain


@lru_cache(maxsize=50_000)
def type_name(written: str) -> str:
    """A type without namespaces, qualifiers and references; pointers are kept."""
    plain = _QUALIFIERS.sub("", _NAMESPACES.sub("", written)).replace("&", "")
    return "".join(plain.split()) if " " in plain.strip() else plain.strip()
