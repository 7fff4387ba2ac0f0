"""Other formulations of what a layer does, as code: the second execution of a handed-over case.

Two backends do not fit into one process, and an expected array would go stale on a sibling. So a
case compares the layer with itself, used in another way that must come to the same, or with its
documented formula in NumPy. Each formulation gets a suspect and says what `expected` and `actual`
are, or nothing where it has nothing to say. Which of them shows the bug is tried out.

    x, layer, other (with their weights)    are there already
"""

from __future__ import annotations

from collections.abc import Callable

from harvest.sources.formulas import (
    ACTUAL,
    Formulation,
    element_wise,
    normalised,
    of_numpy,
    windows,
)
from harvest.sources.suspects import Suspect

_Form = Callable[[Suspect], Formulation | None]


def turned_window(found: Suspect) -> Formulation | None:
    """Pooling whose only window reaches over the edge does not know where that is."""
    return _windowed(
        found,
        "The only window holds the whole input, and the same turned round.",
        "layer(np.flip(x, axis=1))",
    )


def one_window(found: Suspect) -> Formulation | None:
    """Pooling whose only window reaches over the edge: the padding must not count."""
    return _windowed(
        found,
        "A window that reaches over the edge holds the whole input; padding does not count.",
        "other(x)",
        whole=True,
    )


def _windowed(
    found: Suspect, why: str, expected: str, *, whole: bool = False
) -> Formulation | None:
    """An input that is one smaller than the window, so that there is one result per channel.

    Only that fits into the shape that both sides are given: what pools nothing has no place there.
    With `whole`, the other layer's window is as large as the input.
    """
    size = _whole(found.config.get("pool_size"))
    if "Pooling" not in found.kind or found.config.get("padding") != "same" or size < 2:
        return None
    batch, *inner, channels = found.shapes[0]
    return Formulation(
        why=why,
        lines=(
            "shape = x.shape[:1] + x.shape[-1:]",
            f"expected = keras.ops.reshape({expected}, shape)",
            "actual = keras.ops.reshape(layer(x), shape)",
        ),
        shapes=((batch, *(size - 1,) * len(inner), channels),),
        config={**found.config, "pool_size": size, "strides": size},
        other={"pool_size": size - 1} if whole else None,
    )


def padded_before(found: Suspect) -> Formulation | None:
    """F(x, padding="same") = F(pad(x), padding="valid"), for what is linear in its inputs."""
    kernel, strides = found.config.get("kernel_size"), found.config.get("strides", 1)
    dilation = found.config.get("dilation_rate", 1)
    if found.config.get("padding") != "same" or kernel is None or "Transpose" in found.kind:
        return None
    if not all(isinstance(each, int) for each in (kernel, strides, dilation)):
        return None
    reach = (kernel - 1) * dilation + 1
    return Formulation(
        why='"same" is "valid" on an input that was padded before, evenly, the rest at the end.',
        lines=(
            f"sizes = [max((-(-n // {strides}) - 1) * {strides} + {reach} - n, 0)"
            " for n in x.shape[1:-1]]",
            "pads = [(0, 0), *((size // 2, size - size // 2) for size in sizes), (0, 0)]",
            "padded = np.pad(x, pads)",
            "expected = keras.ops.convert_to_numpy(other(padded))",
            ACTUAL,
        ),
        other={**found.config, "padding": "valid"},
    )


def backwards(found: Suspect) -> Formulation | None:
    """F(x, go_backwards=True) = F(x in reverse)."""
    if found.config.get("go_backwards") is not True:
        return None
    config = {**found.config, "go_backwards": False}
    return Formulation(
        why="Backwards over a sequence is forwards over its reverse.",
        lines=("expected = keras.ops.convert_to_numpy(other(np.flip(x, axis=1)))", ACTUAL),
        other=config,
    )


def rolled(found: Suspect) -> Formulation | None:
    """F(x, unroll=True) = F(x, unroll=False)."""
    if "unroll" not in found.config:
        return None
    config = {**found.config, "unroll": not found.config["unroll"]}
    return Formulation(
        why="Unrolling changes how it is computed, and nothing else.",
        lines=("expected = keras.ops.convert_to_numpy(other(x))", ACTUAL),
        other=config,
    )


def one_by_one(found: Suspect) -> Formulation | None:
    """A batch gives what its members give alone."""
    if len(found.shapes) != 1 or found.shapes[0][0] < 2:
        return None
    lines = (
        "parts = [layer(x[i : i + 1]) for i in range(len(x))]",
        "expected = keras.ops.convert_to_numpy(keras.ops.concatenate(parts))",
        ACTUAL,
    )
    return Formulation(why="The members of a batch do not depend on each other.", lines=lines)


FORMULATIONS: tuple[_Form, ...] = (
    turned_window,
    one_window,
    padded_before,
    backwards,
    rolled,
    one_by_one,
    normalised,
    windows,
    element_wise,
    of_numpy,
)
"""Those that use the layer itself come first: they can be carried over to siblings."""


def _whole(size: object) -> int:
    return size if isinstance(size, int) else 0
