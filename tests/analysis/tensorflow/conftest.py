"""TensorFlow builds, each probed and walked once per test run."""

from pathlib import Path

import pytest

from analysis.catalog.records import read_catalog
from analysis.dynamic.run import Job, run_part
from analysis.errors import CitadelError
from analysis.target.target import probe

TARGETS = Path(__file__).parents[3] / ".targets"
BUILDS = [pytest.param(name, marks=pytest.mark.tf) for name in ("tensorflow", "tensorflow213")]


@pytest.fixture(scope="session", params=BUILDS)
def target(request):
    """Each TensorFlow that is installed."""
    try:
        return probe(str(TARGETS / request.param / "bin/python"), framework="tensorflow")
    except CitadelError as problem:
        pytest.skip(problem.message)


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

    def run(phase, *names):
        records = []
        given = {"names": [[name] for name in names]}
        job = Job(task=f"{phase}_tensorflow:profile", given=given)
        part = run_part(session, job, progress=lambda _done, _all: None, keep=records.append)
        assert part.whole
        return {record["n"]: record for record in records if "n" in record}

    return run
