"""A function that does what a layer does, as text: the call, its weights, the lines before it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function with the arguments that make it do what a layer does.

    `call` has `{x}` in the place of the input, or the names of several ones (`x0`, `x1`); `weights`
    are its names for the weights of the layer, in their order. `before` are lines that come between
    these and the call.
    """

    name: str
    call: str
    weights: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def of_keras(self) -> bool:
        """Whether it is one of `keras.ops`, which all backends have."""
        return self.name.startswith("keras.")


def called(name: str, *arguments: str, weights: tuple[str, ...] = (), then: str = "") -> Function:
    """A function by its arguments, and what comes behind its call."""
    return Function(name=name, call=f"{name}({', '.join(arguments)}){then}", weights=weights)
