"""Native frames of a crash: in, the lines of a log; out, the innermost functions that tell where.

Those through which every call goes (dispatchers, runtimes, handlers of signals, the interpreter)
tell nothing and are left out; so are parameters and template arguments, which change with types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from analysis.rules import Phrase

TOP = 3
"""Frames that make a state, as with other triage tools."""
MOST_LINES = 4000
MOST_LINE = 1000
MOST_NAME = 200

_FRAMES = (
    # frame #3: at::native::pool(at::Tensor const&) + 0x1f (0x7f.. in /lib/libtorch_cpu.so)
    Phrase(
        "frame/of-c10",
        r"\s*frame #(?P<number>\d+): (?P<name>.+?)(?: \+ 0x[0-9a-f]+\b.*)?$",
        finds=("frame #3: at::native::pool(at::Tensor const&) + 0x1f (0x7f in /lib/a.so)",),
        spares=("#3 at::native::pool",),
    ),
    # #3 0x00007f.. in at::native::pool (self=...) at pool.cpp:3, of gdb and of sanitizers
    Phrase(
        "frame/of-debugger",
        r"\s*#(?P<number>\d+)\s+(?:0x[0-9a-f]+ in )?"
        r"(?P<name>[A-Za-z_~][^()\s]*(?:<[^()]*>)?[^()\s]*)",
        finds=("#3 0x00007f in at::native::pool (self=...) at pool.cpp:3",),
        spares=("frame 3",),
    ),
    # @ 0x7f1c tensorflow::Tensor::FromProto()
    Phrase(
        "frame/of-glog",
        r"\s*@\s+0x[0-9a-f]+\s+(?:\(unknown\)|(?P<name>\S.*))",
        finds=("    @ 0x7f1c tensorflow::Tensor::FromProto()",),
        spares=("0x7f1c",),
    ),
)
_NOT_TELLING = Phrase(
    "frame/on-the-way",
    r"c10::(?:Dispatcher|KernelFunction|OperatorHandle|impl::|detail::torchCheckFail|Error::"
    r"|BoxedKernel|FatalSignalHandler)|torch::jit::(?:invokeOp|_get_op)"
    r"|torch::autograd::VariableType|at::(?:_ops::|redispatch|internal::|parallel_for|TensorIterator)"
    r"|pybind11::|torch::(?:Check|detail::)|_?Py[A-Z_]|_Py|method_vectorcall|cfunction|ffi_call"
    r"|tensorflow::(?:internal::LogMessage|Status|KernelAndDevice|ThreadPoolDevice|OpKernel::"
    r"|errors::|(?:Process)?FunctionLibraryRuntime|DirectSession|ExecuteNode|CustomDeviceOpHandler"
    r"|(?:Do)?Eager[A-Z]|TFE_)|TFE_|TF_|absl::|std::"
    r"|tsl::(?:internal|CurrentStackTrace|thread)|__?(?:GI_)?"
    r"(?:libc|raise|abort|assert|pthread|restore|memcpy|memmove|memset|clone|start)|gsignal|raise"
    r"|abort|<signal handler|start_thread|wrap_|decltype|operator\(\)|main\b|\?\?|<unknown"
    r"|GOMP_|Eigen::ThreadPool|/|_Z",
    finds=("c10::Dispatcher::call", "abort"),
    spares=("Pool<float>",),
)
_OPERATOR = re.compile(r"\boperator\s*[^\w\s(]+\(")
"""Operators whose signs are those of templates, too."""


def top_frames(lines: Iterable[str]) -> tuple[str, ...]:
    """The innermost functions of the first stack in a log that tell where it is, `TOP` at most."""
    found: list[str] = []
    for name in _names(lines):
        if name and name not in found and not _NOT_TELLING.match(name):
            found.append(name)
        if len(found) == TOP:
            break
    return tuple(found)


def _names(lines: Iterable[str]) -> Iterator[str]:
    """The functions of the first stack, the innermost first."""
    deepest = -1
    for whole in islice(lines, MOST_LINES):
        line = whole[:MOST_LINE].replace("(anonymous namespace)::", "")
        found = next(filter(None, (pattern.match(line) for pattern in _FRAMES)), None)
        if found is None:
            continue
        place = found.groupdict().get("number")
        if place is not None:
            if int(place) <= deepest:
                return  # the stack of another thread
            deepest = int(place)
        if found["name"]:
            yield plain(found["name"])


def plain(name: str) -> str:
    """A demangled name without parameters, template arguments, return type; of a lambda, its place.

    >>> plain("void at::native::fold<float>(at::Tensor&)::{lambda()#1}::operator()() const")
    'at::native::fold'
    """
    kept: list[str] = []
    depth = 0
    named = _OPERATOR.sub("operator(", name.strip().split("::{lambda")[0])
    for sign in named:
        if sign in "<(":
            depth += 1
        elif sign in ">)":
            depth = max(depth - 1, 0)
        elif depth == 0:
            kept.append(sign)
    words = re.sub(r" const$|\[.*?\]|@.*", "", "".join(kept).strip()).split()
    return words[-1][:MOST_NAME] if words else ""
