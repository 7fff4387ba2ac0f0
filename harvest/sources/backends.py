"""Keras on each of its backends in one interpreter: one network in, an execution per backend out.

Each backend has a sandboxed process that lives on (`analysis.target.conversation`). Its start is
not counted against the limit of a run; what exceeds the limit is killed from outside and says so.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np

from analysis.errors import CitadelError
from analysis.target.conversation import Answer, Conversation
from analysis.target.fork_server import Event
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.session import Session
from analysis.target.target import Interpreter
from harvest.sources.networks import Array, Network, Weights

ENTRY = "network_keras:serve"
MOST = 4000
"""Questions per process: backends keep what they compile, and grow."""
WALL = 60.0
COMPILING = ("jax",)
VARIABLES = {"jax": {"XLA_FLAGS": "--xla_backend_optimization_level=0"}}
"""JAX compiles every operation for every shape anew: quickly is what counts here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a run ended early: an exception in a layer, or the death of the process.

    `types` are the exception's classes, innermost first; `died` is "timeout", "signal SIGSEGV", ...
    """

    layer: str
    types: tuple[str, ...] = ()
    message: str = ""
    died: str = ""

    @property
    def ours(self) -> bool:
        """Whether we ended it, for taking too long or too much, or lost it."""
        return self.died in ("timeout", "memory", "output", "processes", "lost", "abandoned")

    @property
    def label(self) -> str:
        """In a word."""
        return self.died or (self.types[0] if self.types else "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One network on one backend: the first output of each layer that came to its end."""

    backend: str
    states: Mapping[str, Array]
    failure: Failure | None = None


_T = TypeVar("_T")
_K = TypeVar("_K")
Shapes = dict[str, list[tuple[str, tuple[int, ...]]]]


class Backends:
    """A context manager around the backends that an interpreter has; they start when first used.

    `patches` is Python code per backend that its process runs first: tests plant bugs by it.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        *,
        names: Iterable[str] | None = None,
        patches: Mapping[str, str] | None = None,
        wall: float = WALL,
    ) -> None:
        """Raises:
        CitadelError: when the interpreter has no Keras 3, or fewer than two backends.
        """
        if "keras" not in interpreter.frameworks:
            raise CitadelError(
                f"{interpreter.python} has no keras",
                "cross-backend testing needs Keras 3 with two or more of its backends",
            )
        offered = FRAMEWORKS["keras"].backends
        wanted = tuple(offered if names is None else names)
        self.names = tuple(name for name in wanted if name in interpreter.installed)
        if len(self.names) < 2:
            raise CitadelError(
                f"{interpreter.python} has fewer than two backends of keras",
                f"install two or more of {', '.join(offered)} beside it",
            )
        self._patches = patches or {}
        self._wall = wall
        self._interpreter = interpreter
        self._stack = ExitStack()
        self._sessions: dict[str, Session] = {}
        self._talks: dict[str, Conversation] = {}
        self._threads = ThreadPoolExecutor(len(self.names))

    def __enter__(self) -> Self:
        """Open the sessions; nothing runs yet."""
        for name in self.names:
            session = self._interpreter.target("keras", name).session()
            session.ask_for(VARIABLES.get(name, {}))
            self._sessions[name] = self._stack.enter_context(session)
            patch = {"patch": self._patches.get(name, "")}
            self._talks[name] = Conversation(session, ENTRY, patch, most=MOST)
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions.values():
            session.abort()
        self._threads.shutdown()
        self._stack.close()

    @property
    def started(self) -> Mapping[str, int]:
        """How many processes each backend has needed so far."""
        return {name: talk.started for name, talk in self._talks.items()}

    @property
    def quick(self) -> tuple[str, ...]:
        """Those that compile nothing for a new shape, if they are two: the others only vote."""
        quick = tuple(name for name in self.names if name not in COMPILING)
        return quick if len(quick) > 1 else self.names

    def start(self) -> None:
        """Have all processes ready, so that no run waits for them.

        Raises:
            CitadelError: when one does not come up.
        """
        failed = self._each(self.names, lambda name: self._talks[name].begin())
        for name, answer in failed.items():
            if answer is not None:
                raise CitadelError(
                    f"keras on {name} did not start: {answer.died}",
                    f"try: KERAS_BACKEND={name} {self._interpreter.python} -c 'import keras'",
                )

    def describe(self, network: Network, inputs: Mapping[str, Array]) -> Shapes | Failure:
        """The weights of each layer, as the first backend that can build the network has them."""
        failure = Failure(layer="")
        for name in reversed(self.names):  # the last one, PyTorch, compiles nothing
            answer = self._asked(name, {**_question(network, {}, inputs), "describe": True})
            failed = _failure(answer)
            if failed is None:
                return {
                    str(one["layer"]): [(str(n), tuple(shape)) for n, shape in one["weights"]]
                    for one in answer.records
                }
            failure = failed
        return failure

    def run(
        self,
        network: Network,
        weights: Weights,
        inputs: Mapping[str, Array],
        *,
        only: Iterable[str] | None = None,
        wall: float | None = None,
    ) -> dict[str, Execution]:
        """Run it layer by layer on the backends (all, or `only` some), at the same time."""
        question = _question(network, weights, inputs)
        names = self.names if only is None else tuple(only)
        answers = self._each(names, lambda name: self._asked(name, question, wall))
        return {name: _execution(name, network, answer) for name, answer in answers.items()}

    def predict(
        self, network: Network, weights: Weights, inputs: Mapping[str, Array]
    ) -> dict[str, Execution]:
        """Run it as one compiled model: the state of its last layer is all that is known."""
        question = {**_question(network, weights, inputs), "predict": True}
        return self._outputs(network, question, self.names)

    def _outputs(
        self, network: Network, question: Event, names: Iterable[str]
    ) -> dict[str, Execution]:
        """What is answered with one output, that of the network's last layer."""
        answers = self._each(names, lambda name: self._asked(name, question))
        renamed = {
            name: Answer(
                reply=answer.reply,
                records=tuple({**one, "layer": network.output.name} for one in answer.records),
                died=answer.died,
                output=answer.output,
            )
            for name, answer in answers.items()
        }
        return {name: _execution(name, network, answer) for name, answer in renamed.items()}

    def open_saved(self, data: bytes) -> dict[str, tuple[Event, ...] | Failure]:
        """What a .keras file is, as each backend loads it: see `inside/saved_keras`."""
        question = {"saved": base64.b64encode(data).decode()}
        answers = self._each(self.names, lambda name: self._asked(name, question))
        return {name: _failure(answer) or answer.records for name, answer in answers.items()}

    def predict_saved(
        self,
        data: bytes,
        network: Network,
        inputs: Mapping[str, Array],
        only: Iterable[str],
    ) -> dict[str, Execution]:
        """Run the model of a .keras file as it is: the state of the network's last layer."""
        question = {
            "saved": base64.b64encode(data).decode(),
            "inputs": {name: _encoded(value) for name, value in inputs.items()},
        }
        return self._outputs(network, question, only)

    def renew(self) -> None:
        """New processes for what is asked from now on: a stranger's code was in these."""
        for talk in self._talks.values():
            talk.close()

    def script(self, code: str, only: Iterable[str] | None = None) -> dict[str, Failure | None]:
        """Run a script of ours on every backend, whichever it names: how it failed, if it did."""
        names = self.names if only is None else only
        answers = self._each(names, lambda name: self._asked(name, {"script": code}))
        return {name: _failure(answer) for name, answer in answers.items()}

    def operations(self) -> tuple[Event, ...]:
        """What the functions of `keras.ops` are, as the last backend tells."""
        return self._asked(self.names[-1], {"operations": True}).records

    def _asked(self, name: str, question: Event, wall: float | None = None) -> Answer:
        return self._talks[name].ask(question, wall=wall or self._wall)

    def _each(self, names: Iterable[str], do: Callable[[str], _T]) -> dict[str, _T]:
        """Do it for several backends at once."""
        futures = {name: self._threads.submit(do, name) for name in names}
        return {name: future.result() for name, future in futures.items()}


