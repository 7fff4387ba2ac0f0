"""A layer alone as a script of Keras that stands alone: the backend, numbers, the layer, a check.

Numbers come from a seed where they may be any, and are written down where they must be these.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from harvest.sources.formulas import as_literal
from harvest.sources.layers import FUNCTION, api
from harvest.sources.networks import Array, Weights
from harvest.sources.suspects import Suspect

LITERAL = 64
"""Longer arrays are not written into a script."""
WEIGHT = 'rng.uniform(0.2, 0.8, {shape}).astype("float32")'
WEIGHTED = "layer.set_weights([rng.uniform(0.2, 0.8, w.shape) for w in layer.get_weights()])"
"""One for a function, and all of a layer: positive, as layers divide by the roots of some."""
FIRST, SECOND = "x1", "x2"
"""What functions of two tensors call these."""
LONG = 50
"""A longer expression gets a name."""


def seeded_script(
    backend: str,
    suspect: Suspect,
    weights: Weights,
    lines: Sequence[str],
    seed: int = 0,
    other: Mapping[str, Any] | None = None,
) -> str:
    """A script that stands alone: inputs, the layer with its weights, then the lines.

    `other` configures another layer of the kind with the same weights.
    """
    inputs = [seeded(suspect, shape) for shape in suspect.shapes]
    loaded = WEIGHTED if weights.get("layer") else ""
    made = _lines(suspect, inputs, loaded, lines, other)
    return whole(backend, (f"rng = np.random.default_rng({seed})", *made))


def literal_script(
    backend: str,
    suspect: Suspect,
    inputs: Iterable[Array],
    weights: Sequence[Array],
    lines: Sequence[str],
    other: Mapping[str, Any] | None = None,
) -> str:
    """The same with all numbers written down."""
    arrays = ", ".join(array_text(one) for one in weights)
    loaded = f"layer.set_weights([{arrays}])" if weights else ""
    texts = [array_text(one) for one in inputs]
    return whole(backend, _lines(suspect, texts, loaded, lines, other))


def _lines(
    suspect: Suspect,
    inputs: Sequence[str],
    loaded: str,
    lines: Sequence[str],
    other: Mapping[str, Any] | None,
) -> list[str]:
    """The inputs by their expressions, the layer, what loads its weights, the lines."""
    names = named(suspect)
    made = [f"{name} = {given}" for name, given in zip(names, inputs, strict=True)]
    built, called = _built(suspect, names)
    uses = sum(line.count("layer(") + 2 * line.count("layer.") for line in lines)
    long = len(built) > LONG and not suspect.kind.startswith(FUNCTION)
    if loaded or uses > 1 or long:
        made.append(f"layer = {built}")
        called = _applied(suspect.kind, names, "layer")
    if loaded:
        made.append("layer.build(x.shape)" if len(names) == 1 else called)
        made.append(loaded)
    body = [line.replace("layer(x)", called) for line in lines]
    if other is not None:
        at, given = next(
            (at, given) for at, line in enumerate(body) if (given := argument(line, "other"))
        )
        same = [f"other.build({given}.shape)", "other.set_weights(layer.get_weights())"]
        made_other = f"other = {api(suspect.kind)}({as_literal(other)})"
        body[at:at] = [made_other, *(same if loaded else [])]
    if len(names) > 1 and any(re.search(r"\bx\b", line) for line in (*made, *body)):
        made.insert(len(names), f"x = [{', '.join(names)}]")
    return [*made, *body]


def argument(line: str, name: str) -> str:
    """What a line calls a name with; empty where it does not.

    >>> argument("y = layer(np.flip(x, axis=1)) + 1", "layer")
    'np.flip(x, axis=1)'
    """
    found = re.search(rf"\b{name}\(", line)
    if found is None:
        return ""
    depth, end = 1, found.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        end += 1
    return line[found.end() : end - 1]


def _built(suspect: Suspect, names: Sequence[str]) -> tuple[str, str]:
    """What makes the layer, and a call of it; a function is called with all of its arguments."""
    given, name = as_literal(suspect.config), api(suspect.kind)
    if not suspect.kind.startswith(FUNCTION):
        built = f"{name}({given})"
        return built, _applied(suspect.kind, names, built)
    if FIRST in suspect.config and len(names) == 1:  # a number stands where tensors come first
        return f"lambda x: {name}({given}, {SECOND}=x)", f"{name}({given}, {SECOND}={names[0]})"
    several = "*x" if len(names) > 1 else "x"
    more = f", {given}" if given else ""
    return f"lambda x: {name}({several}{more})", f"{name}({', '.join(names)}{more})"


def named(suspect: Suspect) -> list[str]:
    """The names of the inputs in a script."""
    several = len(suspect.shapes) > 1
    return [f"x{number}" if several else "x" for number in range(len(suspect.shapes))]


def array_text(array: Array, digits: int | None = None) -> str:
    """An array as an expression: exactly these numbers, or with so many digits."""
    text = np.array2string(
        array,
        separator=", ",
        precision=digits,
        floatmode="unique" if digits is None else "maxprec",
        threshold=sys.maxsize,
        max_line_width=90,
    )
    text = text.replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({text}, dtype={array.dtype.name!r})"


def whole(backend: str, lines: Sequence[str]) -> str:
    """The lines behind what every script begins with: the backend, chosen before the import."""
    chosen = f'import os\n\nos.environ["KERAS_BACKEND"] = "{backend}"\n'
    return "\n".join((chosen, "import keras", "import numpy as np", "", *lines, ""))


def _applied(kind: str, names: Sequence[str], layer: str) -> str:
    """A call of the layer; those that are no sequence of others take their inputs one by one."""
    return f"{layer}({', '.join(names)})" if kind == "MultiHeadAttention" else f"{layer}(x)"


def seeded(suspect: Suspect, shape: tuple[int, ...]) -> str:
    """An expression that draws an input from `rng`."""
    if isinstance(suspect.domain, int):
        return f"rng.integers(0, {suspect.domain}, {shape})"
    return f'rng.standard_normal({shape}).astype("float32")'
