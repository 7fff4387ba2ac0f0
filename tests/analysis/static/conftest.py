"""Source trees: small ones written by tests, and PyTorch's own where it is there."""

import functools
from pathlib import Path

import pytest

from analysis.static.analyse import analyse

ROOT = Path(__file__).parents[3]
PYTORCH = ROOT / ".targets/pytorch-1.13.1"
PYTORCH_CPP = ("aten", "c10", "torch/csrc")


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("CITADEL_CACHE", str(folder))
    return folder


@pytest.fixture
def tree(tmp_path):
    """Writes files below a folder, given as {path: text or bytes}, and returns the folder."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "tree"

    return write


@pytest.fixture
def quick():
    """`analyse` with one worker."""
    return functools.partial(analyse, jobs=1)


@pytest.fixture(scope="session")
def pytorch(tmp_path_factory):
    """The C++ half of PyTorch 1.13.1, analysed once."""
    if not (PYTORCH / "aten").is_dir():
        pytest.skip("no PyTorch sources: make sources")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITADEL_CACHE", str(tmp_path_factory.mktemp("cache")))
        return analyse(PYTORCH, folders=PYTORCH_CPP)


@pytest.fixture
def installed():
    """Tells the folder of a package in one of the environments under test, or skips."""

    def find(environment, package):
        folder = ROOT / ".targets" / environment / "lib"
        found = sorted(folder.glob(f"python3*/site-packages/{package}"))
        if not found:
            pytest.skip(f"no {package} in .targets/{environment}")
        return found[0]

    return find
