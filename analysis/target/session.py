"""One sandboxed fork server: give it jobs, survive its death.

A job is either a case (`run`) or one of our own functions inside the interpreter (`task`). A
session runs one job at a time; open several for more cores.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from analysis.errors import CitadelError
from analysis.target.fork_server import Event, ForkServer
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.observation import Observation, observe, signal_name
from analysis.target.sandbox import SCRATCH_BYTES, Sandbox

GRACE_SECONDS = 10.0
"""How much longer than its wall limit a job may take before the server is taken for dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one job may use: seconds, bytes, processes."""

    wall: float = 30.0
    memory: int = 4 << 30
    output: int = 64 << 20
    file: int = 256 << 20
    scratch: int = SCRATCH_BYTES
    processes: int = 64

    def to_json(self) -> dict[str, float]:
        """As the server reads them; CPU time is a backstop for the wall clock."""
        return {
            "wall": self.wall,
            "cpu": int(self.wall * 4) + 5,
            "memory": self.memory,
            "output": self.output,
            "file": self.file,
            "scratch": self.scratch,
            "processes": self.processes,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """What a task yielded, and how it died if it did ("timeout", "signal SIGSEGV", ...)."""

    records: tuple[Event, ...]
    died: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A session of another build, with which results are compared, and the build's name."""

    session: Session
    name: str


