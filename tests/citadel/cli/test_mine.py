"""`citadel mine`, as a user meets it: on files, with hostile reports."""

import json

import pytest

from harvest.report.filters import FILTERS
from harvest.tracker.queue import read_queue, read_rows
from tests.citadel.cli.mining import fenced, issue, run, write


def test_an_export(tmp_path):
    issues = [
        issue(3, fenced("sort(torch.rand(3))")),
        issue(4, "words"),
        issue(5, fenced("sort(torch.rand(3))")),
        issue(6, fenced("fold(torch.rand(3))"), pull_request={"url": "x"}),
    ]
    write(tmp_path / "export.json", issues)
    done = run("export.json", "--json", "-", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert told["counts"] == {
        "issues": 4,
        "fetched": 4,
        "withheld": 0,
        "kept": 1,
        "dropped": 2,
        "linked": 1,
        "groups": 1,
    }
    rows = {row["number"]: row for row in told["rows"]}
    assert rows[3]["status"] == "kept"
    assert rows[4]["reasons"] == [{"filter": "no_code", "detail": "no code"}]
    assert rows[5]["stand_in"] == rows[3]["source"]
    assert "1 linked to the 1 report that stands for it" in done.stderr
    harvest = tmp_path / told["harvest"]
    assert [row.status.value for row in read_rows(tmp_path / told["queue"])] == [
        "kept",
        "dropped",
        "linked",
        "dropped",
    ]
    assert [report.number for report in read_queue(harvest)] == [3]


def test_the_table_has_what_dropped_something_and_the_rest_is_named(tmp_path):
    write(tmp_path / "e.json", [issue(1, fenced("rand(3)")), issue(2, "words"), issue(3, "more")])
    out = run("e.json", "--preset", "paper", cwd=tmp_path).stdout
    rows = {line.split()[0]: line.split()[1:3] for line in out.splitlines() if line[:1].isalpha()}
    assert rows["kept"][0] == "0"
    assert rows["no_code"] == ["2", "0"]
    assert rows["few_comments"] == ["3", "0"]
    assert out.startswith("3 issues in ")
    assert not {"hardware", "near_duplicate"} & rows.keys()
    (idle,) = (line for line in out.splitlines() if line.startswith("nothing dropped by"))
    assert {"hardware", "near_duplicate"} < set(idle.replace(",", "").split())


def test_a_limit_that_is_reached_claims_no_more_than_it_knows(tmp_path):
    write(tmp_path / "e.json", [issue(1, fenced("rand(3)")), issue(2, fenced("rand(4)"))])
    told = run("e.json", "--limit", "2", cwd=tmp_path).stdout
    assert "there may be more" in told
    assert "there may be more" not in run("e.json", cwd=tmp_path).stdout


def test_a_queue_that_other_filters_change_says_so(tmp_path):
    write(tmp_path / "e.json", [issue(1, fenced("rand(3)")), issue(2, "words")])
    assert "written anew" not in run("e.json", cwd=tmp_path).stdout
    assert "written anew" not in run("e.json", cwd=tmp_path).stdout
    strict = run("e.json", "--preset", "paper", cwd=tmp_path).stdout
    assert "written anew: it kept 1 before" in strict
    (queue,) = tmp_path.rglob("*.queue.jsonl")
    for text in ("damaged", "5\n", '{"status": 1, "reasons": []}\n'):
        queue.write_text(text)
        assert "written anew" not in run("e.json", cwd=tmp_path).stdout


def test_what_of_a_folder_is_not_read_is_told(tmp_path):
    write(tmp_path / "in/a.json", [issue(1, fenced("rand(3)"))])
    write(tmp_path / "in/settings.json", {"a": 1})
    for name in ("b.md", "c.md", "d.py", "README"):
        (tmp_path / "in" / name).write_text("text")
    (tmp_path / "in/e.json").write_bytes(bytes(range(256)))
    (tmp_path / "in/gone.json").symlink_to(tmp_path / "nowhere")
    out = run("in", "--json", "mined.json", cwd=tmp_path).stdout
    assert out.startswith("1 issue in ")
    told = json.loads((tmp_path / "mined.json").read_text())
    assert told["passed_over"] == {".md": 2, ".py": 1, "no suffix": 1, "JSON without an issue": 1}
    assert "2 .md, 1 .py, 1 JSON without an issue, 1 no suffix" in out
    assert told["counts"]["dropped"] == 2  # the binary file and the one that cannot be opened
    assert "; 2 more could not be read" in out.splitlines()[0]
    again = run(f"../{tmp_path.name}/in", "--json", "again.json", cwd=tmp_path).stdout
    assert "0 of them new or updated" in again.splitlines()[0]  # another spelling, the same files
    assert json.loads((tmp_path / "again.json").read_text())["passed_over"] == told["passed_over"]


def test_a_harvest_ends_as_triage_and_hunt_know_it(tmp_path):
    write(tmp_path / "in/a.json", [issue(1, fenced("rand(3)"))])
    told = run("in", "--harvest", "kept/h", cwd=tmp_path).stdout
    assert "next: citadel hunt kept/h.jsonl" in told
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        "h.jsonl",
        "h.jsonl.checkpoint",
        "h.queue.jsonl",
    }
    assert run("in", "--harvest", "kept", cwd=tmp_path, status=2).stderr.splitlines()[1] == (
        "hint: that is a folder: name a file inside it"
    )


