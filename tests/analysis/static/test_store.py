"""Unchanged files are not parsed again, whatever happened to the run before."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysis.static.analyse import analyse
from analysis.static.store import Store

FILES = {f"f{n}.cpp": f"Tensor f{n}(const Tensor& a) {{ return g{n}(a); }}\n" for n in range(6)}


def run(root, **options):
    """The sources, and how many files had to be parsed."""
    told = []
    sources = analyse(root, jobs=1, progress=lambda *step: told.append(step), **options)
    return sources, told[0][2] - told[0][1]


def test_only_what_changed_is_parsed(tree):
    root = tree(FILES)
    first, parsed = run(root)
    assert parsed == 6
    again, parsed = run(root)
    assert parsed == 0
    assert again.functions == first.functions
    (root / "f3.cpp").write_text("Tensor changed(const Tensor& a) { return h(a); }")
    (root / "f0.cpp").rename(root / "moved.cpp")
    changed, parsed = run(root)
    assert parsed == 1
    names = {record.name for record in changed.functions.values()}
    assert names == {"f0", "f1", "f2", "changed", "f4", "f5"}


def test_ids_stay_when_a_function_moves(tree):
    root = tree(FILES)
    before = {record.name: record.id for record in run(root)[0].functions.values()}
    (root / "f3.cpp").write_text("\n// above\n\n" + FILES["f3.cpp"])
    after, _ = run(root)
    assert {record.name: record.id for record in after.functions.values()} == before


@pytest.mark.parametrize("damage", [b"", b"nonsense", b'{"files": 3}'])
def test_a_damaged_cache_is_made_again(tree, damage):
    root = tree(FILES)
    first, _ = run(root)
    Store(root).path.write_bytes(damage)
    again, parsed = run(root)
    assert parsed == 6
    assert again.functions == first.functions


ODD = [b"", b"{", b"3", b'["odd"]', b"[1,2]", b'["",[],0,[],"no reason"]']


def test_entries_of_another_shape_are_parsed_again(tree):
    root = tree(FILES)
    run(root)
    path = Store(root).path
    keys = [line.split(b" ")[0] for line in path.read_bytes().splitlines()[1:]]
    assert len(keys) == 6
    body = b"".join(key + b" " + odd + b"\n" for key, odd in zip(keys, ODD, strict=True))
    path.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    assert run(root)[1] == 6


def test_a_cache_that_cannot_be_written_is_said(tree, cache_folder):
    (cache_folder / "static").write_text("in the way")
    sources, _ = run(tree(FILES))
    assert len(sources.functions) == 6
    assert "CITADEL_CACHE" in sources.problem


SCRIPT = """
import sys, time
from pathlib import Path
from analysis.static import store
from analysis.static.analyse import analyse
store.CHECKPOINT_SECONDS = 0.0
def tell(stage, done, total):
    print(done, flush=True)
analyse(Path(sys.argv[1]), jobs=1, progress=tell)
"""


def many(tree):
    return tree({f"{name}_{n}.cpp": text for n in range(60) for name, text in FILES.items()})


def test_a_killed_run_resumes(tree):
    root = many(tree)
    command = [sys.executable, "-c", SCRIPT, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if int(line) >= 40:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    sources, parsed = run(root)
    assert 0 < parsed < 330
    assert len(sources.functions) == 360


def test_ctrl_c_leaves_no_workers(tree):
    root = many(tree)
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout:
            if int(line) >= 40:
                workers = children(process.pid)
                process.send_signal(signal.SIGINT)
                break
        process.stdout.read()
    assert workers
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in workers)


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_two_at_once(tree):
    root = many(tree)
    command = [sys.executable, "-c", SCRIPT, str(root)]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    sources, parsed = run(root)
    assert parsed == 0
    assert len(sources.functions) == 360