class Session:
    """A context manager around one fork server; it starts with the first job.

    One thread at a time may use it: answers to others would be lost.
    `baseline` is the other build's session, where measurements are compared with one; `beside` that
    of another backend, where values are.
    """

    def __init__(
        self,
        *,
        python: str,
        framework: str,
        sandbox: Sandbox,
        lent: Mapping[str, str],
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """`settings` are environment variables of the server, and so of every case."""
        self.server = ForkServer(python=python, framework=framework, sandbox=sandbox, lent=lent)
        known = FRAMEWORKS.get(framework)
        self._packages = frozenset(known.packages if known is not None else ())
        self._settings = dict(settings or {})
        self._asked: dict[str, str] = {}
        self._wanted: frozenset[str] = frozenset()
        self._loaded: dict[str, None] = {}
        self._number = 0
        self._in_use = threading.Lock()
        self.baseline: Baseline | None = None
        self.beside: Baseline | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the server if it is not running.

        Raises:
            CitadelError: when the interpreter cannot be started, or the session was aborted.
        """
        self.server.start({**self._asked, **self._settings})

    def close(self) -> None:
        """Kill the server and everything below it; the next job starts a new one."""
        self.server.close()

    def abort(self) -> None:
        """End for good, from any thread: the running job is lost, further ones are refused."""
        self.server.kill()

    def ask_for(self, variables: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        """Have further environment variables in the server; it starts anew if they are others.

        It imports `modules` in front of the next run, once for all that follow. What runs have had
        imported beyond that is gone: it may change what others see.
        """
        late = self._loaded.keys() - self._wanted
        self._wanted, self._loaded = frozenset(modules), dict.fromkeys(modules)
        if late or dict(variables) != self._asked:
            self.close()
            self._asked = dict(variables)

    def load(self, modules: Iterable[str]) -> None:
        """Have further modules imported in front of the next run."""
        self._loaded.update(dict.fromkeys(modules))

    @property
    def loaded(self) -> tuple[str, ...]:
        """What the server has imported for its cases, or will in front of the next one."""
        return tuple(self._loaded)

    def run(
        self,
        code: str,
        *,
        traced: str | None = None,
        limits: Limits | None = None,
        seed: int = 0,
        entry: str = "case:run",
        arguments: dict[str, Any] | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Observation:
        """Run one case in a fresh child. `traced` is its instrumented text, if it is to be traced.

        Much that it imports of the framework is there before further runs begin.

        Raises:
            CitadelError: when the interpreter cannot be started at all.
        """
        given = {"code": code, "traced": traced, "seed": seed, **(arguments or {})}
        events, end = self._job(entry, given, limits or Limits(), on_event, self.loaded)
        observation = observe(events, end, str(self.server.sandbox.kind))
        self.load(filter(self._harmless, observation.imported))
        return observation

    def _harmless(self, module: str) -> bool:
        """Whether a module may be imported outside of a run.

        A forged event names what it likes: only the framework's own are, and none of its helpers
        for tests, which switch things off for all that follows.
        """
        package, *inner = module.split(".")
        return package in self._packages and "testing" not in inner and "tests" not in inner

    def task(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        wall: float,
        on_event: Callable[[Event], None] | None = None,
        preload: Sequence[str] = (),
    ) -> TaskOutcome:
        """Run `module:function` of `analysis/inside`, which yields JSON records.

        `on_event` gets each record as soon as it is there. Modules in `preload` are imported before
        the fork, once per session: they must not run an operation of the framework.
        """
        limits = Limits(wall=wall, memory=8 << 30)
        events, end = self._job(name, dict(arguments), limits, on_event, preload)
        return TaskOutcome(records=tuple(events), died=how_died(end))

    def exchange(self, record: Event, wall: float) -> tuple[list[Event], Event | None]:
        """Say something in a conversation (see `conversation`): what comes back up to a reply.

        A record with an entry begins one. The second value is how the child ended, if it did; it
        and the server are gone where the server itself does not answer in time.

        Raises:
            CitadelError: when the interpreter cannot be started at all, or the run was stopped.
        """

        def replied(event: Event) -> bool:
            return "reply" in event and "leave" not in record

        events: list[Event] = []
        with self._alone():
            if "entry" in record:
                self.start()
                self._number += 1
            end = self._converse(record, wall + GRACE_SECONDS, events, replied)
            if end is None and events and "reply" in events[-1]:
                return events, None
            return events, self._ended(end)

    def _job(
        self,
        entry: str,
        arguments: dict[str, Any],
        limits: Limits,
        on_event: Callable[[Event], None] | None,
        preload: Sequence[str] = (),
    ) -> tuple[list[Event], Event]:
        job = {
            "entry": entry,
            "arguments": arguments,
            "limits": limits.to_json(),
            "preload": list(preload),
        }

        def told(event: Event) -> bool:
            if on_event is not None:
                on_event(event)
            return False

        events: list[Event] = []
        with self._alone():
            self.start()
            self._number += 1
            end = self._converse(job, limits.wall + GRACE_SECONDS, events, told)
            return events, self._ended(end)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads out.

        Raises:
            RuntimeError: when one of them uses the session.
        """
        if not self._in_use.acquire(blocking=False):
            raise RuntimeError("two threads use one session")
        try:
            yield
        finally:
            self._in_use.release()

    def _converse(
        self,
        record: Event,
        seconds: float,
        events: list[Event],
        enough: Callable[[Event], bool],
    ) -> Event | None:
        """Say something and collect `events` until one is `enough`.

        Returns how the child ended; None where it did not, or the server is lost.
        """
        try:
            if not self.server.send({"id": self._number, **record}):
                return None
            deadline = time.monotonic() + seconds
            while (found := self.server.read(deadline)) is not None:
                if found.get("id") != self._number:
                    continue
                if "event" in found:
                    events.append(found["event"])
                    if enough(found["event"]):
                        return None
                end: Event | None = found.get("end")
                if end is not None:
                    return end
        except BaseException:
            self.close()
            raise
        return None

    def _ended(self, end: Event | None) -> Event:
        """The end that a child told, or that of a server that was lost."""
        if end is not None:
            if end.get("spent"):  # its scratch folder could not be emptied in reasonable time
                self.close()
            return end
        words = self.server.last_words()
        self.close()
        if self.server.killed:
            raise CitadelError("the run was stopped")
        return {"how": "lost", "code": 0, "stderr": words}


def how_died(end: Event) -> str | None:
    """What ended a job in words ("timeout", "signal SIGSEGV", ...); None if it did itself."""
    if end["how"] == "signal":
        return f"signal {signal_name(end['code']).removeprefix('signal ')}"
    if end["how"] != "exit":
        return str(end["how"])
    if end["code"] == 0:
        return None
    last = end["stderr"].strip().splitlines()[-1:] or [f"exit {end['code']}"]
    return f"exception {last[0]}"


def lent_packages() -> dict[str, str]:
    """Pure-Python packages that a framework's test helpers import: name -> folder, read-only."""
    import expecttest

    return {"expecttest": str(Path(expecttest.__file__).resolve().parent)}
