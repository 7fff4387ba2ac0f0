"""Golden records: what is kept, what differs, and going on where a record was stopped."""

import json

import pytest

from benchmarks import golden
from benchmarks.golden import differences, main, record, record_of


def test_edits_and_verdicts_of_siblings_are_kept(report, sibling):
    told = report(
        1,
        sibling("g", edits=["renamed"]),
        sibling("h", alias_of="g"),
        sibling("i", verdict="clean"),
    )
    kept = record_of(told)
    assert kept["siblings"] == {"g": ["bug", "renamed"], "i": ["clean"]}
    assert kept["symptom"]["exception"] == "ValueError"
    assert kept["why"] == ["ran fence 1"]


def test_of_what_is_measured_only_the_class_is_kept(report, sibling):
    symptom = {"kind": "slow", "where": "t", "ratio": 3.14}
    kept = record_of(report(1, sibling("g"), kind="performance", symptom=symptom))
    assert kept["siblings"] == {"g": "bug"}
    assert kept["symptom"] == {"kind": "slow"}
    assert "3.14" not in json.dumps(kept)


def test_report_that_is_not_reproduced_keeps_the_reason(report):
    assert record_of(report(1, case=None, skipped="no code")) == {
        "skipped": "no code",
        "error": None,
    }


def test_difference_is_a_line(report, sibling):
    had = {"1": record_of(report(1, sibling("g"))), "2": record_of(report(2))}
    has = {"1": record_of(report(1, sibling("g", verdict="clean"), api="torch.k"))}
    assert list(differences(had, has)) == [
        "1: api: torch.f -> torch.k",
        "1: g: ['bug'] -> ['clean']",
        "2: only in the first record",
    ]
    assert list(differences(had, had)) == []


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "reports"
    made.mkdir()
    for number in range(1, 13):
        (made / f"{number}.json").write_text("{}")
    (made / "expected.json").write_text("{}")
    return made


def test_record_goes_on_where_it_was_stopped(
    folder, tmp_path, monkeypatch, report, sibling, document
):
    asked = []

    def triage(files, python, options):
        asked.append([int(file.stem) for file in files])
        if len(asked) == 2:
            raise KeyboardInterrupt
        told = [report(n, sibling("g"), input=f"reports/{n}.json") for n in asked[-1]]
        return document(*told)

    monkeypatch.setattr(golden, "triage", triage)
    file = tmp_path / "golden.json"
    with pytest.raises(KeyboardInterrupt):
        record([folder], "python", file, [])
    assert len(json.loads(file.read_text())["reports"]) == 10
    record([folder], "python", file, [])
    assert len(asked[0]) == 10
    assert asked[1] == asked[2], "what was stopped is done again"
    assert main(["compare", str(file), str(file)]) == 0
    with pytest.raises(SystemExit, match="choose another file"):
        record([folder], "python", file, ["--replays", "10"])


@pytest.mark.slow
@pytest.mark.torch
def test_record_and_compare_on_a_real_build(torch_target, tmp_path, capsys):
    folder = tmp_path / "reports"
    folder.mkdir()
    body = (
        "```python\nimport torch\ntorch.log_softmax(torch.ones(2), dim=5)\n```\nraises IndexError"
    )
    text = json.dumps({"number": 7, "title": "log_softmax raises IndexError", "body": body})
    (folder / "7.json").write_text(text)
    files = [str(tmp_path / f"{name}.json") for name in "ab"]
    python = torch_target.info.python
    for file, replays in zip(files, ("20", "5"), strict=True):
        assert main(["record", str(folder), python, file, "--replays", replays]) == 0
    first = json.loads((tmp_path / "a.json").read_text())["reports"]["reports/7"]
    assert first["api"] == "torch.log_softmax"
    assert "bug" in {verdict[0] for verdict in first["siblings"].values()}
    assert main(["compare", *files]) == 1
    assert "reports/7: " in capsys.readouterr().out
