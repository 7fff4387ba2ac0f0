"""What the sources of a build say about its operators (paper, section 4.5: the static half).

In: a source tree, a checkout or the installed package itself. Out: the JSON-serialisable shape
that the index keeps: groups of analogous operators and Python functions, by the names that profiles
have, and figures to show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from analysis.analogues import Groups, from_operators
from analysis.static.analyse import analyse
from analysis.static.similarity import Similarity
from analysis.static.sources import Sources

Progress = Callable[[str, int, int], None]
Stored = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """Which sources are to be read, and how; see `analysis.static.analyse.analyse`."""

    root: Path
    similarity: Similarity
    precise: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    jobs: int = 2

    def to_json(self) -> Stored:
        """What `from_json` reads."""
        return {
            "root": str(self.root.resolve()),
            "arguments": str(self.similarity.arguments),
            "callees": str(self.similarity.callees),
            "precise": list(self.precise),
            "flags": list(self.flags),
        }

    @classmethod
    def from_json(cls, record: Stored) -> SourceRequest:
        """The request that was answered before."""
        similarity = Similarity(
            arguments=Fraction(record["arguments"]), callees=Fraction(record["callees"])
        )
        return cls(
            root=Path(record["root"]),
            similarity=similarity,
            precise=tuple(record["precise"]),
            flags=tuple(record["flags"]),
        )

    def read(self, progress: Progress | None = None) -> Sources:
        """Analyse them; what the cache knows of unchanged files is not parsed again.

        Raises:
            CitadelError: for a missing or empty tree, or when `precise` cannot be done.
        """
        return analyse(
            self.root,
            similarity=self.similarity,
            precise=self.precise,
            flags=self.flags,
            jobs=self.jobs,
            progress=progress,
        )


def installed(folder: str, jobs: int = 2) -> SourceRequest:
    """What an installed package ships: its Python, and which kernels its operators have."""
    return SourceRequest(root=Path(folder), similarity=Similarity(), jobs=jobs)


def stored_sources(
    framework: str,
    sources: Sources,
    bodies: Mapping[str, Sequence[frozenset[str]]],
    frames: Iterable[str],
) -> Stored:
    """What the index keeps of its sources; `bodies` and `frames` are what profiles hold."""
    return {
        "counts": dict(sources.counts),
        "left_out": {str(reason): count for reason, count in sources.left_out.items() if count},
        "groups": [
            *from_operators(framework, sources, bodies),
            *functions_alike(sources, frames),
        ],
    }


def functions_alike(sources: Sources, frames: Iterable[str]) -> Groups:
    """Groups of Python functions that profiles have entered."""
    members: dict[str, set[str]] = defaultdict(set)
    for frame in frames:
        for group in sources.groups_of(frame):
            members[group].add(frame)
    return tuple(tuple(sorted(group)) for group in members.values() if len(group) > 1)
