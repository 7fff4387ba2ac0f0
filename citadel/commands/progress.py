"""Progress on stderr: a bar on a terminal, a few lines elsewhere."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

_NAMED = 10
"""Findings that a terminal names one by one."""
_COUNTED = 10
"""Findings after which a log has their number."""


class Interrupted(Exception):
    """The user pressed Ctrl-C; what was finished by then has been written."""


class Progress:
    """Context manager; `update` may be called from any thread.

    `shown` tells whether somebody is watching: stderr is a terminal.
    """

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not self.shown,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Progress:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def update(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is; a stage appears when it is first named."""
        task = self._tasks.get(stage)
        if task is None:
            task = self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(task, completed=done, total=total)

    def describe(self, stage: str, text: str) -> None:
        """Say more about a stage that is shown."""
        if stage in self._tasks:
            self._bars.update(self._tasks[stage], description=f"{stage}: {text}")

    def finish(self, stage: str) -> None:
        """Take a stage off the screen."""
        task = self._tasks.pop(stage, None)
        if task is not None:
            self._bars.remove_task(task)

    def clear(self) -> None:
        """Take all stages off the screen."""
        for stage in list(self._tasks):
            self.finish(stage)

    def note(self, text: str) -> None:
        """A line on stderr that stays, terminal or not."""
        self._bars.console.print(text, markup=False, highlight=False, soft_wrap=True)


class Findings:
    """Tells findings as they come: the first ones by name, then how many there are.

    Where nobody watches only the first one is named: logs have the whole list in the results.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._named = _NAMED if progress.shown else 1
        self._next = 2 * _NAMED if progress.shown else _COUNTED
        self._count = 0

    def found(self, api: str) -> None:
        """One more sibling has the bug; counts come after each doubling."""
        self._count += 1
        if self._count <= self._named:
            self._progress.note(f"found: {api}")
        elif self._count == self._next:
            self._next *= 2
            self._progress.note(f"found: {self._count} so far")
