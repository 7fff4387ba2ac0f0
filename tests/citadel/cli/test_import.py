"""`citadel import`, as a user meets it; slow tests triage what was imported on a real build."""

import json
import os
import pickle
import socket
import subprocess
from pathlib import Path

import numpy as np
import pytest

from analysis.errors import CitadelError
from analysis.target.target import Interpreter
from citadel.commands.importing import NOTHING_READ, ImportRequest, run_import
from citadel.commands.progress import Progress
from harvest.importers.folder import Unreadable
from harvest.importers.pickles import InSandbox
from tests.citadel.cli import started
from tests.harvest.importers import layouts

ROOT = Path(__file__).parents[3]
TORCH = ROOT / ".targets/torch/bin/python"
NNSMITH = ROOT / ".targets/nnsmith/bin/python"
TENSORFLOW = ROOT / ".targets/tensorflow/bin/python"


def run(*arguments, cwd, status=0):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    done = started.run(arguments, cwd=cwd, env=environment, timeout=600)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_an_import_says_what_came_of_every_file(tmp_path):
    layouts.freefuzz(tmp_path / "ff")
    done = run("import", "freefuzz", "ff", "--json", "told.json", cwd=tmp_path)
    assert "4 cases in harvests/freefuzz/ff.jsonl" in done.stdout
    assert "2  an API that crashed the process" in done.stdout
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["counts"] == {
        "cases": 4,
        "fetched": 7,
        "pairs": 0,
        "skipped": 3,
        "kept": 4,
        "dropped": 3,
        "linked": 0,
    }
    assert sum(told["skipped"].values()) == 3
    assert (tmp_path / told["queue"]).is_file()


def test_a_harvest_that_was_imported_is_filtered_anew_by_mine(tmp_path):
    layouts.freefuzz(tmp_path / "ff")
    run("import", "freefuzz", "ff", "--out", "h.jsonl", cwd=tmp_path)
    told = json.loads(
        run("mine", "h.jsonl", "--preset", "paper", "--json", "-", cwd=tmp_path).stdout
    )
    assert told["counts"]["kept"] == 0


def imported(root, name="freefuzz", **more):
    """An import within this process, which needs no interpreter under test."""
    request = {"out": root.parent / "h.jsonl", "limit": None, "match": None, "json": None, **more}
    return run_import(ImportRequest(format=name, folder=root, **request), pytest.fail, Progress())


@pytest.mark.parametrize(
    ("name", "folder", "said", "hint"),
    [
        ("nonsense", "ff", "there is no format nonsense", "freefuzz, deeprel"),
        ("freefuzz", "missing", "cannot be read", "output folder"),
        ("deeprel", "ff", "no layout of deeprel", "it looks like freefuzz"),
        ("freefuzz", "empty", "is empty", "freefuzz reads"),
        ("freefuzz", "text", "no layout of freefuzz", "freefuzz reads"),
    ],
)
def test_users_errors(name, folder, said, hint, tmp_path):
    layouts.freefuzz(tmp_path / "ff")
    (tmp_path / "empty").mkdir()
    layouts.write(tmp_path, {"text/a.txt": "x"})
    with pytest.raises(CitadelError) as problem:
        imported(tmp_path / folder, name)
    assert said in problem.value.message
    assert hint in problem.value.hint
    assert not (tmp_path / "h.jsonl").exists()


def test_another_folder_does_not_get_into_the_same_harvest(tmp_path):
    imported(layouts.freefuzz(tmp_path / "ff"))
    with pytest.raises(CitadelError, match="another question"):
        imported(layouts.freefuzz(tmp_path / "other"))


def test_nothing_that_could_be_read(tmp_path, capsys):
    layouts.write(tmp_path, {"s/a.py": b"\x00"})
    assert imported(tmp_path / "s", "scripts") == NOTHING_READ
    assert "a binary file, not text" in capsys.readouterr().out


