"""PyTorch's C++ sources to groups: against parsing alone, after one change, and the join.

Parsing alone is reading and tree-sitter over the same files in as many processes, and nothing else:
workers are forked with everything imported, while the extraction also pays for fresh interpreters,
the records, the groups and the cache. It is measured twice, of the raw text and, as the extraction
parses it, after macros are blanked. All are measured in turn; CPU seconds (of all processes) tell
the ratio also on a busy machine, if less well than on an idle one.
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
from analysis.static.blank import blank
from analysis.static.grammar import grammar
from analysis.static.groups import clusters
from analysis.static.macros import expand
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
    parsing, blanking, grouping = [], [], []
    for _ in range(ROUNDS):
        parsing.append(_spent(lambda: _parse_all(files, _parse_raw)))
        blanking.append(_spent(lambda: _parse_all(files, _parse_blanked)))
        with tempfile.TemporaryDirectory() as folder:
            os.environ["CITADEL_CACHE"] = folder
            grouping.append(_spent(lambda: analyse(source, folders=FOLDERS, jobs=JOBS)))
    wall, cpu = (min(run[i] for run in grouping) for i in (0, 1))
    print(
        f"static: {len(files)} files, {size:.1f} MB to groups, cold {wall:.1f} s, {cpu:.1f} s CPU: "
        f"{_ratio(grouping, parsing)} parsing alone ({min(run[1] for run in parsing):.1f} s CPU), "
        f"{_ratio(grouping, blanking)} parsing with macros blanked"
    )
    _measure_again(source)


def _ratio(runs: list[tuple[float, float]], base: list[tuple[float, float]]) -> str:
    """The medians by time and by CPU, of runs in turn."""
    time_, cpu = (
        statistics.median(one[i] / other[i] for one, other in zip(runs, base, strict=True))
        for i in (0, 1)
    )
    return f"{time_:.2f}x by time and {cpu:.2f}x by CPU"


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


File = tuple[str, str, int]


def _parse_all(files: list[File], parse: Callable[[list[File]], None]) -> None:
    files = sorted(files, key=lambda one: -one[2])
    batches = [files[at : at + BATCH] for at in range(0, len(files), BATCH)]
    with ProcessPoolExecutor(JOBS, mp_context=get_context("fork")) as pool:
        for _ in pool.map(parse, batches):
            pass


def _parse_raw(batch: list[File]) -> None:
    for path, language, _ in batch:
        grammar(language).parser.parse(Path(path).read_bytes())


def _parse_blanked(batch: list[File]) -> None:
    for path, language, _ in batch:
        text, _ = expand(Path(path).read_bytes())
        grammar(language).parser.parse(blank(text))


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds, of this process and its children."""
    before, started = _cpu(), time.perf_counter()
    work()
    return time.perf_counter() - started, _cpu() - before


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
