"""`citadel reduce`, `bisect`, `recheck` and `export` as a user runs them."""

import json
from dataclasses import replace

import pytest

from citadel.store import results
from citadel.store.findings import Kin
from tests.citadel.cli.command import TORCH, problem, run
from tests.citadel.store.conftest import known, make_finding, make_triage, store  # noqa: F401

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
    assert "as small as it gets: 4 lines" in again.out  # what is reduced is a case, too
    assert not (tmp_path / "again.py").exists()


@pytest.mark.torch113
def test_bisect(case):
    pythons = ("--python", TORCH, "--python", DEBIAN, "--python", TORCH)
    done = run("bisect", case(), *pythons, "--json", "-")
    found = json.loads(done.out)
    states = [(one["version"].split(".")[0], one["state"]) for one in found["builds"]]
    assert states == [("1", "bad"), ("2", "bad")]  # in their order, and each once
    assert found["change"].startswith("bad in 1.13")


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
    problem("bisect", path)  # on no build
    problem("bisect", tmp_path, "--python", TORCH)
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "case.control.py",
        "case.json",
        "case.py",
    ]


@pytest.fixture
def folder(tmp_path):
    """Four cases: one still there, one fixed, one that fails otherwise, one that is no test."""
    made = {
        "there": ("assert False\n", True),
        "fixed": ("import torch\n", True),
        "changed": ("raise TypeError('other')\n", True),
        "prints": ("print(1)\n", False),
    }
    for name, (code, fails) in made.items():
        symptom = {"kind": "raises", "exception": "ValueError", "pattern": "bad"}
        own = {"api": f"torch.{name}", "symptom": symptom, "fails": fails}
        (tmp_path / f"{name}.py").write_text(f"# Generated\n\n{code}")
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"source": {"api": "torch.a"}, "sibling": own})
        )
    (tmp_path / "test_family.py").write_text("assert False\n")
    (tmp_path / "there.control.py").write_text("# The control\n\nimport torch\n")
    (tmp_path / "there.reduced.py").write_text("assert False\n")
    (tmp_path / "other.py").write_text("assert False\n")
    return tmp_path


def test_recheck_a_folder(folder):
    done = run("recheck", folder, "--python", TORCH, "--json", folder / "out.json")
    assert done.returncode == 0
    assert "3 cases on torch 2." in done.out
    assert "still there 1, fixed 1, changed 1" in done.out
    found = json.loads((folder / "out.json").read_text())
    assert {one["api"]: one["now"] for one in found["cases"]} == {
        "torch.changed": "changed",
        "torch.fixed": "fixed",
        "torch.there": "still there",
    }
    assert found["cases"][0]["seen"] == "TypeError: other"


def test_what_an_older_build_does_not_have_is_not_fixed_there(folder):
    record = folder / "fixed.json"
    told = json.loads(record.read_text())
    record.write_text(json.dumps({**told, "target": {"version": "99.0"}}))
    done = run("recheck", folder, "--python", TORCH)
    assert "still there 1, changed 1, not there yet 1" in done.out


def test_only_findings_of_a_store_are_marked(folder):
    assert "label" in problem("recheck", folder, "--python", TORCH, "--mark").err


def test_recheck_a_store_and_mark_what_is_fixed(folder, store, known):  # noqa: F811
    names = ("there", "fixed", "prints")
    found = [
        replace(make_finding(f"torch.{name}"), file=str(folder / f"{name}.py")) for name in names
    ]
    report = known(1)
    with store.transaction():
        results.save_findings(store, report, "b1", make_triage("torch.a", *found), Kin(marks={}))
    done = run("recheck", store.path, "--python", TORCH, "--mark")
    assert "still there 1, fixed 1" in done.out
    assert "1 finding marked as fixed" in done.out
    labelled = store.db.execute("SELECT api, label FROM findings WHERE label NOT NULL").fetchall()
    assert labelled == [("torch.fixed", "fixed-in")]


def test_what_cannot_be_rechecked(folder):
    problem("recheck", folder / "none.db", "--python", TORCH)
    problem("recheck", folder / "fixed.json", "--python", TORCH)
    problem("recheck", folder / "other.py", "--python", TORCH)
    empty = folder / "empty"
    empty.mkdir()
    problem("recheck", empty, "--python", TORCH)
    (folder / "there.json").write_text("{")
    done = run("recheck", folder, "--python", TORCH)
    assert "2 cases on torch" in done.out  # one has lost its record


@pytest.mark.parametrize(
    ("form", "words", "count"),
    [
        ("csv", "torch.prints", 4),
        ("junit", 'name="torch.there"', 4),
        ("pytest", "xfail(", 3),
        ("sarif", '"fullyQualifiedName": "torch.there"', 4),
    ],
)
def test_export(folder, form, words, count):
    out = folder / "out" / "found.txt"
    out.parent.mkdir()
    done = run("export", folder, "--format", form, "--out", out)
    assert f"{count} findings in" in done.out
    assert words in out.read_text()


def test_the_control_of_a_report_is_its_trigger(case, tmp_path):
    path = case()
    record = json.loads((tmp_path / "case.json").read_text())
    record["source"]["trigger"] = "`x` is float32"
    (tmp_path / "case.json").write_text(json.dumps(record))
    out = tmp_path / "found.csv"
    for there in (True, False):
        run("export", path, "--format", "csv", "--out", out)
        assert ("`x` is float32" in out.read_text()) is there
        (tmp_path / "case.control.py").unlink(missing_ok=True)


def test_what_cannot_be_exported(folder):
    problem("export", folder / "none.db", "--format", "csv", "--out", folder / "a.csv")
    problem("export", folder, "--format", "xml", "--out", folder / "a")
    for form, source in (
        ("csv", folder),
        ("sarif", folder / "none"),
        ("sarif", folder / "there.py"),
    ):
        problem("export", folder, "--format", form, "--source", source, "--out", folder / "a")
    problem("export", folder, "--format", "csv", "--out", folder / "no" / "a.csv")
    problem("export", folder / "prints.py", "--format", "pytest", "--out", folder / "a.py")
    assert not (folder / "a.py").exists()
