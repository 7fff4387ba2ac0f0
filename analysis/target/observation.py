"""What was seen when a piece of code ran in the sandbox."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

from analysis.values import Value


class Outcome(StrEnum):
    """How a run ended. Kills by the watchdog have names of their own."""

    OK = "ok"
    EXCEPTION = "exception"
    SIGNAL = "signal"
    EXIT = "exit"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    PROCESSES = "processes"
    LOST = "lost"
    """The server died with the case (which may have killed it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One traceback entry; `file` is "case.py" for the case's own text."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception: `types` is its class followed by its bases, `handling` the class of the one
    that was being handled then, if any."""

    types: tuple[str, ...]
    message: str
    frames: tuple[Frame, ...] = ()
    handling: str = ""

    @property
    def type(self) -> str:
        """The class name."""
        return self.types[0] if self.types else "Exception"

    @classmethod
    def from_json(cls, event: dict[str, Any]) -> Raised:
        """Read an `exception` or `raise` event; a forged one may hold anything."""
        try:
            frames = tuple(
                Frame(file=str(file), line=int(line or 0), function=str(function))
                for file, line, function in event.get("frames", ())
            )
            types = tuple(str(kind) for kind in event.get("types", ()))
        except (TypeError, ValueError, OverflowError):
            frames, types = (), ()
        message, cause = (str(event.get(name) or "") for name in ("message", "cause"))
        return cls(types=types, message=_cut(message), frames=frames, handling=_cut(cause))


NESTED = 3
"""Lists within lists, counted from the outermost, whose tensors are known by their numbers."""
MOST_TEXT = 4096
MOST_SEEN = 2000
"""Values of watched expressions that count: as many as `analysis/inside/watch.py` tells of."""


def _cut(text: str) -> str:
    """What `analysis/inside/texts.py` leaves of a message; a forged one may be of any length."""
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT // 4] + text[-MOST_TEXT // 2 :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A value that a call was given; `id` numbers tensors and layers within one run."""

    value: Value
    id: int | None = None
    inner: tuple[int, ...] = ()
    """Numbers of the tensors inside a list or tuple, and in lists in it."""

    @property
    def ids(self) -> tuple[int, ...]:
        """The numbers of all tensors and layers in this value."""
        return self.inner if self.id is None else (self.id, *self.inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One traced call.

    `site` is the number of the call in the text, `occurrence` counts its executions from 1.
    `form`: function, method, unbound (a method called through its class), operator, reflected (an
    operator that belongs to its right operand), module (a layer being called), inner (a layer being
    called by a sequence of layers), class (a constructor), handed (a function that the one called
    at this site, such as `map`, was given and calls) or other. A call that neither returned nor
    raised is the one that was running when the process died.
    """

    number: int
    site: int
    occurrence: int
    depth: int
    name: str
    form: str
    receiver: Argument | None
    arguments: tuple[Argument, ...]
    keywords: tuple[tuple[str, Argument], ...]
    result: Argument | None = None
    raised: Raised | None = None
    explained: bool = False
    """Made once more by the tracer, to see what inside a compiled function fails."""
    seconds: float = 0.0
    """How long it took to return or raise."""
    within: tuple[int, ...] = ()
    """Numbers of the calls that made the contexts (`with`) around it, outermost first."""
    compiled: bool = False
    """Of a function that a compiler made, or made inside of one."""

    @property
    def finished(self) -> bool:
        """Whether the call returned or raised."""
        return self.result is not None or self.raised is not None

    def inputs(self) -> tuple[Argument, ...]:
        """Receiver, positional and keyword values."""
        receiver = (self.receiver,) if self.receiver is not None else ()
        return (*receiver, *self.arguments, *(value for _, value in self.keywords))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a watched expression came to; `occurrence` counts its evaluations from 1."""

    point: int
    occurrence: int
    value: Value


MOST_MODULES = 4000
"""As many as `analysis/inside/case.py` tells of."""
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,20}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One run of one piece of code. Times are in seconds, memory in bytes."""

    outcome: Outcome
    code: int = 0
    """Exit status, or the signal's number."""
    exception: Raised | None = None
    calls: tuple[Call, ...] = ()
    seen: tuple[Seen, ...] = ()
    """What the watched expressions came to, in the order in which they were evaluated."""
    stdout: str = ""
    stderr: str = ""
    wall: float = 0.0
    cpu: float = 0.0
    peak: int = 0
    sandbox: str = ""
    extra: tuple[dict[str, Any], ...] = ()
    """Events of other kinds (the probe's)."""

    @property
    def signal(self) -> str | None:
        """Name of the signal that ended the run, e.g. "SIGSEGV"."""
        return signal_name(self.code) if self.outcome is Outcome.SIGNAL else None

    @property
    def imported(self) -> tuple[str, ...]:
        """What the run imported of the framework that comes late, if it was much (see `case`)."""
        told = (event.get("names") for event in self.extra if event.get("e") == "imported")
        names = next((found for found in told if isinstance(found, list)), [])
        known = (name for name in names if isinstance(name, str) and _MODULE.fullmatch(name))
        return tuple(islice(known, MOST_MODULES))

    @property
    def on_gpu(self) -> bool:
        """Whether a traced call was given, or returned, what lies on a GPU."""
        results = (call.result for call in self.calls if call.result is not None)
        given = (value for call in self.calls for value in call.inputs())
        devices = (argument.value.device or "" for argument in (*results, *given))
        return any(device.startswith(("cuda", "gpu")) for device in devices)


def signal_name(number: int) -> str:
    """Name of a signal; real-time ones have only a number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_KILLS = {o.value: o for o in (Outcome.TIMEOUT, Outcome.MEMORY, Outcome.OUTPUT, Outcome.PROCESSES)}


def observe(events: Iterable[dict[str, Any]], end: dict[str, Any], sandbox: str) -> Observation:
    """Put one run's events and its end together; malformed events (a forged pipe) are ignored."""
    calls: dict[int, dict[str, Any]] = {}
    exception: Raised | None = None
    done = False
    seen: list[Seen] = []
    extra: list[dict[str, Any]] = []
    for event in events:
        kind, number = event.get("e"), event.get("n")
        if kind == "call" and isinstance(number, int):
            calls[number] = dict(event)
        elif kind in ("return", "raise") and isinstance(number, int) and number in calls:
            calls[number][str(kind)] = event
        elif kind == "exception":
            exception = Raised.from_json(event)
        elif kind == "watch":
            point, occurrence = event.get("k"), event.get("o")
            if len(seen) == MOST_SEEN:
                continue
            if type(point) is int and type(occurrence) is int and point >= 0:
                value = Value.from_json(event.get("v"))
                seen.append(Seen(point=point, occurrence=occurrence, value=value))
        elif kind == "done":
            done = True
        else:
            extra.append(event)
    return Observation(
        outcome=_outcome(end, exception=exception, done=done),
        code=int(end.get("code", 0)),
        exception=exception,
        calls=tuple(call for call in map(_call, calls.values()) if call is not None),
        seen=tuple(seen),
        stdout=str(end.get("stdout", "")),
        stderr=str(end.get("stderr", "")),
        wall=float(end.get("wall", 0)),
        cpu=float(end.get("cpu", 0)),
        peak=int(end.get("peak", 0)),
        sandbox=sandbox,
        extra=tuple(extra),
    )


def _outcome(end: dict[str, Any], *, exception: Raised | None, done: bool) -> Outcome:
    how = str(end.get("how"))
    if how in _KILLS:
        return _KILLS[how]
    if how == "lost":
        return Outcome.LOST
    if how == "signal":
        # RLIMIT_CPU ends the process by SIGXCPU: our limit, not the framework's crash.
        return Outcome.TIMEOUT if end.get("code") == signal.SIGXCPU else Outcome.SIGNAL
    if done and end.get("code") == 0:
        return Outcome.OK
    return Outcome.EXCEPTION if exception is not None else Outcome.EXIT


def _argument(record: dict[str, Any]) -> Argument:
    inner = tuple(_inside(record, NESTED))
    return Argument(value=Value.from_json(record), id=_number(record), inner=inner)


def _inside(record: dict[str, Any], depth: int) -> Iterator[int]:
    """The numbers of the objects in a list, and in lists in it: `[(gradient, variable)]`."""
    for item in record.get("items", ()):
        if (number := _number(item)) is not None:
            yield number
        elif depth:
            yield from _inside(item, depth - 1)


def _number(record: dict[str, Any]) -> int | None:
    """The number of an object; a forged one may be anything."""
    number = record.get("id")
    return number if type(number) is int else None


def _site(number: object) -> int:
    """The site of a call; a forged one raises a `ValueError`."""
    if type(number) is not int or number < 0:
        raise ValueError(number)
    return number


def _call(event: dict[str, Any]) -> Call | None:
    try:
        returned, raised = event.get("return"), event.get("raise")
        return Call(
            number=event["n"],
            site=_site(event["s"]),
            occurrence=int(event["o"]),
            depth=int(event["d"]),
            name=str(event["f"]),
            form=str(event["form"]),
            receiver=None if event.get("self") is None else _argument(event["self"]),
            arguments=tuple(_argument(value) for value in event["args"]),
            keywords=tuple((str(k), _argument(v)) for k, v in event["kwargs"].items()),
            result=None if returned is None else _argument(returned["value"]),
            seconds=float((returned or raised or {}).get("t", 0.0)),
            raised=None if raised is None else Raised.from_json(raised),
            explained=event.get("x") is True,
            within=tuple(map(int, event.get("w") or ())),
            compiled=event.get("c") is True,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return None
