"""Which samples are run on a build of each framework, in order of trust."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One source of samples: the task inside the interpreter that runs them.

    Where `rest` is set it is given the names of the APIs that no earlier phase has reached. Of an
    API that `blocks_once` no more samples are run after one that did not return: made-up calls of
    what waits for others all wait. What the task `learns` in one process it is given in the next.
    """

    label: str
    task: str
    rest: bool = True
    blocks_once: bool = False
    learns: bool = False
    borrows: bool = False


PHASES: dict[str, tuple[Phase, ...]] = {
    "torch": (
        Phase(label="samples", task="samples_torch:profile", rest=False),
        Phase(label="examples", task="examples_torch:profile"),
        Phase(label="synthesis", task="synthesis_torch:profile"),
    ),
    "tensorflow": (
        Phase(label="examples", task="examples_tensorflow:profile"),
        Phase(
            label="synthesis",
            task="synthesis_tensorflow:profile",
            blocks_once=True,
            learns=True,
        ),
        Phase(
            label="neighbours",
            task="synthesis_tensorflow:profile",
            blocks_once=True,
            learns=True,
            borrows=True,
        ),
    ),
    "keras": (
        Phase(label="examples", task="examples_keras:profile"),
        Phase(label="synthesis", task="synthesis_keras:profile"),
    ),
}

STACKS = {"torch": "stacks_torch:stacks"}
"""Per framework, the task that shows the call stacks of one API."""

ATTEMPTS = {
    "torch": "synthesis_torch:attempt",
    "tensorflow": "attempts_tensorflow:attempt",
    "keras": "synthesis_keras:attempt",
}
"""Per framework, the task that makes one of the synthesized calls alone."""

PRELOADS = {
    "torch": ("torch.fx.experimental.symbolic_shapes",),
    "tensorflow": ("ready_tensorflow",),
}
"""Per framework, modules that every process needs and that take long to import: of PyTorch what the
first gradient imports, of TensorFlow tables of its operators."""
