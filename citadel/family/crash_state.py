"""What findings of different reports are merged by: the crash state (paper, section 4.7).

In: a symptom, and what a report pasted. Out: the state, whether it tells causes apart by itself,
and the top native frames, without those through which every call goes: an internal assertion names
its cause, "crashes with SIGSEGV" and "NaN" do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citadel.model import Symptom, SymptomKind

TOP = 3
"""Frames that make a state, as with other triage tools."""
MOST_LINES = 4000
MOST_STATE = 400

_WORD = re.compile(r"[A-Za-z][a-z_]{2,}\w*")
_PLACEHOLDERS = frozenset(("ADDRESS", "NODE", "OP", "NAME", "API", "DTYPE", "NAMES", "SHAPE"))
_TELLING_WORDS = 3

_FRAMES = (
    # frame #3: at::native::pool(at::Tensor const&) + 0x1f (0x7f.. in /lib/libtorch_cpu.so)
    re.compile(r"\s*frame #\d+: (?P<name>.+?) \+ 0x[0-9a-f]+"),
    # #3 0x00007f.. in at::native::pool (self=...) at pool.cpp:3, of gdb and of sanitizers
    re.compile(r"\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<name>[A-Za-z_~][^()\s]*(?:<[^()]*>)?[^()\s]*)"),
    # @ 0x7f1c tensorflow::Tensor::FromProto()
    re.compile(r"\s*@\s+0x[0-9a-f]+\s+(?:\(unknown\)|(?P<name>\S.*))"),
)
_DISPATCH = re.compile(
    r"c10::(?:Dispatcher|KernelFunction|OperatorHandle|impl::|detail::torchCheckFail|Error::"
    r"|BoxedKernel)|torch::jit::invokeOp|torch::autograd::VariableType|at::_ops::|at::redispatch"
    r"|pybind11::|torch::(?:Check|detail::)|_?Py[A-Z_]|_Py|method_vectorcall|cfunction"
    r"|tensorflow::(?:internal::LogMessage|Status|KernelAndDevice|EagerExecute|EagerKernel"
    r"|ThreadPoolDevice|OpKernel::|errors::)|TFE_|absl::|tsl::internal|std::|__?(?:GI_)?"
    r"(?:libc|raise|abort|assert|pthread|restore|memcpy|memmove|memset|clone|start)|gsignal|raise"
    r"|abort|<signal handler|start_thread|wrap_|decltype|operator\(\)|main\b|\?\?"
)
_ARGUMENTS = re.compile(r"\(.*|<.*>| \[clone.*|@.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is the same in all findings of one cause.

    `telling`: whether findings of one state are of one cause wherever they come from; else they
    need something else in common.
    """

    text: str
    telling: bool


def state_of(symptom: Symptom) -> State:
    """The state of a symptom."""
    pattern = symptom.pattern or ""
    if symptom.kind is SymptomKind.RAISES:
        text = f"{symptom.exception}: {pattern}"
        return State(text=text[:MOST_STATE], telling=_tells(pattern))
    text = f"{symptom.kind} {symptom.signal or ''} {pattern}".strip()
    return State(text=" ".join(text.split())[:MOST_STATE], telling=_tells(pattern))


def top_frames(lines: Iterable[str]) -> tuple[str, ...]:
    """The innermost native frames of the first stack that was pasted, without the dispatcher's."""
    found: list[str] = []
    for name in _names(lines):
        if name not in found and not _DISPATCH.match(name):
            found.append(name)
        if len(found) == TOP:
            break
    return tuple(found)


def _names(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number >= MOST_LINES:
            return
        for pattern in _FRAMES:
            found = pattern.match(line[:1000].replace("(anonymous namespace)::", ""))
            if found is not None and found["name"]:
                yield _ARGUMENTS.sub("", found["name"].strip())[:200]
                break


def _tells(pattern: str) -> bool:
    """Whether a normalised message has words enough of its own."""
    words = {word for word in _WORD.findall(pattern) if word not in _PLACEHOLDERS}
    return len(words) >= _TELLING_WORDS
