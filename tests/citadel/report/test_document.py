from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.errors import CitadelError
from citadel.model import Finding, TargetSummary, Triage, VerdictKind
from citadel.report.document import document, sibling_record, write_json


def test_the_contract(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    triage = make_triage(
        make_finding("b.clean", VerdictKind.CLEAN, symptom=None),
        make_finding("a.bug", file="generated_cases/torch/x/a.bug.py", operation="bug"),
        control="builtins.len fails too",
    )
    triage = replace(triage, files=("/h/cradle.files/0.svg",))
    record = json.loads(json.dumps(document(target, [triage])))
    assert record["schema"] == 1
    assert record["target"] == {
        "python": "/usr/bin/python3",
        "framework": "torch",
        "version": "2.13.0",
        "devices": ["cpu"],
        "sandbox": "bubblewrap",
    }
    (report,) = record["reports"]
    assert report["files"] == ["/h/cradle.files/0.svg"]
    assert report["case"] == {
        "id": "0123456789abcdef",
        "api": "builtins.int",
        "operation": "",
        "aliases": [],
        "kind": "status",
        "reproduces": True,
        "symptom": {
            "kind": "raises",
            "exception": "ValueError",
            "message": "bad width 3",
            "pattern": "bad width <N>",
        },
        "needs": [],
        "observed": "",
        "runs": [3, 3],
        "samples": [],
        "evidence": [],
        "doubts": [],
        "trigger": {
            "sentence": "",
            "variations": [],
            "arguments": [],
            "cures": [],
            "relation": "",
        },
        "file": None,
        "issues": [],
        "distance": None,
    }
    assert [s["api"] for s in report["siblings"]] == ["a.bug", "b.clean", "a.bug.alias"]
    assert report["siblings"][0] == {
        "api": "a.bug",
        "operation": "bug",
        "verdict": "bug",
        "road": "call",
        "runs": [3, 3],
        "confidence": 0.9,
        "channels": {
            "context": 0.5,
            "signature": 0.25,
            "documentation": 0.0,
            "family": True,
            "relation": "dimension",
            "arguments": 1.0,
            "called": False,
            "matched": None,
        },
        "edits": ["renamed"],
        "file": "generated_cases/torch/x/a.bug.py",
        "fails": False,
        "symptom": report["case"]["symptom"],
        "reason": None,
        "rule": "",
        "guards": [],
        "evidence": None,
        "control": None,
        "severity": "exception",
        "samples": [],
        "aliases": ["a.bug.alias"],
        "alias_of": None,
        "issues": [],
        "distance": None,
    }
    other = {**report["siblings"][0], "api": "a.bug.alias", "aliases": [], "alias_of": "a.bug"}
    assert report["siblings"][2] == other
    families = [{"key": "k", "apis": ["builtins.int", "a.bug"], "root": "check_width"}]
    assert report["families"] == families
    assert report["seconds"] == {"verify": 0.44, "siblings": 6.12, "first_finding": 1.2}
    assert (report["tried"], report["control"]) == (120, "builtins.len fails too")
    assert (report["error"], report["skipped"]) == (None, None)


def test_error_and_skip_rows(target: TargetSummary) -> None:
    rows = [Triage(input="a.json", error="no such file"), Triage(input="b.md", skipped="question")]
    first, second = document(target, rows)["reports"]
    assert (first["error"], first["case"], first["siblings"]) == ("no such file", None, [])
    assert (second["skipped"], second["families"]) == ("question", [])


def test_file_and_stdout_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"title": "\x1b[31m \u2028 \ud800 ä"}
    write_json(record, tmp_path / "r.json")
    write_json(record, "-")
    text = (tmp_path / "r.json").read_text()
    assert text == capsys.readouterr().out
    assert text.isascii()
    assert json.loads(text) == record
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


def test_full_disk_and_bad_places_are_users_errors(tmp_path: Path) -> None:
    with pytest.raises(CitadelError) as full:
        write_json({"x": "y" * 100_000}, "/dev/full")
    assert "disk is full" in full.value.hint
    with pytest.raises(CitadelError) as missing:
        write_json({}, tmp_path / "none" / "r.json")
    assert "create the folder" in missing.value.hint
    with pytest.raises(CitadelError) as folder:
        write_json({}, tmp_path)
    assert "folder" in folder.value.hint


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_json({"a": 1}, pipe)
        assert json.loads(os.read(reader, 1000)) == {"a": 1}
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_link_keeps_pointing_to_the_new_document(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_json({"a": 1}, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text()) == {"a": 1}


def test_other_names_of_the_source_share_the_bug_while_it_reproduces(
    target: TargetSummary, make_triage: Callable[..., Triage]
) -> None:
    done = make_triage()
    assert done.case is not None
    named = replace(done, case=replace(done.case, aliases=("builtins.whole",)))
    (report,) = document(target, [named])["reports"]
    (entry,) = report["siblings"]
    assert (entry["api"], entry["alias_of"]) == ("builtins.whole", "builtins.int")
    assert (entry["verdict"], entry["runs"]) == ("bug", [3, 3])
    fixed = replace(named, case=replace(named.case, reproduces=False))
    assert document(target, [fixed])["reports"][0]["siblings"] == []


def test_sibling_names_the_rule_that_decided(make_finding: Callable[..., Finding]) -> None:
    finding = make_finding("a.size", VerdictKind.NOT_ADAPTED)
    finding = replace(finding, verdict=replace(finding.verdict, rule="doubt/common-size"))
    assert sibling_record(finding)["rule"] == "doubt/common-size"
