"""The framework builds that tests run on; a test whose build is missing is skipped."""

from pathlib import Path

import pytest

from analysis.errors import CitadelError
from analysis.target.target import probe

TORCH = Path(__file__).parents[1] / ".targets/torch/bin/python"
DEBIAN = Path("/usr/bin/python3")


def _probed(python, prefix=""):
    try:
        target = probe(str(python), framework="torch")
    except CitadelError as problem:
        pytest.skip(problem.message)
    if not target.info.version.startswith(prefix):
        pytest.skip(f"{python} has torch {target.info.version}")
    return target


@pytest.fixture(scope="session")
def torch_target():
    """The PyTorch that `make torch` installs."""
    return _probed(TORCH)


@pytest.fixture(scope="session")
def torch113_target():
    """Debian's PyTorch."""
    return _probed(DEBIAN, "1.13")
