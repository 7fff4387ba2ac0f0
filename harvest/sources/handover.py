"""A confirmed suspect -> a script that shows its bug on one backend, and so a case.

The scripts that may do are tried on all backends: one is taken that fails where the vote says so
and passes elsewhere. What no formulation shows is compared with the majority's own numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from harvest.importers.model import Case
from harvest.sources.backends import Backends, Failure
from harvest.sources.formulas import ACTUAL, Formulation, as_literal
from harvest.sources.formulations import FORMULATIONS
from harvest.sources.layers import api
from harvest.sources.lowering import function, lowered
from harvest.sources.model import HitKind
from harvest.sources.networks import make_inputs
from harvest.sources.suspects import Confirmed, Suspect
from harvest.sources.writing import LITERAL, array_text, literal_script, seeded, seeded_script

CLOSE = "rtol=1e-4, atol=1e-5"
SEEDS = 3
"""Numbers that a script is tried with: some hide what others show."""


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
    for one in (confirmed, larger):
        for script in _scripts(backends, one, odd[0]) if one is not None else ():
            if _shows(backends.script(script.code), confirmed):
                shown = _below(backends, script, odd[0])
                return Handed(case=_case(confirmed, shown, measured))
    return Handed(case=None, reason="no script shows it on one backend and passes on the others")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Script:
    """A script, why both sides must agree, and what it was made of, where it can be lowered."""

    code: str
    why: str = ""
    lines: tuple[str, ...] = ()
    suspect: Suspect | None = None
    seed: int = 0
    api: str = ""


def _below(backends: Backends, script: _Script, odd: str) -> _Script:
    """The same on the backend's own framework, if that shows it too."""
    if script.suspect is None:
        return script
    lines = lowered(script.suspect, odd, script.lines)
    called = function(script.suspect, odd)
    if lines is None or called is None:
        return script
    (x,) = script.suspect.shapes
    first, *rest = lines
    made = f"rng = np.random.default_rng({script.seed})", f"x = {seeded(script.suspect, x)}"
    code = "\n".join(("import numpy as np", first, "", *made, *rest, ""))
    failure = backends.script(code, only=(odd,))[odd]
    if failure is None or failure.label != "AssertionError":
        return script
    return replace(script, code=code, api=called[0])


def _shows(told: dict[str, Failure | None], confirmed: Confirmed) -> bool:
    """Whether it fails where it should, as it should, and nowhere else."""
    vote = confirmed.judgement.vote
    if confirmed.judgement.accepts:
        return all((failure is None) == (name in vote.odd) for name, failure in told.items())
    for name, failure in told.items():
        if name in vote.majority and failure is not None:
            return False
        if name not in vote.odd:
            continue
        if failure is None:
            return False
        crash = confirmed.judgement.kind is HitKind.CRASH
        if not crash and failure.label != "AssertionError":
            return False
    return True


def _scripts(backends: Backends, confirmed: Confirmed, odd: str) -> Iterator[_Script]:
    """Scripts with what they say of themselves, the one that is best for siblings first."""
    suspect, weights = confirmed.suspect, confirmed.weights
    if confirmed.judgement.kind is HitKind.CRASH:
        call = "print(layer(x))" if confirmed.judgement.accepts else "layer(x)"
        for given in ({}, weights):
            yield _Script(code=seeded_script(odd, suspect, given, (call,)))
        return
    if confirmed.judgement.kind is HitKind.NON_FINITE:
        lines: tuple[str, ...] = (ACTUAL, "assert np.isfinite(actual).all()")
        code = seeded_script(odd, suspect, weights, lines)
        yield _Script(code=code, why="All inputs are finite.")
    check = f"assert np.allclose(actual, expected, {CLOSE})"
    for form in FORMULATIONS:
        made = form(suspect)
        if made is None:
            continue
        lines = (f"# {made.why}", *made.lines, check)
        for seed in range(SEEDS):
            changed = _with(suspect, made)
            code = seeded_script(odd, changed, weights, lines, seed)
            yield _Script(code=code, why=made.why, lines=lines, suspect=changed, seed=seed)
    yield from _literal(backends, confirmed, odd, check)


def _with(suspect: Suspect, made: Formulation) -> Suspect:
    config = suspect.config if made.config is None else made.config
    return replace(suspect, config=config, shapes=made.shapes or suspect.shapes)


def _literal(backends: Backends, confirmed: Confirmed, odd: str, check: str) -> Iterator[_Script]:
    """All numbers written down, with what the majority makes of them, where they are few."""
    suspect, weights = confirmed.suspect, confirmed.weights.get("layer", ())
    network = suspect.network
    majority = confirmed.judgement.vote.majority
    inputs = make_inputs(network, suspect.seed)
    done = backends.run(network, confirmed.weights, inputs, only=majority[:1])[majority[0]]
    state = done.states.get("layer")
    if state is None or sum(one.size for one in (state, *inputs.values(), *weights)) > LITERAL:
        return
    why = f"What {' and '.join(majority)} come to."
    lines = (f"# {why}", f"expected = {array_text(state)}", ACTUAL, check)
    yield _Script(code=literal_script(odd, suspect, inputs, weights, lines), why=why)


def _case(confirmed: Confirmed, script: _Script, measured: str) -> Case:
    suspect = confirmed.suspect
    unusual = as_literal({name: suspect.config[name] for name in suspect.unusual})
    called = api(suspect.kind) + (f" with {unusual}" if unusual else "")
    if confirmed.judgement.accepts and not unusual:
        called += f" of {_inputs(suspect)}"  # it is the inputs that should be refused
    what, more = _told(confirmed)
    parts = (f"{called} {what}. {more}", script.why, measured)
    body = "\n\n".join(part for part in parts if part) + "\n"
    title = f"{called} {what}"
    if script.api:
        title = f"{script.api} returns wrong values"
        body = f"{title}, as Keras shows: {body}"
    return Case(title=title, code=script.code, body=body)


def _inputs(suspect: Suspect) -> str:
    """The shapes of the inputs, in words."""
    shapes = " and ".join(str(shape) for shape in suspect.shapes)
    return f"{'inputs' if len(suspect.shapes) > 1 else 'an input'} of shape {shapes}"


def _told(confirmed: Confirmed) -> tuple[str, str]:
    """What happens where, in words that the reading of reports knows; what happens elsewhere."""
    judged = confirmed.judgement
    odd, others = judged.vote.odd[0], " and ".join(judged.vote.majority)
    if judged.accepts:
        failure = next(iter(judged.failures.values()))
        what = f"is accepted silently on the {odd} backend"
        return what, f"It should raise an error: {others} refuse it ({failure.label})."
    if judged.kind is HitKind.CRASH:
        failure = judged.failures[odd]
        said = f"\n\n```\n{failure.message[:500]}\n```" if failure.message else ""
        what = f"fails on the {odd} backend: {failure.label}"
        return what, f"It runs on {others}.{said}"
    if judged.kind is HitKind.NON_FINITE:
        what = f"returns NaN or infinity on the {odd} backend"
        return what, f"On {others} it does not."
    what = f"returns wrong values on the {odd} backend"
    return what, f"The results of {others} agree with each other."