def test_names_and_reasons_are_shown_without_control_characters(tmp_path, capsys):
    folder = tmp_path / "a\x1b[31mb"
    layouts.write(folder, {"x\x1b[2J/crash/[red]y.py": "import torch\ntorch.exp(torch.ones(2))\n"})
    layouts.write(folder, {"x\x1b[2J/\x1b]/[red].py": "import torch\ntorch.exp(torch.ones(2))\n"})
    imported(folder, "acetest")
    with pytest.raises(CitadelError) as problem:
        imported(folder, "docter")
    assert "\x1b" not in capsys.readouterr().out + problem.value.message


def test_pairs_are_written_for_later(tmp_path, capsys):
    pairs = tmp_path / "pairs.jsonl"
    imported(layouts.deeprel(tmp_path / "expr"), "deeprel", match=pairs)
    assert "4 pairs of equal APIs" in capsys.readouterr().out
    first = json.loads(pairs.read_text().splitlines()[0])
    assert first == {"apis": ["torch.abs", "torch.absolute"], "equality": "candidate", "score": 0.9}


class Harmful:
    """A pickle that calls a function with arguments."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.fixture(scope="module")
def unpickle():
    if not TORCH.exists():
        pytest.skip("no PyTorch")
    interpreter = Interpreter(str(TORCH))
    with InSandbox(lambda framework: interpreter.target(framework).session()) as opened:
        yield opened


@pytest.mark.torch
@pytest.mark.slow
def test_values_are_written_as_literals(unpickle):
    given = {
        "a": np.array([[1.5, np.nan], [np.inf, -2.0]], dtype="float32"),
        "b": np.zeros((100, 100), dtype="int64"),
        "c": (None, True, -3, 2.5, "ä", b"x", [1j], {2}, float("-inf")),
        "d": np.float16(0.5),
        "e": np.dtype("uint8"),
        "f": np.array(7),
        "g": np.zeros((0, 3), dtype="bool"),
        "h": slice(1, None),
    }
    text = unpickle(pickle.dumps(given), "torch")
    back = eval(text, {"np": np})
    np.testing.assert_array_equal(back["a"], given["a"])
    assert back["b"].shape == (100, 100)
    assert not back["b"].any()
    assert back["c"] == given["c"]
    assert (back["d"], back["d"].dtype) == (given["d"], np.dtype("float16"))
    assert back["e"] == given["e"]
    assert (back["f"].shape, int(back["f"])) == ((), 7)
    assert (back["g"].shape, back["g"].dtype) == ((0, 3), np.dtype("bool"))
    assert back["h"] == given["h"]


@pytest.mark.torch
@pytest.mark.slow
def test_tensors_are_written_as_literals(unpickle, tmp_path):
    code = (
        "import pickle, sys, torch\n"
        "x = torch.tensor([1.0, float('nan')], dtype=torch.bfloat16)\n"
        "y = torch.nn.Parameter(torch.zeros(3, 4))\n"
        "sys.stdout.buffer.write(pickle.dumps([x, y, torch.float64, torch.Size([2])]))\n"
    )
    data = subprocess.run([TORCH, "-c", code], capture_output=True, check=True).stdout
    assert unpickle(data, "torch") == (
        '[torch.tensor([1.0, float("nan")], dtype=torch.bfloat16),'
        " torch.full((3, 4), 0.0, dtype=torch.float32).requires_grad_(),"
        " torch.float64, torch.Size((2,))]"
    )


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (np.arange(5000), "too large"),
        (np.array([object()]), "no literal"),
        (Path("x"), "no literal"),
        (Harmful(os._exit, 3), "cannot be opened"),
        (Harmful(os.kill, 0, 9), "cannot be opened"),
        (Harmful(exec, "import time; time.sleep(1000)"), "timeout"),
    ],
)
def test_what_has_no_literal_is_told(thing, reason, unpickle, monkeypatch):
    monkeypatch.setattr("harvest.importers.pickles.SECONDS", 3.0)
    with pytest.raises(Unreadable, match=reason):
        unpickle(pickle.dumps(thing), "torch")
    assert unpickle(pickle.dumps(1), "torch") == "1"


@pytest.mark.torch
@pytest.mark.slow
def test_a_hostile_pickle_reaches_nothing_outside(unpickle, tmp_path):
    written = tmp_path / "written"
    home = Path.home() / f"citadel-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        port = server.getsockname()[1]
        code = (
            f"for path in ({str(written)!r}, {str(home)!r}):\n"
            "    try:\n        open(path, 'w').write('here')\n    except OSError:\n        pass\n"
            "import socket\n"
            f"socket.create_connection(('127.0.0.1', {port}), 2).send(b'x')\n"
        )
        with pytest.raises(Unreadable):
            unpickle(pickle.dumps(Harmful(exec, code)), "torch")
        with pytest.raises(TimeoutError):
            server.accept()
    assert not written.exists()
    assert not home.exists()


@pytest.mark.torch
@pytest.mark.slow
def test_what_a_hostile_pickle_sends_is_no_code(unpickle):
    event = json.dumps({"text": "__import__('os')"}).encode() + b"\n"
    forged = f"import os\nos.write(3, {event!r})\n"
    with pytest.raises(Unreadable, match="something else than literals"):
        unpickle(pickle.dumps(Harmful(exec, forged)), "torch")


def triaged(tmp_path, python, *formats):
    """Import folders and triage what they hold: the reports, by where they come from."""
    harvests = []
    for name in formats:
        layouts.LAYOUTS[name](tmp_path / name)
        run("import", name, name, "--out", f"{name}.jsonl", "--python", python, cwd=tmp_path)
        harvests.append(f"{name}.jsonl")
    more = ("--python", python, "--siblings", "40", "--runs", "2", "--budget", "40")
    done = run("triage", *harvests, *more, "--json", "-", cwd=tmp_path)
    return {report["input"]: report for report in json.loads(done.stdout)["reports"]}


def bugs(report):
    return {one["api"] for one in report["siblings"] if one["verdict"] == "bug"}


@pytest.mark.torch
@pytest.mark.slow
def test_what_other_fuzzers_found_is_triaged_on_pytorch(tmp_path):
    reports = triaged(tmp_path, TORCH, "freefuzz", "deeprel", "titanfuzz", "acetest", "scripts")
    diagonal = reports["freefuzz/crash-oracle/potential-bug/torch.diagonal_scatter/1.py"]
    assert diagonal["case"]["reproduces"]
    assert "torch.slice_scatter" in bugs(diagonal)
    norm = reports["deeprel/output-0/torch.linalg.norm+torch.norm+1/neq/2.py"]
    assert (norm["case"]["kind"], norm["case"]["reproduces"]) == ("value", True)
    status = reports["deeprel/output-0/torch.diagonal_scatter+torch.select_scatter+rel+0/neq/7.py"]
    assert status["case"]["api"] == "torch.diagonal_scatter"
    for path in (
        "titanfuzz/Results/torch/crash/torch.Tensor.as_strided__4.py",
        "acetest/out/torch.Tensor.as_strided_/crash/cpu_0_1.py",
        "scripts/all/sigsegv/one.py",
    ):
        report = reports[path]
        assert report["case"]["symptom"] == {"kind": "crashes", "signal": "SIGSEGV"}
        assert "torch.as_strided_" in bugs(report)


OVERFLOWS = """
import pickle, sys
import numpy as np
import torch
from nnsmith.abstract.dtype import DType
from nnsmith.abstract.op import Input, MaxPool2d
from nnsmith.abstract.tensor import AbsTensor
from nnsmith.gir import GraphIR, InstExpr
from nnsmith.materialize.torch.symbolnet import SymbolNet

