"""`citadel mine` on a fake tracker: that waits, refuses, and is killed on the way."""

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time

import pytest

from harvest.tracker.names import queue_path
from harvest.tracker.queue import read_queue
from tests.citadel.cli.mining import command, environment, fenced, run
from tests.harvest.tracker import fake, faults, synthetic

MEGABYTES = 200


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
from citadel.cli.app import main
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


def test_a_tracker_that_refuses_leaves_no_harvest(tracker, tmp_path):
    with tracker(3) as server:
        run("some/other", cwd=tmp_path, server=server, status=2)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
