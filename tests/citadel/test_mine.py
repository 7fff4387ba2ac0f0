"""`citadel mine`, as a user meets it: on files, on a fake tracker, killed, with hostile reports."""

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harvest.report.filters import FILTERS
from harvest.tracker.queue import queue_path, read_queue, read_rows
from tests.citadel import started
from tests.harvest.tracker import fake, faults, synthetic

ROOT = Path(__file__).parents[2]
MEGABYTES = 200


def command(*arguments):
    return [sys.executable, "-m", "citadel", "mine", *map(str, arguments)]


def environment(server=None):
    given = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    if server is not None:
        given |= {"GITHUB_API_URL": server.endpoint, "GITHUB_TOKEN": "very-secret"}
    return given


def run(*arguments, cwd, server=None, status=0):
    done = started.run(["mine", *arguments], cwd=cwd, env=environment(server), timeout=600)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert "very-secret" not in done.stdout + done.stderr
    return done


def write(path, issues):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(issues))
    return path


def issue(number, body, **more):
    return {
        "number": number,
        "title": f"issue {number}",
        "body": body,
        "html_url": f"https://github.com/some/where/issues/{number}",
        **more,
    }


def fenced(call):
    return f"```python\nimport torch\ntorch.{call}\n```\n"


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


def test_queues_are_no_exports(tmp_path):
    write(tmp_path / "in/a.json", [issue(1, fenced("rand(3)"))])
    run("in", "--harvest", "kept/h.jsonl", cwd=tmp_path)
    out = run("kept", "--harvest", "other.jsonl", cwd=tmp_path).stdout
    assert out.startswith("1 issue in ")
    assert "1 queues of harvests" in out
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


def test_a_tracker_that_refuses_leaves_no_harvest(tracker, tmp_path):
    with tracker(3) as server:
        run("some/other", cwd=tmp_path, server=server, status=2)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


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
        ("e.json", "--filter", "nonsense"),
        ("e.json", "--no-filter", "unreadable"),
        ("e.json", "--since", "yesterday"),
        ("some/where", "--repository", "a/b"),
        ("e.json", "--harvest", "e.json"),
        ("e.json", "--harvest", "e.json/x"),
    ],
)
def test_wrong_usage_is_one_error_and_one_hint(tmp_path, arguments):
    write(tmp_path / "e.json", [])
    lines = run(*arguments, cwd=tmp_path, status=2).stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "hint"]
    assert (tmp_path / "e.json").read_text() == "[]"


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


@pytest.fixture
def tracker():
    def of(count, **options):
        return fake.FakeGitHub(fake.Repository(synthetic.issues(count)), **options)

    return of


def test_a_tracker(tracker, tmp_path):
    with tracker(120, faults={2: faults.secondary("1")}) as server:
        done = run("some/where", cwd=tmp_path, server=server)
        again = run("some/where", cwd=tmp_path, server=server)
    assert "120 issues in harvests/some/where.jsonl (2 queries, 6 points" in done.stdout
    assert "secondary rate limit); waiting 1 s" in done.stderr
    assert "0 of them new or updated" in again.stdout
    assert server.tokens == {"token very-secret"}
    assert "very-secret" not in (tmp_path / "harvests/some/where.jsonl.checkpoint").read_text()


def test_links_of_an_older_harvest_are_followed(tracker, tmp_path):
    """In the report and in its comments; once, and only where the report has no code itself."""
    gists = {at: f"https://gist.github.com/someone/0123456789abcde{at}" for at in range(3)}
    with tracker(5) as server:
        server.repository.gists = {
            url.rpartition("/")[2]: {"a.py": {"content": f"import torch\ntorch.{call}(3)\n"}}
            for url, call in zip(gists.values(), ("rand", "ones", "eye"), strict=True)
        }
        issues = server.repository.issues
        issues[2].update(body=f"it fails, see {gists[0]}", thread=["me too"])
        issues[3].update(body="it fails", thread=["how?", f"so: {gists[1]}"])
        issues[4].update(body=fenced("zeros(3)"), thread=[f"also {gists[2]}"])

        def mined(*options):
            asked = len(server.requests)
            out = run("some/where", "--json", "-", *options, cwd=tmp_path, server=server).stdout
            rows = {row["number"]: row for row in json.loads(out)["rows"]}
            asked = [path for path, _ in server.requests[asked:] if "gists" in path]
            return {at: rows[at]["status"] for at in (2, 3, 4)}, len(asked), json.loads(out)

        status, asked, told = mined()
        assert (status, asked) == ({2: "dropped", 3: "dropped", 4: "kept"}, 0)
        before = (tmp_path / told["harvest"]).read_bytes()
        status, asked, told = mined("--follow-links")
        assert (status, asked) == (dict.fromkeys((2, 3, 4), "kept"), 2)
        assert (told["counts"]["issues"], told["counts"]["fetched"]) == (5, 0)
        after = (tmp_path / told["harvest"]).read_bytes()
        assert after.startswith(before)
        status, asked, _ = mined("--follow-links")
        assert (status, asked) == (dict.fromkeys((2, 3, 4), "kept"), 0)
        status, asked, _ = mined()
        assert status[2] == "kept"
        assert (tmp_path / told["harvest"]).read_bytes() == after
        kept = {one.number: one for one in read_queue(tmp_path / told["harvest"])}
        assert "torch.rand(3)" in kept[2].linked_code[0].code
        assert "torch.ones(3)" in kept[3].linked_code[0].code


