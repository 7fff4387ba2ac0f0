"""What an importer is, and what it makes of a fuzzer's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from harvest.importers.folder import Folder, Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A file (relative to the folder) that the fuzzer took for a bug.

    `verdict` is the fuzzer's own word for what it saw ("cuda-oracle", "Segmentation_Fault") and
    `detail` what else it noted beside the file (an exit code, an API).
    """

    path: str
    verdict: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A lead as a report: `body` is Markdown that records the symptom, `code` runs by itself."""

    title: str
    code: str
    body: str = ""


class Unpickle(Protocol):
    """Opens pickles without running them here; see `pickles`."""

    def __call__(self, data: bytes, framework: str, entry: str = ..., /) -> str:
        """The object of a pickle as a Python expression; `entry` names what opens it there.

        Raises:
            Unreadable: when it has none, or nothing can open it.
        """


Found = Iterator[Lead | Unreadable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A format. `layout` completes "reads ..."; third parties register theirs by entry points.

    `find` yields every file of the folder, as a lead or with the reason why it is none, in an
    order that does not change; `signs` tells whether a folder looks like this format at all.
    `read` makes a case of a lead and raises `Unreadable` where it cannot.
    """

    name: str
    layout: str
    signs: Callable[[Folder], bool]
    find: Callable[[Folder], Found]
    read: Callable[[Folder, Lead, Unpickle], Case]
