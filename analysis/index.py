"""ApiIndex: the catalog and the dynamic context of one framework build, built once and cached.

In: a target. Out: its public APIs with signatures, the canonical operator set of each API that the
framework's own samples reach (paper, section 4.5: the runtime half of the context), and described
samples for the rewriter.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from analysis import cache
from analysis.catalog.model import ApiKind, Catalog
from analysis.catalog.records import read_catalog
from analysis.dynamic.canonical import canonical_set
from analysis.dynamic.model import Sample
from analysis.dynamic.run import EXAMPLES, SAMPLES, Part, run_part
from analysis.errors import CitadelError
from analysis.target.sandbox import INSIDE
from analysis.target.session import Session
from analysis.target.target import Target

FORMAT = 1
PARTS = 2
KEPT_SAMPLES = 3
CATALOG_SECONDS = 120.0
SOURCES = (
    "catalog_torch.py",
    "examples_torch.py",
    "recorder_torch.py",
    "samples_torch.py",
    "schemas_torch.py",
    "signatures_torch.py",
    "values.py",
)
"""The code inside the interpreter that an index depends on."""

Progress = Callable[[str, int, int], None]
Stored = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ApiIndex:
    """What is known about the APIs of one build; all keys are canonical API names.

    Compared by identity, so that what is derived from an index can be cached by it.
    """

    key: str
    catalog: Catalog
    call_sets: Mapping[str, frozenset[str]]
    samples: Mapping[str, tuple[Sample, ...]]
    counts: Mapping[str, int]
    failures: Mapping[str, int]
    seconds: Mapping[str, float]


def load_or_build(
    target: Target,
    *,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    refresh: bool = False,
) -> ApiIndex:
    """The index of a build, from the cache where it has a sound one.

    Raises:
        CitadelError: when the build cannot be indexed at all.
    """
    path = cache_path(target.info.framework, target.info.version, target.info.key)
    stored = None if refresh else cache.read(path)
    if stored is not None:
        try:
            return _index(stored)
        except (KeyError, TypeError, ValueError, AttributeError):
            pass  # an older shape: build it again
    stored = _build(target, progress)
    problem = _keep(path, stored)
    if problem and warn is not None:
        warn(f"the index is not kept: {problem}")
    return _index(stored)


def build_index(target: Target, *, progress: Progress | None = None) -> ApiIndex:
    """Build the index, without the cache.

    Raises:
        CitadelError: when the build cannot be indexed at all.
    """
    return _index(_build(target, progress))


def cache_path(framework: str, version: str, key: str) -> Path:
    """The file of an index: it changes with the build and with the code that looks at it."""
    digest = hashlib.sha256(str(FORMAT).encode())
    for name in SOURCES:
        digest.update(Path(INSIDE, name).read_bytes())
    name = f"{framework}-{version}-{key}-{digest.hexdigest()[:12]}.json"
    return cache.folder() / "index" / name.replace("/", "_")


def _keep(path: Path, stored: Stored) -> str | None:
    """Write a sound index to the cache; why not, where that fails."""
    if not stored["whole"]:
        return "the samples could not be run to the end"
    try:
        cache.write(path, stored)
    except OSError as problem:
        return f"{problem}; set {cache.ENVIRONMENT} to a writable folder"
    return None


def _build(target: Target, progress: Progress | None) -> Stored:
    """Walk the names beside the samples; then run the examples of what no sample reached."""
    tell = progress or (lambda _stage, _done, _total: None)
    started = time.monotonic()
    with ExitStack() as stack, ThreadPoolExecutor(PARTS + 1) as pool, ExitStack() as hasty:
        walker, *sessions = (stack.enter_context(target.session()) for _ in range(PARTS + 1))
        # After Ctrl-C nobody waits for what the threads are doing.
        hasty.push(partial(_abort, (walker, *sessions)))
        walk = pool.submit(_walk, target, walker)
        samples = _in_parts(pool, sessions, SAMPLES, {}, partial(tell, "samples"))
        records = walk.result()
        walked = time.monotonic() - started
        tell("catalog", len(records), len(records))
        catalog = read_catalog(records)
        parts = [future() for future in samples]
        names = _without_samples(catalog, [name for part in parts for name in part.operators])
        examples = _in_parts(pool, sessions, EXAMPLES, {"names": names}, partial(tell, "examples"))
        parts += [future() for future in examples]
    return {
        "key": target.info.key,
        "whole": all(part.whole for part in parts),
        "catalog": records,
        **_joined(parts, catalog),
        "seconds": {"catalog": walked, "dynamic": time.monotonic() - started - walked},
    }


def _in_parts(
    pool: ThreadPoolExecutor,
    sessions: list[Session],
    task: str,
    given: Stored,
    tell: Callable[[int, int], None],
) -> list[Callable[[], Part]]:
    """Start a task in all sessions, each with its part of the entries."""
    done = [0] * len(sessions)

    def run(part: int) -> Part:
        def advance(reached: int, total: int) -> None:
            done[part] = reached
            tell(sum(done), total)

        return run_part(
            sessions[part], task, given, part=part, parts=len(sessions), progress=advance
        )

    return [pool.submit(run, part).result for part in range(len(sessions))]


def _without_samples(catalog: Catalog, profiled: list[str]) -> list[list[str]]:
    """Name and public aliases of each API whose documentation may help out."""
    reached = {api.name for name in profiled if (api := catalog.resolve(name)) is not None}
    return [
        [api.name, *(alias for alias in api.aliases if "._" not in alias)]
        for api in catalog.apis.values()
        if api.name not in reached and api.kind not in (ApiKind.OP, ApiKind.CLASS)
    ]


def _abort(sessions: Iterable[Session], kind: type[BaseException] | None, *_: object) -> None:
    if kind is not None:
        for session in sessions:
            session.abort()


def _walk(target: Target, session: Session) -> list[Stored]:
    outcome = session.task(f"catalog_{target.info.framework}:walk", {}, wall=CATALOG_SECONDS)
    if outcome.died or not outcome.records:
        raise CitadelError(
            f"cannot list the APIs of {target.info.framework}: {outcome.died or 'it has none'}",
            f"see: citadel doctor --python {target.info.python}",
        )
    return list(outcome.records)


def _joined(parts: list[Part], catalog: Catalog) -> Stored:
    """Merge the parts under canonical names; operator names become numbers in a list."""
    operators: dict[str, set[str]] = {}
    samples: dict[str, list[Stored]] = {}
    failures: Counter[str] = Counter()
    for part in parts:
        failures.update(part.failures)
        for name, found in part.operators.items():
            api = catalog.resolve(name)
            if api is None:
                failures["ran, but is no public API"] += 1
                continue
            operators.setdefault(api.name, set()).update(found)
            kept = samples.setdefault(api.name, [])
            kept += part.samples[name][: KEPT_SAMPLES - len(kept)]
    vocabulary = sorted(set().union(*operators.values())) if operators else []
    numbers = {name: number for number, name in enumerate(vocabulary)}
    return {
        "operators": vocabulary,
        "ran": {name: [numbers[o] for o in sorted(found)] for name, found in operators.items()},
        "samples": {name: found for name, found in samples.items() if found},
        "failures": dict(failures),
    }


def _index(stored: Stored) -> ApiIndex:
    catalog = read_catalog(stored["catalog"])
    vocabulary = stored["operators"]
    call_sets = {
        name: canonical_set(vocabulary[number] for number in numbers)
        for name, numbers in stored["ran"].items()
    }
    call_sets = {name: found for name, found in call_sets.items() if found}
    samples = {
        name: tuple(Sample.from_json(record) for record in records)
        for name, records in stored["samples"].items()
    }
    apis = catalog.apis.values()
    counts = {
        "names": sum(1 + len(api.aliases) for api in apis),
        "objects": len(catalog.apis),
        "signatures": sum(bool(api.signatures) for api in apis),
        "sampled": len(samples),
        "profiled": len(call_sets),
    }
    return ApiIndex(
        key=stored["key"],
        catalog=catalog,
        call_sets=call_sets,
        samples=samples,
        counts=counts,
        failures=stored["failures"],
        seconds=stored["seconds"],
    )
