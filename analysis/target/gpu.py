"""Meter a GPU from outside, through NVML: is what was measured on it worth anything?

NVML (`nvidia-ml-py`, whose module is `pynvml`) knows the device, not the case: its memory, clocks,
load and other users. Times and peak memory of the case itself come from the framework's own events
and allocator counters, in the process that runs it; this tells whether they are valid. Everything
that a driver or a container does not tell is None, never zero.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from types import ModuleType
from typing import Any

from analysis.cache import folder

POLL_SECONDS = 0.05
BUSY = 10
"""Per cent of utilisation from which on a device that should be idle is not."""
SLOWED = {
    "SwPowerCap": "power cap",
    "HwSlowdown": "hardware slowdown",
    "SwThermalSlowdown": "heat (software)",
    "HwThermalSlowdown": "heat (hardware)",
    "HwPowerBrakeSlowdown": "power brake",
}
"""Reasons of NVML's for lower clocks that spoil a measurement, and what they are called here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One device; `memory` is its size in bytes."""

    index: int
    uuid: str
    name: str
    memory: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoGpu:
    """Why there is nothing to meter."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A device at one moment: bytes in use, utilisation in per cent, clock of the SMs in MHz."""

    used: int | None
    utilisation: int | None
    clock: int | None
    slowed: tuple[str, ...]
    users: tuple[int, ...] | None
    """The ids of the processes that compute on it."""


@dataclass(slots=True, kw_only=True)
class Use:
    """What was seen of a device while something was measured on it."""

    before: State
    states: list[State] = field(default_factory=list)

    @property
    def memory(self) -> int | None:
        """Bytes in use at most, beyond what was in use before."""
        known = [state.used for state in self.states if state.used is not None]
        if self.before.used is None or not known:
            return None
        return max(0, max(known) - self.before.used)

    @property
    def joined(self) -> int:
        """Other processes that came while something was measured, as many as were there at most.

        Whose a process is, its id does not tell in a container. Of ours there is one at a time:
        who is there in two looks in a row, and never alone, is beside another. One look may still
        see one of ours that the next has come after.
        """
        looks = [state.users or () for state in self.states]
        together = ((one, other) for one, other in pairwise(looks) if set(one) & set(other))
        return max((min(map(len, both)) - 1 for both in together), default=0)

    @property
    def invalid(self) -> str | None:
        """Why what was measured is not to be trusted, if so."""
        if self.before.users:
            return f"{len(self.before.users)} other processes compute on the GPU"
        if self.joined:
            return f"{self.joined} other processes computed on the GPU meanwhile"
        if (self.before.utilisation or 0) > BUSY:
            return f"the GPU was busy before ({self.before.utilisation} %)"
        slowed = sorted({reason for state in self.states for reason in state.slowed})
        return f"the GPU lowered its clocks: {', '.join(slowed)}" if slowed else None

    @property
    def summary(self) -> str:
        """The evidence in one line."""
        clocks = [state.clock for state in self.states if state.clock is not None]
        parts = ["on an idle GPU"]
        if clocks:
            low, high = min(clocks), max(clocks)
            parts.append(f"at {low} MHz" if low == high else f"at {low} to {high} MHz")
        if self.memory is not None:
            parts.append(f"{self.memory / (1 << 20):.0f} MiB of device memory")
        return ", ".join(parts)


class Meter:
    """One device that NVML knows."""

    def __init__(self, nvml: ModuleType, gpu: Gpu, handle: Any) -> None:
        self.gpu = gpu
        self._nvml = nvml
        self._handle = handle
        self._slowed = _reasons(nvml)

    def state(self) -> State:
        """Look at it now."""
        nvml = self._nvml
        memory = self._ask("nvmlDeviceGetMemoryInfo")
        rates = self._ask("nvmlDeviceGetUtilizationRates")
        bits = self._ask("nvmlDeviceGetCurrentClocksEventReasons")
        if bits is None:  # as older drivers call it
            bits = self._ask("nvmlDeviceGetCurrentClocksThrottleReasons")
        users = self._ask("nvmlDeviceGetComputeRunningProcesses")
        return State(
            used=None if memory is None else int(memory.used),
            utilisation=None if rates is None else int(rates.gpu),
            clock=self._ask("nvmlDeviceGetClockInfo", nvml.NVML_CLOCK_SM),
            slowed=tuple(name for bit, name in self._slowed if (bits or 0) & bit),
            users=None if users is None else tuple(int(one.pid) for one in users),
        )

    def _ask(self, name: str, *arguments: Any) -> Any:
        """One question; None where this driver, device or container does not answer it."""
        function = getattr(self._nvml, name, None)
        if function is None:
            return None
        try:
            return function(self._handle, *arguments)
        except self._nvml.NVMLError:
            return None

    @contextlib.contextmanager
    def watched(self) -> Iterator[Use]:
        """Look at it every 50 ms, while something runs on it and nothing else of ours does."""
        with exclusive(self.gpu):
            use = Use(before=self.state())
            ended = threading.Event()

            def look() -> None:
                while not ended.wait(POLL_SECONDS):
                    use.states.append(self.state())

            thread = threading.Thread(target=look, daemon=True)
            thread.start()
            try:
                yield use
            finally:
                ended.set()
                thread.join()


def _reasons(nvml: ModuleType) -> tuple[tuple[int, str], ...]:
    """Bit and name of each reason in `SLOWED`, under either name that NVML has for them."""
    found = []
    for name, told in SLOWED.items():
        new, old = f"nvmlClocksEventReason{name}", f"nvmlClocksThrottleReason{name}"
        bit = getattr(nvml, new, None) or getattr(nvml, old, None)
        if bit is not None:
            found.append((int(bit), told))
    return tuple(found)


def meter(visible: str | None = None) -> Meter | NoGpu:
    """The device that a case computes on: the first one, or the first of `visible`.

    `visible` is as in `CUDA_VISIBLE_DEVICES`: indexes or UUIDs, separated by commas.
    """
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        return NoGpu(reason="nvidia-ml-py is not installed (pip install 'citadel-siblings[gpu]')")
    first = (os.environ.get("CUDA_VISIBLE_DEVICES", "0") if visible is None else visible).split(",")
    try:
        nvml.nvmlInit()
        wanted = first[0].strip()
        if wanted.isdigit():
            handle = nvml.nvmlDeviceGetHandleByIndex(int(wanted))
        elif wanted.startswith("GPU-"):
            handle = nvml.nvmlDeviceGetHandleByUUID(wanted)
        else:
            return NoGpu(reason=f"CUDA_VISIBLE_DEVICES names no GPU: {wanted or 'it is empty'}")
        gpu = Gpu(
            index=int(nvml.nvmlDeviceGetIndex(handle)),
            uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
            name=_text(nvml.nvmlDeviceGetName(handle)),
            memory=None,
        )
    except nvml.NVMLError as problem:
        return NoGpu(reason=f"NVML: {problem}")
    memory = Meter(nvml, gpu, handle)._ask("nvmlDeviceGetMemoryInfo")
    size = None if memory is None else int(memory.total)
    named = Gpu(index=gpu.index, uuid=gpu.uuid, name=gpu.name, memory=size)
    return Meter(nvml, named, handle)


def _text(value: str | bytes) -> str:
    """Older versions of the library return bytes."""
    return value.decode() if isinstance(value, bytes) else value


@contextlib.contextmanager
def exclusive(gpu: Gpu) -> Iterator[None]:
    """Hold the device against other measurements of this user; waits for as long as it takes."""
    name = "".join(letter for letter in gpu.uuid if letter.isalnum() or letter == "-")
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
