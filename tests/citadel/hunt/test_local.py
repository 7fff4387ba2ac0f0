"""The local pool: workers that stay, and what becomes of jobs that take far too long."""

import time
from functools import partial

import pytest

from citadel.hunt.executor import Job, Where
from citadel.hunt.local import LocalPool
from citadel.options import Options
from citadel.store.items import Stage
from tests.citadel.hunt import scripted


def job(number, body, python="/python"):
    return Job(
        item=number,
        stage=Stage.VERIFY,
        report=scripted.report(number, body),
        where=Where(python=python, framework="torch", backend=""),
        exclusive=False,
        options=Options(),
    )


def outcome(pool):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for found in pool.outcomes(1):
            return found
    raise AssertionError("no outcome")


@pytest.mark.slow
def test_a_job_that_takes_too_long_is_ended_and_the_next_one_runs(tmp_path):
    with LocalPool(partial(scripted.Scripted, str(tmp_path)), 1) as pool:
        pool.submit(job(1, "sleeps 600"))
        assert pool.running == {1}
        end = time.monotonic() + 60
        while not (tmp_path / "log").exists():
            assert time.monotonic() < end
            assert pool.outcomes(0.05) == []
        pool._most_seconds = 0.1
        late = outcome(pool)
        pool._most_seconds = 60
        assert (late.item, late.died, late.answer) == (1, "took too long", None)
        pool.submit(job(2, "finds 1"))
        assert outcome(pool).answer.triage.case.api == "torch.source2"
        assert pool.running == frozenset()
        assert pool.outcomes(0) == []


def test_a_worker_that_has_the_build_open_is_preferred(tmp_path):
    with LocalPool(partial(scripted.Scripted, str(tmp_path)), 2) as pool:
        for number, python in ((1, "/a"), (2, "/b")):
            pool.submit(job(number, "finds 1", python))
        assert {outcome(pool).item, outcome(pool).item} == {1, 2}
        workers = {worker.last.python: worker for worker in pool._workers}
        for python in ("/b", "/a", "/b"):
            pool.submit(job(3, "finds 1", python))
            assert workers[python].job is not None
            outcome(pool)


def test_temporary_files_go_with_the_workers(tmp_path):
    with LocalPool(partial(scripted.Scripted, str(tmp_path)), 1) as pool:
        pool.submit(job(1, "finds 1"))
        outcome(pool)
        (folder,) = [worker.folder for worker in pool._workers]
        assert (tmp_path / folder).is_dir()
    assert not (tmp_path / folder).exists()
