"""What a run of Citadel holds on to: the target, its index, and warm fork servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from types import TracebackType
from typing import Self

from analysis.catalog.model import Api, Catalog
from analysis.index import ApiIndex, names_of
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.session import Baseline, Session
from analysis.target.target import Interpreter, Target
from citadel.family.operations import Operations
from citadel.model import TargetSummary
from citadel.plan.lexicon import learnt
from citadel.plan.samples import SampleBook


class Stand:
    """Context manager: what it takes to reproduce a report, `jobs` sessions and a catalog.

    `baseline` is another build of the framework, with which measurements are compared; `beside` the
    same on another backend, with which values are. Without a `catalog` the build is asked for it.
    """

    def __init__(
        self,
        target: Target,
        catalog: Catalog | None = None,
        *,
        jobs: int = 1,
        baseline: Target | None = None,
        beside: Target | None = None,
    ) -> None:
        self.target = target
        self.replays: tuple[Session, ...] = tuple(target.session() for _ in range(max(1, jobs)))
        self.probes: tuple[Session, ...] = ()
        if baseline is not None:
            name = f"{baseline.info.framework} {baseline.info.version}"
            for session in self.replays:
                session.baseline = Baseline(session=baseline.session(), name=name)
        if beside is not None:
            for session in self.replays:
                session.beside = Baseline(session=beside.session(), name=beside.info.backend)
        try:
            self.catalog = names_of(target, self.replays[0]) if catalog is None else catalog
        except BaseException:
            self.close()  # nobody else knows of its fork server
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def ask_for(self, variables: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        """Have these environment variables, and modules imported, in all fork servers."""
        for session in self._sessions():
            session.ask_for(variables, modules)

    def share_imports(self) -> None:
        """Have imported everywhere what runs of the first session have imported late."""
        for session in (*self.replays, *self.probes):
            session.load(self.replays[0].loaded)

    def close(self) -> None:
        """End all fork servers; running jobs die with them."""
        for session in self._sessions():
            session.close()

    def abort(self) -> None:
        """End all fork servers for good, whatever other threads do with them."""
        for session in self._sessions():
            session.abort()

    def _sessions(self) -> Iterator[Session]:
        yield from (*self.replays, *self.probes)
        for one in self.replays:
            yield from (other.session for other in (one.baseline, one.beside) if other is not None)

    def summary(self) -> TargetSummary:
        """The build under test, for outputs."""
        return summary(self.target)


class Workbench(Stand):
    """A stand with the index of its build, and as many sessions that try plans as it has jobs."""

    def __init__(
        self,
        target: Target,
        index: ApiIndex,
        *,
        jobs: int = 2,
        baseline: Target | None = None,
        beside: Target | None = None,
    ) -> None:
        super().__init__(target, index.catalog, jobs=jobs, baseline=baseline, beside=beside)
        self.index = index
        self.samples = SampleBook(index)
        self.lexicon = learnt(index.catalog.apis.values())
        self.operations = Operations(index)
        self.probes = tuple(target.session() for _ in range(max(1, jobs)))

    def knowing(self, apis: Sequence[Api]) -> Self:
        """The same bench with further APIs in its catalog; it closes nothing."""
        found = copy(self)
        known = {**self.catalog.apis, **{api.name: api for api in apis}}
        found.catalog = Catalog(apis=known, runs=self.catalog.runs)
        return found


def summary(target: Target) -> TargetSummary:
    """A build under test, for outputs."""
    info = target.info
    return TargetSummary(
        python=info.python,
        framework=info.framework,
        version=f"{info.version} ({info.runs_on})" if info.runs_on else info.version,
        devices=info.devices,
        sandbox=str(info.sandbox),
        settings=tuple(FRAMEWORKS[info.framework].settings(info.backend).items()),
        python_version=info.python_version,
    )


def baseline_of(target: Target, interpreter: Interpreter | None) -> Target | None:
    """The build of an interpreter that measurements are compared with: of the target's framework,
    if the interpreter has that, and in another build than the target's own.

    Raises:
        CitadelError: when that build does not work.
    """
    info = target.info
    if interpreter is None or info.framework not in interpreter.frameworks:
        return None
    found = interpreter.target(info.framework, info.backend or None)
    return None if found.info.key == info.key else found


def others(interpreter: Interpreter, target: Target) -> list[str]:
    """The frameworks that an interpreter has beside the target's."""
    return [name for name in interpreter.frameworks if name != target.info.framework]
