"""Who may use a GPU while something is measured on it; the device is played."""

import threading
from types import ModuleType

import pytest

from analysis import cache
from analysis.target.gpu import Gpu, Meter, NoGpu, exclusive
from citadel.oracle import metering


@pytest.fixture
def device(monkeypatch, tmp_path):
    monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path))
    gpu = Gpu(index=0, uuid="GPU-played", name="Played", memory=None)
    monkeypatch.setattr(metering, "meter", lambda: Meter(ModuleType("pynvml"), gpu, None))
    return gpu


@pytest.mark.parametrize(("gpu", "waits"), [(True, True), (False, False)])
def test_what_is_not_measured_waits_for_what_is(device, gpu, waits):
    entered = threading.Event()

    def run():
        with metering.alone(gpu=gpu):
            entered.set()

    thread = threading.Thread(target=run)
    with exclusive(device):
        thread.start()
        assert entered.wait(0.2) is not waits
    thread.join(10)
    assert entered.is_set()


def test_without_a_meter_nothing_waits(monkeypatch):
    monkeypatch.setattr(metering, "meter", lambda: NoGpu(reason="none"))
    with metering.alone(gpu=True):
        pass
