"""`citadel doctor`: what works on this machine, and what to do about what does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.sandbox import has_bubblewrap, has_landlock
from analysis.target.target import Interpreter, TargetInfo
from citadel.report.text import plain

CHOICE = "triage takes what a report imports; --framework and --backend choose otherwise"


def examine(python: str, console: Console) -> None:
    """Print one line per check: the sandboxes, then each framework on each of its backends.

    Raises:
        CitadelError: when no case can be run: no usable interpreter, no sandbox, no framework in it
            that works.
    """
    checks = (
        ("bubblewrap", has_bubblewrap(), "apt install bubblewrap; allow user namespaces"),
        ("Landlock", has_landlock(), "only needed where bubblewrap does not work"),
    )
    for name, works, advice in checks:
        _say(console, f"sandbox {name}: {'works' if works else f'missing ({advice})'}")
    interpreter = Interpreter(python)
    _say(console, f"{python}:")
    builds = list(_builds(interpreter))
    working: list[str] = []
    hints: list[str] = []
    for framework, backend in builds:
        try:
            info = interpreter.target(framework, backend or None).info
        except CitadelError as problem:
            hints.append(problem.hint)
            _say(console, _broken(framework, backend, problem.message, working))
        else:
            working.append(framework)
            _say(console, _works(info))
    if not working:
        raise CitadelError(f"no framework in {python} works", hints[0])
    if len(working) > 1:
        _say(console, CHOICE)


def _works(info: TargetInfo) -> str:
    build = f"{info.framework} {info.version}" + (f" on {info.runs_on}" if info.runs_on else "")
    devices = ", ".join(info.devices)
    return f"  {build}: works (Python {info.python_version}, {devices}, in {info.sandbox})"


def _broken(framework: str, backend: str, reason: str, working: Sequence[str]) -> str:
    """What is said of a build that does not start; Keras 2 is no framework of its own."""
    build = f"{framework} on {backend}" if backend else framework
    others = [one for one in working if framework in FRAMEWORKS[one].brings]
    if others:
        return f"  {build}: served by {others[0]}, does not work by itself ({reason})"
    return f"  {build}: does not work ({reason})"


def _builds(interpreter: Interpreter) -> Iterator[tuple[str, str]]:
    """Each framework of an interpreter, with each backend that is there ("" where it has none)."""
    for name in interpreter.frameworks:
        backends = [one for one in FRAMEWORKS[name].backends if one in interpreter.installed]
        for backend in backends or [""]:
            yield name, backend


def _say(console: Console, text: str) -> None:
    indent = " " * (len(text) - len(text.lstrip(" ")))
    console.print(indent + plain(text), markup=False, highlight=False, soft_wrap=True)
