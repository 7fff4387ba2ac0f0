"""From what the profiler saw to the sets that similarity compares (paper, section 4.5).

For PyTorch the context of an API is its operators, forward and backward; what a constructor runs
(allocating and filling weights) says little. A TensorFlow API mostly runs a single operation, and
one of Keras those of its backend, so there the Python functions of the framework that were entered
belong to the context too, without those that more than a fifth of all APIs enter: they are the way
every call takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from analysis.dynamic.canonical import canonical_set
from analysis.dynamic.model import CallSets

WITH_FRAMES = frozenset({"tensorflow", "keras"})
MOST_COMMON = Fraction(1, 5)
"""Share of all APIs above which a Python function is taken for plumbing."""


def contexts(framework: str, profiles: Mapping[str, CallSets]) -> dict[str, frozenset[str]]:
    """API -> canonical context; APIs that ran nothing are left out."""
    found = {
        name: canonical_set(framework, sets.forward | sets.backward)
        for name, sets in profiles.items()
    }
    if framework in WITH_FRAMES:
        telling = _telling(profiles)
        # An API that runs no operation has no context, whatever Python it goes through.
        found = {
            name: found[name] | (sets.frames & telling) if found[name] else found[name]
            for name, sets in profiles.items()
        }
    return {name: names for name, names in found.items() if names}


def _telling(profiles: Mapping[str, CallSets]) -> frozenset[str]:
    frequency = Counter(frame for sets in profiles.values() for frame in sets.frames)
    most = MOST_COMMON * len(profiles)
    return frozenset(frame for frame, count in frequency.items() if count <= most)


def roots(
    profiles: Mapping[str, CallSets], bodies: Mapping[str, Sequence[frozenset[str]]]
) -> dict[str, frozenset[str]]:
    """API -> the operators that it calls itself, not through another one that it runs.

    `bodies` says which operator was seen to call which. Names are as the profiler gives them.
    """
    callers: dict[str, set[str]] = {}
    for caller, ways in bodies.items():
        for callee in frozenset().union(*ways) - {caller}:
            callers.setdefault(callee, set()).add(caller)
    nobody: frozenset[str] = frozenset()
    return {
        name: frozenset(
            op for op in sets.forward if sets.forward.isdisjoint(callers.get(op, nobody))
        )
        for name, sets in profiles.items()
    }
