from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analysis.sources import installed
from citadel.report.exports import Exported, as_csv, as_junit
from citadel.report.sarif import SourceLine, as_sarif, source_lines

ROW = Exported(
    report="owner/repo#1",
    build="torch 2.13.0",
    api="torch.f",
    operation="f",
    verdict="bug",
    confidence=0.9,
    severity="crash",
    symptom="crashes with SIGSEGV",
    control="x is 1: works",
    file="a.py",
)
HOSTILE = ['=HYPERLINK("x")', "+1", "-1", "@x", '"a","b"', "a\r\nb", "<x>&", "]]>", "\ud800\0\x1b"]


def test_a_table():
    rows = list(csv.DictReader(io.StringIO(as_csv([ROW, replace(ROW, api="torch.g")]))))
    assert [row["api"] for row in rows] == ["torch.f", "torch.g"]
    assert rows[0]["confidence"] == "0.9"


def test_a_failed_test_per_report_and_operation():
    rows = [
        ROW,
        replace(ROW, api="torch.f_"),
        replace(ROW, operation="g"),
        replace(ROW, report="b"),
    ]
    root = ElementTree.fromstring(as_junit(rows))
    assert [(one.get("name"), one.get("failures")) for one in root] == [
        ("owner/repo#1", "2"),
        ("b", "1"),
    ]
    failure = root[0][0][0]
    assert (root[0][0].get("name"), failure.get("type")) == ("torch.f", "crash")
    assert len(failure.text.splitlines()) == 2  # both forms


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_strangers_stay_texts(text):
    row = replace(ROW, report=text, api=text, operation=text, symptom=text, file=text)
    (read,) = csv.DictReader(io.StringIO(as_csv([row])))
    assert read["api"][:1] not in ("=", "+", "-", "@")
    root = ElementTree.fromstring(as_junit([row]).encode())
    assert [one.tag for one in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]


def results(text):
    """What a SARIF document says: of each finding the places, the nearest first."""
    (run,) = json.loads(text)["runs"]
    assert {one["ruleId"] for one in run["results"]} <= {
        one["id"] for one in run["tool"]["driver"]["rules"]
    }
    for one in run["results"]:
        yield [
            (
                place["physicalLocation"]["artifactLocation"]["uri"],
                place["physicalLocation"]["region"]["startLine"],
                place["physicalLocation"]["artifactLocation"].get("uriBaseId", ""),
            )
            for place in (*one["locations"], *one["relatedLocations"])
        ]


def test_a_finding_lies_in_its_case_where_nothing_is_known_of_sources(tmp_path):
    row = replace(ROW, file=str(tmp_path / "cases/a b.py"))
    text = as_sarif([row, replace(row, api="torch.g")], [(), ()], tmp_path / "out.sarif")
    assert list(results(text)) == [[("cases/a%20b.py", 1, "")]] * 2
    prints = [one["partialFingerprints"] for one in json.loads(text)["runs"][0]["results"]]
    assert prints[0] != prints[1]


LINKS = "[click](https://a.example/x) and [it](1) {0}"


@pytest.mark.parametrize(
    "text", [*HOSTILE, LINKS, "../" * 20 + "etc/a.cpp:1", "a.cpp:0", "x.py:99999999"]
)
def test_sarif_has_texts_of_strangers_as_texts(tree, text):
    row = replace(ROW, report=text, api=text, operation=text, symptom=text, control=text, file=text)
    lines = source_lines(tree, row)
    assert lines == []
    (places,) = results(as_sarif([row], [lines], Path("out.sarif")))
    assert [root for _, _, root in places] == [""]
    document = as_sarif([row], [lines], Path("out.sarif"))
    (result,) = json.loads(document)["runs"][0]["results"]
    message = result["message"]["text"]
    told = (message, result["properties"]["control"], result["properties"]["build"])
    assert all(character.isprintable() for one in told for character in one)
    assert "](" not in message
    assert not set("{}") & set(message.replace("{{", "").replace("}}", ""))


@pytest.fixture
def tree(tmp_path):
    """The sources of an operator `fold`, whose kernel stands in another file."""
    files = {
        "native_functions.yaml": "- func: fold(Tensor self) -> Tensor\n"
        "  dispatch:\n    CPU: fold\n    SparseCPU: fold_sparse\n",
        "Fold.cpp": "namespace at { namespace native {\n\nTensor fold(const Tensor& self) {\n"
        "  return self;\n}\n}}\n",
        "sparse/Fold.cpp": "namespace at { namespace native {\n"
        "Tensor fold_sparse(const Tensor& self) {\n  return self;\n}\n}}\n",
    }
    for name, text in files.items():
        path = tmp_path / "aten/src/ATen/native" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    python = tmp_path / "torch/nn/functional.py"
    python.parent.mkdir(parents=True)
    python.write_text("def unfold(x):\n    return x\n")
    return installed(str(tmp_path)).read()


NATIVE = "aten/src/ATen/native/"


@pytest.mark.parametrize(
    ("api", "operation", "symptom", "lines"),
    [
        ("torch.fold", "fold", "dies", [("Fold.cpp", 3), ("sparse/Fold.cpp", 2)]),
        (
            "torch.fold",
            "fold",
            'raises: failed at "/build/pytorch/aten/src/ATen/native/sparse/Fold.cpp":7, please',
            [("sparse/Fold.cpp", 7), ("Fold.cpp", 3), ("sparse/Fold.cpp", 2)],
        ),
        ("torch.sort", "sort", "raises: failed at other.cpp:7", []),
    ],
)
def test_lines_of_the_sources_are_those_of_the_message_and_of_the_operator(
    tree, api, operation, symptom, lines
):
    row = replace(ROW, api=api, operation=operation, symptom=symptom)
    found = source_lines(tree, row)
    assert [(one.file, one.line) for one in found] == [(NATIVE + file, n) for file, n in lines]
    (places,) = results(as_sarif([row], [found], Path("out.sarif")))
    assert [root for _, _, root in places] == [*("SRCROOT" for _ in lines), ""]


def test_a_function_of_python_lies_where_it_is_defined(tree):
    row = replace(ROW, api="torch.nn.functional.unfold", operation="other")
    assert source_lines(tree, row) == [SourceLine("torch/nn/functional.py", 1)]
