"""What two APIs must share for one symptom to have one cause: analogous functions or a name family.

In: the index of a build. Out: per API its *marks*, texts of which two relatives have one in common
(paper, section 4.5: analogous functions, similar names). Operators that many APIs start with, such
as copies, make nobody a relative.
"""

from __future__ import annotations

from collections import Counter

from analysis.dynamic.canonical import canonical_set
from analysis.dynamic.context import roots
from analysis.index import ApiIndex
from citadel.match.family import parse

MOST_STARTERS = 40
"""APIs that may start with an operator for it to tell something: the forms of one
function are about as many."""


class Kinship:
    """The marks of all APIs of one build."""

    def __init__(self, index: ApiIndex) -> None:
        group = {name: names[0] for names in index.groups for name in names}
        known = roots(index.profiles, index.bodies)
        self._catalog = index.catalog
        self._starts = {
            name: frozenset(
                group.get(operator, operator)
                for operator in canonical_set(index.framework, known.get(name) or api.operators)
            )
            for name, api in index.catalog.apis.items()
        }
        self._starters = Counter(one for starts in self._starts.values() for one in starts)

    def marks(self, name: str) -> tuple[str, ...]:
        """The marks of an API, sorted; none where the build does not know it."""
        api = self._catalog.apis.get(name)
        if api is None:
            return ()
        starts = (
            f"runs {operator}"
            for operator in self._starts[name]
            if self._starters[operator] <= MOST_STARTERS
        )
        core = parse(api.name, api.kind).core
        return tuple(sorted({*starts, *([f"family {core}"] if core else [])}))
