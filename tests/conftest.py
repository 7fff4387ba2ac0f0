"""The framework builds that tests run on; a test whose build is missing is skipped.

All tests of one run, and the commands that they start, share one cache, which is empty at first:
what needs a build's index first builds it, and nobody builds it again.
"""

import functools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from analysis import cache
from analysis.errors import CitadelError
from analysis.index import load_or_build
from analysis.target.target import probe

TARGETS = Path(__file__).parents[1] / ".targets"
TORCH = TARGETS / "torch/bin/python"
DEBIAN = Path("/usr/bin/python3")

# How long an example takes says more about the machine than about the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def _probed(python, prefix="", framework="torch"):
    try:
        target = probe(str(python), framework=framework)
    except CitadelError as problem:
        pytest.skip(f"{framework}: {problem.message}")
    if not target.info.version.startswith(prefix):
        pytest.skip(f"{python} has {framework} {target.info.version}")
    return target


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory, request):
    """Where caches are in this run, in place of the user's own; one for all of its processes."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent  # that of the run, beside those of its workers
    folder /= "citadel-cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.ENVIRONMENT, str(folder))
        yield folder


@pytest.fixture(scope="session")
def index_of(session_cache):
    """target -> its index, built at the first request."""

    @functools.cache
    def find(target):
        # The test that asks may have a cache of its own.
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(cache.ENVIRONMENT, str(session_cache))
            return load_or_build(target)

    return find


@pytest.fixture(scope="session")
def torch_target():
    """The PyTorch that `make torch` installs."""
    return _probed(TORCH)


@pytest.fixture(scope="session")
def torch113_target():
    """Debian's PyTorch."""
    return _probed(DEBIAN, "1.13")


@pytest.fixture(scope="session")
def tf_target():
    """The TensorFlow that `make tensorflow` installs."""
    return _probed(TARGETS / "tensorflow/bin/python", framework="tensorflow")


@pytest.fixture(scope="session")
def tf213_target():
    """The TensorFlow that `make tensorflow213` installs."""
    return _probed(TARGETS / "tensorflow213/bin/python", "2.13.", framework="tensorflow")
