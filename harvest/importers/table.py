"""The formats that can be imported: our own, and those that other packages register.

A package registers an `Importer` as an entry point of the group `citadel.importers`; the entry
point's name must be the importer's.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.errors import CitadelError
from harvest.importers.acetest import ACETEST
from harvest.importers.deeprel import DEEPREL
from harvest.importers.docter import DOCTER
from harvest.importers.folder import Folder
from harvest.importers.freefuzz import FREEFUZZ
from harvest.importers.model import Importer
from harvest.importers.nnsmith import NNSMITH
from harvest.importers.scripts import SCRIPTS
from harvest.importers.titanfuzz import TITANFUZZ
from harvest.plugins import registered

GROUP = "citadel.importers"
IMPORTERS: Mapping[str, Importer] = {
    one.name: one for one in (FREEFUZZ, DEEPREL, TITANFUZZ, DOCTER, ACETEST, NNSMITH, SCRIPTS)
}
"""Ordered from what has a layout of its own to what any folder is."""


def known() -> dict[str, Importer]:
    """All importers by name; a registered one cannot replace one of ours.

    Raises:
        CitadelError: when something else than an importer is registered.
    """
    return {**registered(GROUP, "importer", Importer), **IMPORTERS}


def find(name: str) -> Importer:
    """The importer of a format.

    Raises:
        CitadelError: for a format that nobody registered.
    """
    importers = known()
    if name not in importers:
        raise CitadelError(f"there is no format {name}", "there are " + ", ".join(importers))
    return importers[name]


def guess(folder: Folder) -> str | None:
    """The format that a folder looks like, if it looks like one."""
    return next((one.name for one in known().values() if one.signs(folder)), None)
