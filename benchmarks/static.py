"""PyTorch's C++ sources to groups: against parsing alone, after one change, and the join.

Parsing alone is reading and tree-sitter in as many processes over the same files. Both are measured
in turn; CPU seconds (of all processes) tell the ratio also on a busy machine.
"""

import os
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from analysis.static.analyse import MAX_BYTES, analyse
from analysis.static.cpp import parser
from analysis.static.groups import clusters
from analysis.static.normalise import Normaliser
from analysis.static.scope import scan
from analysis.static.similarity import Similarity
from analysis.static.sources import Sources

FOLDERS = ("aten", "c10", "torch/csrc")
ROUNDS = 3
JOBS = 2
BATCH = 32


def measure(source: Path | None) -> None:
    if source is None or not source.is_dir():
        print("static: no sources of PyTorch here")
        return
    scope = scan(source, FOLDERS)
    files = [(str(source / one.path), one.language, one.size) for one in scope.candidates]
    files = [one for one in files if one[1] in ("cpp", "cuda") and one[2] <= MAX_BYTES]
    size = sum(one[2] for one in files) / 1e6
    parsing, grouping = [], []
    for _ in range(ROUNDS):
        parsing.append(_spent(lambda: _parse_all(files)))
        with tempfile.TemporaryDirectory() as folder:
            os.environ["CITADEL_CACHE"] = folder
            grouping.append(_spent(lambda: analyse(source, folders=FOLDERS, jobs=JOBS)))
    walls = [after[0] / before[0] for before, after in zip(parsing, grouping, strict=True)]
    cpus = [after[1] / before[1] for before, after in zip(parsing, grouping, strict=True)]
    wall, cpu = (min(run[i] for run in grouping) for i in (0, 1))
    print(
        f"static: {len(files)} files, {size:.1f} MB to groups, cold {wall:.1f} s, {cpu:.1f} s CPU: "
        f"{statistics.median(walls):.2f}x parsing alone by time, "
        f"{statistics.median(cpus):.2f}x by CPU (parsing: {min(run[0] for run in parsing):.1f} s)"
    )
    _measure_again(source)


def _measure_again(source: Path) -> None:
    """A run with nothing changed, one with a changed file, and the join by itself."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CITADEL_CACHE"] = folder
        copy = Path(folder, "copy")
        for name in FOLDERS:
            shutil.copytree(source / name, copy / name, symlinks=True)
        sources = analyse(copy, folders=FOLDERS, jobs=JOBS)
        warm, _ = _spent(lambda: analyse(copy, folders=FOLDERS, jobs=JOBS))
        changed = copy / "aten/src/ATen/native/Convolution.cpp"
        changed.write_bytes(
            changed.read_bytes() + b"\nTensor added(const Tensor& a) { return b(a); }\n"
        )
        after, _ = _spent(lambda: analyse(copy, folders=FOLDERS, jobs=JOBS))
    counts = ", ".join(f"{name} {figure}" for name, figure in sources.counts.items() if figure)
    print(f"static: again {warm:.1f} s, after one change {after:.1f} s; {counts}")
    _measure_join(sources)


def _measure_join(sources: Sources) -> None:
    normaliser = Normaliser(Similarity())
    arguments = [normaliser.arguments(record) for record in sources.functions.values()]
    callees = [normaliser.callees(record) for record in sources.functions.values()]
    spent, _ = _spent(lambda: clusters(arguments, callees, Similarity()))
    print(f"static: join and linkage of {len(arguments)} functions {spent:.2f} s")


def _parse_all(files: list[tuple[str, str, int]]) -> None:
    files = sorted(files, key=lambda one: -one[2])
    batches = [files[at : at + BATCH] for at in range(0, len(files), BATCH)]
    with ProcessPoolExecutor(JOBS, mp_context=get_context("fork")) as pool:
        for _ in pool.map(_parse_batch, batches):
            pass


def _parse_batch(batch: list[tuple[str, str, int]]) -> None:
    for path, language, _ in batch:
        parser(language).parse(Path(path).read_bytes())


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds, of this process and its children."""
    before, started = _cpu(), time.perf_counter()
    work()
    return time.perf_counter() - started, _cpu() - before


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
