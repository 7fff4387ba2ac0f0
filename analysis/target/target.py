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
from analysis.target.frameworks import FRAMEWORKS, Framework, packages
from analysis.target.sandbox import INSIDE, Sandbox, SandboxKind, choose
from analysis.target.session import Session, lent_packages


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
    backend: str = ""
    """What the framework runs on, where that can be chosen (`frameworks.Framework.backends`)."""
    runs_on: str = ""
    """The same with its version, as people are told."""


class Target:
    """An interpreter whose framework Citadel may run code on; see `probe`."""

    def __init__(self, info: TargetInfo, sandbox: Sandbox, lent: Mapping[str, str]) -> None:
        self.info = info
        self._sandbox = sandbox
        self._lent = lent

    def session(self) -> Session:
        """A new, not yet started fork server on this target."""
        known = FRAMEWORKS[self.info.framework]
        return Session(
            python=self.info.python,
            framework=self.info.framework,
            sandbox=self._sandbox,
            lent=self._lent,
            settings=known.settings(self.info.backend),
        )


class Interpreter:
    """A Python interpreter, with what is installed in it: asked once, for all its frameworks.

    Raises:
        CitadelError: not an interpreter, too old, no supported framework, no sandbox.
    """

    def __init__(self, python: str, *, no_sandbox: bool = False) -> None:
        self.python = python
        self._facts = _ask(python)
        self.installed = frozenset(self._facts["frameworks"])
        self.frameworks = tuple(name for name in FRAMEWORKS if name in self.installed)
        if not self.frameworks:
            raise CitadelError(
                f"no supported framework in {python}",
                f"name an interpreter that has one of {', '.join(FRAMEWORKS)} with --python",
            )
        self._lent = lent_packages()
        readable = (*self._facts["readable"], *self._lent.values())
        self._sandbox = choose(readable, insist_none=no_sandbox)
        self._targets: dict[tuple[str, str], Target] = {}

    def target(self, framework: str | None = None, backend: str | None = None) -> Target:
        """The build of a framework in it, on one of its backends.

        Raises:
            CitadelError: when it has no such framework or backend, or that does not work.
        """
        if framework is not None and framework not in self.frameworks:
            raise CitadelError(
                f"{self.python} has no {framework}",
                f"it has: {', '.join(self.frameworks)}; choose another --python",
            )
        known = FRAMEWORKS[framework or self.frameworks[0]]
        chosen = known.name, known.backend(backend, self.installed)
        if chosen not in self._targets:
            self._targets[chosen] = self._started(known, chosen[1])
        return self._targets[chosen]

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Python and of all frameworks and backends that were used so far, by name."""
        told = {"python": str(self._facts["version"])}
        for target in self._targets.values():
            told[target.info.framework] = target.info.version
            name, _, version = target.info.runs_on.rpartition(" ")
            if name:
                told[name] = version
        return told

    def _started(self, framework: Framework, backend: str) -> Target:
        name, executable = framework.name, str(self._facts["executable"])
        session = Session(
            python=executable,
            framework=name,
            sandbox=self._sandbox,
            lent=self._lent,
            settings=framework.settings(backend),
        )
        with session:
            outcome = session.task(f"about_{name}:about", {}, wall=60)
        if outcome.died or not outcome.records:
            raise CitadelError(
                f"{name} in {self.python} does not work: {outcome.died}", "run: import " + name
            )
        about = outcome.records[0]
        info = TargetInfo(
            python=executable,
            python_version=str(self._facts["version"]),
            framework=name,
            version=str(about["version"]),
            devices=tuple(about["devices"]),
            folder=str(self._facts["frameworks"][name]["folder"]),
            key=_key(self._facts, framework, backend, about),
            sandbox=self._sandbox.kind,
            backend=backend,
            runs_on=str(about.get("runs on", "")),
        )
        return Target(info, self._sandbox, self._lent)


def probe(
    python: str,
    *,
    framework: str | None = None,
    backend: str | None = None,
    no_sandbox: bool = False,
) -> Target:
    """Find out what `python` is, without running anything but Citadel's own code.

    Raises:
        CitadelError: not an interpreter, too old, no supported framework, no sandbox.
    """
    return Interpreter(python, no_sandbox=no_sandbox).target(framework, backend)


def _ask(python: str) -> dict[str, Any]:
    """Run our `about_python.py` with the interpreter; it imports no framework."""
    script = str(INSIDE / "about_python.py")
    try:
        done = subprocess.run(
            [python, "-I", script, *packages()],
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


def _key(facts: dict[str, Any], framework: Framework, backend: str, about: dict[str, Any]) -> str:
    """Equal for equal installations, wherever they lie."""
    parts = (framework.name, *framework.brings, *framework.backends.get(backend, ()))
    files = {
        part: facts["frameworks"][part]["files"] for part in parts if part in facts["frameworks"]
    }
    build = [about["version"], about["build"], about["devices"], *([backend] if backend else [])]
    text = json.dumps([facts["version"], files, build], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
