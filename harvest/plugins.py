"""What other packages add to a table of ours: entry points of a group, each named as what it is.

In: the group and the class that its entries must be of. Out: the entries by name.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Protocol, TypeVar

from analysis.errors import CitadelError


class Named(Protocol):
    """What has the name that it is found by."""

    @property
    def name(self) -> str:
        """The name on the command line."""


Kind = TypeVar("Kind", bound=Named)


def registered(group: str, what: str, kind: type[Kind]) -> dict[str, Kind]:
    """The entries of a group by name; `what` they are, for people.

    Raises:
        CitadelError: when one cannot be loaded, or is of another class or name.
    """
    found: dict[str, Kind] = {}
    for point in entry_points(group=group):
        hint = f"remove the package that registers {point.value}"
        try:
            loaded = point.load()
        except Exception as problem:
            told = f"the {what} {point.name} cannot be loaded: {problem}"
            raise CitadelError(told, hint) from problem
        if not isinstance(loaded, kind) or loaded.name != point.name:
            raise CitadelError(f"{point.value} is no {what} {point.name}", hint)
        found[loaded.name] = loaded
    return found
