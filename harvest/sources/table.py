"""The sources that can be searched with: our own, and those that other packages register.

A package registers a `CaseSource` as an entry point of the group `citadel.sources`; the entry
point's name must be the source's.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.errors import CitadelError
from harvest.plugins import registered
from harvest.sources.audee import AUDEE
from harvest.sources.cradle import CRADLE
from harvest.sources.eagle.source import EAGLE
from harvest.sources.lemon import LEMON
from harvest.sources.model import CaseSource

GROUP = "citadel.sources"
OWN: tuple[CaseSource, ...] = (AUDEE, CRADLE, EAGLE, LEMON)
SOURCES: Mapping[str, CaseSource] = {one.name: one for one in OWN}


def known() -> dict[str, CaseSource]:
    """All sources by name; a registered one cannot replace one of ours.

    Raises:
        CitadelError: when something else than a source is registered.
    """
    others = registered(GROUP, "source", CaseSource)  # type: ignore[type-abstract]
    return {**others, **SOURCES}


def find(name: str) -> CaseSource:
    """The source of a name.

    Raises:
        CitadelError: for a name that nobody registered.
    """
    sources = known()
    if name not in sources:
        raise CitadelError(f"there is no source {name}", "there are " + ", ".join(sources))
    return sources[name]
