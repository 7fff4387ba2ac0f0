"""`citadel doctor`: what works on this machine, and what to do about what does not."""

from __future__ import annotations

from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.sandbox import has_bubblewrap, has_landlock
from analysis.target.target import probe


def examine(python: str, console: Console) -> bool:
    """Print one line per check; returns whether cases can be run."""
    checks = (
        ("bubblewrap", has_bubblewrap(), "apt install bubblewrap; allow user namespaces"),
        ("Landlock", has_landlock(), "only needed where bubblewrap does not work"),
    )
    for name, works, advice in checks:
        state = "works" if works else f"missing ({advice})"
        console.print(f"sandbox {name}: {state}", markup=False, highlight=False)
    try:
        info = probe(python).info
    except CitadelError as problem:
        console.print(f"error: {problem.message}", markup=False, highlight=False)
        console.print(f"hint: {problem.hint}", markup=False, highlight=False)
        return False
    console.print(
        f"{info.python}: {info.framework} {info.version}, Python {info.python_version}, "
        f"{', '.join(info.devices)}; runs in {info.sandbox}",
        markup=False,
        highlight=False,
    )
    return True
