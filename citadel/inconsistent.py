"""Whether a case refuses in one place what it lets through in another ("eager mode raises").

In: the calls of one run, and the API in question. Out: the exceptions that its calls raised while
others returned. A sibling that does so itself has the bug, whatever it computes.
"""

from __future__ import annotations

from collections.abc import Iterable

from analysis.target.observation import Call


def refused_in_part(calls: Iterable[Call]) -> frozenset[str]:
    """The types of exceptions that some of these calls raised, where others have returned."""
    made = [call for call in calls if not call.explained]
    if not any(call.result is not None for call in made):
        return frozenset()
    return frozenset(call.raised.type for call in made if call.raised is not None)
