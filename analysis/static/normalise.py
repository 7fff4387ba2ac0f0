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
_DIMENSION = re.compile(r"(?<![0-9])[1-4]([dD])(?![a-z0-9])")


def callee_set(record: FunctionRecord, settings: Similarity) -> frozenset[str]:
    """The callees as they count under the settings.

    A call to an overload of itself (`conv2d` of `conv2d`) is kept: it tells forwarding apart.
    """
    return _callees(record.callees, settings.dimensions, settings.stop_list)


def _callees(callees: tuple[str, ...], dimensions: bool, stop_list: bool) -> frozenset[str]:
    found = (callee(name, dimensions) for name in callees if not (stop_list and is_stop(name)))
    return frozenset(name for name in found if name)


@lru_cache(maxsize=200_000)
def callee(name: str, dimensions: bool) -> str:
    """A callee without the framework's namespaces, its dimension abstracted where asked for."""
    plain = _NAMESPACES.sub("", name)
    if plain.startswith(("self.", "cls.")):
        plain = plain[plain.index(".") :]
    return _DIMENSION.sub(r"#\1", plain) if dimensions else plain


def argument_set(record: FunctionRecord) -> frozenset[str]:
    """The parameters as "type name" and the result as "-> type".

    The first parameter of Python methods carries nothing.
    """
    pairs = record.parameters
    if record.kind is Kind.PYTHON and pairs and pairs[0][1] in ("self", "cls"):
        pairs = pairs[1:]
    found = {f"{type_name(type_)} {name}".strip() for type_, name in pairs}
    if record.returns:
        found.add("-> " + type_name(record.returns))
    return frozenset(found)


@lru_cache(maxsize=50_000)
def type_name(written: str) -> str:
    """A type without namespaces, qualifiers and references; pointers are kept."""
    plain = _QUALIFIERS.sub("", _NAMESPACES.sub("", written)).replace("&", "")
    return "".join(plain.split()) if " " in plain.strip() else plain.strip()
