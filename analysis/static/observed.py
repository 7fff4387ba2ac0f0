"""Groups of operators from what was seen at run time, for builds without C++ sources.

In: per operator its arguments (from its schema) and the operators that it was seen to call. Out:
groups of analogous operators: the static comparison (paper, section 4.5) on observed call edges
instead of those in the text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from analysis.static.groups import clusters
from analysis.static.model import Group
from analysis.static.normalise import callee
from analysis.static.similarity import Similarity

RARE = 5
"""So many callers a callee may have to tell of a family by itself. On PyTorch 2.13 it yields seven
groups of operators with one argument, all of siblings; 8 adds the first accidental one."""


def observed_groups(
    arguments: Mapping[str, frozenset[str]],
    callees: Mapping[str, frozenset[str]],
    similarity: Similarity | None = None,
    *,
    least_callees: int = 1,
    ubiquitous: int | None = None,
) -> tuple[Group, ...]:
    """Groups of operators with similar arguments and similar observed callees.

    Args:
        arguments: operator ("aten::conv2d") to elements such as "Tensor input" and "-> Tensor".
        callees: operator to the operators that it called directly.
        similarity: thresholds; its stop list and its counts of callees do not apply here. Operators
            with fewer elements than its `least_arguments` count only where they call something that
            at most `RARE` entries of `callees` do: "Tensor self" is the argument of hundreds.
        least_callees: the fewest callees that are not ubiquitous. One by default: many an operator
            calls just its general form (`conv2d` only `convolution`).
        ubiquitous: callees of more operators than this are no evidence (`aten::empty`,
            `aten::copy_`). Default: as `cut_off` computes it.

    Members of the groups are operator names. An operator without arguments or without callees that
    count is in none.
    """
    wanted = similarity or Similarity()
    settings = replace(
        wanted, least_callees=least_callees, least_arguments=1, rare=0, stop_list=False
    )
    names = sorted(arguments.keys() & callees.keys())
    limit = cut_off(callees) if ubiquitous is None else ubiquitous
    frequency = Counter(name for found in callees.values() for name in found)
    told = {
        operator
        for operator in names
        if len(arguments[operator]) >= wanted.least_arguments
        or any(frequency[name] <= RARE for name in callees[operator])
    }
    called = [
        frozenset(
            callee(name, dimensions=settings.dimensions)
            for name in callees[operator]
            if operator in told and frequency[name] <= limit
        )
        for operator in names
    ]
    found = clusters([arguments[name] for name in names], called, settings)
    groups = (Group.of({names[at]: names[at] for at in positions}) for positions in found)
    return tuple(sorted(groups, key=lambda group: group.names))


def cut_off(callees: Mapping[str, frozenset[str]]) -> int:
    """From how many callers on a callee says nothing: the square root of the number of operators
    that call any, and at least 8.

    A family of siblings has a few to a few dozen members, whatever the size of the framework;
    allocation, views and copies are called by a constant share of all operators.
    """
    calling = sum(1 for found in callees.values() if found)
    return max(8, math.isqrt(calling))
