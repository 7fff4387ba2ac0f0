"""Crash states across reports: which symptoms tell a cause, and which frames count."""

import pytest

from citadel.family.crash_state import state_of, top_frames
from citadel.model import Symptom, SymptomKind


def raises(pattern):
    return Symptom(kind=SymptomKind.RAISES, exception="RuntimeError", pattern=pattern)


@pytest.mark.parametrize(
    ("symptom", "telling"),
    [
        (raises("self.has_storage() INTERNAL ASSERT FAILED at TensorShape.cpp"), True),
        (raises("Expected all tensors to be on the same device"), True),
        (raises("SHAPE N"), False),
        (raises("API() DTYPE OP"), False),
        (Symptom(kind=SymptomKind.CRASHES, signal="SIGSEGV"), False),
        (
            Symptom(
                kind=SymptomKind.CRASHES,
                signal="SIGABRT",
                pattern="tensor.cc: Check failed: N == NumElements() Must have one element",
            ),
            True,
        ),
        (Symptom(kind=SymptomKind.HANGS), False),
        (Symptom(kind=SymptomKind.NON_FINITE, where="y", observed="nan"), False),
    ],
)
def test_what_tells_a_cause_by_itself(symptom, telling):
    assert state_of(symptom).telling is telling


def test_values_and_places_in_the_report_are_no_part_of_a_state():
    one = Symptom(kind=SymptomKind.NON_FINITE, where="y", observed="nan")
    other = Symptom(kind=SymptomKind.NON_FINITE, where="out.sum()", observed="inf")
    assert state_of(one) == state_of(other)


TORCH = """
Exception raised from conv at ../aten/src/ATen/native/Convolution.cpp:600 (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x4d (0x7fc in /l/libc10.so)
frame #1: c10::detail::torchCheckFail(char const*, char const*, unsigned int) + 0x6 (0x7f in /l/c)
frame #2: at::native::check_shape_forward(at::Tensor const&) + 0x1f2 (0x7f in /lib/libtorch_cpu.so)
frame #3: at::native::_convolution(at::Tensor const&, bool) + 0x88 (0x7f in /lib/libtorch_cpu.so)
frame #4: at::_ops::_convolution::call(at::Tensor const&) + 0x1 (0x7f in /lib/libtorch_cpu.so)
frame #5: at::native::convolution(at::Tensor const&) + 0x3 (0x7f in /lib/libtorch_cpu.so)
frame #6: at::native::conv1d(at::Tensor const&) + 0x3 (0x7f in /lib/libtorch_cpu.so)
"""
TENSORFLOW = """
*** Begin stack trace ***
    @     0x7f1c5d1a1 tsl::internal::LogMessageFatal::~LogMessageFatal()
    @     0x7f1c5d1a2 tensorflow::TensorShape::dim_size(int) const
    @     0x7f1c5d1a3 tensorflow::SparseOp<long>::Compute(tensorflow::OpKernelContext*)
    @     0x7f1c5d1a4 (unknown)
"""
GDB = """
#0  0x00007ffff7de00b1 in raise () from /lib/libc.so.6
#1  0x00007ffff7dc9537 in abort () at abort.c:79
#2  0x00007fffd2d3b1a0 in at::native::fold_kernel<float>(at::Tensor&) (self=...) at Fold.cpp:3
#3  0x00007fffd2d3b1a1 in c10::Dispatcher::call (this=0x0)
"""
ASAN = """
==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60
    #0 0x7f3 in at::native::(anonymous namespace)::embed(long*) Embedding.cpp:120
    #1 0x7f4 in at::native::embedding_bag Embedding.cpp:7
"""


@pytest.mark.parametrize(
    ("log", "frames"),
    [
        (
            TORCH,
            (
                "at::native::check_shape_forward",
                "at::native::_convolution",
                "at::native::convolution",
            ),
        ),
        (TENSORFLOW, ("tensorflow::TensorShape::dim_size", "tensorflow::SparseOp::Compute")),
        (GDB, ("at::native::fold_kernel",)),
        (ASAN, ("at::native::embed", "at::native::embedding_bag")),
        ("no stack\n# 1. a heading\n", ()),
    ],
)
def test_frames_of_pasted_stacks_without_the_dispatcher(log, frames):
    assert top_frames(log.splitlines()) == frames


def test_hostile_stacks_take_no_time_and_give_little():
    frames = top_frames(["frame #0: " + "a" * 10**6, *("#0 " + "<(" * 500 for _ in range(5000))])
    assert len(frames) <= 3
    assert all(len(frame) <= 200 for frame in frames)
