"""A layer -> the function of the backend's own framework that it comes to, where there is one.

A bug that is the framework's own is better shown there: without Keras, and with the framework's
siblings. Only what has no weights is lowered, and what has the same layout on both sides.
"""

from __future__ import annotations

import re

from harvest.sources.suspects import Suspect

_TENSORFLOW = {
    "relu": "relu",
    "relu6": "relu6",
    "elu": "elu",
    "selu": "selu",
    "softplus": "softplus",
    "softsign": "softsign",
    "softmax": "softmax",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "swish": "silu",
}
_TORCH = {**_TENSORFLOW, "hard_sigmoid": "hardsigmoid"}
"""Activations by their names in Keras: functions of tf.nn and torch.nn.functional."""
_IMPORTS = {"tensorflow": "import tensorflow as tf", "torch": "import torch"}
_KERAS = re.compile(r"\bkeras\.|\blayer\.|\bother\b")
_CALL = re.compile(r"\blayer\(")


def function(found: Suspect, backend: str) -> tuple[str, str] | None:
    """The function's name and the arguments behind its input."""
    activation = _activation(found)
    if activation:
        names = {"tensorflow": _TENSORFLOW, "torch": _TORCH}.get(backend, {})
        prefix = "tf.nn." if backend == "tensorflow" else "torch.nn.functional."
        more = ", dim=-1" if activation == "softmax" and backend == "torch" else ""
        return (prefix + names[activation], more) if activation in names else None
    if backend == "tensorflow" and re.fullmatch(r"(Max|Average)Pooling[123]D", found.kind):
        config = found.config
        if config.get("data_format", "channels_last") != "channels_last":
            return None
        size = config.get("pool_size", 2)
        strides = config.get("strides") or size
        padding = str(config.get("padding", "valid")).upper()
        how = "max" if found.kind.startswith("Max") else "avg"
        given = f', ksize={size!r}, strides={strides!r}, padding="{padding}"'
        return f"tf.nn.{how}_pool", given
    return None


def _activation(found: Suspect) -> str:
    if found.kind == "Softmax":
        return "softmax" if found.config.get("axis", -1) == -1 else ""
    return str(found.config.get("activation")) if found.kind == "Activation" else ""


def lowered(found: Suspect, backend: str, lines: tuple[str, ...]) -> tuple[str, ...] | None:
    """Lines that call the layer as lines that call the function; None where they need Keras.

    The first of the lines imports the framework.
    """
    called = function(found, backend)
    if called is None:
        return None
    name, more = called
    made = []
    for line in lines:
        plain = line.replace("keras.ops.convert_to_numpy(", "np.asarray(")
        plain = plain.replace("keras.ops.reshape(", "np.reshape(")
        plain = plain.replace("keras.ops.concatenate(", "np.concatenate(")
        if _KERAS.search(plain):
            return None
        made.append(_with_function(plain, name, more, backend))
    return (_IMPORTS[backend], *made)


def _with_function(line: str, name: str, more: str, backend: str) -> str:
    """`layer(X)` as `name(X, ...)`, with X a tensor where the framework insists."""
    found = _CALL.search(line)
    if found is None:
        return line
    depth, end = 1, found.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        end += 1
    given = line[found.end() : end - 1]
    given = f"torch.tensor({given})" if backend == "torch" else given
    return f"{line[: found.start()]}{name}({given}{more}){line[end:]}"
