"""Environments with releases of a framework, each made once and kept in the cache.

In: requirements as pip has them. Out: the interpreter of an environment for each that can be had.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from analysis import cache
from analysis.errors import CitadelError

NUMPY = "numpy<2" if sys.version_info < (3, 13) else "numpy"
"""What PyTorch does not bring along; releases before 2.3 know no later one."""
_DONE = "complete"
_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z][\w.-]*)\s*==\s*(?P<versions>[\w.*+-]+(?:,[\w.*+-]+)*)"
)
_MOST_WORDS = 200


def requirements(given: str) -> list[str]:
    """One requirement per version.

    >>> requirements("torch==2.5.*,2.9.1")
    ['torch==2.5.*', 'torch==2.9.1']

    Raises:
        CitadelError: where that is no name with versions.
    """
    found = _REQUIREMENT.fullmatch(given.strip())
    if found is None:
        raise CitadelError(f"{given} names no releases", "write: torch==2.5.*,2.9.1")
    return [f"{found['name']}=={version}" for version in found["versions"].split(",")]


def installed(requirement: str, note: Callable[[str], None]) -> str | None:
    """The interpreter of the environment with a release, made with uv where that is there, else
    with pip, from the index that the user has set; None, and a note, where it cannot be had.

    Raises:
        CitadelError: where the cache cannot be written.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = hashlib.sha256(f"{requirement}\n{version}".encode()).hexdigest()[:8]
    name = re.sub(r"[^\w.]+", "-", requirement.replace("*", "x"))
    place = cache.folder() / "environments" / f"{name}-{key}"
    python = place / "bin" / "python"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.with_name(f"{place.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # of two that want one release, one waits
            if not (place / _DONE).exists() and not _made(requirement, place, python, note):
                return None
    except OSError as problem:
        raise CitadelError(
            f"{place} cannot be made: {problem.strerror}", "CITADEL_CACHE names another folder"
        ) from problem
    return str(python)


def _made(requirement: str, place: Path, python: Path, note: Callable[[str], None]) -> bool:
    """Whether the environment could be made; what is left of an attempt is removed."""
    note(f"installing {requirement} in {place}")
    shutil.rmtree(place, ignore_errors=True)
    for command in _commands(place, python, requirement):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            words = (done.stderr or done.stdout).strip().splitlines()[-1:]
            note(f"{requirement} cannot be had: {' '.join(words)[:_MOST_WORDS]}")
            shutil.rmtree(place, ignore_errors=True)
            return False
    (place / _DONE).touch()
    return True


def _commands(place: Path, python: Path, requirement: str) -> Iterator[list[str]]:
    uv = shutil.which("uv")
    wanted = [requirement, NUMPY] if requirement.startswith("torch=") else [requirement]
    if uv is not None:
        yield [uv, "venv", "--quiet", "--python", sys.executable, str(place)]
        yield [uv, "pip", "install", "--quiet", "--python", str(python), *wanted]
    else:
        yield [sys.executable, "-m", "venv", str(place)]
        yield [str(python), "-m", "pip", "install", "--quiet", *wanted]
