"""NaN on every backend -> a script that shows it, unless it must be so.

Nobody can be voted out here, but Audee's oracle (section 4.3) needs no vote: finite numbers that
become NaN are a bug, unless the mathematics demands it. That is asked of double precision: what is
NaN there as well is demanded (the root of a negative number), and what leaves the range of single
precision is an overflow. A layer whose result is an ordinary number there is a case, if it takes
no numbers so large that products of two of them leave the range: those overflow in any formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from harvest.importers.model import Case
from harvest.sources.audee.amplifying import Prepared
from harvest.sources.backends import Backends, Failure
from harvest.sources.formulas import ACTUAL, as_literal
from harvest.sources.layers import FUNCTION, api
from harvest.sources.suspects import Suspect
from harvest.sources.writing import LITERAL, literal_script, named, seeded_script

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from harvest.sources.networks import Array

SCALES = (1.0, 0.0, 100.0, 1e10, 1e15)
"""What inputs from a seed are multiplied by, the smallest that shows it first: the exponential of
some hundreds is a number in double precision only."""
SECONDS = 6.0
"""What making the script smaller may take."""
DEMANDED = "it is no number in double precision either: these parameters and inputs demand it"
BEYOND = "an overflow: in double precision the result is beyond the range of single precision"
EARLIER = "what comes in is not finite: a layer before has overflowed"
NO_SCRIPT = "only inputs that the search found show it, and they are too many for a script"
NO_DOUBLE = "it does not run in double precision, so nothing says whether it must be so"
WHY = "# All inputs and weights are finite, and in double precision so is the result."
CHECK = "assert not np.isnan(actual).any()"
LARGEST = float(np.finfo("float32").max)
SAFE = 1e16
"""The products of two numbers up to this, a million of them summed up, are below `LARGEST`."""
PRODUCTS = "an overflow: products of numbers as large as these are beyond single precision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A case, or the known limit that explains the NaN, or why there is neither."""

    case: Case | None = None
    limit: str = ""
    no_case: str = ""


