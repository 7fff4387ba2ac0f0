"""A confirmed suspect -> a script that shows its bug on one backend, and so a case.

The scripts that may do are tried on all backends: one is taken that fails where the vote says so
and passes elsewhere. What no formulation shows is compared with the majority's own numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from harvest.importers.model import Case
from harvest.sources.backends import Backends, Failure
from harvest.sources.formulas import ACTUAL, Formulation, as_literal
from harvest.sources.formulations import FORMULATIONS
from harvest.sources.function import Function
from harvest.sources.functions import functions
from harvest.sources.given import Given
from harvest.sources.layers import api
from harvest.sources.lowering import (
    equality,
    function_script,
    literal_numbers,
    lowered,
    seeded_numbers,
)
from harvest.sources.model import HitKind
from harvest.sources.networks import make_inputs
from harvest.sources.suspects import Confirmed, Suspect
from harvest.sources.writing import LITERAL, array_text, literal_script, seeded_script

CLOSE = "rtol=1e-4, atol=1e-5"
SEEDS = 3
"""Numbers that a script is tried with: some hide what others show."""
GIVEN = 4096
"""Given numbers that a script holds at most: scripts are read, and rewritten for each sibling."""
RUNS = Formulation(why="", lines=(ACTUAL,))
TOO_MANY = "only the network's own numbers show it, and they are too many for a script"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A case, or the reason why there is none."""

    case: Case | None
    reason: str = ""


