"""The process of one sandboxed fork server, and the lines that are exchanged with it.

In: the command of the server and its environment. Out: JSON records, one per line. What the lines
mean is `session`'s affair.
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
from collections.abc import Mapping, Sequence
from typing import IO, Any

from analysis.errors import CitadelError
from analysis.target.sandbox import INSIDE, Sandbox, SandboxKind

START_SECONDS = 180.0
CLOSE_SECONDS = 15.0
LONGEST_WORDS = 300

Event = dict[str, Any]


class ForkServer:
    """Starts the server, speaks with it, kills it with all that it has started."""

    def __init__(
        self, *, python: str, framework: str, sandbox: Sandbox, lent: Mapping[str, str]
    ) -> None:
        """`lent` are folders of pure-Python packages that the interpreter may import, by name."""
        self.python = python
        self.framework = framework
        self.sandbox = sandbox
        self._lent = [f"{name}={folder}" for name, folder in lent.items()]
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch = ""
        self._errors: IO[bytes] | None = None
        self._buffer = b""
        self._killed = False

    @property
    def pid(self) -> int | None:
        """The process that was started last, None where none was or it has been closed."""
        return None if self._process is None else self._process.pid

    @property
    def killed(self) -> bool:
        """Whether it was killed for good."""
        return self._killed

    def start(self, variables: Mapping[str, str]) -> None:
        """Start it if it is not running (importing the framework takes seconds).

        `variables` are added to its environment.

        Raises:
            CitadelError: when it does not start, or was killed for good.
        """
        if self._killed:
            raise CitadelError("the run was stopped")
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        try:
            self._launch(variables)
            record = self.read(time.monotonic() + START_SECONDS)
        except BaseException:
            self.close()
            raise
        if record is None or "ready" not in record:
            problem = self.last_words()
            self.close()
            raise CitadelError(
                f"the interpreter under test did not start: {problem}",
                f"try: citadel doctor --python {self.python}",
            )

    def _launch(self, variables: Mapping[str, str]) -> None:
        self._scratch = tempfile.mkdtemp(prefix="citadel-")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._process = subprocess.Popen(
            self.sandbox.command(self._command(), self._scratch),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**self.sandbox.environment(self._scratch), **variables},
            cwd=self._scratch,
            start_new_session=True,
        )

    def _command(self) -> Sequence[str]:
        inside = (str(INSIDE / "server.py"), self.framework, str(self.sandbox.kind))
        return [self.python, "-s", *inside, self.sandbox.home(self._scratch), *self._lent]

    def send(self, record: Event) -> bool:
        """Write one line; whether there was somebody to read it."""
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(json.dumps(record).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def read(self, deadline: float) -> Event | None:
        """The next line; None when it died or the deadline (of `time.monotonic`) passed."""
        if self._process is None or self._process.stdout is None:
            return None
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

    def last_words(self) -> str:
        """The last line that it wrote to stderr."""
        if self._errors is None:
            return "no output"
        try:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        except OSError:
            return "no output"
        return lines[-1][:LONGEST_WORDS] if lines else "no output"

    def close(self) -> None:
        """Kill the server and everything below it, and remove its scratch directory."""
        process, self._process = self._process, None
        if process is not None:
            self._end(process)
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        if self._scratch:
            with contextlib.suppress(RecursionError):  # `keep.py` ran out of time
                shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = ""
        self._buffer = b""

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self.sandbox.kind is not SandboxKind.BUBBLEWRAP:
            # Without a process-id namespace, `keep.py` does the killing once its input ends.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(CLOSE_SECONDS)
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def kill(self) -> None:
        """End it for good, from any thread; whoever reads from it gets None."""
        self._killed = True
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError, OSError, ValueError):
            if self.sandbox.kind is SandboxKind.BUBBLEWRAP:
                os.killpg(process.pid, signal.SIGKILL)
            elif process.stdin is not None:
                process.stdin.close()  # `keep.py` does the killing


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
