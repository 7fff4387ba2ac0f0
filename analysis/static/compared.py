"""All functions of a source tree to groups of analogous ones (paper, section 4.5).

In: function records, as they are found. Out: groups. What is compared is made of each record at
once, while workers still parse; only the comparison has to wait for the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.static.groups import clusters
from analysis.static.model import FunctionRecord, Group, Kind
from analysis.static.normalise import Normaliser
from analysis.static.similarity import Similarity


class Compared:
    """The arguments and callees of functions, under given settings."""

    def __init__(self, settings: Similarity) -> None:
        self._settings = settings
        self._normaliser = Normaliser(settings)
        self._sets: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def add(self, records: Iterable[FunctionRecord]) -> None:
        """Make the sets of these; of records with a known id they replace the earlier ones."""
        known = self._normaliser
        for record in records:
            self._sets[record.id] = known.arguments(record), known.callees(record)

    def groups(
        self,
        functions: Sequence[FunctionRecord],
        taken: Mapping[str, frozenset[str]] | None = None,
    ) -> list[Group]:
        """Groups of the functions, all of which were added.

        `taken` holds arguments that count in place of a function's. Copies (same name, same body,
        same arguments: headers that exist twice) count as one function; constructors and overloaded
        signs are not compared, they are alike everywhere.
        """
        given = taken or {}
        owners = _copies(functions, given)
        sets = [self._sets[one[0].id] for one in owners]
        arguments = [
            given.get(one[0].id) or found for one, (found, _) in zip(owners, sets, strict=True)
        ]
        found = clusters(arguments, [callees for _, callees in sets], self._settings)
        return sorted(
            (
                Group.of({r.id: r.name for at in positions for r in owners[at]})
                for positions in found
            ),
            key=lambda one: one.names,
        )


def _copies(
    functions: Sequence[FunctionRecord], given: Mapping[str, frozenset[str]]
) -> list[list[FunctionRecord]]:
    copies: dict[tuple[Any, ...], list[FunctionRecord]] = {}
    for record in functions:
        base = record.base
        if record.kind is not Kind.CONSTRUCTOR and not base.startswith(("operator", "__")):
            # Kernels of two operators are no copies.
            own = record.id if record.id in given else None
            key = (base, record.body, record.parameters, record.kind is Kind.PYTHON, own)
            copies.setdefault(key, []).append(record)
    return list(copies.values())
