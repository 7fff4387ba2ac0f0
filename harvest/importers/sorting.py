"""A walk over a folder in which each path alone tells what the fuzzer thought of the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Found, Lead

Sorter = Callable[[str, tuple[str, ...]], "Lead | str"]
"""(path, its parts) -> a lead, or the reason why the file is none."""

HIDDEN = "a hidden file"
NO_SCRIPT = "no Python script"


def sorted_files(folder: Folder, sorter: Sorter) -> Found:
    """Yield every file of a folder as its sorter has it."""
    for path in folder.files():
        parts = PurePath(path).parts
        if any(part.startswith(".") for part in parts):
            found: Lead | str = HIDDEN
        else:
            found = sorter(path, parts)
        yield Unreadable(path, found) if isinstance(found, str) else found


def is_script(path: str) -> bool:
    """Whether a file is Python source by its name."""
    return path.lower().endswith(".py")
