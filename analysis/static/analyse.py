"""A source tree to functions and groups of analogous functions (paper, section 4.5).

In: the root of a checkout or of an installed package. Out: `Sources`. Files are parsed in worker
processes, unchanged ones taken from the cache; comparing and grouping is always done anew, since it
takes less than a second.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from analysis.errors import CitadelError
from analysis.static import operators, registrations
from analysis.static.compared import Compared
from analysis.static.model import FileRecord, FunctionRecord, Skip
from analysis.static.pool import Pool
from analysis.static.precise import parse_precisely
from analysis.static.scope import Candidate, Scope, scan
from analysis.static.similarity import Similarity
from analysis.static.sources import Sources
from analysis.static.store import Store
from analysis.static.worker import Job, Parsed, read

MAX_BYTES = 1_000_000
"""Larger files are literal tables and generated code; parsing time grows with the size."""

AT_ONCE = 2
"""Workers that start before it is known how many files there are, where nothing is cached."""

Progress = Callable[[str, int, int], None]


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """No search for garbage cycles: records have none, and looking doubles the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # What was made counts as old: the next collection need not look through it all.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@_no_collection()
def analyse(
    root: Path,
    *,
    similarity: Similarity | None = None,
    folders: Sequence[str] | None = None,
    precise: Sequence[str] = (),
    flags: Sequence[str] = (),
    jobs: int = 2,
    progress: Progress | None = None,
) -> Sources:
    """Functions and groups of the sources below `root`.

    Args:
        similarity: thresholds and rules of the comparison.
        folders: look only into these, relative to the root (default: by the layout of the tree).
        precise: C++ files, relative to the root, to parse with libclang instead (see `precise`).
        flags: compiler flags for these, unless the root has a `compile_commands.json`.
        jobs: how many processes parse.
        progress: called with ("sources", files done, files in all).

    Raises:
        CitadelError: for a missing root or folder, or when `precise` cannot be done.
    """
    root = Path(root)
    started = time.monotonic()
    store = Store(root)
    compared = Compared(similarity or Similarity())
    with Pool(jobs) as pool:
        if store.empty and root.is_dir():
            pool.start(AT_ONCE)
        scope = _scope(root, folders, precise)
        parsed, functions = _parse(scope, store, pool, compared, progress or (lambda *_step: None))
    found = zip(scope.candidates, parsed, strict=True)
    problem = store.save(f"{one.digest}.{file.language}" for file, one in found)
    if precise:
        exact = parse_precisely(root, precise, flags, jobs)
        for at, file in enumerate(scope.candidates):
            if file.path in exact:
                parsed[at] = exact[file.path]
                functions[at] = _functions(scope, file, parsed[at])
                compared.add(functions[at])
    extracted = time.monotonic()
    sources = _sources(scope, parsed, functions, compared, problem)
    sources.seconds.update(extract=extracted - started, group=time.monotonic() - extracted)
    return sources


def _scope(root: Path, folders: Sequence[str] | None, precise: Sequence[str]) -> Scope:
    """The files to analyse, where there are any, and those to read precisely are among them."""
    scope = scan(root, folders)
    if not scope.candidates:
        message = f"no C++, CUDA or Python sources of a framework in {root}"
        raise CitadelError(message, "name a checkout of the framework or an installed package")
    missing = sorted(set(precise) - {file.path for file in scope.candidates})
    if missing:
        message = f"{missing[0]} is not among the sources that are analysed"
        raise CitadelError(message, "name files relative to the root of the sources")
    return scope


def _parse(
    scope: Scope,
    store: Store,
    pool: Pool,
    compared: Compared,
    progress: Progress,
) -> tuple[list[Parsed], list[list[FunctionRecord]]]:
    """What each candidate yields, in their order; records are made while workers are busy."""
    paths = [os.path.join(scope.root, file.path) for file in scope.candidates]  # noqa: PTH118
    known = [_known(path, file, store) for path, file in zip(paths, scope.candidates, strict=True)]
    missing = [position for position, parsed in enumerate(known) if parsed is None]
    functions: list[list[FunctionRecord]] = [
        [] if parsed is None else _functions(scope, file, parsed)
        for file, parsed in zip(scope.candidates, known, strict=True)
    ]
    for found in functions:
        compared.add(found)
    # Large files first, so that no worker is left alone with one at the end.
    missing.sort(key=lambda position: -scope.candidates[position].size)
    total, done = len(known), len(known) - len(missing)
    progress("sources", done, total)
    if missing:
        work = [Job(paths[at], scope.candidates[at].language, MAX_BYTES) for at in missing]
        for at, parsed in pool.run(work):
            file = scope.candidates[missing[at]]
            functions[missing[at]] = _functions(scope, file, parsed)
            compared.add(functions[missing[at]])
            if parsed.digest:
                store.put(file.language, parsed)
            known[missing[at]] = parsed._replace(rows=[])  # frees them while there is time
            done += 1
            progress("sources", done, total)
    return [parsed for parsed in known if parsed is not None], functions


def _known(path: str, file: Candidate, store: Store) -> Parsed | None:
    """What the cache has on a file."""
    if store.empty:
        return None
    try:
        text = read(Path(path), MAX_BYTES)
    except OSError:
        return None
    if isinstance(text, Skip):
        return None
    return store.get(hashlib.sha256(text).hexdigest(), file.language)


def _sources(
    scope: Scope,
    parsed: list[Parsed],
    records: list[list[FunctionRecord]],
    compared: Compared,
    problem: str | None,
) -> Sources:
    """Groups, and the operators' functions."""
    files = list(map(_file, scope.candidates, parsed, records))
    functions = [record for found in records for record in found]
    registered = [row for one in parsed for row in one.registrations]
    computing = registrations.kernels(registered, functions)
    groups = compared.groups(functions, registrations.taken(registered, computing))
    listed = operators.entries(row[1:] for row in registered if row[0] == operators.ENTRY)
    mapped = operators.map_operators(listed, functions)
    left_out = Counter(scope.left_out)
    left_out.update(file.skipped for file in files if file.skipped is not None)
    return Sources.of(
        root=scope.root,
        files=files,
        functions=functions,
        groups=groups,
        operators={**mapped.functions, **computing},
        entries=(mapped.total, mapped.mapped),
        left_out=left_out,
        problem=problem,
    )


def _file(file: Candidate, parsed: Parsed, records: list[FunctionRecord]) -> FileRecord:
    return FileRecord(
        path=file.path,
        language=file.language,
        errors=parsed.errors,
        functions=len(records),
        skipped=parsed.skipped,
    )


def _functions(scope: Scope, file: Candidate, parsed: Parsed) -> list[FunctionRecord]:
    if not parsed.rows:
        return []
    place = hashlib.sha256(file.path.encode("utf-8", "surrogateescape")).hexdigest()[:12] + "-"
    prefix = scope.module(file.path) if file.language == "python" else ""
    return [FunctionRecord.from_row(file.path, place, prefix, row) for row in parsed.rows]
