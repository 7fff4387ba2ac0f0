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
        self._observed = operators(index)

    def of(self, name: str) -> str:
        """The operation behind an API: the operator that its schema names, or what its name says.

        What it was seen to run tells only where the two agree: many APIs do all their work by one
        operator (`StepLR` by steps of an optimiser), and are no forms of it.
        """
        api = self._catalog.resolve(name)
        if api is None:
            return name
        declared = {spelling(operator.removeprefix("aten::")) for operator in api.operators}
        if len(declared) == 1:
            return declared.pop()
        parts = parse(api.name, api.kind)
        said = spelling(parts.core + parts.dimension)
        observed = spelling(self._observed.get(api.name, ""))
        return observed if observed == said.removeprefix("reduce") else said


def spelling(name: str) -> str:
    """Names of either style alike: `max_pool3d_`, `MaxPool3D`."""
    return name.rstrip("_").replace("_", "").lower()
