import json
import sys

from benchmarks.duplicates import main


def test_ranks_of_the_reports_own_issue(tmp_path, capsys, monkeypatch):
    titles = {1: "torch.pad dies", 2: "torch.pad: bad mode", 3: "torch.abs", 4: "torch.pad"}
    harvest = tmp_path / "a.jsonl"
    url = "https://api.github.com/repos/a/b/issues/{}"
    rows = (
        {"number": at, "url": url.format(at), "title": title, "body": "it is torch"}
        for at, title in titles.items()
    )
    harvest.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def report(number, api, **case):
        told = {"api": api, "reproduces": True, **case}
        return {"repository": "a/b", "number": number, "case": told}

    raised = {"kind": "raises", "exception": "ValueError", "message": "bad mode"}
    found = [
        report(2, "torch.nn.functional.pad", symptom=raised),  # first, and second of three
        report(9, "torch.abs", symptom=raised),  # is not in the tracker
        report(1, "torch.pad", symptom=raised, reproduces=False),
    ]
    triage = tmp_path / "found.json"
    triage.write_text(json.dumps({"reports": found}))
    monkeypatch.setattr(sys, "argv", ["", str(harvest), str(triage)])
    main()
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "2 cases in a tracker of 4 issues"
    assert told[1].endswith("mean reciprocal rank 0.50, the right one first 1 times")
    assert told[2].endswith("mean reciprocal rank 0.25, the right one first 0 times")
