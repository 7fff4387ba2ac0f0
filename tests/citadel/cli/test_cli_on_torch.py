"""The command line on a real build: what each command prints, writes and exits with."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.citadel.cli.command import TORCH, problem, run, write

pytestmark = [pytest.mark.torch, pytest.mark.slow]


def test_index_keeps_its_contract(warm):
    record = json.loads(warm.out)
    assert warm.returncode == 0
    assert set(record) >= {"schema", "target", "counts", "failures", "seconds"}
    assert set(record["counts"]) >= {
        "names",
        "objects",
        "signatures",
        "sampled",
        "profiled",
        "functions",
        "groups",
        "matched_apis",
        "pairs",
        "pairs_by_channel",
    }
    assert all(record["counts"].values()), record["counts"]
    assert record["counts"]["objects"] > 1500
    assert sum(record["coverage"].values()) == record["counts"]["profiled"]
    assert set(record["seconds"]) == {"catalog", "dynamic", "static", "match"}
    assert set(record["target"]) == {"python", "framework", "version", "devices", "sandbox"}


def test_the_index_is_shown_and_exported(warm, tmp_path):
    graph = tmp_path / "pairs.graphml"
    done = run("index", "--python", TORCH, "--export", graph)
    for word in ("catalog", "profiled", "sources", "analogues", "pairs", "no result", "seconds"):
        assert word in done.out
    assert len(Xml.parse(graph).getroot()[-1]) > 8_000
    groups = run("index", "--python", TORCH, "--groups", "conv2d").out.splitlines()
    assert any("conv_transposeNd" in line for line in groups)
    assert any(".py:" in line for line in groups)


def test_siblings_are_ranked(warm, tmp_path):
    table = tmp_path / "siblings.csv"
    api = "torch.nn.functional.conv2d"
    done = run("siblings", api, "--python", TORCH, "--siblings", "5", "--export", table)
    assert done.returncode == 0
    assert "other forms" in done.out
    assert "torch.nn.functional.conv3d" in done.out
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    assert {row["source"] for row in rows} == {api}
    assert any("convolution" in row["shared"].split() for row in rows)


def test_the_papers_siblings(warm):
    def found(*options):
        done = run(
            "siblings", "torch.nn.Conv2d", "--mode", "paper", "--siblings", "99", "--json", "-",
            "--python", TORCH, *options,
        )  # fmt: skip
        return {row["api"]: row for row in json.loads(done.out)["siblings"]}

    siblings = found()
    assert siblings["torch.nn.LazyConvTranspose2d"]["channels"]["context"] == 0.615
    assert all(row["channels"]["context"] > 0.6 for row in siblings.values())
    assert set(found("--threshold", "0.9")) < set(siblings) < set(found("--threshold", "0.3"))


def test_stacks_show_what_runs_below_an_api(warm):
    done = run("siblings", "torch.nn.Conv2d", "--stacks", "--python", TORCH)
    assert done.returncode == 0
    text = done.out
    assert text.index("torch.nn.Conv2d: constructor") < text.index("torch.nn.Conv2d: forward")
    assert text.index("aten::conv2d") < text.index("ConvolutionBackward0")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("siblings", "torch.nonsense"), "torch.nonsense is no API"),
        (("siblings", "torch.nn.conv2d"), "torch.nn.functional.conv2d"),
        (("siblings", "torch.conv3"), "perhaps torch.nn.Conv3d"),
        (("siblings", "torch.add", "--export", "x.txt"), "unknown format"),
        (("siblings", "torch.add", "--threshold", "2"), "--threshold"),
        (("index", "--export", "x.txt"), "unknown format"),
        (("index", "--source", "missing"), "missing"),
        (("index", "--precise", "a.cpp"), "--source"),
        (("index", "--source", ".", "--callees", "many"), "--callees"),
        (("index", "--source", ".", "--flags", "'"), "--flags"),
        (("index", "--callees", "0.5"), "--source"),
        (("index", "--groups", "conv", "--json", "-"), "--groups"),
        (("siblings", "torch.add", "--threshold", "0.5"), "--mode paper"),
        (("siblings", "torch.add", "--stacks", "--json", "-"), "--stacks"),
    ],
)
def test_wrong_questions_get_one_line(warm, arguments, words):
    assert words in problem(*arguments, "--python", TORCH).err


def test_doctor_says_what_works(warm, tmp_path):
    assert run("doctor", "--python", TORCH).returncode == 0
    problem("doctor", "--python", tmp_path / "python")


def test_json_on_stdout_is_nothing_else_and_one_bad_report_is_a_row(warm, tmp_path):
    bad = write(tmp_path, "", "bad.md")
    good = write(tmp_path)
    done = run(
        "triage",
        bad,
        good,
        "--python",
        TORCH,
        "--json",
        "-",
        "--html",
        "page.html",
        "--siblings",
        "12",
        "--runs",
        "1",
        "--fail-on",
        "bug",
        cwd=tmp_path,
    )
    record = json.loads(done.out)
    assert done.returncode == 1
    first, second = record["reports"]
    assert first["input"].endswith("bad.md")
    assert first["error"]
    assert first["case"] is None
    assert second["case"]["api"] == "torch.nn.functional.conv2d"
    assert second["case"]["reproduces"] is True
    bugs = [sibling for sibling in second["siblings"] if sibling["verdict"] == "bug"]
    assert len(bugs) >= 3
    assert all((tmp_path / bug["file"]).is_file() for bug in bugs)
    assert second["tried"] <= 12
    assert [one["name"] for one in second["ways"]] == ["eager", "aot_eager", "inductor"]
    assert second["ways"][0]["state"] == "bad"
    assert second["releases"] == []
    page = (tmp_path / "page.html").read_text()
    operations = {bug["operation"] for bug in bugs} | {second["case"]["operation"]}
    assert f"{len(operations)} operations in 1 report" in page
    assert "Not run" in page  # the bad one


@pytest.mark.torch113
def test_the_first_case_runs_on_other_releases_as_well(warm, tmp_path):
    given = ("--python", TORCH, "--also-on", "/usr/bin/python3", "--siblings", "2", "--runs", "1")
    done = run("triage", write(tmp_path), *given, cwd=tmp_path)
    told = next(line for line in done.out.splitlines() if line.startswith("releases: "))
    assert told.startswith("releases: bad in 1.13.")
    page = next(tmp_path.glob("generated_cases/torch/*/family.md"))
    assert "Releases: `bad in 1.13." in page.read_text()
    problem("triage", write(tmp_path), "--python", TORCH, "--also-on", "/no/such/python")


def test_standard_input_and_nothing_that_could_run(warm, tmp_path):
    done = run(
        "triage",
        "-",
        "--python",
        TORCH,
        "--json",
        "-",
        cwd=tmp_path,
        stdin=b"# How do I install it?\n\nNo code here.\n",
    )
    assert done.returncode == 3
    (report,) = json.loads(done.out)["reports"]
    assert report["skipped"]
    assert not (tmp_path / "generated_cases").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_for_the_json_keeps_the_cases(warm, tmp_path):
    done = run(
        "triage",
        write(tmp_path),
        "--python",
        TORCH,
        "--json",
        "/dev/full",
        "--siblings",
        "6",
        "--runs",
        "1",
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert [line for line in done.err.splitlines() if line.startswith("error: cannot write")]
    assert list((tmp_path / "generated_cases").glob("torch/*/source.py"))
    assert "torch.nn.functional.conv2d" in done.out