def test_waiting_is_counted_down_on_a_terminal(tracker, tmp_path):
    main, other = pty.openpty()
    with tracker(10, faults={1: faults.secondary("2")}) as server:
        given = environment(server) | {"TERM": "xterm"}
        with subprocess.Popen(
            command("some/where"), cwd=tmp_path, env=given, stdout=subprocess.DEVNULL, stderr=other
        ) as process:
            os.close(other)
            seen = b""
            try:
                while data := os.read(main, 65536):
                    seen += data
            except OSError:
                pass  # the other end is closed
            assert process.wait() == 0
    os.close(main)
    assert all(f"{second}/2".encode() in seen for second in (0, 1))


def files(folder):
    return {path.name: path.read_bytes() for path in (folder / "harvests/some").iterdir()}


def wait_for(server, count):
    end = time.monotonic() + 120
    while len(server.requests) < count and time.monotonic() < end:
        time.sleep(0.01)
    assert len(server.requests) >= count


@pytest.mark.slow
def test_killed_anywhere_it_goes_on_to_the_same_bytes(tracker, tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    whole.mkdir()
    part.mkdir()
    with tracker(1500) as server:
        run("some/where", cwd=whole, server=server)
    with tracker(1500, delay=0.05) as server:
        for after in random.Random(7).sample(range(2, 6), 4):
            start = len(server.requests)
            process = subprocess.Popen(
                command("some/where"),
                cwd=part,
                env=environment(server),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            wait_for(server, start + after)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        before = len(server.requests)
        run("some/where", cwd=part, server=server)
        assert len(server.requests) - before < 14  # it did not begin anew
    assert files(part) == files(whole)
    assert queue_path(part / "harvests/some/where.jsonl").exists()


@pytest.mark.slow
def test_interrupted_it_keeps_what_it_has(tracker, tmp_path):
    with tracker(1000, delay=0.2) as server:
        process = subprocess.Popen(
            command("some/where"),
            cwd=tmp_path,
            env=environment(server),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # What starts the tests may ignore the signal, which is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        wait_for(server, 3)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert process.returncode == 130
    assert told.strip() == "interrupted"
    kept = (tmp_path / "harvests/some/where.jsonl").read_bytes()
    assert kept.endswith(b"\n")
    assert kept.count(b"\n") >= 100


# Not `getrusage`: its peak is inherited from the process that starts this one.
MEASURED = """
import sys
from pathlib import Path
from citadel.cli import main
try:
    main()
finally:
    told = Path("/proc/self/status").read_text()
    peak = next(line for line in told.splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) // 1024, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_night_fits_into_little_memory(tracker, tmp_path):
    """30,000 issues are harvested and filtered; the process is measured from inside."""
    with tracker(30_000) as server:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, "mine", "some/where"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(server),
            timeout=3600,
        )
    assert done.returncode == 0, done.stderr
    assert "30,000 issues" in done.stdout
    assert len(server.requests) == 304
    assert 50 < int(done.stderr.split()[-1]) < MEGABYTES, done.stderr


def test_triage_reads_an_issue_by_its_number(tracker, tmp_path):
    with tracker(3) as server:
        done = subprocess.run(
            [sys.executable, "-m", "citadel", "triage", "some/where#99"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(server),
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: some/where#99: GitHub has no such issue\nhint: ")
    assert [path for path, _ in server.requests] == ["/repos/some/where/issues/99"]
