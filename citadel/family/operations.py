"""Which operation an API is a form of: function, method, layer and raw operator do one thing.

In: the index of a build. Out: per API a text that its forms share. People count operations: a bug
in one of them shows in all of its forms.
"""

from __future__ import annotations

from analysis.forms import operators
from analysis.index import ApiIndex
from citadel.match.family import parse


class Operations:
    """The operations of one build."""

    def __init__(self, index: ApiIndex) -> None:
        self._catalog = index.catalog
        self._operators = operators(index)

    def of(self, name: str) -> str:
        """The operation behind an API; of one that stands for no operator, what its name says."""
        api = self._catalog.resolve(name)
        if api is None:
            return name
        if operator := self._operators.get(api.name):
            return _plain(operator)
        parts = parse(name, api.kind)
        return _plain(parts.core + parts.dimension)


def _plain(name: str) -> str:
    """Names of either style alike: `max_pool3d`, `MaxPool3D`."""
    return name.replace("_", "").lower()
