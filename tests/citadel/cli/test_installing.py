"""Environments that bisection makes, with packages of the real index."""

import subprocess

import pytest

from analysis import cache
from analysis.errors import CitadelError
from citadel.commands.installing import installed, requirements


@pytest.mark.slow
def test_an_environment_is_made_once_and_what_cannot_be_had_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path))
    notes: list[str] = []
    python = installed("expecttest==0.2.*", notes.append)
    assert python is not None
    told = subprocess.run(
        [python, "-c", "import expecttest; print(expecttest.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.startswith(str(tmp_path))
    assert len(notes) == 1
    assert installed("expecttest==0.2.*", notes.append) == python
    assert len(notes) == 1
    assert installed("expecttest==99.1", notes.append) is None
    assert notes[-1].startswith("expecttest==99.1 cannot be had: ")
    assert [one.is_dir() for one in (tmp_path / "environments").iterdir()].count(True) == 1


def test_what_was_interrupted_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", interrupted)
    for _ in range(2):
        notes: list[str] = []
        with pytest.raises(KeyboardInterrupt):
            installed("expecttest==0.2.*", notes.append)
        assert notes  # it is not taken for complete


@pytest.mark.parametrize(
    "given",
    ["torch", "torch==", "torch>=2", "torch==2;rm", "--index-url==1", "-r==x", "==1", "a b==1"],
)
def test_what_names_no_releases(given):
    with pytest.raises(CitadelError, match="names no releases"):
        requirements(given)
