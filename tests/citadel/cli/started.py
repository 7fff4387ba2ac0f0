"""Commands of Citadel without the second and a half in which a process imports its modules.

One process per run of the tests has them imported; each command is a fork of it: a process of its
own with its own arguments, folder, environment, streams and exit status, in which `python -m
citadel` begins. Forks hash strings alike and do not show what is wrong with the imports: tests of
the order of things in two processes, or of signals, start a process as usual (`subprocess`).
"""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGES = ("citadel", "harvest")


def run(arguments, *, cwd, env, stdin=b"", timeout):
    """What `subprocess.run` returns of `python -m citadel`, output being text.

    Raises:
        subprocess.TimeoutExpired: after `timeout` seconds; the command has been killed.
    """
    command = [str(argument) for argument in arguments]
    asked = {"arguments": command, "cwd": str(cwd or Path.cwd()), "env": dict(env)}
    with contextlib.ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin)
        given.seek(0)
        server = _server()
        server.settimeout(timeout)
        question = json.dumps(asked).encode()
        streams = [stream.fileno() for stream in (given, out, err)]
        socket.send_fds(server, [len(question).to_bytes(4)], streams)
        server.sendall(question)
        pid = _number(server)
        try:
            status = _number(server)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            server.settimeout(None)
            _number(server)
            raise subprocess.TimeoutExpired(command, timeout) from None
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(
            command, status, out.read().decode(), err.read().decode()
        )


@functools.cache
def _server():
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )

    def end():
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _number(connection):
    data = _exactly(connection, 4)
    assert data, "the process that starts commands is gone"
    return int.from_bytes(data, signed=True)


def _exactly(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            return b""
        data += more
    return data


def _import_all():
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    importlib.import_module("typer.rich_utils")  # prints help, and takes as long as all of typer
    gc.freeze()


def _serve(connection):
    """Fork for each question; returns in the fork, with what was asked."""
    while True:
        head, streams, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            os._exit(0)
        asked = json.loads(_exactly(connection, int.from_bytes(head)))
        pid = os.fork()
        if not pid:
            for at, stream in enumerate(streams):
                os.dup2(stream, at)
            _close(connection.detach(), *streams)
            return asked
        _close(*streams)
        connection.sendall(pid.to_bytes(4, signed=True))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        connection.sendall(status.to_bytes(4, signed=True))


def _close(*numbers):
    for number in numbers:
        os.close(number)


def _main(number):
    _import_all()
    asked = _serve(socket.socket(fileno=number))
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    for name, stream, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        opened = open(stream, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)
    sys.path[0] = asked["cwd"]
    sys.argv = ["citadel", *asked["arguments"]]
    runpy.run_module("citadel", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
