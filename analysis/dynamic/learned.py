"""Calls of bug reports that returned normally: samples of APIs that have few others.

In: calls seen in verified reports. Out: the same, later, for every index of that build. Kept as
JSON lines in the cache; a line that is damaged costs itself. What is kept describes values (shapes,
dtypes, small literals) and holds no code.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.dynamic.model import CallValues, Provider, Sample

MOST_PER_API = 3
MOST_BYTES = 8 << 20
"""Size from which on a file takes no more: one line is a few hundred bytes."""

Samples = Mapping[str, tuple[Sample, ...]]


def read_learned(path: Path) -> dict[str, tuple[Sample, ...]]:
    """The samples of each API, as they were learnt; empty where there are none."""
    found: dict[str, list[Sample]] = {}
    try:
        lines = path.read_bytes()[: 2 * MOST_BYTES].splitlines()
    except OSError:
        return {}
    for line in lines:
        try:
            name, record = json.loads(line)
            sample = Sample.from_json(Provider.REPORT, record)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
        kept = found.setdefault(str(name), [])
        if len(kept) < MOST_PER_API and sample not in kept:
            kept.append(sample)
    return {name: tuple(kept) for name, kept in found.items()}


def learn(path: Path, samples: Samples) -> None:
    """Add what is new. A place that cannot be written costs nothing but the memory."""
    known = read_learned(path)
    lines = [
        json.dumps([name, to_json(sample)], separators=(",", ":"))
        for name, found in samples.items()
        for sample in _new(found, known.get(name, ()))
    ]
    if not lines:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if file.tell() < MOST_BYTES:
                file.write("".join(line + "\n" for line in lines).encode())


def _new(found: Sequence[Sample], known: Sequence[Sample]) -> list[Sample]:
    """Those that are not known yet, as many as there is room for."""
    new: list[Sample] = []
    for sample in found:
        if sample not in known and sample not in new:
            new.append(sample)
    return new[: MOST_PER_API - len(known)]


def merged(samples: Samples, learnt: Samples, most: int) -> dict[str, tuple[Sample, ...]]:
    """Both, in the order of trust, at most so many per API."""
    order = list(Provider)
    found = dict(samples)
    for name, more in learnt.items():
        both = [*samples.get(name, ()), *more]
        both.sort(key=lambda sample: order.index(sample.provider))
        found[name] = tuple(both[:most])
    return found


def to_json(sample: Sample) -> dict[str, Any]:
    """The record that `Sample.from_json` reads."""
    record = _call(sample.call)
    if sample.constructor is not None:
        record["c"] = _call(sample.constructor)
    if sample.state:
        record["p"] = {name: value.to_json() for name, value in sample.state.items()}
    return record


def _call(values: CallValues) -> dict[str, Any]:
    return {
        "a": [value.to_json() for value in values.arguments],
        "k": {name: value.to_json() for name, value in values.keywords.items()},
    }
