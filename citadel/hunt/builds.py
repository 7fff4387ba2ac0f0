"""Which builds a report is run on: all that the user named and that its code is about.

In: interpreters and a reading. Out: builds, each probed and indexed when the first report needs it,
before any worker starts: the index is then there for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.errors import CitadelError
from analysis.index import ApiIndex, cache_path
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.target import Interpreter, Target
from citadel.hunt.executor import Where
from citadel.model import TargetSummary
from citadel.selection import Choice, Unavailable, Wish, choose
from citadel.store.reports import Build
from citadel.workbench import summary
from harvest.report.model import Reading
from harvest.report.syntax import Refusal, imported_roots, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A build in this hunt: what the store keeps of it, where workers find it, how it is shown."""

    build: Build
    where: Where
    summary: TargetSummary


class Builds:
    """The builds of some interpreters; `opened` is told of each that is used."""

    def __init__(
        self,
        interpreters: Sequence[Interpreter],
        wish: Wish,
        find_index: Callable[[Target], ApiIndex],
        opened: Callable[[Site], None],
        *,
        no_sandbox: bool = False,
    ) -> None:
        self._interpreters = interpreters
        self._wish = wish
        self._find_index = find_index
        self._opened = opened
        self._no_sandbox = no_sandbox
        self._chosen: dict[tuple[str, Choice], str] = {}
        self.sites: dict[str, Site] = {}

    def of(self, reading: Reading) -> list[Site] | Unavailable:
        """The builds to run a report on, or why there is none.

        Raises:
            CitadelError: when a build does not work, or cannot be indexed.
        """
        about = _about(reading)
        found: dict[str, Site] = {}
        reason = ""
        for interpreter in self._interpreters:
            if self._wish.framework is None and about and not about & set(interpreter.frameworks):
                continue
            choice = choose(reading, self._wish, interpreter.frameworks, interpreter.installed)
            if isinstance(choice, Unavailable):
                reason = choice.reason
                continue
            site = self._site(interpreter, choice)
            found.setdefault(site.build.key, site)
        if found:
            return list(found.values())
        return Unavailable(reason=reason or f"no interpreter has {' or '.join(sorted(about))}")

    def stored(self, builds: Sequence[Build]) -> list[Build]:
        """Open builds that the store knows, where they were; returns those that are there no more.

        Where interpreters or a framework are named, builds of others are left alone.

        Raises:
            CitadelError: when one of them cannot be indexed.
        """
        gone: list[Build] = []
        named = {interpreter.python: interpreter for interpreter in self._interpreters}
        framework = self._wish.framework
        for build in builds:
            other = bool(named) and build.python not in named
            if other or framework not in (None, build.framework):
                continue
            try:
                interpreter = named.get(build.python) or Interpreter(
                    build.python, no_sandbox=self._no_sandbox
                )
                choice = Choice(framework=build.framework, backend=build.backend)
                same = self._target(interpreter, choice).info.key == build.key
            except CitadelError:
                same = False
            if same:
                self._site(interpreter, choice)
            else:
                gone.append(build)
        return gone

    def _target(self, interpreter: Interpreter, choice: Choice) -> Target:
        return interpreter.target(choice.framework, choice.backend or None)

    def _site(self, interpreter: Interpreter, choice: Choice) -> Site:
        chosen = (interpreter.python, choice)
        if chosen not in self._chosen:
            target = self._target(interpreter, choice)
            info = target.info
            self._chosen[chosen] = info.key
            if info.key not in self.sites:
                index = self._find_index(target)
                where = Where(
                    python=interpreter.python,
                    framework=choice.framework,
                    backend=choice.backend,
                    no_sandbox=self._no_sandbox,
                )
                site = Site(build=_build(target, index), where=where, summary=summary(target))
                self.sites[info.key] = site
                self._opened(site)
        return self.sites[self._chosen[chosen]]


def _about(reading: Reading) -> frozenset[str]:
    """The frameworks that a report's code imports."""
    trees = (parse(snippet.code) for snippet in reading.candidates)
    roots = (imported_roots(tree) for tree in trees if not isinstance(tree, Refusal))
    return frozenset().union(*roots) & frozenset(FRAMEWORKS)


def _build(target: Target, index: ApiIndex) -> Build:
    info = target.info
    return Build(
        key=info.key,
        framework=info.framework,
        version=info.version,
        python=info.python,
        backend=info.backend,
        devices=tuple(info.devices),
        sandbox=str(info.sandbox),
        apis=len(index.catalog.apis),
        index=cache_path(info.framework, info.version, info.key).name,
    )
