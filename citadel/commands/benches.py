"""The workbenches of one interpreter: one per framework and backend that its reports are about.

Each is made when the first report needs it, and kept: the fork servers of a build import its
framework on one backend, which cannot be changed afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from analysis.errors import CitadelError
from analysis.index import ApiIndex, is_kept
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.target import Interpreter, Target
from citadel.model import Triage
from citadel.selection import Choice, Unavailable, Wish, choose, with_installed
from citadel.workbench import Stand, Workbench, baseline_of
from harvest.report.model import Reading


class Benches:
    """Context manager; `find_index` gives the index of a target, `opened` is told of each bench.

    `baseline` has the builds that measurements are compared with.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        wish: Wish,
        find_index: Callable[[Target], ApiIndex],
        opened: Callable[[Workbench], None],
        *,
        jobs: int,
        baseline: Interpreter | None = None,
    ) -> None:
        self._interpreter = interpreter
        self._baseline = baseline
        self._wish = wish
        self._find_index = find_index
        self._opened = opened
        self._jobs = jobs
        self._open: dict[Choice, Workbench] = {}
        self._stands: dict[Choice, Stand] = {}
        self._failed: dict[Choice, CitadelError] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def stand(self, reading: Reading) -> Stand | Unavailable:
        """What reproduces a report on the build that it is about, at once: the bench of that build,
        or a stand where the bench would have to wait for an index.

        Raises:
            CitadelError: when that build does not work.
        """
        choice = self._choice(reading)
        if isinstance(choice, Unavailable):
            return choice
        if choice in self._open or is_kept(self._target(choice)):
            return self._bench(choice)
        if choice not in self._stands:
            target, baseline, beside = self._builds(choice)
            stand = Stand(target, baseline=baseline, beside=beside)
            self._stands[choice] = self._stack.enter_context(stand)
        return self._stands[choice]

    def of(self, reading: Reading) -> Workbench:
        """The bench of the build that a report is about, where it is available.

        Raises:
            CitadelError: when that build does not work, or cannot be indexed.
        """
        choice = self._choice(reading)
        if isinstance(choice, Unavailable):
            raise CitadelError(choice.reason)
        return self._bench(choice)

    def _choice(self, reading: Reading) -> Choice | Unavailable:
        known = self._interpreter
        return choose(reading, self._wish, known.frameworks, known.installed)

    def _target(self, choice: Choice) -> Target:
        return self._interpreter.target(choice.framework, choice.backend or None)

    def _builds(self, choice: Choice) -> tuple[Target, Target | None, Target | None]:
        """The build, the one that measurements are compared with, and the other backend."""
        target = self._target(choice)
        other = choice.beside and self._interpreter.target(choice.framework, choice.beside)
        return target, baseline_of(target, self._baseline), other or None

    def _bench(self, choice: Choice) -> Workbench:
        if choice not in self._open:
            target, baseline, beside = self._builds(choice)
            if choice in self._failed:
                raise self._failed[choice]
            try:
                index = self._find_index(target)
            except CitadelError as problem:
                self._failed[choice] = problem  # it takes minutes to fail again
                raise
            if choice in self._stands:  # its fork servers are not needed any more
                self._stands.pop(choice).close()
            bench = Workbench(target, index, jobs=self._jobs, baseline=baseline, beside=beside)
            self._open[choice] = self._stack.enter_context(bench)
            self._opened(bench)
        return self._open[choice]

    def readable(self, reading: Reading) -> Reading:
        """The reading, as far as this interpreter has what it needs."""
        return with_installed(reading, self._interpreter.installed)

    @property
    def unusable(self) -> bool:
        """Whether no build has worked yet."""
        return not self._open and not self._stands

    def target(self, triage: Triage) -> Target:
        """The build that a report was run on."""
        build = triage.case.build if triage.case is not None else ""
        found = (stand.target for stand in (*self._open.values(), *self._stands.values()))
        return next((one for one in found if one.info.key == build), self.any())

    def other_backends(self, target: Target) -> list[Target]:
        """The same framework on its other backends, as far as they are installed."""
        known = FRAMEWORKS[target.info.framework]
        found = []
        for backend in known.backends:
            if backend != target.info.backend and backend in self._interpreter.installed:
                found.append(self._interpreter.target(known.name, backend))
        return found

    def any(self) -> Target:
        """The target of the first bench, the usual one where there is none: for outputs."""
        for stand in (*self._open.values(), *self._stands.values()):
            return stand.target
        framework = self._wish.framework
        return self._interpreter.target(framework, self._wish.backend)

    def abort(self) -> None:
        """End all fork servers for good, whatever other threads do with them."""
        for stand in (*self._open.values(), *self._stands.values()):
            stand.abort()
