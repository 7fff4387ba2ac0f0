"""What is known of a framework's sources: the result of `analyse`.

In: records. Out: lookups from the names that a profiler shows, and from patterns that people
type, to groups.
"""

from __future__ import annotations

import fnmatch
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis.static.model import FileRecord, FunctionRecord, Group, Kind, Skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Sources:
    """Files, functions and groups of one source tree; compared by identity.

    `operators`: profiler name (`aten::conv2d`, `Conv2D`) to ids of functions. `left_out`: files
    that were not analysed, by reason. `counts` and `seconds` are for display; `problem` is why the
    cache could not be written, if so: to be shown as a warning.
    """

    root: Path
    files: tuple[FileRecord, ...]
    functions: Mapping[str, FunctionRecord]
    groups: tuple[Group, ...]
    operators: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, int]
    left_out: Mapping[Skip, int]
    problem: str | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        functions: Sequence[FunctionRecord],
        files: Sequence[FileRecord],
        groups: Sequence[Group],
        entries: tuple[int, int],
        left_out: Counter[Skip],
        **rest: Any,
    ) -> Sources:
        """Put the parts together and count them."""
        counts = {
            "files": sum(file.skipped is None for file in files),
            "files_with_errors": sum(file.errors > 0 for file in files),
            "functions": len(functions),
            "functions_with_errors": sum(record.has_error for record in functions),
            "python_functions": sum(record.kind is Kind.PYTHON for record in functions),
            "callees": sum(len(record.callees) for record in functions),
            "groups": len(groups),
            "grouped_functions": sum(len(one.members) for one in groups),
            "operators": entries[0],
            "mapped_operators": entries[1],
        }
        return cls(
            files=tuple(files),
            functions={record.id: record for record in functions},
            groups=tuple(groups),
            counts=counts,
            left_out=dict(sorted(left_out.items())),
            **rest,
        )

    def groups_of(self, operator: str) -> frozenset[str]:
        """Ids of the groups that the functions of an operator are in.

        `operator` is a profiler's name (`aten::conv2d`, `Conv2D`) or the qualified name of a
        function (`at::native::conv2d`, `torch.nn.functional.fold`).
        """
        found = self.operators.get(operator) or tuple(self._by_name.get(operator, ()))
        return frozenset(group for function in found for group in self._by_member.get(function, ()))

    def find(self, pattern: str) -> tuple[Group, ...]:
        """Groups with a member whose qualified or last name matches a pattern (`*conv?d`)."""
        by_id = self.functions
        return tuple(
            group
            for group in self.groups
            if any(
                fnmatch.fnmatchcase(name, pattern)
                for member in group.members
                for name in (by_id[member].name, by_id[member].base)
            )
        )

    @cached_property
    def _by_member(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for group in self.groups:
            for member in group.members:
                found[member].append(group.id)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for record in self.functions.values():
            found[record.name].append(record.id)
        return found
