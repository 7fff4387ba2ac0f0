"""A script on a layer -> the same on a function that the layer comes to.

A bug that is a function's own is better shown there: with fewer lines, and with the function's
siblings. Whether the function does what the layer does, bug and all, is not believed but tried.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harvest.sources.formulas import Formulation
from harvest.sources.function import Function
from harvest.sources.functions import functions
from harvest.sources.given import Given
from harvest.sources.suspects import Suspect
from harvest.sources.writing import WEIGHT, argument, array_text, named, seeded, whole

_NUMPY = {
    "keras.ops.convert_to_numpy(": "np.asarray(",
    "keras.ops.reshape(": "np.reshape(",
    "keras.ops.concatenate(": "np.concatenate(",
}
_KERAS = "keras."
_LAYER = re.compile(r"\blayer\b|\bother\b")
_WEIGHTS = "layer.get_weights()"
_WEIGHT = re.compile(r"layer\.get_weights\(\)\[(\d+)\]")


def lowered(
    found: Suspect, called: Function, form: Formulation, backend: str
) -> tuple[str, ...] | None:
    """A formulation's lines with the function in place of the layer; None where they need that."""
    other: Function | None = called
    if form.other is not None:
        others = functions(replace(found, config=form.other), backend)
        other = next((one for one in others if one.name == called.name), None)
    if other is None:
        return None
    made = []
    for line in form.lines:
        told = _with_function(line, "layer", called, found)
        told = _with_function(told, "other", other, found)
        told = _with_weights(told, called)
        if not called.of_keras:
            for keras, numpy in _NUMPY.items():
                told = told.replace(keras, numpy)
            if _KERAS in told:
                return None
        if _LAYER.search(told):
            return None
        made += [told] if told else []
    return tuple(made)


def equality(called: Function, form: Formulation, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines that check, where layers and `x` are there, that the lowered lines come to the same."""
    assigned = ("expected", "actual")
    names = [name for name in assigned if any(line.startswith(f"{name} =") for line in lines)]
    results = f"[np.asarray(each) for each in ({', '.join(names)},)]"
    return (
        *form.lines,
        f"of_layer = {results}",
        *(() if called.of_keras else (_imported(called),)),
        *((f"({', '.join(called.weights)},) = {_WEIGHTS}",) if called.weights else ()),
        *called.before,
        *lines,
        f"of_function = {results}",
        "for one, other in zip(of_layer, of_function):",
        "    assert one.shape == other.shape",
        "    assert np.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True)",
    )


def function_script(
    called: Function,
    backend: str,
    lines: Sequence[str],
    numbers: Sequence[str],
) -> str:
    """Lowered lines as a script behind `numbers`: lines that make the input and the weights."""
    body = (*numbers, *called.before, *lines)
    if called.of_keras:
        return whole(backend, body)
    return "\n".join(("import numpy as np", _imported(called), "", *body, ""))


def seeded_numbers(
    found: Suspect, weights: Mapping[str, tuple[int, ...]], seed: int
) -> tuple[str, ...]:
    """What the layer's own script draws is drawn again; `weights` are shapes by their names."""
    drawn = (f"{name} = {WEIGHT.format(shape=shape)}" for name, shape in weights.items())
    inputs = (
        f"{name} = {seeded(found, shape)}"
        for name, shape in zip(named(found), found.shapes, strict=True)
    )
    return (f"rng = np.random.default_rng({seed})", *inputs, *drawn)


def literal_numbers(found: Suspect, given: Given, called: Function) -> tuple[str, ...]:
    """What the layer's own script has written down is written down again."""
    names = (*named(found), *called.weights)
    arrays = zip(names, (*given.inputs, *given.weights), strict=True)
    return tuple(f"{name} = {array_text(one)}" for name, one in arrays)


def _imported(called: Function) -> str:
    return "import tensorflow as tf" if called.name.startswith("tf.") else "import torch"


def _with_function(line: str, name: str, called: Function, found: Suspect) -> str:
    """`layer(X)` as the call of the function with X; several inputs are taken as they are."""
    given = argument(line, name)
    if len(found.shapes) > 1 and given != "x":
        return line
    return line.replace(f"{name}({given})", called.call.format(x=given)) if given else line


def _with_weights(line: str, called: Function) -> str:
    """`layer.get_weights()` by the names of the weights; empty where it only names them."""
    if line == f"{', '.join(called.weights)} = {_WEIGHTS}":
        return ""
    line = _WEIGHT.sub(lambda match: called.weights[int(match[1])], line)
    return line.replace(_WEIGHTS, f"[{', '.join(called.weights)}]")
