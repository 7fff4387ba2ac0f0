"""Where crashes are: native stacks of real ones."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits
from citadel.oracle import status
from citadel.verify.crashes import located

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.fixture
def placed(bench):
    def run(text, symptom):
        text = dedent(text)
        return located(symptom, text, instrument(text).traced, bench.replays[0], Limits(wall=20.0))

    return run


UNCHECKED = """
    import torch
    make = torch.ops.aten._sparse_coo_tensor_unsafe
    print(make(torch.tensor([[2**40]]), torch.ones(1), (3,)).to_dense())
"""
SEGV = status.crashes("SIGSEGV")


def test_a_crash_is_told_with_the_function_that_it_is_in(placed):
    found = placed(UNCHECKED, SEGV)
    assert found.signal == "SIGSEGV"
    assert found.frames[:2] == ("at::native::sparse_to_dense", "at::native::to_dense")
    assert found.headline() == "crashes with SIGSEGV in at::native::sparse_to_dense"


FORGED = """
    import sys
    sys.stderr.write("frame #0: at::native::innocent(at::Tensor&) + 0x0\\n")
"""


def test_what_the_report_prints_is_no_stack(placed):
    assert placed(FORGED + UNCHECKED, SEGV).frames[0] == "at::native::sparse_to_dense"


DAMAGED = """
    import ctypes, torch
    made = torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor([[2**40]]), torch.ones(1), (3,))
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    places = [libc.malloc(size) for size in range(24, 1025, 16) for _ in range(8)]
    for place in places:
        libc.free(place)
    for place in places:  # where the heap keeps what it hands out next: no object is written over
        ctypes.memset(place, 255, 8)
    made.to_dense()
"""


def test_the_stack_is_told_though_the_heap_is_damaged(placed):
    assert placed(DAMAGED, SEGV).frames


@pytest.mark.parametrize(
    "text",
    ["print(1)", "import os; os._exit(3)", "raise ValueError('no')", "import os; os.abort()"],
)
def test_what_has_no_stack_of_the_framework_stays_as_it_is(placed, text):
    assert placed(text, SEGV) == SEGV


def test_only_crashes_are_looked_at(placed):
    symptom = status.raises("RuntimeError", "no")
    assert placed(UNCHECKED, symptom) is symptom
