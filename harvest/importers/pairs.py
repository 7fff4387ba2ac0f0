"""Which APIs a fuzzer held for equal: DeepREL's pairs, as edges of a similarity graph.

In: a folder. Out: pairs of API names, from the names of its folders, from its text lists
(`test-confirmed-1.txt`, "api1 api2" per line) and from its candidates (in `torch-candidate`,
`<api>.json` with a JSON array of the other API and a score per line).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from harvest.importers.folder import Folder, Unreadable

PAIR = re.compile(r"(?P<one>[^+]+)\+(?P<other>[^+]+)(?:\+rel)?\+(?P<kind>[01])")
"""A folder of a pair; its kind is one of these two."""
VALUE, STATUS = "1", "0"
_CONFIRMED = re.compile(r"test-confirmed-(?P<kind>[01])\.txt")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


class Equality(StrEnum):
    """In what two APIs were held for equal, the strongest first."""

    VALUE = "value"
    STATUS = "status"
    CANDIDATE = "candidate"
    """Their signatures and names are alike; nothing was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two APIs in the order of their names; `score` (0 to 1) is that of a candidate."""

    one: str
    other: str
    equality: Equality
    score: float | None = None


def pairs(folder: Folder) -> Iterator[Pair]:
    """Yield every pair once, with the strongest that is known of it, in the order of names."""
    order = list(Equality)
    found: dict[tuple[str, str], Pair] = {}
    for pair in _all(folder):
        before = found.get((pair.one, pair.other))
        if before is None or order.index(pair.equality) < order.index(before.equality):
            found[pair.one, pair.other] = pair
    yield from (found[key] for key in sorted(found))


def _all(folder: Folder) -> Iterator[Pair]:
    places: set[PurePath] = set()
    for path in folder.files():
        place = PurePath(path)
        confirmed = _CONFIRMED.fullmatch(place.name)
        if confirmed is not None:
            yield from _of_list(folder, path, confirmed["kind"])
        elif place.suffix == ".json" and place.parent.name.endswith("-candidate"):
            yield from _of_candidates(folder, path)
        elif place.parent.parent not in places:
            places.add(place.parent.parent)
            found = PAIR.fullmatch(place.parent.parent.name)
            if found is not None:
                yield from _pair(found["one"], found["other"], _equality(found["kind"]))


def _of_list(folder: Folder, path: str, kind: str) -> Iterator[Pair]:
    for line in _lines(folder, path):
        words = line.split()
        if len(words) >= 2:
            yield from _pair(words[0], words[1], _equality(kind))


def _of_candidates(folder: Folder, path: str) -> Iterator[Pair]:
    one = PurePath(path).name.removesuffix(".json")
    for line in _lines(folder, path):
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        match told:
            case [str(other), int() | float() as score, *_]:
                yield from _pair(one, other, Equality.CANDIDATE, min(max(float(score), 0.0), 1.0))


def _lines(folder: Folder, path: str) -> list[str]:
    try:
        return folder.read_text(path).split("\n")
    except Unreadable:
        return []  # the harvest has a row for it


def _pair(one: str, other: str, equality: Equality, score: float | None = None) -> Iterator[Pair]:
    if one != other and _NAME.fullmatch(one) and _NAME.fullmatch(other):
        first, second = sorted((one, other))
        yield Pair(one=first, other=second, equality=equality, score=score)


def _equality(kind: str) -> Equality:
    return Equality.VALUE if kind == VALUE else Equality.STATUS