def hand_over(
    backends: Backends, confirmed: Confirmed, measured: str, larger: Confirmed | None = None
) -> Handed:
    """Find the script; `measured` says what was measured, for those who read the case.

    `larger` is the same before it was made small, which may show what the small one does not.
    """
    odd = confirmed.judgement.vote.odd
    if not odd:
        return Handed(case=None, reason="no two of three backends agree, so nobody is voted out")
    found = (confirmed, *([larger] if larger is not None else []))
    short = [one for one in found if one.given is None or one.given.count <= GIVEN]
    if not short:
        return Handed(case=None, reason=TOO_MANY)
    for one in short:
        for script in _scripts(backends, one, odd[0]):
            if _shows(backends.script(script.code), confirmed):
                shown = _below(backends, one, script, odd[0])
                return Handed(case=_case(confirmed, shown, measured))
    return Handed(case=None, reason="no script shows it on one backend and passes on the others")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Script:
    """A script, and what it was made of: lines, the check of these, its seed or its numbers.

    `api` is the function that it was lowered to, `failure` how that failed.
    """

    code: str
    form: Formulation
    check: str = ""
    seed: int = 0
    numbers: Given | None = None
    api: str = ""
    failure: Failure | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Why both sides must agree, the lines, the check."""
        return _body(self.form, self.form.lines, self.check)


def _body(form: Formulation, lines: tuple[str, ...], check: str) -> tuple[str, ...]:
    why, last = (f"# {form.why}",) if form.why else (), (check,) if check else ()
    return (*why, *lines, *last)


def _below(backends: Backends, confirmed: Confirmed, script: _Script, odd: str) -> _Script:
    """The same on a function that the layer comes to, if that shows it too."""
    suspect = _with(confirmed.suspect, script.form)
    given = confirmed.weights.get("layer", ())
    for called in functions(suspect, odd):
        if len(called.weights) != len(given):
            continue
        lines = lowered(suspect, called, script.form, odd)
        if lines is None or not _does_the_same(backends, confirmed, script, called):
            continue
        if script.numbers is not None:
            numbers = literal_numbers(suspect, script.numbers.cut(suspect.shapes), called)
        else:
            shapes = {name: one.shape for name, one in zip(called.weights, given, strict=True)}
            numbers = seeded_numbers(suspect, shapes, script.seed)
        code = function_script(called, odd, _body(script.form, lines, script.check), numbers)
        told = backends.script(code, only=None if called.of_keras else (odd,))
        if _shows(told, confirmed):
            return replace(script, code=code, api=called.name, failure=told[odd])
    return script


def _does_the_same(
    backends: Backends, confirmed: Confirmed, script: _Script, called: Function
) -> bool:
    """Whether a function is what the layer comes to: where the vote says so, bug and all.

    What is refused there is compared where it runs. A function of the framework below may take
    and refuse other things than a layer does; it is to blame if the process dies.
    """
    judged, form, backend = confirmed.judgement, script.form, confirmed.judgement.vote.odd[0]
    if judged.kind is HitKind.CRASH:
        if not called.of_keras:
            return backend in judged.failures and judged.failures[backend].died != ""
        form, backend = RUNS, backend if judged.accepts else judged.vote.majority[0]
    suspect = _with(confirmed.suspect, form)
    lines = lowered(suspect, called, form, backend)
    if lines is None:
        return False
    both = equality(called, form, lines)
    code = _written(backend, suspect, confirmed, script.numbers, both, script.seed, form.other)
    return backends.script(code, only=(backend,))[backend] is None


def _shows(told: dict[str, Failure | None], confirmed: Confirmed) -> bool:
    """Whether it fails where it should, as it should, and nowhere else."""
    judged = confirmed.judgement
    if judged.accepts:
        return all((failure is None) == (name in judged.vote.odd) for name, failure in told.items())
    for name, failure in told.items():
        if name in judged.vote.majority and failure is not None:
            return False
        if name not in judged.vote.odd:
            continue
        crash = judged.kind is HitKind.CRASH
        expected = judged.failures[name].label if crash else "AssertionError"
        if failure is None or failure.label != expected:
            return False
    return True


def _scripts(backends: Backends, confirmed: Confirmed, odd: str) -> Iterator[_Script]:
    """Scripts with what they say of themselves, the one that is best for siblings first."""
    suspect = confirmed.suspect
    if confirmed.judgement.kind is HitKind.CRASH:
        call = "print(layer(x))" if confirmed.judgement.accepts else "layer(x)"
        bare = Formulation(why="", lines=(call,))
        if confirmed.given is None:
            yield _script(odd, replace(confirmed, weights={}), bare, "")
        yield _script(odd, confirmed, bare, "")
        return
    if confirmed.judgement.kind is HitKind.NON_FINITE:
        finite = Formulation(why="All inputs are finite.", lines=(ACTUAL,))
        yield _script(odd, confirmed, finite, "assert np.isfinite(actual).all()")
    check = f"assert np.allclose(actual, expected, {CLOSE})"
    for each in FORMULATIONS:
        form = each(suspect)
        if form is None:
            continue
        for seed in range(SEEDS if confirmed.given is None else 1):
            yield _script(odd, confirmed, form, check, seed)
    yield from _literal(backends, confirmed, odd, check)


def _script(
    odd: str, confirmed: Confirmed, form: Formulation, check: str, seed: int = 0
) -> _Script:
    made = _Script(code="", form=form, check=check, seed=seed, numbers=confirmed.given)
    suspect = _with(confirmed.suspect, form)
    code = _written(odd, suspect, confirmed, made.numbers, made.lines, seed, form.other)
    return replace(made, code=code)


def _written(
    odd: str,
    suspect: Suspect,
    confirmed: Confirmed,
    numbers: Given | None,
    lines: tuple[str, ...],
    seed: int = 0,
    other: Mapping[str, Any] | None = None,
) -> str:
    """A script with numbers from a seed, or with those that it takes."""
    if numbers is None:
        return seeded_script(odd, suspect, confirmed.weights, lines, seed, other)
    given = numbers.cut(suspect.shapes)
    return literal_script(odd, suspect, given.inputs, given.weights, lines, other)


def _with(suspect: Suspect, made: Formulation) -> Suspect:
    config = suspect.config if made.config is None else made.config
    return replace(suspect, config=config, shapes=made.shapes or suspect.shapes)


def _literal(backends: Backends, confirmed: Confirmed, odd: str, check: str) -> Iterator[_Script]:
    """All numbers written down, with what the majority makes of them, where they are few."""
    suspect, weights = confirmed.suspect, confirmed.weights.get("layer", ())
    network, given = suspect.network, confirmed.given
    majority = confirmed.judgement.vote.majority
    inputs = make_inputs(network, suspect.seed)
    if given is not None:
        inputs = dict(zip(network.inputs, given.inputs, strict=True))
    done = backends.run(network, confirmed.weights, inputs, only=majority[:1])[majority[0]]
    state = done.states.get("layer")
    most = LITERAL if given is None else GIVEN
    if state is None or sum(one.size for one in (state, *inputs.values(), *weights)) > most:
        return
    form = Formulation(
        why=f"What {' and '.join(majority)} come to.",
        lines=(f"expected = {array_text(state, 6)}", ACTUAL),
    )
    numbers = Given(inputs=tuple(inputs.values()), weights=weights)
    made = _Script(code="", form=form, check=check, numbers=numbers)
    yield replace(made, code=_written(odd, suspect, confirmed, numbers, made.lines))


def _case(confirmed: Confirmed, script: _Script, measured: str) -> Case:
    suspect = confirmed.suspect
    unusual = as_literal({name: suspect.config[name] for name in suspect.unusual})
    called = api(suspect.kind) + (f" with {unusual}" if unusual else "")
    if confirmed.judgement.accepts and not unusual:
        called += f" of {_inputs(suspect)}"  # it is the inputs that should be refused
    what, more = _told(confirmed, script.failure)
    title, first = f"{called} {what}", f"{called} {what}. {more}"
    if script.api:
        backend = f" on the {confirmed.judgement.vote.odd[0]} backend"
        alone = what if script.api.startswith("keras.") else what.replace(backend, "")
        title = f"{script.api} {alone}"
        first = f"{title}, as {called} shows. {more}"
    body = "\n\n".join(part for part in (first, script.form.why, measured) if part) + "\n"
    return Case(title=title, code=script.code, body=body)


def _inputs(suspect: Suspect) -> str:
    """The shapes of the inputs, in words."""
    shapes = " and ".join(str(shape) for shape in suspect.shapes)
    return f"{'inputs' if len(suspect.shapes) > 1 else 'an input'} of shape {shapes}"


def _told(confirmed: Confirmed, failure: Failure | None) -> tuple[str, str]:
    """What happens where, in words that the reading of reports knows; what happens elsewhere."""
    judged = confirmed.judgement
    odd, others = judged.vote.odd[0], " and ".join(judged.vote.majority)
    elsewhere = f"the {others} backend{'s' if len(judged.vote.majority) > 1 else ''}"
    if judged.accepts:
        failure = next(iter(judged.failures.values()))
        what = f"is accepted silently on the {odd} backend"
        return what, f"It should raise an error: it raises one on {elsewhere} ({failure.label})."
    if judged.kind is HitKind.CRASH:
        failure = failure or judged.failures[odd]
        said = f"\n\n```\n{failure.message[:500]}\n```" if failure.message else ""
        what = f"fails on the {odd} backend: {failure.label}"
        return what, f"It runs on {elsewhere}.{said}"
    if judged.kind is HitKind.NON_FINITE:
        what = f"returns NaN or infinity on the {odd} backend"
        return what, f"On {others} it does not."
    what = f"returns wrong values on the {odd} backend"
    return what, f"The results of {others} agree with each other."
