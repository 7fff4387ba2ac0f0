"""A confirmed suspect -> a script that shows its bug on one backend, and so a case.

The scripts that may do are tried on all backends: one is taken that fails where the vote says so
and passes elsewhere. What no formulation shows is compared with the majority's own numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harvest.importers.model import Case
from harvest.sources.backends import Backends, Failure
from harvest.sources.formulations import FORMULATIONS, Formulation
from harvest.sources.model import HitKind
from harvest.sources.networks import Array, Weights, make_inputs
from harvest.sources.strategies import as_literal
from harvest.sources.suspects import Confirmed, Suspect

LITERAL = 64
"""Longer arrays are not written into a script."""
WEIGHTED = "layer.set_weights([rng.uniform(0.2, 0.8, w.shape) for w in layer.get_weights()])"
"""Positive ones: layers divide by the roots of some."""
CLOSE = "rtol=1e-3, atol=1e-3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A case, or the reason why there is none."""

    case: Case | None
    reason: str = ""


def hand_over(backends: Backends, confirmed: Confirmed, measured: str) -> Handed:
    """Find the script; `measured` says what was measured, for those who read the case."""
    odd = confirmed.judgement.vote.odd
    if not odd:
        return Handed(case=None, reason="no two of three backends agree, so nobody is voted out")
    for code, why in _scripts(backends, confirmed, odd[0]):
        told = backends.script(code)
        if _shows(told, confirmed):
            return Handed(case=_case(confirmed, code, why, measured))
    return Handed(case=None, reason="no script shows it on one backend and passes on the others")


def _shows(told: dict[str, Failure | None], confirmed: Confirmed) -> bool:
    """Whether it fails where it should, as it should, and nowhere else."""
    vote = confirmed.judgement.vote
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


def _scripts(backends: Backends, confirmed: Confirmed, odd: str) -> Iterator[tuple[str, str]]:
    suspect = confirmed.suspect
    lines: tuple[str, ...]
    if confirmed.judgement.kind is HitKind.CRASH:
        yield _script(odd, suspect, confirmed.weights, ("layer(x)",)), ""
        return
    if confirmed.judgement.kind is HitKind.NON_FINITE:
        lines = ("actual = layer(x)", "assert np.isfinite(actual).all()")
        yield _script(odd, suspect, confirmed.weights, lines), "All inputs are finite."
    for form in FORMULATIONS:
        made = form(suspect)
        if made is not None:
            changed = _with(suspect, made)
            check = f"assert np.allclose(actual, expected, {CLOSE})"
            lines = (f"# {made.why}", *made.lines, check)
            yield _script(odd, changed, confirmed.weights, lines), made.why
    expected = _literal(backends, confirmed)
    if expected is not None:
        why = f"What {' and '.join(confirmed.judgement.vote.majority)} come to."
        lines = (
            f"# {why}",
            f"expected = {expected}",
            "actual = layer(x)",
            f"assert np.allclose(actual, expected, {CLOSE})",
        )
        yield _script(odd, suspect, confirmed.weights, lines), why


def _with(suspect: Suspect, made: Formulation) -> Suspect:
    config = suspect.config if made.config is None else made.config
    return replace(suspect, config=config, shapes=made.shapes or suspect.shapes)


def _literal(backends: Backends, confirmed: Confirmed) -> str | None:
    """The output of the majority, if it is short."""
    suspect = confirmed.suspect
    network = suspect.network
    first = confirmed.judgement.vote.majority[0]
    inputs = make_inputs(network, suspect.seed)
    done = backends.run(network, confirmed.weights, inputs, only=(first,))[first]
    state = done.states.get("layer")
    if state is None or state.size > LITERAL:
        return None
    return _array(state)


def _array(array: Array) -> str:
    text = np.array2string(array, separator=", ", precision=6, threshold=10**6, max_line_width=90)
    text = text.replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({text}, dtype={array.dtype.name!r})"


def _script(odd: str, suspect: Suspect, weights: Weights, lines: Sequence[str]) -> str:
    """A script that stands alone: backend, inputs, the layer with its weights, then the lines."""
    config = suspect.config
    named = [("x" if len(suspect.shapes) == 1 else f"x{n}") for n in range(len(suspect.shapes))]
    made = [
        f"{name} = {_numbers(suspect, shape)}"
        for name, shape in zip(named, suspect.shapes, strict=True)
    ]
    if len(named) > 1:
        made.append(f"x = [{', '.join(named)}]")
    setup = [f"layer = keras.layers.{suspect.kind}({as_literal(config)})"]
    if weights.get("layer"):
        setup.append("layer.build(x.shape)" if len(named) == 1 else _applied(suspect.kind, named))
        setup.append(WEIGHTED)
    body = [line.replace("layer(x)", _applied(suspect.kind, named)) for line in lines]
    return "\n".join(
        (
            "import os",
            "",
            f'os.environ["KERAS_BACKEND"] = "{odd}"',
            "",
            "import keras",
            "import numpy as np",
            "",
            "rng = np.random.default_rng(0)",
            *made,
            *setup,
            *body,
            "",
        )
    )


def _applied(kind: str, named: Sequence[str]) -> str:
    if kind == "MultiHeadAttention":
        return f"layer({', '.join(named)})"
    return "layer(x)"


def _numbers(suspect: Suspect, shape: tuple[int, ...]) -> str:
    if isinstance(suspect.domain, int):
        return f"rng.integers(0, {suspect.domain}, {shape})"
    return f'rng.standard_normal({shape}).astype("float32")'


def _case(confirmed: Confirmed, code: str, why: str, measured: str) -> Case:
    vote, suspect = confirmed.judgement.vote, confirmed.suspect
    odd, others = vote.odd[0], " and ".join(vote.majority)
    api = f"keras.layers.{suspect.kind}"
    unusual = ", ".join(f"{name}={suspect.config[name]!r}" for name in suspect.unusual)
    setting = f" with {unusual}" if unusual else ""
    failures = confirmed.judgement.failures
    if confirmed.judgement.kind is HitKind.CRASH:
        failure = failures.get(odd)
        what = f"fails on the {odd} backend" + (f": {failure.label}" if failure else "")
        said = f"\n\n```\n{failure.message[:500]}\n```" if failure and failure.message else ""
    elif confirmed.judgement.kind is HitKind.NON_FINITE:
        what, said = f"returns NaN or infinity on the {odd} backend", ""
    else:
        what, said = f"returns wrong values on the {odd} backend", ""
    body = (
        f"`{api}`{setting} {what}; the same network runs on {others} with other results."
        f"{said}\n\n{why}\n\n{measured}\n"
    )
    return Case(title=f"{api}{setting} {what}", code=code, body=body)
