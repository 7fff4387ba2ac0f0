"""The status oracle: exceptions, native crashes, hangs.

`capture` turns one observation into a symptom; `matches` compares two symptoms by exception class
and normalised message (see `citadel.oracle.messages`), or by signal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from analysis.rules import Phrase
from analysis.target.observation import Observation, Outcome, Raised
from analysis.target.session import Limits
from citadel.model import Symptom, SymptomKind
from citadel.oracle.aborts import crash_state, damages_memory, last_words
from citadel.oracle.messages import first_line, normalise

_FROM_OUTSIDE = frozenset(("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXFSZ"))
"""Signals by which others end a process: the kernel short of memory, a limit, the case itself."""

HANGS_AGAIN = 10.0
"""Seconds after which a case hangs that has been seen to hang for as long as it may run."""

_INTERNAL = Phrase(
    "message/internal",
    r"INTERNAL ASSERT FAILED|Check failed|internal error\b|please (?:report a bug|file an issue)",
    re.IGNORECASE,
    finds=("x INTERNAL ASSERT FAILED at a.cpp", "please report a bug to PyTorch"),
    spares=("size must be positive",),
)


_TELLING = Phrase(
    "message/telling-number",
    r"(?<![\w.)\]])-\d|\d{3}",
    finds=("index -3 is out of range", "size 1024"),
    spares=("index 3 is out of range",),
)
"""Negative and large numbers: sizes that are made up are neither."""


def raises(exception: str, message: str) -> Symptom:
    """The symptom of an exception."""
    return Symptom(
        kind=SymptomKind.RAISES,
        exception=exception.rsplit(".", 1)[-1],
        message=first_line(message)[:500],
        pattern=normalise(message),
    )


def crashes(signal: str | None = None, message: str | None = None) -> Symptom:
    """The symptom of a native crash; `message` are the framework's last words.

    A report may tell of a crash without its signal: None then stands for any.
    """
    state = crash_state(message)
    return Symptom(kind=SymptomKind.CRASHES, signal=signal, message=message, pattern=state)


def capture(observation: Observation) -> Symptom | None:
    """The symptom that a run showed, or None when it showed none.

    Kills from outside (ours for memory, output or too many processes, or anybody's) are no symptom;
    neither is a plain exit.
    """
    if observation.outcome is Outcome.SIGNAL:
        if observation.signal in _FROM_OUTSIDE:
            return None
        return crashes(observation.signal, last_words(observation.stderr))
    if observation.outcome is Outcome.TIMEOUT:
        return Symptom(kind=SymptomKind.HANGS)
    if observation.outcome is Outcome.EXCEPTION and observation.exception is not None:
        return of_raised(observation.exception)
    return None


def of_raised(raised: Raised) -> Symptom:
    """The symptom of a recorded exception."""
    return raises(raised.type, raised.message)


def internal(symptom: Symptom) -> bool:
    """Whether the framework itself calls the failure its own fault, or died of it."""
    if symptom.kind is not SymptomKind.RAISES:
        return True
    return _INTERNAL.search(symptom.message or "") is not None


def asserted_at(code: str, observation: Observation) -> str:
    """The line of a script whose own assertion has ended a run; "" where that ended otherwise.

    An assertion inside of a framework is an exception like others.
    """
    raised = observation.exception
    if raised is None or "AssertionError" not in raised.types:
        return ""
    own = [one.line for one in raised.frames if one.file == "case.py"]
    lines = code.splitlines()
    line = lines[own[-1] - 1].strip() if own and 0 < own[-1] <= len(lines) else ""
    return line if "assert" in line.lower() else ""


def matches(
    wanted: Symptom,
    seen: Symptom | None,
    apis: tuple[str, str] | None = None,
    renamed: Iterable[tuple[str, str]] = (),
) -> bool:
    """Whether two symptoms are the same bug's: same class and pattern, or same signal. Damaged
    memory may end a process by several.

    `apis` are the names of the APIs that showed the two: messages may also be equal up to them
    ("floor is not supported for complex", "ceil is not supported for complex"). `renamed` are
    parameters of the one and what they are called by the other ("`newshape` has two -1").
    """
    if seen is None or wanted.kind is not seen.kind:
        return False
    if wanted.kind is SymptomKind.RAISES:
        if wanted.exception != seen.exception:
            return False
        if wanted.pattern == seen.pattern or apis is None:
            return wanted.pattern == seen.pattern
        told = wanted.pattern or ""
        for one, other in renamed:
            told = re.sub(rf"\b{re.escape(one)}\b", other, told)
        return _nameless(told, apis[0]) == _nameless(seen.pattern, apis[1])
    if wanted.kind is SymptomKind.HANGS or wanted.signal in (None, seen.signal):
        return True
    return all(damages_memory(one.signal, one.message) for one in (wanted, seen))


def once_more(limits: Limits, seen: Symptom | None) -> Limits:
    """The limits of further runs of a case: what has hung for long is not waited for as long."""
    if seen is None or seen.kind is not SymptomKind.HANGS:
        return limits
    return replace(limits, wall=min(limits.wall, HANGS_AGAIN))


_ARGUMENTS = Phrase(
    "message/arguments",
    r"unexpected keyword argument|missing \d+ required|takes \d+ positional|takes from \d+"
    r"|invalid combination of arguments|got multiple values for|missing required argument"
    r"|must be .{1,60}, not |must be (?:\w+|tuple of \w+) but got|expected at (?:least|most)"
    r"|has no attribute|not callable|incompatible function arguments|takes no arguments"
    r"|takes no keyword arguments|takes exactly|unsupported operand type|expects? \w+ argument"
    # Operators called through torch.ops; 1.13 says "many any".
    r"|failed to (?:match|many) any schema|missing value for argument|unknown keyword argument",
    re.IGNORECASE,
    finds=(
        "f() got an unexpected keyword argument 'x'",
        "f(): argument 'x' must be Tensor, not int",
        "aten::add() failed to match any schema",
    ),
    spares=("size must be positive",),
)


def _nameless(pattern: str | None, api: str) -> str:
    """A pattern without the API's own name, and without its forward's and backward's."""
    name = re.escape(api.rsplit(".", 1)[-1].strip("_"))
    quoted = rf"'_?{name}\w*(?:: \w+)?'|\b_?{name}(?:_(?:back|for)ward)?_?\b"
    return re.sub(quoted, "API", pattern or "", flags=re.IGNORECASE)


def refuses_arguments(symptom: Symptom) -> bool:
    """Whether a call was refused for how it was written, before the API did anything."""
    if symptom.kind is not SymptomKind.RAISES:
        return False
    if symptom.exception not in ("TypeError", "AttributeError", "RuntimeError"):
        return False
    return _ARGUMENTS.search(symptom.message or "") is not None


_NO_KERNEL = Phrase(
    "message/no-kernel",
    r"Could not find device for node|No OpKernel was registered|No registered '\w+' OpKernel",
    re.IGNORECASE,
    finds=("No OpKernel was registered to support Op 'X'", "No registered 'Bincount' OpKernel"),
    spares=("an OpKernel fails",),
)
_NODE = Phrase(
    "message/node-without-device",
    r"Could not find device for node: (?:\{\{.*?\}\} )?= (?P<operator>\w+)\[",
    finds=("Could not find device for node: {{node X}} = Bincount[T=DT_INT8]",),
    spares=("node X fails",),
)
_UNAVAILABLE = Phrase(
    "message/unavailable",
    rf"{_NO_KERNEL.pattern}"
    r"|not (?:compiled|built|linked) with|not available in this build"
    # The probe's own words.
    r"|is not loaded, and takes too long to import",
    re.IGNORECASE,
    finds=("PyTorch is not compiled with NCCL", "No OpKernel was registered to support Op 'X'"),
    spares=("size must be positive",),
)


def without_kernel(symptom: Symptom) -> bool:
    """Whether an operator has no kernel for what it was given: no lack of the machine's."""
    return _NO_KERNEL.search(symptom.message or "") is not None


def library(symptom: Symptom) -> str | None:
    """The library of PyTorch's operator that has no kernel: of `'aten::elu'` aten."""
    named = _OPERATOR.search(symptom.message or "")
    return named["library"] if named is not None else None


_LACKING = Phrase(
    "message/lacking-kernel",
    r"(?<=\w=)DT_\w+|\bXLA_\w+(?= devices compatible with node \{\{node [^{}]{1,400}\}\}\))",
    finds=("Bincount[T=DT_INT8]",),
    spares=("dtype int8",),
)
"""Where there is one for other dtypes, TensorFlow goes on in the parentheses, on another line."""


def lacking(symptom: Symptom) -> frozenset[str]:
    """The dtypes for which a message says that an operator, which takes them, has no kernel, or the
    compiler that has none at all."""
    if not without_kernel(symptom):
        return frozenset()
    return frozenset(_LACKING.findall(symptom.message or ""))


def lacked_by_compiler(symptom: Symptom) -> bool:
    """Whether a compiler has no kernel at all for an operator, whatever it is given."""
    found = lacking(symptom)
    return bool(found) and not any(one.startswith("DT_") for one in found)


def same_kernel(one: Symptom, other: Symptom) -> bool:
    """Whether one operator lacks the kernel for the same dtypes, whoever has called it."""
    found = [_NODE.search(symptom.message or "") for symptom in (one, other)]
    named = {match["operator"] if match is not None else None for match in found}
    return len(named) == 1 and None not in named and lacking(one) == lacking(other) != frozenset()


def unavailable(symptom: Symptom) -> bool:
    """Whether this build has not got what was called: it says nothing about a bug."""
    return _UNAVAILABLE.search(symptom.message or "") is not None


def no_kernel_here(message: str) -> bool:
    """Whether TensorFlow lists the kernels of an operator, and none is for the CPU."""
    return "kernels registered for op" in message and "device='CPU'" not in message


_OPERATOR = Phrase(
    "message/operator-not-run",
    r"Could not run '(?P<library>\w+)::\w",
    finds=("Could not run 'aten::elu' with arguments from the 'QuantizedCPU' backend",),
    spares=("Could not run f",),
)
"""What PyTorch says where an operator has no kernel for a kind of tensors."""
_OFFENDING = Phrase(
    "message/value-out-of-range",
    r"(?:\bindex|\bvalue|=) (?P<value>-?\d+(?:\.\d+)?),? (?:is|was) (?:not (?:with)?in|out of)\b",
    finds=("index 7 is out of bounds", "p = 1.5, was not in [0, 1]"),
    spares=("size must be positive",),
)
_SHAPES = Phrase(
    "message/shapes",
    r"\b(?:shapes?|sizes?|dimensions?|dims?|ndim|rank|broadcast\w*|dtypes?|scalar type|dense"
    r"|same device|numel|elements|length|must match|inconsistent|\d-?D)\b",
    re.IGNORECASE,
    finds=("shapes (2,) and (3,) do not match", "expected scalar type Float", "expects a 4D input"),
    spares=("p must be positive",),
)


def complains_about_tensors(symptom: Symptom) -> bool:
    """Whether an exception is about how its tensors go together.

    An invented argument can bring that about by itself, but for what the framework calls its own
    fault.
    """
    raised = symptom.kind is SymptomKind.RAISES and not internal(symptom)
    return raised and bool(_SHAPES.search(symptom.message or ""))


_UNSUPPORTED = Phrase(
    "message/dtype-unsupported",
    r"\b(?:d|data ?)types?\b.{0,40}\b(?:not supported|unsupported)"
    r"|\bunsupported (?:d|data ?)type\b",
    re.IGNORECASE,
    finds=("dtype torch.int8 is not supported", "Unsupported data type"),
    spares=("mode is not supported",),
)


def names_the_same(seen: Symptom, wanted: Symptom) -> bool:
    """Whether two messages are the same to the letter, and name a number that few calls have, or a
    dtype that is not supported."""
    same = seen.message is not None and seen.message == wanted.message
    told = (_TELLING.search(seen.message or ""), _UNSUPPORTED.search(seen.message or ""))
    return same and any(told)


def complains_about_another_value(seen: Symptom, wanted: Symptom) -> bool:
    """Whether an exception names a value out of range, and not the one that the report's names.

    An invented argument can be what is out of range.
    """
    own, report = (_OFFENDING.search(one.message or "") for one in (seen, wanted))
    return own is not None and report is not None and _number(own) != _number(report)


def _number(found: re.Match[str]) -> float:
    """A value that a message names; of whole numbers, signs may have been lost on the way."""
    value = float(found["value"])
    return value % 2.0**64 if value.is_integer() else value
