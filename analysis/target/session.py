"""One sandboxed fork server: start it, give it jobs, survive its death.

A job is either a case (`run`) or one of our own functions inside the interpreter (`task`). A
session runs one job at a time; open several for more cores.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from analysis.errors import CitadelError
from analysis.target.observation import Observation, observe, signal_name
from analysis.target.sandbox import INSIDE, SCRATCH_BYTES, Sandbox, SandboxKind

START_SECONDS = 180.0
GRACE_SECONDS = 10.0
"""How much longer than its wall limit a job may take before the server is taken for dead."""
CLOSE_SECONDS = 15.0

Event = dict[str, Any]


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
        self._server = [python, "-s", str(INSIDE / "server.py"), framework, str(sandbox.kind)]
        self._lent = [f"{name}={folder}" for name, folder in lent.items()]
        self._sandbox = sandbox
        self._settings = dict(settings or {})
        self._asked: dict[str, str] = {}
        self._loaded: tuple[str, ...] = ()
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch = ""
        self._errors: IO[bytes] | None = None
        self._buffer = b""
        self._aborted = False
        self._number = 0
        self.baseline: Baseline | None = None
        self.beside: Baseline | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask_for(self, variables: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        """Have further environment variables in the server; it starts anew if they are others.

        It imports `modules` in front of the next run, once for all that follow.
        """
        self._loaded = tuple(modules)
        if dict(variables) != self._asked:
            self.close()
            self._asked = dict(variables)

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

        Raises:
            CitadelError: when the interpreter cannot be started at all.
        """
        given = {"code": code, "traced": traced, "seed": seed, **(arguments or {})}
        events, end = self._job(entry, given, limits or Limits(), on_event, self._loaded)
        return observe(events, end, str(self._sandbox.kind))

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
        if "entry" in record:
            self.start()
            self._number += 1
        told = {"id": self._number, **record}
        events: list[Event] = []
        try:
            if self._process is not None and self._send(json.dumps(told).encode() + b"\n"):
                end = self._answered(record, wall, events)
                if end is not None:
                    if end.get("spent"):
                        self.close()
                    return events, end
                if events and "reply" in events[-1]:
                    return events, None
        except BaseException:
            self.close()
            raise
        words = self._last_words()
        self.close()
        if self._aborted:
            raise CitadelError("the run was stopped")
        return events, {"how": "lost", "code": 0, "stderr": words}

    def _answered(self, record: Event, wall: float, events: list[Event]) -> Event | None:
        """Collect events until a reply, an end (returned) or the time is over."""
        deadline = time.monotonic() + wall + GRACE_SECONDS
        while (found := self._read(deadline)) is not None:
            if found.get("id") != self._number:
                continue
            if "event" in found:
                events.append(found["event"])
                if "reply" in events[-1] and "leave" not in record:
                    return None
            end: Event | None = found.get("end")
            if end is not None:
                return end
        return None

    def start(self) -> None:
        """Start the server if it is not running (importing the framework takes seconds)."""
        if self._aborted:
            raise CitadelError("the run was stopped")
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        try:
            self._launch()
            record = self._read(time.monotonic() + START_SECONDS)
        except BaseException:
            self.close()
            raise
        if record is None or "ready" not in record:
            problem = self._last_words()
            self.close()
            raise CitadelError(
                f"the interpreter under test did not start: {problem}",
                "try: citadel doctor --python " + self._server[0],
            )

    def _launch(self) -> None:
        self._scratch = tempfile.mkdtemp(prefix="citadel-")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        server = [*self._server, self._sandbox.home(self._scratch), *self._lent]
        self._process = subprocess.Popen(
            self._sandbox.command(server, self._scratch),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**self._sandbox.environment(self._scratch), **self._asked, **self._settings},
            cwd=self._scratch,
            start_new_session=True,
        )

    def close(self) -> None:
        """Kill the server and everything below it, and remove its scratch directory."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            if self._sandbox.kind is not SandboxKind.BUBBLEWRAP:
                # Without a process-id namespace, `keep.py` does the killing once its input ends.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(CLOSE_SECONDS)
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        if self._scratch:
            with contextlib.suppress(RecursionError):  # `keep.py` ran out of time
                shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = ""
        self._buffer = b""

    def abort(self) -> None:
        """End for good, from any thread: the running job is lost, further ones are refused."""
        self._aborted = True
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError, OSError, ValueError):
            if self._sandbox.kind is SandboxKind.BUBBLEWRAP:
                os.killpg(process.pid, signal.SIGKILL)
            elif process.stdin is not None:
                process.stdin.close()  # `keep.py` does the killing

    def _job(
        self,
        entry: str,
        arguments: dict[str, Any],
        limits: Limits,
        on_event: Callable[[Event], None] | None,
        preload: Sequence[str] = (),
    ) -> tuple[list[Event], Event]:
        self.start()
        self._number += 1
        job = {
            "id": self._number,
            "entry": entry,
            "arguments": arguments,
            "limits": limits.to_json(),
            "preload": list(preload),
        }
        events: list[Event] = []
        try:
            end = self._await(job, limits.wall + GRACE_SECONDS, events, on_event)
        except BaseException:
            self.close()
            raise
        if end is None:
            if self._aborted:
                self.close()
                raise CitadelError("the run was stopped")
            words = self._last_words()
            self.close()
            end = {"how": "lost", "code": 0, "stderr": words}
        elif end.get("spent"):  # its scratch folder could not be emptied in reasonable time
            self.close()
        return events, end

    def _await(
        self,
        job: Event,
        seconds: float,
        events: list[Event],
        on_event: Callable[[Event], None] | None,
    ) -> Event | None:
        """Send a job and collect its events; returns its end, None when the server is lost."""
        if not self._send(json.dumps(job).encode() + b"\n"):
            return None
        deadline = time.monotonic() + seconds
        while (record := self._read(deadline)) is not None:
            if record.get("id") != job["id"]:
                continue
            if "event" in record:
                events.append(record["event"])
                if on_event is not None:
                    on_event(record["event"])
            end: Event | None = record.get("end")
            if end is not None:
                return end
        return None

    def _send(self, data: bytes) -> bool:
        assert self._process is not None  # noqa: S101 - start() saw to it
        assert self._process.stdin is not None  # noqa: S101
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def _read(self, deadline: float) -> Event | None:
        """The next line of the server; None when it died or the deadline passed."""
        assert self._process is not None  # noqa: S101
        assert self._process.stdout is not None  # noqa: S101
        fd = self._process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(fd, selectors.EVENT_READ)
            chunks = [self._buffer]
            while b"\n" not in chunks[-1]:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self._buffer = b"".join(chunks)
                    return None
                data = os.read(fd, 1 << 20)
                if not data:
                    return None
                chunks.append(data)
        line, _, self._buffer = b"".join(chunks).partition(b"\n")
        return _record(line)

    def _last_words(self) -> str:
        if self._errors is None:
            return "no output"
        try:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        except OSError:
            return "no output"
        return lines[-1][:300] if lines else "no output"


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


def _record(line: bytes) -> Event:
    """Read a line of the server; what a forged event makes unreadable counts as nothing."""
    try:
        record = json.loads(line)
        if b"\\ud" in line:  # half a surrogate pair is no text that could be written anywhere
            text = json.dumps(record, ensure_ascii=False)
            record = json.loads(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def lent_packages() -> dict[str, str]:
    """Pure-Python packages that a framework's test helpers import: name -> folder, read-only."""
    import expecttest

    return {"expecttest": str(Path(expecttest.__file__).resolve().parent)}