def explain(backends: Backends, suspect: Suspect, given: Prepared, measured: str) -> Explained:
    """What is to be said of a layer that has made NaN on every backend of what it was given."""
    for form in _forms(suspect, given):
        if not form.shows(backends, backends.names):
            continue
        told = form.in_double(backends)
        if told:
            return Explained(no_case=NO_DOUBLE) if told is NO_DOUBLE else Explained(limit=told)
        small = form.smaller(backends)
        return Explained(case=_case(small, backends, measured))
    if not _finite(given):
        return Explained(limit=EARLIER)
    told = _doubled(backends, suspect, given)
    if told in (DEMANDED, BEYOND):
        return Explained(limit=told)
    if _largest(given) > SAFE:
        return Explained(limit=PRODUCTS)
    return Explained(no_case=told or NO_SCRIPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """A way to write the layer down: with numbers from a seed, or, where `given`, with these."""

    suspect: Suspect
    found: Prepared
    scale: float = 1.0
    given: bool = False

    def code(self, backend: str, *, double: bool = False) -> str:
        """The script; in double precision it says what the result is by how it fails."""
        suspect = self.suspect
        lines: tuple[str, ...] = (WHY, ACTUAL, CHECK)
        if double:
            suspect = _double(suspect)
            lines = (
                *self._each('{0} = {0}.astype("float64")'),
                ACTUAL,
                f"assert not np.isnan(actual).any(), {DEMANDED!r}",
                f"assert np.abs(actual).max(initial=0) <= {LARGEST!r}, {BEYOND!r}",
            )
        weights = self.found.weights
        if self.given:
            given = self.found.inputs.values()
            return literal_script(backend, suspect, given, weights.get("layer", ()), lines)
        scaled = self._each(f"{{0}} = {{0}} * np.float32({self.scale:g})")
        return seeded_script(
            backend, suspect, weights, (*(scaled if self.scale != 1 else ()), *lines)
        )

    def _each(self, line: str) -> tuple[str, ...]:
        """Lines that change every input of floating numbers."""
        names = named(self.suspect)
        if isinstance(self.suspect.domain, int):
            return ()
        lines = [line.format(name) for name in names]
        return (*lines, *([f"x = [{', '.join(names)}]"] if len(names) > 1 else []))

    def shows(self, backends: Backends, names: tuple[str, ...]) -> bool:
        """Whether the script fails by NaN on these backends."""
        told = backends.script(self.code(names[0]), only=names).values()
        return all(one is not None and one.label == "AssertionError" for one in told)

    def in_double(self, backends: Backends) -> str:
        """Why it must be so; "" if one backend has a number that single precision can hold."""
        code = self.code(backends.quick[0], double=True)
        return _least_of([_told(one) for one in backends.script(code, backends.quick).values()])

    def smaller(self, backends: Backends) -> _Form:
        """The same with fewer parameters and smaller inputs, or with rounder numbers where these
        are given, if that shows it as well."""
        from harvest.sources.strategies import least  # imports Hypothesis

        one = backends.quick[:1]
        made = least(self._simpler(), lambda form: form.shows(backends, one), SECONDS)
        fine = made and made.shows(backends, backends.names) and not made.in_double(backends)
        return made if made and fine else self

    def _simpler(self) -> SearchStrategy[_Form]:
        from hypothesis import strategies as st

        from harvest.sources.strategies import simpler, smaller

        if not self.given:
            return smaller(self.suspect).map(lambda suspect: replace(self, suspect=suspect))
        names, layer = tuple(self.found.inputs), self.found.weights.get("layer", ())
        arrays = (*self.found.inputs.values(), *layer)

        def form(made: tuple[Array, ...]) -> _Form:
            inputs = dict(zip(names, made, strict=False))
            weights = {"layer": made[len(names) :]}
            return replace(self, found=replace(self.found, inputs=inputs, weights=weights))

        return st.tuples(*map(simpler, arrays)).map(form)


def _forms(suspect: Suspect, given: Prepared) -> Iterator[_Form]:
    """Forms of a suspect, those that are read more easily first."""
    whole = isinstance(suspect.domain, int)
    for scale in SCALES[:1] if whole else SCALES:
        yield _Form(suspect=suspect, found=given, scale=scale)
    arrays = (*given.inputs.values(), *given.weights.get("layer", ()))
    small = sum(one.size for one in arrays) <= LITERAL
    if small and _finite(given) and _largest(given) <= SAFE:
        yield _Form(suspect=suspect, found=given, given=True)


def _finite(given: Prepared) -> bool:
    """Whether no input is NaN or infinite; weights never are."""
    return all(bool(np.isfinite(one).all()) for one in given.inputs.values())


def _largest(given: Prepared) -> float:
    """The largest magnitude of inputs and weights."""
    arrays = (*given.inputs.values(), *given.weights.get("layer", ()))
    return max((float(np.abs(one).max(initial=0)) for one in arrays), default=0.0)


def _told(failure: Failure | None) -> str:
    """What the end of a script in double precision says."""
    if failure is None:
        return ""
    said = failure.message if failure.label == "AssertionError" else ""
    return next((one for one in (DEMANDED, BEYOND) if one in said), NO_DOUBLE)


def _doubled(backends: Backends, suspect: Suspect, given: Prepared) -> str:
    """What double precision says of these very inputs and weights."""
    suspect = _double(suspect)
    inputs = {
        name: one.astype("float64") if one.dtype.kind == "f" else one
        for name, one in given.inputs.items()
    }
    done = backends.run(suspect.network, given.weights, inputs, only=backends.quick)
    states = [one.states.get("layer") for one in done.values()]
    found = []
    for state in states:
        if state is None:
            found.append(NO_DOUBLE)
        elif np.isnan(state).any():
            found.append(DEMANDED)
        else:
            found.append("" if np.abs(state).max(initial=0) <= LARGEST else BEYOND)
    return _least_of(found)


def _double(suspect: Suspect) -> Suspect:
    """The layer in double precision; functions go by their inputs."""
    if suspect.kind.startswith(FUNCTION):
        return suspect
    return replace(suspect, config={**suspect.config, "dtype": "float64"})


def _least_of(told: list[str]) -> str:
    """What speaks for a bug most: a number on one backend is enough."""
    return min(told, key=("", BEYOND, DEMANDED, NO_DOUBLE).index)


def _case(form: _Form, backends: Backends, measured: str) -> Case:
    suspect = form.suspect
    unusual = as_literal({name: suspect.config[name] for name in suspect.unusual})
    called = api(suspect.kind) + (f" with {unusual}" if unusual else "")
    title = f"{called} returns NaN"
    everywhere = " and ".join(backends.names)
    body = (
        f"{title} for finite inputs and finite weights, on {everywhere} alike.\n\n"
        "It should return numbers: in double precision the same layer does, and single precision"
        f" can hold them.\n\n{measured}\n"
    )
    return Case(title=title, code=form.code(backends.names[0]), body=body)
