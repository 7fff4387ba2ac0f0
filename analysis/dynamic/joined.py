"""What all parts of all phases yielded, under canonical API names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from analysis.catalog.model import Catalog
from analysis.dynamic.run import Part

KEPT_SAMPLES = 5
"""Samples of one API that an index holds."""

Stored = dict[str, Any]


class Joined:
    """Collects parts in the order of trust of their samples."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._sets: dict[str, dict[str, set[str]]] = {}
        self._providers: dict[str, str] = {}
        self._samples: dict[str, list[tuple[str, Stored]]] = {}
        self._problems: dict[str, str] = {}
        self._unknown: set[str] = set()
        self._deaths: dict[str, str] = {}
        self._calls: dict[str, str] = {}
        self._bodies: dict[str, set[frozenset[str]]] = {}
        self._unavailable: set[str] = set()
        self._whole = True

    def add(self, parts: Iterable[Part]) -> None:
        """Take the parts of one phase."""
        for part in parts:
            self._whole &= part.whole
            self._unavailable |= part.unavailable
            self._deaths.update(part.deaths)
            self._calls.update(part.calls)
            for caller, bodies in part.bodies.items():
                self._bodies.setdefault(caller, set()).update(bodies)
            for name in part.sets:
                self._take(name, part)
            for name, problem in part.problems.items():
                api = self._catalog.resolve(name)
                self._problems[name if api is None else api.name] = problem

    def without(self) -> list[list[str]]:
        """Name and public aliases of each API that has run no operator yet."""
        return [
            [api.name, *(alias for alias in api.aliases if "._" not in alias)]
            for api in self._catalog.apis.values()
            if not self._ran(api.name)
        ]

    def calls(self) -> dict[str, list[Stored]]:
        """Per API, calls that worked."""
        return {name: [one for _, one in found] for name, found in self._samples.items()}

    def crashes(self) -> list[Stored]:
        """One record per sample that killed its process or did not return."""
        found = []
        for key, how in sorted(self._deaths.items()):
            name = key.partition("#")[0]
            api = self._catalog.resolve(name)
            names = [name] if api is None else [api.name, *api.aliases]
            again = {"text": self._calls[key]} if key in self._calls else {}
            found.append({"api": names[0], "names": names, "sample": key, "how": how, **again})
        return found

    def stored(self) -> Stored:
        """The shape that the cache keeps."""
        vocabulary = sorted(
            {name for sets in self._sets.values() for names in sets.values() for name in names}
            | set(self._bodies)
            | {name for bodies in self._bodies.values() for body in bodies for name in body}
        )
        numbers = {name: number for number, name in enumerate(vocabulary)}
        return {
            "whole": self._whole,
            "vocabulary": vocabulary,
            "profiles": {
                api: {
                    "v": self._providers[api],
                    "s": {k: sorted(numbers[n] for n in names) for k, names in sets.items()},
                }
                for api, sets in self._sets.items()
            },
            "samples": {
                api: varied(found, KEPT_SAMPLES) for api, found in self._samples.items() if found
            },
            "bodies": {
                numbers[caller]: sorted(sorted(numbers[name] for name in body) for body in bodies)
                for caller, bodies in self._bodies.items()
            },
            "failures": dict(self._failures()),
        }

    def _take(self, name: str, part: Part) -> None:
        api = self._catalog.resolve(name)
        if api is None:
            self._unknown.add(name)
            return
        provider = part.providers[name]
        if self._ran(api.name) and self._providers[api.name] != provider:
            return  # a more trusted provider has spoken
        self._providers[api.name] = provider
        sets = self._sets.setdefault(api.name, {})
        for kind, names in part.sets[name].items():
            sets.setdefault(kind, set()).update(names)
        kept = self._samples.setdefault(api.name, [])
        for sample in part.samples[name].values():
            if (provider, sample) not in kept:
                kept.append((provider, sample))

    def _ran(self, api: str) -> bool:
        sets = self._sets.get(api, {})
        return bool(sets.get("forward") or sets.get("backward"))

    def _failures(self) -> Counter[str]:
        failures = Counter(self._deaths.values())
        failures.update(f"samples unavailable: {reason}" for reason in self._unavailable)
        if self._unknown:
            failures["ran, but is no public API"] = len(self._unknown)
        failures.update(
            problem
            for name, problem in self._problems.items()
            if not self._ran(name) and name not in self._unknown
        )
        return failures


def varied(samples: Sequence[tuple[str, Stored]], most: int) -> list[tuple[str, Stored]]:
    """The first sample, and those that show most of what the ones before do not.

    That is parameters that get something, and what they get: kinds, ranks, modes.
    """
    left = [(sample, traits(sample[1])) for sample in samples]
    kept: list[tuple[str, Stored]] = []
    seen: set[object] = set()
    while left and len(kept) < most:
        best = max(left, key=lambda one: len(one[1] - seen)) if kept else left[0]
        left.remove(best)
        kept.append(best[0])
        seen |= best[1]
    return kept


def traits(sample: Stored) -> frozenset[object]:
    """What a call gives to which parameter; of numbers and tensors only of what kind they are."""
    given = [*enumerate(sample["a"]), *sample["k"].items()]
    found: set[object] = {
        (name, value["k"], len(value.get("shape") or ()), value.get("dtype"), _mode(value))
        for name, value in given
    }
    built = traits(sample["c"]) if "c" in sample else frozenset()
    return frozenset(found | {("c", one) for one in built})


def _mode(value: Stored) -> str | None:
    return value.get("v") if value["k"] in ("str", "bool") else None
