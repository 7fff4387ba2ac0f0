"""The answers that examples/README.md and tests/data/reports/fixed/ record still hold."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIXED = ROOT / "tests" / "data" / "reports" / "fixed"
EXPECTED = json.loads((FIXED / "expected.json").read_text())
PYTHONS = {
    "1.13.1": Path("/usr/bin/python3"),
    "2.13.0": ROOT / ".targets" / "torch" / "bin" / "python",
}
TENSORFLOW = ROOT / ".targets" / "tensorflow" / "bin" / "python"
TENSORFLOW213 = ROOT / ".targets" / "tensorflow213" / "bin" / "python"
KERAS = ROOT / ".targets" / "keras" / "bin" / "python"
ASK_ALL = """
import torch
for call in {calls!r}:
    matrix = torch.eye(3).to_sparse_csr()
    try:
        eval(call)
        print("works")
    except Exception as error:
        print(f"{{type(error).__name__}}: {{error}}".splitlines()[0])
"""

ASK_ONE = """
import tensorflow as tf
volume = tf.random.uniform([4, 4, 4, 2])
try:
    {call}
    print("works")
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}")
"""

ASK_STRIDE = """
import tensorflow as tf
volume = tf.reshape(tf.constant([3, 1, 4, 1, 5, 9], tf.float64), [1, 6, 1, 1, 1])
kernel = tf.ones([1, 1, 1, 1, 1], tf.float64)
for call in {calls!r}:
    print(tf.reshape(eval(call), [-1]).numpy().tolist())
"""

ASK_BORDERS = """
import os
os.environ["KERAS_BACKEND"] = {backend!r}
import keras
import numpy as np
line = np.arange(1, 5, dtype="float32").reshape(1, 4, 1)
image = np.arange(1, 17, dtype="float32").reshape(1, 4, 4, 1)
for call in {calls!r}:
    found = keras.ops.convert_to_numpy(eval(call)).ravel()[:2]
    print(" ".join(format(number, ".2f") for number in found))
"""


def interpreter(version: str) -> Path:
    python = PYTHONS[version]
    probe = "import torch, sys; sys.exit(not torch.__version__.startswith(sys.argv[1]))"
    has_it = [str(python), "-c", probe, version.removesuffix(".1")]
    if not python.exists() or subprocess.run(has_it, capture_output=True).returncode:
        pytest.skip(f"PyTorch {version} is not installed")
    return python


def run(python: Path, code: str) -> subprocess.CompletedProcess[str]:
    """What the code does, with oneDNN's kernels whatever the processor: the tables are of them."""
    command = [str(python), "-W", "ignore", "-c", code]
    kernels = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=kernels)


def readme_rows(example: str, column: int = 2) -> list[tuple[str, str]]:
    """(call, what it does, as a column says) for each row of the example's tables."""
    text = (ROOT / "examples" / "README.md").read_text()
    lines = text.split(f"## {example}\n")[1].split("\n## ")[0].splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    rows = [(row[1].strip("`"), row[column].strip("`").removesuffix(" ...")) for row in cells]
    first = rows[0][1]
    return [(call, first if seen == "the same" else seen) for call, seen in rows]


def code_of(report: dict[str, str]) -> str:
    """The report's first block, whatever its fence; of a session, the typed lines."""
    found = re.search(r"^(`{3,}|~{3,})\w*\n(.*?)\1", report["body"], re.DOTALL | re.MULTILINE)
    assert found is not None
    lines = found.group(2).splitlines()
    typed = [line[4:] for line in lines if line.startswith(">>> ")]
    return "\n".join(typed or lines)


@pytest.mark.slow
@pytest.mark.torch
def test_the_example_table() -> None:
    rows = readme_rows("diagonal_scatter_csr.md")
    assert len(rows) == 15
    script = ASK_ALL.format(calls=[call for call, _ in rows])
    seen = run(interpreter("2.13.0"), script).stdout.splitlines()
    assert len(seen) == len(rows)
    for (call, expected), observed in zip(rows, seen, strict=True):
        assert observed.startswith(expected), call


@pytest.mark.slow
@pytest.mark.parametrize("version", [pytest.param("1.13.1", marks=pytest.mark.torch113),
                                     pytest.param("2.13.0", marks=pytest.mark.torch)])  # fmt: skip
def test_the_table_of_values(version: str) -> None:
    rows = readme_rows("norm_overflow.md")
    assert len(rows) == 7
    calls = [call for call, _ in rows]
    code = f"import torch\nv = torch.full((4,), 1e20)\nfor c in {calls!r}: print(eval(c).item())"
    assert run(interpreter(version), code).stdout.split() == [value for _, value in rows]


@pytest.mark.slow
@pytest.mark.tf
def test_the_table_of_the_tensorflow_example() -> None:
    if not TENSORFLOW.exists():
        pytest.skip("TensorFlow 2.21 is not installed")
    rows = readme_rows("max_pool3d_rank.md")
    assert len(rows) == 7
    for call, expected in rows:
        done = run(TENSORFLOW, ASK_ONE.format(call=call))
        assert (done.returncode == -6) == expected.startswith("aborts: "), call
        wanted = expected.removeprefix("aborts: ").split(": ")
        assert all(part in done.stdout + done.stderr for part in wanted), call


@pytest.mark.slow
@pytest.mark.tf
@pytest.mark.parametrize("python", [TENSORFLOW, TENSORFLOW213], ids=["2.21", "2.13.1"])
def test_the_table_of_strides(python: Path) -> None:
    if not python.exists():
        pytest.skip(f"no {python}")
    rows = readme_rows("conv3d_stride.md")
    assert len(rows) == 11
    done = run(python, ASK_STRIDE.format(calls=[call for call, _ in rows]))
    assert done.stdout.splitlines() == [value for _, value in rows], done.stderr[-500:]


@pytest.mark.slow
@pytest.mark.keras
@pytest.mark.parametrize(("backend", "column"), [("torch", 2), ("tensorflow", 3), ("jax", 3)])
def test_the_table_of_borders(backend: str, column: int) -> None:
    if not KERAS.exists():
        pytest.skip(f"no {KERAS}")
    rows = readme_rows("average_pooling_borders.md", column)
    assert len(rows) == 6
    done = run(KERAS, ASK_BORDERS.format(backend=backend, calls=[call for call, _ in rows]))
    assert done.stdout.splitlines() == [value for _, value in rows], done.stderr[-500:]


def test_every_fixed_report_has_an_answer_and_its_siblings_are_recorded() -> None:
    assert {p.stem for p in FIXED.glob("[0-9]*.json")} == set(EXPECTED)
    for number, answer in EXPECTED.items():
        assert json.loads((FIXED / f"{number}.json").read_text())["number"] == int(number)
        assert answer["reproduces"] == {"1.13.1": True, "2.13.0": False}
        assert len(answer["siblings"]) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("number", EXPECTED)
@pytest.mark.parametrize(
    "version",
    [
        pytest.param("1.13.1", marks=pytest.mark.torch113),
        pytest.param("2.13.0", marks=pytest.mark.torch),
    ],
)
def test_fixed_reports_crash_the_old_build_and_are_refused_by_the_new(
    number: str, version: str
) -> None:
    report = json.loads((FIXED / f"{number}.json").read_text())
    expected = EXPECTED[number]["symptom"]["per_version"][version]
    done = run(interpreter(version), code_of(report))
    if expected["signal"] is not None:
        assert done.returncode == -expected["signal"]
        return
    assert done.returncode == 1
    wanted = f"{expected['exception']}: {expected['message_first_line']}"
    assert done.stderr.splitlines()[-1] == wanted
