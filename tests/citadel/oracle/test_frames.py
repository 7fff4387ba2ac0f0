"""Native frames: which of a stack tell where a crash is."""

import pytest

from citadel.oracle.frames import plain, top_frames

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


FATAL = """
SIGSEGV(11), PID: 1, Thread 1:
 frame #0: c10::FatalSignalHandler::stacktraceSignalHandler(bool) + 0x8f (0x7f in /l/libc10.so)
frame #1: c10::FatalSignalHandler::fatalSignalHandler(int, siginfo_t*) + 0x2 (0x7 in /l/libc10.so)
frame #2: <unknown function> + 0x3c050 (0x7f in /lib/libc.so.6)
frame #3: <unknown function> + 0x1143812 (0x7f in /l/libtorch_cpu.so)
frame #4: at::native::structured_pool_out_cpu::impl(at::Tensor const&, long) + 0x7f (0x7 in /t.so)
frame #5: at::_ops::pool::call(at::Tensor const&) + 0x1a6 (0x7f in /l/libtorch_cpu.so)
frame #6: /usr/bin/python3() [0x547b96]
<omitting python frames>

SIGSEGV(11), PID: 1, Thread 2:
 frame #0: c10::FatalSignalHandler::stacktraceSignalHandler(bool) + 0x8f (0x7f in /l/libc10.so)
frame #1: blas_thread_server + 0x2 (0x7f in /l/libopenblas.so)
"""
OURS = """
Fatal Python error: Aborted

frame #2: ffi_call + 0x0
frame #4: _PyEval_EvalFrameDefault + 0x0
frame #9: tensorflow::functor::Histogram<Device, float>::Compute(Eigen::Tensor<float>) + 0x0
frame #10: tensorflow::HistogramOp<Device, float>::Compute(tensorflow::OpKernelContext*) + 0x0
frame #11: tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernelContext*) + 0x0
frame #12: tensorflow::FunctionLibraryRuntimeImpl::RunSync(unsigned long) + 0x0
frame #13: tensorflow::ProcessFunctionLibraryRuntime::RunMultiDeviceSync(unsigned long) + 0x0
frame #14: tensorflow::KernelAndDeviceFunc::Run(tensorflow::ScopedStepContainer*) + 0x0
frame #15: tensorflow::EagerKernelExecute(tensorflow::EagerContext*) + 0x0
frame #16: tensorflow::ExecuteNode::Run() + 0x0
frame #17: tensorflow::EagerExecutor::SyncExecute(tensorflow::EagerNode*) + 0x0
frame #18: tensorflow::DoEagerExecute(tensorflow::EagerOperation*, int*) + 0x0
frame #19: tensorflow::CustomDeviceOpHandler::Execute(int*) + 0x0
frame #20: TFE_Execute + 0x0
frame #21: _PyObject_MakeTpCall + 0x0
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
        (FATAL, ("at::native::structured_pool_out_cpu::impl",)),
        (OURS, ("tensorflow::functor::Histogram::Compute", "tensorflow::HistogramOp::Compute")),
        (
            "frame #1: _Z1fSt4pairIiiE + 0x0\nframe #2: at::native::fold + 0x0",
            ("at::native::fold",),
        ),
        ("no stack\n# 1. a heading\n\tindented()\n", ()),
    ],
)
def test_the_frames_that_tell_where_a_crash_is(log, frames):
    assert top_frames(log.splitlines()) == frames


def test_hostile_stacks_take_no_time_and_give_little():
    frames = top_frames(["frame #0: " + "a" * 10**6, *("#0 " + "<(" * 500 for _ in range(5000))])
    assert len(frames) <= 3
    assert all(len(frame) <= 200 for frame in frames)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("at::native::fold(at::Tensor const&)", "at::native::fold"),
        ("void at::native::fold<std::vector<int> >(at::Tensor&) const", "at::native::fold"),
        ("at::native::fold(at::Tensor&)::{lambda(int)#1}::operator()(int)", "at::native::fold"),
        ("tensorflow::Op<Eigen::Device, int>::Compute(Context*)", "tensorflow::Op::Compute"),
        ("tsl::CurrentStackTrace[abi:cxx11]()", "tsl::CurrentStackTrace"),
        ("memcpy@plt", "memcpy"),
        ("c10::operator<<(std::ostream&, int)", "c10::operator"),
        ("bool c10::operator<(c10::Key<int> const&)", "c10::operator"),
        ("at::Thing::operator()(int)", "at::Thing::operator"),
        ("()", ""),
    ],
)
def test_names_without_what_changes_with_types(name, function):
    assert plain(name) == function
