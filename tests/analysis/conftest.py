"""Real framework builds, each probed, walked and indexed once per test run."""

import pytest

from analysis.catalog.records import read_catalog

BUILDS = [
    pytest.param("torch_target", marks=pytest.mark.torch, id="torch"),
    pytest.param("torch113_target", marks=pytest.mark.torch113, id="torch113"),
]


@pytest.fixture(scope="session", params=BUILDS)
def target(request):
    return request.getfixturevalue(request.param)


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
def index(target, index_of):
    return index_of(target)
