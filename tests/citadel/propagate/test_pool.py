"""The pool of sessions; these are mere names."""

import threading
import time

import pytest

from citadel.propagate.pool import Pool, as_they_end

FAR = time.monotonic() + 3600.0


@pytest.fixture
def pool():
    made = []

    def make(*sessions):
        made.append(Pool(sessions))
        return made[-1]

    yield make
    for one in made:
        one.close()


def results(futures, deadline=FAR):
    return [one.result() for one in as_they_end(futures, deadline)]


def test_every_job_gets_a_session_of_its_own(pool):
    both = threading.Barrier(2, timeout=10)

    def job(session):
        both.wait()
        return session

    made = pool("a", "b")
    assert sorted(results([made.submit(job), made.submit(job)])) == ["a", "b"]


def test_jobs_begin_in_the_order_in_which_they_were_submitted(pool):
    begun = []
    made = pool("a")
    futures = [made.submit(lambda _, number=number: begun.append(number)) for number in range(20)]
    results(futures)
    assert begun == list(range(20))


def test_jobs_that_have_not_begun_at_the_deadline_are_left_out(pool):
    started, release = threading.Event(), threading.Event()

    def job(session):
        started.set()
        release.wait(10)
        return session

    made = pool("a")
    futures = [made.submit(job), made.submit(lambda _: pytest.fail("began"))]
    started.wait(10)
    threading.Timer(0.1, release.set).start()
    assert results(futures, deadline=0.0) == ["a"]


def test_error_of_a_job_is_raised_where_its_result_is_taken(pool):
    def job(_session):
        raise ValueError("of the job")

    with pytest.raises(ValueError, match="of the job"):
        results([pool("a").submit(job)])


def test_close_drops_what_has_not_begun_and_waits_for_what_has(pool):
    started, ended = threading.Event(), []

    def job(session):
        started.set()
        time.sleep(0.1)
        ended.append(session)

    made = pool("a")
    made.submit(job)
    dropped = made.submit(lambda _: pytest.fail("began"))
    started.wait(10)
    made.close()
    assert ended == ["a"]
    assert dropped.cancelled()