given = AbsTensor([1, 1, 3, 3], DType.float32)
start, pool = Input(dim=4), MaxPool2d(2, 2, 2**62, 0)
start.abs_tensor = given
start.bind_output_like([given])
pool.bind_input_like([given])
pool.bind_output_like(pool.checked_type_transfer([given]))
graph = GraphIR()
first = graph.add_inst(InstExpr(op=start, args=[]))
graph.add_inst(InstExpr(op=pool, args=[first.retval()]))
place = sys.argv[1]
pickle.dump(graph, open(place + "/gir.pkl", "wb"))
torch.save(SymbolNet(graph).state_dict(), place + "/model.pth")
inputs = {first.retval(): np.ones((1, 1, 3, 3), "float32")}
oracle = {"input": inputs, "output": {}, "provider": "torch[cpu] eager"}
pickle.dump(oracle, open(place + "/oracle.pkl", "wb"))
"""
"""A graph of NNSmith's own objects whose pooling takes a stride that is no `int` of C++."""


@pytest.mark.torch
@pytest.mark.slow
def test_a_failing_model_of_nnsmith_is_triaged(tmp_path, torch_target, index_of):
    if not NNSMITH.exists():
        pytest.skip("no NNSmith: make nnsmith")
    index_of(torch_target)
    place = tmp_path / "in/bug-Symptom.EXCEPTION-Stage.COMPILATION-0"
    place.mkdir(parents=True)
    subprocess.run([NNSMITH, "-W", "ignore", "-c", OVERFLOWS, place], check=True, timeout=120)
    meta = {"system": "torchjit (cpu)", "symptom": "exception", "stage": "compilation"}
    (place / "meta.json").write_text(json.dumps(meta))
    run("import", "nnsmith", "in", "--python", NNSMITH, "--out", "h.jsonl", cwd=tmp_path)
    more = ("--python", TORCH, "--siblings", "40", "--json", "-")
    (report,) = json.loads(run("triage", "h.jsonl", *more, cwd=tmp_path).stdout)["reports"]
    assert report["case"]["api"] == "torch.nn.functional.max_pool2d"
    assert report["case"]["reproduces"]
    assert {"torch.nn.MaxPool3d", "torch.nn.functional.max_pool3d"} <= bugs(report)


