"""The GPU as NVML shows it: by a driver that is played, and by the real one where there is one."""

import sys
import threading
import time
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from analysis.target import gpu
from analysis.target.gpu import Meter, NoGpu, State, meter

MIB = 1 << 20
IDLE = State(used=None, utilisation=0, clock=None, slowed=(), users=())


class NVMLError(Exception):
    """What the library raises."""


class Driver(ModuleType):
    """NVML with one device whose state tests set; what is None is not supported."""

    NVMLError = NVMLError
    NVML_CLOCK_SM = 1
    nvmlClocksThrottleReasonSwPowerCap = 0x4
    nvmlClocksThrottleReasonHwThermalSlowdown = 0x40

    def __init__(self):
        super().__init__("pynvml")
        self.used, self.load, self.clock, self.reasons, self.users = 500 * MIB, 0, 1980, 0, []

    def nvmlInit(self):
        pass

    def nvmlDeviceGetHandleByIndex(self, index):
        if index:
            raise NVMLError("Invalid Argument")
        return "handle"

    def nvmlDeviceGetHandleByUUID(self, uuid):
        return "handle"

    def nvmlDeviceGetIndex(self, handle):
        return 0

    def nvmlDeviceGetUUID(self, handle):
        return b"GPU-1234/../5678"

    def nvmlDeviceGetName(self, handle):
        return "Played"

    def nvmlDeviceGetMemoryInfo(self, handle):
        return SimpleNamespace(used=self.used, total=80 << 30)

    def nvmlDeviceGetUtilizationRates(self, handle):
        return SimpleNamespace(gpu=self._told(self.load))

    def nvmlDeviceGetClockInfo(self, handle, kind):
        return self._told(self.clock)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle):
        return self._told(self.reasons)

    def nvmlDeviceGetComputeRunningProcesses(self, handle):
        return self._told(self.users)

    def _told(self, value):
        if value is None:
            raise NVMLError("Not Supported")
        return value


@pytest.fixture
def driver(monkeypatch):
    played = Driver()
    monkeypatch.setitem(sys.modules, "pynvml", played)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return played


def test_without_the_library_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    found = meter()
    assert isinstance(found, NoGpu)
    assert "citadel-siblings[gpu]" in found.reason


def test_without_a_driver_the_reason_is_nvmls():
    found = meter()
    if isinstance(found, Meter):
        pytest.skip("there is a GPU")
    assert found.reason.startswith("NVML: ")


def test_the_device_is_known(driver):
    found = meter()
    assert isinstance(found, Meter)
    assert (found.gpu.name, found.gpu.memory) == ("Played", 80 << 30)


@pytest.mark.parametrize(
    ("visible", "reason"), [("1,0", "NVML: Invalid Argument"), ("", "it is empty"), ("-1", "-1")]
)
def test_a_device_that_is_not_there(driver, visible, reason):
    found = meter(visible)
    assert isinstance(found, NoGpu)
    assert reason in found.reason


def test_what_a_device_does_not_tell_is_unknown(driver):
    driver.load = driver.clock = driver.reasons = driver.users = None
    with meter().watched() as use:
        pass
    assert (use.before.utilisation, use.before.clock, use.before.users) == (None, None, None)
    assert use.invalid is None


def _seen(found, driver, *changes, looks=1):
    """Watch the device while changes are made, after each until it was looked at so often."""
    with found.watched() as use:
        for change in changes:
            change(driver)
            wanted, deadline = len(use.states) + looks, time.monotonic() + 10
            while len(use.states) < wanted and time.monotonic() < deadline:
                time.sleep(gpu.POLL_SECONDS)
    return use


def test_memory_is_that_beyond_what_was_in_use(driver):
    use = _seen(meter(), driver, lambda device: setattr(device, "used", 700 * MIB))
    assert use.memory == 200 * MIB
    assert use.summary == "on an idle GPU, at 1980 MHz, 200 MiB of device memory"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("users", [SimpleNamespace(pid=7)], "1 other processes compute on the GPU"),
        ("load", 60, "the GPU was busy before (60 %)"),
    ],
)
def test_a_device_in_use_is_told(driver, name, value, reason):
    setattr(driver, name, value)
    with meter().watched() as use:
        pass
    assert use.invalid == reason


def test_own_load_is_no_contention(driver):
    def busy(device):
        device.load, device.users = 100, [SimpleNamespace(pid=7)]

    assert _seen(meter(), driver, busy).invalid is None


def _used_by(*pids):
    return lambda device: setattr(device, "users", [SimpleNamespace(pid=pid) for pid in pids])


def test_others_that_come_meanwhile_are_told(driver):
    use = _seen(meter(), driver, _used_by(7), _used_by(7, 8), _used_by(9), looks=3)
    assert use.invalid == "1 other processes computed on the GPU meanwhile"
    driver.users = []
    use = _seen(meter(), driver, _used_by(7), _used_by(0, 0, 0), _used_by(), looks=3)
    assert use.invalid == "2 other processes computed on the GPU meanwhile"


def test_own_runs_that_follow_one_another_are_no_others():
    one_by_one = [(7,), (7, 8), (8,), (8,), (8, 9), (9,), (), (11,), None]
    states = [replace(IDLE, users=users) for users in one_by_one]
    assert gpu.Use(before=IDLE, states=states).invalid is None
    beside = [replace(IDLE, users=users) for users in [(7,), (7, 99), (8, 99), (8,)]]
    assert gpu.Use(before=IDLE, states=beside).joined == 1


def test_lowered_clocks_are_told(driver):
    use = _seen(meter(), driver, lambda device: setattr(device, "reasons", 0x44))
    assert use.invalid == "the GPU lowered its clocks: heat (hardware), power cap"


def test_an_idle_gpus_low_clocks_are_no_reason(driver):
    assert _seen(meter(), driver, lambda device: setattr(device, "reasons", 0x1)).invalid is None


def test_one_measurement_at_a_time(driver):
    order = []

    def second():
        with meter().watched():
            order.append("second")

    with meter().watched():
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


@pytest.mark.gpu
def test_the_real_device():
    found = meter()
    if isinstance(found, NoGpu):
        pytest.skip(found.reason)
    state = found.state()
    assert found.gpu.memory > 1 << 30
    assert 0 < state.used <= found.gpu.memory
