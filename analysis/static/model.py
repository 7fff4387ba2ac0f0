"""What the static analyser knows: files, functions and groups of analogous functions.

These records are what the rest of Citadel sees of framework sources (paper, section 4.5: functions
are analogous when their arguments and their callees are similar).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Row = list[Any]
"""A function as the extractors yield it and the cache keeps it; see `FunctionRecord.from_row`."""


class Skip(StrEnum):
    """Why a file yields no functions."""

    TOO_LARGE = "larger than the limit"
    BINARY = "binary"
    UNREADABLE = "unreadable"
    NOT_A_FILE = "not a regular file"
    SYNTAX = "not valid Python"
    YAML = "not a list of operators"
    DIED = "killed its parser"
    TOO_SLOW = "took its parser too long"
    BUG = "Citadel failed on it"
    TEST = "test or benchmark"
    OBJECTIVE_C = "Objective-C++"
    VENDORED = "not of the framework itself"
    GENERATED = "generated wrapper"
    WHEEL_HEADER = "header of an installed package"
    PRIVATE = "private Python package"


class Kind(StrEnum):
    """What sort of function a record describes."""

    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    STRUCTURED = "structured"
    META = "meta"
    KERNEL = "kernel"
    PYTHON = "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One file. `path` is relative to the root; `errors` counts what the grammar did not get."""

    path: str
    language: str
    errors: int = 0
    functions: int = 0
    skipped: Skip | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRecord:
    """One function definition.

    `name` is qualified (`at::native::conv2d`, `torch.nn.functional.fold`); `parameters` are (type,
    name) as written; `callees` are in order of the text, with repetitions, methods as `.name`;
    `lambdas` counts lambdas inside, whose callees are among `callees`; `body` is a digest of the
    body's text. `line` and `end_line` count from 1. The id does not change when a function moves.
    """

    id: str
    name: str
    file: str
    line: int
    end_line: int
    kind: Kind
    parameters: tuple[tuple[str, str], ...]
    returns: str
    callees: tuple[str, ...]
    lambdas: int
    body: str
    has_error: bool

    @property
    def base(self) -> str:
        """The last part of the name."""
        return last_part(self.name)

    @classmethod
    def from_row(cls, file: str, file_id: str, prefix: str, row: Row) -> FunctionRecord:
        """The function of a row in `file`, whose names begin with `prefix`.

        Raises:
            ValueError, TypeError: when the row has another shape.
        """
        identity, name, kind, line, end_line, parameters, returns, callees, lambdas, body, bad = row
        return cls(
            id=file_id + identity,
            name=prefix + name,
            file=file,
            line=line,
            end_line=end_line,
            kind=_KINDS[kind],
            parameters=tuple(map(tuple, parameters)),
            returns=returns,
            callees=tuple(callees),
            lambdas=lambdas,
            body=body,
            has_error=bool(bad),
        )


_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Analogous functions: every two are similar (complete linkage).

    `members` are ids of functions (names of operators in observed groups), sorted; `names` are
    their names in the same order. Functions that are copies of each other are all listed.
    """

    id: str
    members: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, named: dict[str, str]) -> Group:
        """The group of these members (id to name); its id is the digest of its members' ids."""
        members = tuple(sorted(named))
        digest = hashlib.sha256("\n".join(members).encode()).hexdigest()
        names = tuple(named[member] for member in members)
        return cls(id=digest, members=members, names=names)


def identify(rows: list[Row]) -> list[Row]:
    """Put an id before each row: a digest of its name, parameters and body, not of its place."""
    seen: dict[str, int] = {}
    for row in rows:
        name, parameters, body = row[0], row[4], row[8]
        text = "\0".join((name, body, *(f"{type_} {parameter}" for type_, parameter in parameters)))
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
        again = seen[digest] = seen.get(digest, -1) + 1
        row.insert(0, f"{digest}-{again}" if again else digest)
    return rows


def last_part(name: str) -> str:
    """The unqualified name: `conv2d` of `at::native::conv2d` and of `torch.conv2d`."""
    return name.rpartition("::")[2] if "::" in name else name.rpartition(".")[2]
