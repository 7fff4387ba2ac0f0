"""The pool of replays, with sessions that are mere names."""

import threading
import time
from functools import partial

import pytest

from citadel.propagate.replays import Replays


@pytest.fixture
def replays():
    made = []

    def make(*sessions):
        made.append(Replays(sessions))
        return made[-1]

    yield make
    for pool in made:
        pool.cancel()


def collect(pool, seconds=10.0):
    return sorted(pool.rest(time.monotonic() + seconds))


def test_every_job_gets_a_session_of_its_own(replays):
    pool = replays("a", "b")
    both = threading.Barrier(2, timeout=10)

    def job(session):
        both.wait()
        return session

    pool.submit(job)
    pool.submit(job)
    assert collect(pool) == ["a", "b"]


def test_more_jobs_than_sessions_wait_their_turn(replays):
    pool = replays("a")
    busy = []

    def job(session):
        busy.append(session)
        assert busy == [session]
        time.sleep(0.01)
        busy.pop()
        return session

    for _ in range(5):
        pool.submit(job)
    assert collect(pool) == ["a"] * 5


def test_the_best_ranked_of_those_that_wait_comes_first(replays):
    pool = replays("a")
    begun, release, order = threading.Event(), threading.Event(), []

    def first(session):
        begun.set()
        release.wait(10)
        return session

    def job(rank, session):
        order.append(rank)
        return session

    pool.submit(first, 9)
    begun.wait(10)
    for rank in (5, 1, 7, 3, 1):
        pool.submit(partial(job, rank), rank)
    release.set()
    assert len(collect(pool)) == 6
    assert order == [1, 1, 3, 5, 7]


def test_everybodys_first_turn_comes_before_anybodys_second(replays):
    pool = replays("a")
    order = []

    def job(rank, turn, session):
        order.append((turn, rank))
        if turn == 2:
            return rank
        assert pool.submit(partial(job, rank, turn + 1), rank, turn + 1)
        return None

    hold = threading.Event()
    pool.submit(lambda _session: hold.wait(10) and -1)
    for rank in (2, 1, 3):
        pool.submit(partial(job, rank, 0), rank)
    assert pool.ahead() >= 3
    hold.set()
    assert collect(pool) == [-1, 1, 2, 3]
    assert order == [(turn, rank) for turn in range(3) for rank in (1, 2, 3)]
    assert (pool.ahead(), pool.waiting()) == (0, 0)


def test_who_is_dropped_gets_no_further_turn(replays):
    pool = replays("a")
    begun, release, told = threading.Event(), threading.Event(), []

    def running(session):
        begun.set()
        release.wait(10)
        told.append(pool.submit(running))
        return session

    pool.submit(running)
    begun.wait(10)
    threading.Timer(0.05, release.set).start()
    assert pool.cancel() == 0
    assert told == [False]
    assert list(pool.finished()) == ["a"]


def test_what_has_ended_is_handed_out_once(replays):
    pool = replays("a")
    pool.submit(lambda session: session)
    deadline = time.monotonic() + 10
    found = []
    while not found and time.monotonic() < deadline:
        found += pool.finished()
    assert found == ["a"]
    assert list(pool.finished()) == []
    assert collect(pool) == []


def test_nothing_is_waited_for_after_the_deadline(replays):
    pool = replays("a")
    release = threading.Event()
    pool.submit(lambda _session: release.wait(10))
    started = time.monotonic()
    assert collect(pool, 0.05) == []
    assert time.monotonic() - started < 5
    release.set()


def test_dropped_jobs_are_counted_and_what_was_running_is_kept(replays):
    pool = replays("a")
    begun, release = threading.Event(), threading.Event()

    def running(session):
        begun.set()
        release.wait(10)
        return session

    pool.submit(running)
    begun.wait(10)
    for _ in range(3):
        pool.submit(lambda _session: pytest.fail("was dropped"))
    threading.Timer(0.05, release.set).start()
    assert pool.cancel() == 3
    assert list(pool.finished()) == ["a"]
    assert pool.cancel() == 0


def test_a_jobs_error_is_raised_where_findings_are_taken(replays):
    pool = replays("a")

    def broken(_session):
        raise ValueError("bad")

    pool.submit(broken)
    with pytest.raises(ValueError, match="bad"):
        collect(pool)
    pool.submit(lambda session: session)
    assert collect(pool) == ["a"]


def test_what_waits_is_counted_as_it_comes_and_goes(replays):
    pool = replays("a")
    begun, release = threading.Event(), threading.Event()

    def job(session):
        begun.set()
        release.wait(10)
        return session

    for turn in (0, 0, 1):
        pool.submit(job, turn=turn)
    begun.wait(10)
    assert (pool.waiting(), pool.ahead()) == (3, 1)  # the first one is running
    release.set()
    assert collect(pool) == ["a"] * 3
    assert (pool.waiting(), pool.ahead()) == (0, 0)
