"""TensorFlow builds, each probed and walked once per test run."""

import pytest

from analysis.catalog.records import read_catalog
from analysis.dynamic.run import Job, run_part

BUILDS = [
    pytest.param("tf_target", marks=pytest.mark.tf, id="tensorflow"),
    pytest.param("tf213_target", marks=pytest.mark.tf, id="tensorflow213"),
]


@pytest.fixture(scope="session", params=BUILDS)
def target(request):
    """Each TensorFlow that is installed."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def session(target):
    with target.session() as session:
        yield session


@pytest.fixture(scope="session")
def walk(session):
    outcome = session.task("catalog_tensorflow:walk", {}, wall=120)
    assert outcome.died is None
    return outcome.records


@pytest.fixture(scope="session")
def catalog(walk):
    return read_catalog(walk)


@pytest.fixture(scope="session")
def profile(session):
    """Run a phase on some APIs, past the calls that crash: name -> its record."""

    def run(phase, *names, **more):
        records = []
        given = {"names": [[name] for name in names], **more}
        job = Job(task=f"{phase}_tensorflow:profile", given=given)
        part = run_part(session, job, progress=lambda _done, _all: None, keep=records.append)
        assert part.whole
        return {record["n"]: record for record in records if "n" in record}

    return run
