"""The interpreter under test and the framework build in it."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from analysis.target.sandbox import INSIDE, Sandbox, SandboxKind, choose
from analysis.target.session import Session, lent_packages

FRAMEWORKS = ("torch", "tensorflow")
"""Frameworks that have modules of their own (`names_torch`, `live_torch`, ...) in
`analysis/inside`; of several in one interpreter the first one is meant unless the user says
otherwise."""
COMPANIONS = ("keras",)
"""Packages that belong to a framework's build where they are installed beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetInfo:
    """What an interpreter and its framework are. `key` identifies the build."""

    python: str
    python_version: str
    framework: str
    version: str
    devices: tuple[str, ...]
    folder: str
    """Where the framework's package lies."""
    key: str
    sandbox: SandboxKind


class Target:
    """An interpreter whose framework Citadel may run code on; see `probe`."""

    def __init__(self, info: TargetInfo, sandbox: Sandbox, lent: Mapping[str, str]) -> None:
        self.info = info
        self._sandbox = sandbox
        self._lent = lent

    def session(self) -> Session:
        """A new, not yet started fork server on this target."""
        return Session(
            python=self.info.python,
            framework=self.info.framework,
            sandbox=self._sandbox,
            lent=self._lent,
        )


def probe(python: str, *, framework: str | None = None, no_sandbox: bool = False) -> Target:
    """Find out what `python` is, without running anything but Citadel's own code.

    Raises:
        CitadelError: not an interpreter, too old, no supported framework, no sandbox.
    """
    facts = _ask(python)
    found = [name for name in FRAMEWORKS if name in facts["frameworks"]]
    if framework is not None and framework not in found:
        raise CitadelError(
            f"{python} has no {framework}",
            f"it has: {', '.join(found) or 'no supported framework'}; choose another --python",
        )
    if not found:
        raise CitadelError(
            f"no supported framework in {python}",
            f"name an interpreter that has one of {', '.join(FRAMEWORKS)} with --python",
        )
    name = framework or found[0]
    lent = lent_packages()
    sandbox = choose((*facts["readable"], *lent.values()), insist_none=no_sandbox)
    executable = str(facts["executable"])
    with Session(python=executable, framework=name, sandbox=sandbox, lent=lent) as session:
        outcome = session.task(f"about_{name}:about", {}, wall=60)
    if outcome.died or not outcome.records:
        raise CitadelError(
            f"{name} in {python} does not work: {outcome.died}", "run: import " + name
        )
    about = outcome.records[0]
    info = TargetInfo(
        python=executable,
        python_version=str(facts["version"]),
        framework=name,
        version=str(about["version"]),
        devices=tuple(about["devices"]),
        folder=str(facts["frameworks"][name]["folder"]),
        key=_key(facts, name, about),
        sandbox=sandbox.kind,
    )
    return Target(info, sandbox, lent)


def _ask(python: str) -> dict[str, Any]:
    """Run our `about_python.py` with the interpreter; it imports no framework."""
    script = str(INSIDE / "about_python.py")
    try:
        done = subprocess.run(
            [python, "-I", script, *FRAMEWORKS, *COMPANIONS],
            capture_output=True,
            timeout=60,
            check=False,
        )
        facts = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        facts = None
    if not isinstance(facts, dict) or "executable" not in facts:
        known = Path(python).exists()
        raise CitadelError(
            f"not a usable Python interpreter: {python}" + ("" if known else " (no such file)"),
            "--python takes the path of the interpreter that has the framework, 3.8 or newer",
        )
    return facts


def _key(facts: dict[str, Any], framework: str, about: dict[str, Any]) -> str:
    """Equal for equal installations, wherever they lie."""
    parts = (framework, *COMPANIONS)
    files = {
        part: facts["frameworks"][part]["files"] for part in parts if part in facts["frameworks"]
    }
    build = [about["version"], about["build"], about["devices"]]
    text = json.dumps([facts["version"], files, build], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
