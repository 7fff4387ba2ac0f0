"""A build of the index that is killed goes on where it was."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from analysis.cache import ENVIRONMENT
from analysis.index import cache_path, load_or_build

pytestmark = [pytest.mark.slow, pytest.mark.torch]

BUILD = """
import sys
from analysis.index import load_or_build
from analysis.target.target import probe
load_or_build(probe(sys.argv[1], framework="torch"))
"""


LEAP = 5
"""Samples that a build from scratch does not do at a step: each is told."""


def test_a_killed_build_is_taken_up_again(torch_target, index_of, tmp_path, monkeypatch):
    target, index = torch_target, index_of(torch_target)
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    info = target.info
    path = cache_path(info.framework, info.version, info.key)
    journal = path.with_suffix(".journal")
    killed_after(40, journal, info.python)
    assert journal.exists()
    assert not path.exists()
    seen = []
    built = load_or_build(target, progress=lambda *step: seen.append(step))
    reached = [0, *(done for stage, done, _ in seen if stage == "samples")]
    # One part may have been killed before it began: then the other one's first step is a leap.
    assert max(after - before for before, after in pairwise(reached)) > LEAP
    assert path.exists()
    assert not journal.exists()
    assert built.counts["objects"] == index.counts["objects"]
    missing = set(index.call_sets) - set(built.call_sets)
    assert len(missing) < 20  # some samples depend on the clock


def killed_after(wanted, journal, python):
    """Build in a process of its own and kill it once the journal has so many entries."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILD, python], env=dict(os.environ), start_new_session=True
    )
    try:
        while process.poll() is None:
            if journal.exists() and entries(journal.read_bytes()) >= wanted:
                break
            time.sleep(0.05)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def entries(journal):
    return journal.count(b'"entry"')