def _question(network: Network, weights: Weights, inputs: Mapping[str, Array]) -> dict[str, Any]:
    return {
        "layers": [layer.to_json() for layer in network.layers],
        "weights": {name: [_encoded(one) for one in own] for name, own in weights.items()},
        "inputs": {name: _encoded(value) for name, value in inputs.items()},
    }


def _encoded(array: Array) -> dict[str, Any]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def _execution(name: str, network: Network, answer: Answer) -> Execution:
    first = (record for record in answer.records if record.get("output") == 0)
    states = joined(first, lambda record: str(record["layer"]))
    failure = _failure(answer)
    if failure is not None and answer.died is not None:
        reached = next((one.name for one in network.layers if one.name not in states), "")
        failure = Failure(layer=reached, died=failure.died, message=failure.message)
    return Execution(backend=name, states=states, failure=failure)


def joined(records: Iterable[Event], key: Callable[[Event], _K]) -> dict[_K, Array]:
    """Arrays that came in pieces, by their key."""
    pieces: dict[_K, list[Event]] = {}
    for record in records:
        pieces.setdefault(key(record), []).append(record)
    return {name: _decoded(found) for name, found in pieces.items()}


def _decoded(pieces: list[Event]) -> Array:
    data = base64.b64decode("".join(piece["data"] for piece in pieces))
    head = pieces[0]
    return np.frombuffer(data, str(head["dtype"])).reshape(head["shape"])


def _failure(answer: Answer) -> Failure | None:
    if answer.died is not None:
        return Failure(layer="", died=answer.died, message=answer.output)
    told = answer.reply or {}
    if "failed" not in told:
        return None
    return Failure(
        layer=str(told["failed"]), types=tuple(told["types"]), message=str(told["message"])
    )
