"""`citadel reduce` and `citadel bisect` as a user runs them."""

import json

import pytest

from tests.citadel.cli.command import TORCH, problem, run

pytestmark = [pytest.mark.torch, pytest.mark.slow]
DEBIAN = "/usr/bin/python3"

CODE = """# Generated

import torch
x = torch.full((4,), 1e20)
print(x)
n = torch.linalg.{}(x{})
assert torch.isfinite(n).all()
"""


@pytest.fixture
def case(tmp_path):
    def make(name="vector_norm", **fields):
        symptom = {"kind": "non_finite", "where": "n", "observed": "inf", **fields}
        record = {"source": {"api": f"torch.linalg.{name}", "symptom": symptom, "fails": True}}
        (tmp_path / "case.json").write_text(json.dumps({**record, "sibling": None}))
        (tmp_path / "case.control.py").write_text(CODE.format(name, ".double()"))
        path = tmp_path / "case.py"
        path.write_text(CODE.format(name, ""))
        return path

    return make


def test_reduce(case, tmp_path):
    done = run("reduce", case(), "--python", TORCH)
    assert done.returncode == 0
    assert "5 lines -> 4" in done.out
    small = tmp_path / "case.reduced.py"
    assert "print" not in small.read_text()
    assert "double()" in (tmp_path / "case.reduced.control.py").read_text()
    again = run("reduce", small, "--python", TORCH, "--out", tmp_path / "again.py")
    assert "4 lines -> 4" in again.out  # what is reduced is a case, too


@pytest.mark.torch113
def test_bisect(case):
    pythons = ("--python", TORCH, "--python", DEBIAN, "--python", TORCH)
    done = run("bisect", case(), *pythons, "--json", "-")
    found = json.loads(done.out)
    states = [(one["version"].split(".")[0], one["state"]) for one in found["builds"]]
    assert states == [("1", "bad"), ("2", "bad")]  # in their order, and each once
    assert found["change"] == "bad in all that tell"


def test_an_api_that_is_not_there_says_nothing(case):
    done = run("bisect", case("no_such_norm"), "--python", TORCH)
    assert done.returncode == 3
    assert "has no such API" in done.out
    assert "no build says whether the bug is there" in done.out


def test_a_control_that_fails_too_says_nothing(case, tmp_path):
    path = case()
    (tmp_path / "case.control.py").write_text("# The control\n\nraise ValueError\n")
    done = run("bisect", path, "--python", TORCH)
    assert (done.returncode, "control fails, too" in done.out) == (3, True)
    problem("reduce", path, "--python", TORCH)


def test_bad_input(case, tmp_path):
    path = case()
    problem("reduce", tmp_path / "none.py", "--python", TORCH)
    problem("reduce", path, "--python", "/no/such/python")
    problem("reduce", path, "--python", TORCH, "--out", tmp_path / "no" / "folder.py")
    problem("reduce", path, "--python", TORCH, "--out", tmp_path / "case.txt")
    problem("bisect", path)
    problem("bisect", tmp_path, "--python", TORCH)
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "case.control.py",
        "case.json",
        "case.py",
    ]
