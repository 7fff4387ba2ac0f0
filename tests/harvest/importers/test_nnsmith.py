"""Models of NNSmith as plain PyTorch: what is written, and what is refused."""

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest

from analysis.target.target import Interpreter
from harvest.importers.pickles import InSandbox
from tests.harvest.importers.layouts import nnsmith, write

NNSMITH = Path(__file__).parents[3] / ".targets/nnsmith/bin/python"
PROGRAM = {
    "inputs": [("v0", "torch.tensor([1.0, -2.0], dtype=torch.float32)")],
    "steps": [
        (["v1"], "torch.isnan", ["v0"], {}),
        (["v2"], "torch.Tensor.mul", ["v0", "2"], {}),
        (["v3", "v4"], "torch.split", ["v2", "1"], {"dim": "0"}),
        (["v5"], "torch.cat", ["(v3, v4)"], {"dim": "0"}),
        (["v6"], "getattr", ["v5", "'T'"], {}),
    ],
    "outputs": ["v6"],
}
CODE = """import torch

v0 = torch.tensor([1.0, -2.0], dtype=torch.float32)


def model(v0):
    v2 = v0.mul(2)
    v3, v4 = torch.split(v2, 1, dim=0)
    v5 = torch.cat((v3, v4), dim=0)
    v6 = v5.T
    return (v6,)


eager = model(v0)
compiled = torch.jit.trace(model, (v0,))(v0)
torch.testing.assert_close(compiled, eager, equal_nan=True)
"""


def only(found):
    (case,) = found.cases.values()
    return case


def test_a_model_is_a_function_of_its_calls(tmp_path, imported):
    asked = []

    def unpickle(data, framework, entry):
        files = {name: base64.b64decode(text) for name, text in json.loads(data).items()}
        asked.append((files, framework, entry))
        return repr(PROGRAM)

    case = only(imported("nnsmith", nnsmith(tmp_path), unpickle))
    assert case.code == CODE
    assert case.title == "Eager and compiled give different results (torchjit (cpu))"
    assert "Mismatched elements" in case.body
    files = {"gir.pkl": b"graph", "model.pth": b"weights", "oracle.pkl": b"inputs"}
    assert asked == [(files, "torch", "program_torch:program")]


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": [("os", "1")]},
        {"inputs": [("v0", "__import__('os')")]},
        {"steps": [(["v1"], "os.system", ["v0"], {})], "outputs": ["v1"]},
        {"steps": [(["v1"], "torch.f(), exec", ["v0"], {})], "outputs": ["v1"]},
        {"steps": [(["v1"], "torch.abs", ["v0, exec('x')"], {})], "outputs": ["v1"]},
        {"steps": [(["v1"], "torch.abs", ["v0"], {"x=exec('x'), y": "1"})], "outputs": ["v1"]},
        {"steps": [(["v1"], "getattr", ["v0", "'__class__'"], {})], "outputs": ["v1"]},
        {"steps": [(["v1\nexec('x')"], "torch.abs", ["v0"], {})], "outputs": ["v1\nexec('x')"]},
        {"outputs": ["print"]},
        {"steps": 3},
    ],
)
def test_what_a_hostile_model_sends_is_no_program(change, tmp_path, imported):
    root = nnsmith(tmp_path)
    found = imported("nnsmith", root, lambda *_: repr({**PROGRAM, **change}))
    assert not found.cases
    assert any("no program" in reason for reason in found.reasons.values())


def test_bugs_of_other_compilers_are_told(tmp_path, imported):
    found = imported("nnsmith", nnsmith(tmp_path, system="tvm (cpu)"))
    assert any("found with tvm (cpu)" in reason for reason in found.reasons.values())


@pytest.mark.torch
@pytest.mark.slow
def test_real_models_compute_what_nnsmith_says(tmp_path, imported):
    """The oracle that NNSmith keeps with its inputs is the yardstick."""
    if not NNSMITH.exists():
        pytest.skip("no NNSmith: make nnsmith")
    generate = [NNSMITH, "-m", "nnsmith.cli.model_gen", "mgen.max_nodes=5", "model.type=torch"]
    for seed in range(3):
        place = tmp_path / f"made-{seed}"
        options = [f"mgen.seed={seed}", f"mgen.save={place}", "debug.viz=false"]
        settings = {**os.environ, "HOME": str(tmp_path)}
        subprocess.run([*generate, *options], cwd=tmp_path, env=settings, check=True, timeout=300)
        models = {one.name: one.read_bytes() for one in place.iterdir()}
        nnsmith(tmp_path / f"in/{seed}", **models)
    interpreter = Interpreter(str(NNSMITH))
    with InSandbox(lambda name: interpreter.target(name).session()) as unpickle:
        found = imported("nnsmith", tmp_path / "in", unpickle)
    assert found.cases
    for path, case in found.cases.items():
        folder = (tmp_path / "in" / path).parent
        check = (
            "import pickle, sys, numpy\n"
            "wanted = pickle.load(open(sys.argv[1], 'rb'))['output'].values()\n"
            "for one, other in zip(eager, wanted, strict=True):\n"
            "    numpy.testing.assert_allclose(one.numpy(), other, rtol=1e-3, atol=1e-3)\n"
        )
        write(tmp_path, {"case.py": case.code + check})
        subprocess.run(
            [NNSMITH, tmp_path / "case.py", folder / "oracle.pkl"], check=True, timeout=300
        )