def test_queues_are_no_exports(tmp_path):
    write(tmp_path / "in/a.json", [issue(1, fenced("rand(3)"))])
    run("in", "--harvest", "kept/h.jsonl", cwd=tmp_path)
    out = run("kept", "--harvest", "other.jsonl", cwd=tmp_path).stdout
    assert out.startswith("1 issue in ")
    assert "1 .queue.jsonl" in out
    told = run("kept/h.queue.jsonl", "--harvest", "other.jsonl", cwd=tmp_path, status=2).stderr
    assert told.splitlines() == [
        "error: kept/h.queue.jsonl is the queue of a harvest",
        "hint: name the harvest beside it",
    ]


@pytest.mark.parametrize("name", ["binary", "notes.md", "cut.json", "empty", "other.json"])
def test_what_holds_no_issue_is_refused_and_leaves_nothing(tmp_path, name):
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "notes.md").write_text("# A report\n")
    (tmp_path / "cut.json").write_text('[{"number": 1, "tit')
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.iterdir())
    lines = run(name, cwd=tmp_path, status=2).stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "hint"]
    assert name in lines[0]
    assert sorted(tmp_path.iterdir()) == before


def test_filters_are_switched(tmp_path):
    write(
        tmp_path / "e.json", [issue(1, fenced("rand(3)"), labels=["question"]), issue(2, "words")]
    )
    arguments = ("e.json", "--filter", "question", "--no-filter", "no_code", "--json", "-")
    told = json.loads(run(*arguments, cwd=tmp_path).stdout)
    assert {row["number"]: row["status"] for row in told["rows"]} == {1: "dropped", 2: "kept"}


def test_a_harvest_is_filtered_anew_without_the_tracker(tmp_path):
    write(tmp_path / "e.json", [issue(1, fenced("rand(3)")), issue(2, "words")])
    run("e.json", "--harvest", "h.jsonl", cwd=tmp_path)
    kept = (tmp_path / "h.jsonl").read_bytes()
    (tmp_path / "e.json").unlink()
    told = json.loads(run("h.jsonl", "--preset", "paper", "--json", "-", cwd=tmp_path).stdout)
    assert (told["harvest"], told["complete"]) == ("h.jsonl", True)
    assert (told["counts"]["issues"], told["counts"]["dropped"]) == (2, 2)
    assert (tmp_path / "h.jsonl").read_bytes() == kept
    run("h.jsonl", "--limit", "1", cwd=tmp_path, status=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("a/b/c",),
        ("e.jsonl", "--filter", "nonsense"),
        ("e.jsonl", "--no-filter", "unreadable"),
        ("e.jsonl", "--since", "yesterday"),
        ("some/where", "--repository", "a/b"),
        ("e.jsonl", "--harvest", "e.jsonl"),
        ("e.jsonl", "--harvest", "e"),
        ("e.jsonl", "--harvest", "e.jsonl/x"),
    ],
)
def test_wrong_usage_is_one_error_and_one_hint(tmp_path, arguments):
    write(tmp_path / "e.jsonl", [])
    lines = run(*arguments, cwd=tmp_path, status=2).stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "hint"]
    assert (tmp_path / "e.jsonl").read_text() == "[]"


def test_help_explains_and_names_the_filters(tmp_path):
    out = run("--help", cwd=tmp_path).stdout
    assert "Examples" in out
    words = "".join(character for character in out if character.isalnum() or character in "_,")
    assert all(one.name in words for one in FILTERS)


HOSTILE = [
    issue(1, fenced("rand(3)") + "x" * 10_000_000),
    issue(2, "a\0b\0" + fenced("rand(3)")),
    issue(3, "".join(f"{'`' * n}\n" for n in range(3, 400))),
    issue(4, "\n".join(fenced(f"rand({n})") for n in range(500))),
    issue(5, "```python\n" + "(" * 5000 + "\n```"),
    issue(6, "```python\nx = " + "-" * 9000 + "1\n```"),
    issue(7, "[" * 20_000 + fenced("rand(3)")),
    issue(8, "> " * 5000 + fenced("rand(3)")),
    issue(9, "\ud800" + fenced("rand(3)"), labels=[{"name": None}], comments="many"),
    issue(10, fenced("rand(3)"), title="\x1b]0;owned\x07\x1b[31mred"),
    issue(11, {"not": "text"}),
    {"number": 12},
    7,
]


def test_hostile_reports_are_rows(tmp_path):
    write(tmp_path / "e.json", HOSTILE)
    done = run("e.json", "--json", "-", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert len(told["rows"]) == len(HOSTILE)
    why = {row["number"]: [one["filter"] for one in row["reasons"]] for row in told["rows"]}
    assert why[1] == ["too_large"]
    assert why[3] == ["no_code"]
    assert why[5] == ["no_code"]
    assert why[6] == ["broken_code"]
    assert {row["number"] for row in told["rows"] if row["status"] == "kept"} == {2, 4}
    assert why[7] == why[8] == why[9] == why[10] == ["near_duplicate"]  # of the second
    unread = [row for row in told["rows"] if row["number"] is None]
    assert len(unread) == 3
    assert all(row["reasons"][0]["filter"] == "unreadable" for row in unread)
    assert "\x1b" not in done.stdout + done.stderr
