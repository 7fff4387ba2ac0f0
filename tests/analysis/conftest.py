"""Real framework builds, each probed, walked and indexed once per test run."""

from pathlib import Path

import pytest

from analysis.catalog.records import read_catalog
from analysis.errors import CitadelError
from analysis.index import build_index
from analysis.target.target import probe

ROOT = Path(__file__).parents[2]
BUILDS = [
    pytest.param(str(ROOT / ".targets/torch/bin/python"), marks=pytest.mark.torch, id="torch"),
    pytest.param("/usr/bin/python3", marks=pytest.mark.torch113, id="torch113"),
]


@pytest.fixture(scope="session", params=BUILDS)
def target(request):
    try:
        return probe(request.param, framework="torch")
    except CitadelError as problem:
        pytest.skip(problem.message)


@pytest.fixture(scope="session")
def walk(target):
    with target.session() as session:
        outcome = session.task("catalog_torch:walk", {}, wall=60)
    assert outcome.died is None
    return outcome.records


@pytest.fixture(scope="session")
def catalog(walk):
    return read_catalog(walk)


@pytest.fixture(scope="session")
def index(target):
    return build_index(target)
