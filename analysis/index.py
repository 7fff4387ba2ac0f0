"""ApiIndex: catalog, dynamic and static context of one framework build, built once and cached.

In: a target. Out: its public APIs with signatures; the operators and Python functions that each
API runs on sample inputs (paper, section 4.5: the runtime half of the context); which operators
were seen to call which; described samples for the rewriter.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis import cache
from analysis.analogues import analogues, collapsed, disjoint
from analysis.build import build, walked
from analysis.catalog.model import Catalog
from analysis.catalog.records import read_catalog
from analysis.dynamic.context import contexts
from analysis.dynamic.journal import Journal
from analysis.dynamic.model import CallSets, CrashCandidate, Provider, Sample
from analysis.errors import CitadelError
from analysis.sources import SourceRequest, installed, stored_sources
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.sandbox import INSIDE
from analysis.target.session import Session
from analysis.target.target import Target

FORMAT = 6
SHARED = ("defaults.py", "described.py", "frames.py", "values.py", "words.py")
"""Code inside the interpreter that every index depends on, beside that of its framework."""
APART = ("eagle_", "live_", "names_", "network_")
"""Code of a framework that no index depends on: what reports are traced and tried with, and what
own sources of cases run; but for what layers have of their own, which `live_` says of samples."""

Progress = Callable[[str, int, int], None]
Stored = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ApiIndex:
    """What is known about the APIs of one build; all keys are canonical API names.

    Compared by identity, so that what is derived from an index can be cached by it. `profiles`
    holds names as the profiler gave them, `call_sets` their canonical names, `collapsed` these
    with the operators of one of `groups` under one name, as the paper compares them.
    """

    key: str
    framework: str
    catalog: Catalog
    profiles: Mapping[str, CallSets]
    call_sets: Mapping[str, frozenset[str]]
    collapsed: Mapping[str, frozenset[str]]
    samples: Mapping[str, tuple[Sample, ...]]
    crashes: tuple[CrashCandidate, ...]
    bodies: Mapping[str, tuple[frozenset[str], ...]]
    """Per operator, the operators that it was seen to call itself: one set per way it took."""
    groups: tuple[tuple[str, ...], ...]
    """Analogous operators and functions, by canonical names (paper, section 4.5)."""
    source: SourceRequest | None
    """The checkout that was read for the static half; None where it was the installed package."""
    counts: Mapping[str, int]
    coverage: Mapping[str, int]
    """APIs that ran at least one operator, by the provider of the sample that did it."""
    failures: Mapping[str, int]
    """APIs and samples without a result, by reason."""
    seconds: Mapping[str, float]


def load_or_build(
    target: Target,
    *,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    refresh: bool = False,
    source: SourceRequest | None = None,
) -> ApiIndex:
    """The index of a build, from the cache where it has a sound one.

    A build that was killed before goes on where it was, unless `refresh` is set. `source` is read
    for the static half, from then on in place of what the package itself ships.

    Raises:
        CitadelError: when the build cannot be indexed at all, or its source cannot be read.
    """
    tell = progress or (lambda _stage, _done, _total: None)
    info = target.info
    path = cache_path(info.framework, info.version, info.key)
    stored, found = (None, None) if refresh else _kept(path)
    if found is not None and source is None:
        return found
    waited: list[str] = []

    def waiting() -> None:
        waited.append("waited")
        if warn is not None:
            warn("another process builds the same index: waiting for it")

    with Journal(path.with_suffix(".journal"), info.key, waiting) as journal:
        if waited:
            stored, found = _kept(path)
            if found is not None and source is None:
                return found
        elif refresh:
            journal.restart()
        if stored is None:
            stored = build(target, journal=journal, progress=tell)
        own = source is None or source.root.resolve() == Path(info.folder).resolve()
        add_sources(stored, source or installed(info.folder), tell, own=own, warn=warn)
        problem = _keep(path, stored)
        if not problem:
            journal.discard()
            _forget_older(path, f"{info.framework}-{info.version}-{info.key}-")
    if problem and warn is not None:
        warn(f"the index is not kept: {problem}")
    return read_index(stored)


def is_kept(target: Target) -> bool:
    """Whether the cache has the index of a build, as far as one sees from outside."""
    info = target.info
    return cache_path(info.framework, info.version, info.key).exists()


def names_of(target: Target, session: Session) -> Catalog:
    """The catalog of a build alone, which takes seconds where the index takes minutes.

    Raises:
        CitadelError: when the build has no API to speak of.
    """
    return read_catalog(walked(target, session))


def add_sources(
    stored: Stored,
    source: SourceRequest,
    progress: Progress,
    *,
    own: bool = False,
    warn: Callable[[str], None] | None = None,
) -> None:
    """Read the sources of a build into the shape that the cache keeps.

    `own` says that they are what the installed package itself ships, wherever that lies.

    Raises:
        CitadelError: when they cannot be read, or have nothing to do with the framework.
    """
    started = time.monotonic()
    sources = source.read(progress)
    if sources.problem and warn is not None:
        warn(f"what the sources hold is not kept: {sources.problem}")
    if not own and not sources.operators:
        raise CitadelError(
            f"{source.root} has no source of an operator of {stored['framework']}",
            "name the checkout that the build was made from",
        )
    vocabulary = stored["vocabulary"]
    frames = {n for record in stored["profiles"].values() for n in record["s"].get("frames", ())}
    stored["static"] = {
        "request": None if own else source.to_json(),
        **stored_sources(
            stored["framework"],
            sources,
            _bodies(stored),
            (vocabulary[number] for number in frames),
        ),
    }
    stored["seconds"]["static"] = time.monotonic() - started


def cache_path(framework: str, version: str, key: str) -> Path:
    """The file of an index: it changes with the build and with the code that looks at it."""
    digest = hashlib.sha256(str(FORMAT).encode())
    own = (f for f in INSIDE.glob(f"*_{framework}.py") if not f.name.startswith(APART))
    borrowed = [f"{module}.py" for module in FRAMEWORKS[framework].borrows]
    for file in sorted([*own, *(INSIDE / name for name in (*SHARED, *borrowed))]):
        digest.update(file.read_bytes())
    name = f"{framework}-{version}-{key}-{digest.hexdigest()[:12]}.json"
    return cache.folder() / "index" / name.replace("/", "_")


def _forget_older(path: Path, prefix: str) -> None:
    """Remove what other versions of Citadel have kept of the same build."""
    for file in path.parent.glob(glob.escape(prefix.replace("/", "_")) + "*.json"):
        if file != path:
            with contextlib.suppress(OSError):
                file.unlink()
                file.with_suffix(".journal").unlink()


def _kept(path: Path) -> tuple[Stored | None, ApiIndex | None]:
    """What the cache keeps of an index, and the index; None for what is not there, or damaged."""
    stored = cache.read(path)
    if stored is None:
        return None, None
    try:
        return stored, read_index(stored)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None, None


def _keep(path: Path, stored: Stored) -> str | None:
    """Write a sound index to the cache; why not, where that fails."""
    if not stored["whole"]:
        return "the samples could not be run to the end"
    try:
        cache.write(path, stored)
    except OSError as problem:
        return f"{problem}; set {cache.ENVIRONMENT} to a writable folder"
    return None


def read_index(stored: Stored) -> ApiIndex:
    """The index from the shape in which `analysis.build` makes it and the cache keeps it."""
    catalog = read_catalog(stored["catalog"])
    vocabulary = stored["vocabulary"]
    profiles = {name: _call_sets(record, vocabulary) for name, record in stored["profiles"].items()}
    bodies = _bodies(stored)
    observed = analogues(stored["framework"], catalog, bodies)
    groups = disjoint([*observed, *stored["static"]["groups"]])
    asked = stored["static"]["request"]
    call_sets = contexts(stored["framework"], profiles)
    samples = {
        name: tuple(Sample.from_json(provider, record) for provider, record in records)
        for name, records in stored["samples"].items()
    }
    return ApiIndex(
        key=stored["key"],
        framework=stored["framework"],
        catalog=Catalog(apis=catalog.apis, runs=call_sets),
        profiles=profiles,
        call_sets=call_sets,
        collapsed=collapsed(call_sets, groups),
        samples=samples,
        crashes=tuple(CrashCandidate.from_json(record) for record in stored["crashes"]),
        bodies=bodies,
        groups=groups,
        source=None if asked is None else SourceRequest.from_json(asked),
        counts=_counts(catalog, call_sets, samples, stored["static"]["counts"]),
        coverage=Counter(str(profiles[name].provider) for name in call_sets),
        failures=stored["failures"],
        seconds=stored["seconds"],
    )


def _bodies(stored: Stored) -> dict[str, tuple[frozenset[str], ...]]:
    vocabulary = stored["vocabulary"]
    return {
        vocabulary[int(caller)]: tuple(
            frozenset(vocabulary[number] for number in body) for body in ways
        )
        for caller, ways in stored["bodies"].items()
    }


def _counts(
    catalog: Catalog,
    call_sets: Mapping[str, object],
    samples: Mapping[str, object],
    static: Mapping[str, int],
) -> dict[str, int]:
    apis = catalog.apis.values()
    return {
        "names": sum(1 + len(api.aliases) for api in apis),
        "objects": len(catalog.apis),
        "signatures": sum(bool(api.signatures) for api in apis),
        "sampled": len(samples),
        "profiled": len(call_sets),
        "functions": static["functions"],
        "groups": static["groups"],
    }


def _call_sets(record: Stored, vocabulary: list[str]) -> CallSets:
    sets = {
        kind: frozenset(vocabulary[number] for number in numbers)
        for kind, numbers in record["s"].items()
    }
    return CallSets(provider=Provider(record["v"]), **sets)
