"""Where else the first case of a triage fails: other ways to run it, backends, and releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Catalog
from analysis.errors import CitadelError
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.session import Limits
from analysis.target.target import Interpreter, Target
from citadel.elsewhere import Script, at, in_ways
from citadel.model import SymptomKind, Triage
from citadel.places import Elsewhere, Place, release_order
from citadel.report.lead import lead
from citadel.report.order import ranked
from citadel.selection import variables
from harvest.report.model import Reading

_NEVER_AGAIN = (SymptomKind.HANGS, SymptomKind.SLOW, SymptomKind.MEMORY)
"""Nobody waits for a hang once more; what a clock says is told by `--baseline`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """What a first case is run on beside its own session: the same build on other `backends`, and
    builds of `others`."""

    target: Target
    catalog: Catalog
    backends: Sequence[Target]
    others: Sequence[Interpreter]
    limits: Limits


def placed(done: Triage, reading: Reading, where: Placing) -> Triage:
    """The triage, with what its first case, which is not reduced, says elsewhere; as it is where
    that case is no test."""
    first = None if done.case is None else lead(done.case, ranked(done.bugs))
    if first is None or not first.fails or first.symptom.kind in _NEVER_AGAIN:
        return done
    script = Script(code=first.code, control=first.control, api=first.api, symptom=first.symptom)
    try:
        ways = tuple(_ways(script, reading, where))
        releases = tuple(_releases(script, where))
    except CitadelError:  # what is found must not be lost by what only dates it
        return done
    return replace(done, elsewhere=Elsewhere(ways=ways, releases=releases))


def _ways(script: Script, reading: Reading, where: Placing) -> Iterator[Place]:
    info = where.target.info
    known = FRAMEWORKS[info.framework]
    if where.backends:
        yield _on(where.target, script, where.limits, info.backend)
    for other in where.backends:
        yield _on(other, script, where.limits, other.info.backend)
    if not known.ways:
        return
    api = where.catalog.apis.get(script.api)
    names = (script.api, *(() if api is None else api.aliases))
    asked = {name: value for one in known.late for name, value in one.variables.items()}
    modules = [module for one in known.late for module in one.modules]
    with where.target.session() as session:
        session.ask_for({**asked, **variables(reading, known)}, modules)
        yield from in_ways(script, names, known.name, session, where.limits)


def _releases(script: Script, where: Placing) -> list[Place]:
    """The case on this build and on the others that have its framework, in their order."""
    info = where.target.info
    builds = [where.target]
    for interpreter in where.others:
        if info.framework in interpreter.frameworks:
            builds.append(interpreter.target(info.framework, info.backend or None))
    if len(builds) == 1:
        return []
    builds.sort(key=lambda one: release_order(one.info.version))
    return [_on(one, script, where.limits, one.info.version) for one in builds]


def _on(target: Target, script: Script, limits: Limits, name: str) -> Place:
    with target.session() as session:
        return at(name, script, session, limits)
