"""Which samples are run on a build of each framework, in order of trust."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One source of samples: the task inside the interpreter that runs them.

    Where `rest` is set it is given the names of the APIs that no earlier phase has reached.
    """

    label: str
    task: str
    rest: bool = True


PHASES: dict[str, tuple[Phase, ...]] = {
    "torch": (
        Phase(label="samples", task="samples_torch:profile", rest=False),
        Phase(label="examples", task="examples_torch:profile"),
        Phase(label="synthesis", task="synthesis_torch:profile"),
    ),
    "tensorflow": (
        Phase(label="examples", task="examples_tensorflow:profile"),
        Phase(label="synthesis", task="synthesis_tensorflow:profile"),
    ),
}

STACKS = {"torch": "stacks_torch:stacks"}
"""Per framework, the task that shows the call stacks of one API."""

ATTEMPTS = {"torch": "synthesis_torch:attempt"}
"""Per framework, the task that makes one of the synthesized calls alone."""

PRELOADS = {"torch": ("torch.fx.experimental.symbolic_shapes",)}
"""Per framework, modules that the first gradient of a process imports, for half a second."""
