"""Where else the first case of a triage fails: other ways to run it, backends, and releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from analysis.catalog.model import Catalog
from analysis.target.frameworks import FRAMEWORKS, Late
from analysis.target.session import Limits, Session
from analysis.target.target import Interpreter, Target
from citadel.elsewhere import Script, at, in_ways
from citadel.model import SymptomKind, Triage
from citadel.places import Elsewhere, Place, release_order
from citadel.report.headline import is_measured
from citadel.report.lead import lead
from citadel.report.order import ranked
from citadel.report.text import plain
from citadel.selection import used_late, variables
from harvest.report.model import Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """What a first case is run on beside its own session: the same build in other ways, on its
    other `backends`, and builds of `others`. What cannot be run there is a `note` to the user."""

    target: Target
    catalog: Catalog
    backends: Callable[[Target], list[Target]]
    others: Sequence[Interpreter]
    limits: Limits
    note: Callable[[str], None]


def placed(done: Triage, reading: Reading, where: Placing) -> Triage:
    """The triage, with what its first case, which is not reduced, says elsewhere; as it is where
    that case is no test, or hangs: nobody waits for that once more."""
    first = None if done.case is None else lead(done.case, ranked(done.bugs))
    if first is None or not first.fails or first.symptom.kind is SymptomKind.HANGS:
        return done
    script = Script(code=first.code, control=first.control, api=first.api, symptom=first.symptom)
    runs = _Runs(script, reading, where)
    ways, releases = tuple(runs.ways()), tuple(runs.releases())
    found = Elsewhere(api=first.api, ways=ways, releases=releases)
    return replace(done, elsewhere=found)


@dataclass(frozen=True)
class _Runs:
    """Runs of one script; what goes wrong in one place spoils no other, and no finding."""

    script: Script
    reading: Reading
    where: Placing

    def ways(self) -> list[Place]:
        """The build's other backends, and the ways to run the case on it."""
        target = self.where.target
        found: list[Place] = []
        others = self._kept(lambda: self.where.backends(target)) or []
        for one in (target, *others) if others else ():
            found += self._on(one, one.info.backend)
        return [*found, *(self._kept(self._compiled) or ())]

    def _compiled(self) -> list[Place]:
        known = FRAMEWORKS[self.where.target.info.framework]
        # What is compiled while a clock runs would count as the API's own time.
        if not known.ways or is_measured(self.script.symptom):
            return []
        api = self.where.catalog.apis.get(self.script.api)
        names = (self.script.api, *(() if api is None else api.aliases))
        with self._session(self.where.target, known.late) as session:
            return list(in_ways(self.script, names, known.name, session, self.where.limits))

    def releases(self) -> list[Place]:
        """The case on this build and on the others that have its framework, in their order."""
        info = self.where.target.info
        builds = {info.python: self.where.target}
        for one in self.where.others:
            if info.framework not in one.frameworks:
                self.where.note(f"{one.python} has no {info.framework}")
                continue
            target = self._kept(partial(one.target, info.framework, info.backend or None))
            if target is not None:
                builds.setdefault(target.info.python, target)
        if len(builds) == 1:
            return []
        ordered = sorted(builds.values(), key=lambda one: release_order(one.info.version))
        return [place for one in ordered for place in self._on(one, one.info.version)]

    def _on(self, target: Target, name: str) -> list[Place]:
        def run() -> Place:
            late = used_late(self.reading, FRAMEWORKS[target.info.framework])
            with self._session(target, late) as session:
                return at(name, self.script, session, self.where.limits)

        found = self._kept(run)
        return [] if found is None else [found]

    def _session(self, target: Target, late: Sequence[Late]) -> Session:
        """A session with the environment that the report asks for, and what is imported late."""
        known = FRAMEWORKS[target.info.framework]
        asked = {name: value for one in late for name, value in one.variables.items()}
        modules = [module for one in late for module in one.modules]
        session = target.session()
        session.ask_for({**asked, **variables(self.reading, known)}, modules)
        return session

    def _kept(self, run: Callable[[], T]) -> T | None:
        """What a run gives; None, and a note, where it cannot be made."""
        try:
            return run()
        except Exception as problem:  # what is found must not be lost by what only dates it
            self.where.note(plain(f"not run: {problem}"))
            return None
