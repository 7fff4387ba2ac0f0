"""Pairs of APIs that somebody else held for equal, as a channel of similarity.

In: JSON lines, `{"apis": [a, b], "equality": "value"}`, as `citadel import deeprel --match` writes
them or anybody else may. Out: for a source API of a build, the APIs that such a pair links to it.
Names of other builds and frameworks lead nowhere and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from citadel.report.files import write_atomically
from citadel.report.text import plain, shorten
from harvest.importers.pairs import Equality, Pair

MAX_BYTES = 256 * 1024 * 1024
_FORM = 'a line is {"apis": ["torch.a", "torch.b"], "equality": "value"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Edges between names of APIs, as they were given."""

    pairs: tuple[Pair, ...] = field(default=())

    def of(self, source: Api, catalog: Catalog) -> dict[str, str]:
        """Canonical names of the APIs that are linked to `source`, with the kind of equality."""
        found: dict[str, str] = {}
        for pair in self.pairs:
            ends = [catalog.resolve(name) for name in (pair.one, pair.other)]
            for here, there in (ends, ends[::-1]):
                if (
                    here is not None
                    and there is not None
                    and here.name == source.name != there.name
                ):
                    found.setdefault(there.name, pair.equality.value)
        return found


def write_matches(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as JSON lines.

    Raises:
        CitadelError: when the file cannot be written.
    """
    lines = [
        json.dumps(
            {"apis": [pair.one, pair.other], "equality": pair.equality.value}
            | ({} if pair.score is None else {"score": pair.score})
        )
        + "\n"
        for pair in pairs
    ]
    write_atomically(path, "".join(lines))


def read_matches(path: Path) -> Matches:
    """Read pairs, the strongest kind of equality first.

    Raises:
        CitadelError: when the file cannot be read or a line of it is no pair.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise CitadelError(f"{path} cannot be read: {problem.strerror}", _FORM) from None
    if len(data) > MAX_BYTES:
        raise CitadelError(f"{path} is larger than {MAX_BYTES // 1024 // 1024} MB", _FORM)
    found = [
        _pair(line, path, number)
        for number, line in enumerate(data.splitlines(), 1)
        if line.strip()
    ]
    order = list(Equality)
    return Matches(pairs=tuple(sorted(found, key=lambda pair: order.index(pair.equality))))


def _pair(line: bytes, path: Path, number: int) -> Pair:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    match told:
        case {"apis": [str(one), str(other)], "equality": str(kind)} if kind in list(Equality):
            return Pair(one=one, other=other, equality=Equality(kind))
    said = shorten(plain(line[:200].decode("utf-8", "replace")), 80)
    raise CitadelError(f"{path}, line {number}: no pair of APIs: {said}", _FORM)
