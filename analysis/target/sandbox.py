"""Confinement for the code of strangers: a command line that runs a program with hands tied.

Bubblewrap where it works: no network, own process ids, only the interpreter's own folders visible
and read-only, a private scratch directory, an empty environment. Else Landlock and seccomp (no
writing outside the scratch directory, no reading of home directories, no sockets). Else nothing
runs unless the user insists.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from analysis.errors import CitadelError

INSIDE = Path(__file__).resolve().parent.parent / "inside"
TOOL = (sys.executable, "-sE")
"""Runs one of Citadel's own programs outside of the interpreter under test."""
SCRATCH_BYTES = 2 << 30
SHARED_BYTES = 1 << 30
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group")
DEVICES = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-caps")


class SandboxKind(StrEnum):
    """Which confinement a run had; part of every record."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A confinement and the folders that code inside may read."""

    kind: SandboxKind
    readable: tuple[str, ...]

    def command(self, program: Sequence[str], scratch: str) -> list[str]:
        """`program` wrapped; `scratch` is the only folder it may write to."""
        readable = _outermost((*self.readable, str(INSIDE)))
        if self.kind is SandboxKind.BUBBLEWRAP:
            return [*_bubblewrap(readable), "--", *program]
        keep = [*TOOL, str(INSIDE / "keep.py"), scratch]
        if self.kind is SandboxKind.NONE:
            return [*keep, *program]
        confine = [*TOOL, str(INSIDE / "confine.py")]
        return [*keep, *confine, scratch, *SYSTEM, *SYSTEM_FILES, *readable, "--", *program]

    def home(self, scratch: str) -> str:
        """The scratch folder as the program sees it."""
        return "/tmp" if self.kind is SandboxKind.BUBBLEWRAP else scratch  # noqa: S108

    def environment(self, scratch: str) -> dict[str, str]:
        """The whole environment of the program: no token of the user reaches it."""
        home = self.home(scratch)
        return {
            "HOME": home,
            "TMPDIR": home,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "USER": "citadel",
            **_of_graphics(),
        }


def _of_graphics() -> dict[str, str]:
    """Which GPUs the user allows, numbered as NVML does; nothing may start CUDA before a fork."""
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = {} if allowed is None else {"CUDA_VISIBLE_DEVICES": allowed}
    return {**chosen, "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def choose(readable: Sequence[str], *, insist_none: bool = False) -> Sandbox:
    """The best confinement of this machine.

    Raises:
        CitadelError: when there is none and the user did not ask for running without.
    """
    if insist_none:
        return Sandbox(kind=SandboxKind.NONE, readable=tuple(readable))
    for kind, works in (
        (SandboxKind.BUBBLEWRAP, has_bubblewrap),
        (SandboxKind.LANDLOCK, has_landlock),
    ):
        if works():
            return Sandbox(kind=kind, readable=tuple(readable))
    raise CitadelError(
        "no sandbox on this machine: bubblewrap is missing or may not create namespaces, "
        "and the kernel offers no Landlock",
        "install bubblewrap (apt install bubblewrap), or run code you trust with --no-sandbox",
    )


def _bubblewrap(readable: Sequence[str]) -> list[str]:
    command = [
        shutil.which("bwrap") or "bwrap",
        # As the first process of its namespace, the program cannot be killed from inside, and takes
        # everything inside along when it ends.
        *("--unshare-all", "--unshare-user", "--as-pid-1", "--new-session"),
        *("--cap-drop", "ALL", "--hostname", "sandbox"),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(SHARED_BYTES), "--tmpfs", "/dev/shm"),  # noqa: S108
        *("--size", str(SCRATCH_BYTES), "--tmpfs", "/tmp"),  # noqa: S108
    ]
    for path in (*SYSTEM, *SYSTEM_FILES, "/sys/devices/system"):
        command += ["--ro-bind-try", path, path]
    for path in readable:
        if not path.startswith(tuple(f"{root}/" for root in SYSTEM[:3])):
            command += ["--ro-bind-try", path, path]
    for device in (*DEVICES, *sorted(map(str, Path("/dev").glob("nvidia[0-9]*")))):
        if Path(device).exists():
            command += ["--dev-bind-try", device, device]
    # The folders that hold the mounts lie in memory and have no size limit.
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]  # noqa: S108


def _outermost(paths: Sequence[str]) -> list[str]:
    """The paths without those that lie inside another one."""
    kept: list[str] = []
    for path in sorted({os.path.abspath(path) for path in paths}, key=lambda p: (p.count("/"), p)):  # noqa: PTH100
        if not any(path == outer or path.startswith(f"{outer}/") for outer in kept):
            kept.append(path)
    return kept


@cache
def has_bubblewrap() -> bool:
    """Whether bubblewrap is installed and may create its namespaces here."""
    if shutil.which("bwrap") is None:
        return False
    command = [*_bubblewrap(()), "--", "/bin/sh", "-c", "exit 0"]
    return _succeeds(command)


@cache
def has_landlock() -> bool:
    """Whether this kernel offers Landlock."""
    return _succeeds([*TOOL, str(INSIDE / "confine.py"), "--check"])


def _succeeds(command: Sequence[str]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=20, env={}, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