@pytest.mark.tf
@pytest.mark.slow
def test_tensors_of_tensorflow_are_written_as_literals():
    if not TENSORFLOW.exists():
        pytest.skip("no TensorFlow")
    code = (
        "import pickle, sys, tensorflow as tf\n"
        "given = [tf.constant([1, -2]), tf.float32, tf.TensorShape([2, None]), tf.constant('a'),\n"
        "         tf.constant([1.5], dtype=tf.bfloat16), tf.zeros([20], tf.uint8)]\n"
        "sys.stdout.buffer.write(pickle.dumps(given))\n"
    )
    data = subprocess.run([TENSORFLOW, "-c", code], capture_output=True, check=True).stdout
    interpreter = Interpreter(str(TENSORFLOW))
    with InSandbox(lambda name: interpreter.target(name).session()) as unpickle:
        text = unpickle(data, "tensorflow")
    assert text == (
        "[tf.constant([1, -2], dtype=tf.int32), tf.float32, tf.TensorShape([2, None]),"
        " tf.constant(b'a'), tf.constant([1.5], dtype=tf.bfloat16),"
        " tf.fill((20,), tf.constant(0, dtype=tf.uint8))]"
    )


@pytest.mark.tf
@pytest.mark.slow
def test_pickled_arguments_are_triaged_on_tensorflow(tmp_path):
    if not TENSORFLOW.exists():
        pytest.skip("no TensorFlow")
    reports = triaged(tmp_path, TENSORFLOW, "docter")
    (report,) = [one for path, one in reports.items() if "fake_quant" in path]
    assert report["case"]["api"] == layouts.QUANT
    assert report["case"]["symptom"]["kind"] == "crashes"
    assert report["case"]["reproduces"]
    assert bugs(report)
