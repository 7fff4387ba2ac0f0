"""Replays through the fork server against a cold interpreter per case, interleaved."""

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from analysis.target.sandbox import choose
from analysis.target.target import Target, _ask
from benchmarks.cases import WORKS

ROUNDS = 12
WARM_PER_ROUND = 20


def measure(target: Target) -> None:
    cold: list[float] = []
    warm: list[float] = []
    readable = _ask(target.info.python)["readable"]
    with tempfile.TemporaryDirectory() as folder, target.session() as session:
        code = WORKS[target.info.framework]
        case = Path(folder, "case.py")
        case.write_text(code)
        sandbox = choose((*readable, folder))
        command = sandbox.command([target.info.python, "-I", str(case)], folder)
        session.run(code)
        for _ in range(ROUNDS):
            started = time.perf_counter()
            subprocess.run(
                command, env=sandbox.environment(folder), check=True, stdout=subprocess.DEVNULL
            )
            cold.append(time.perf_counter() - started)
            for _ in range(WARM_PER_ROUND):
                started = time.perf_counter()
                session.run(code)
                warm.append(time.perf_counter() - started)
    one, other = statistics.median(cold), statistics.median(warm)
    print(
        f"replays: {1 / other:.0f}/s through the fork server, {1 / one:.2f}/s cold, "
        f"ratio {one / other:.0f}x (medians {other * 1e3:.1f} ms, {one * 1e3:.0f} ms)"
    )
