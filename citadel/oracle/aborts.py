"""What a framework says before it ends its own process: in, what was printed; out, its last words.

The crash state is what two aborts are told apart by: the file and the condition of the check that
failed, without line, numbers and time, which change with the release and with the input.
"""

from __future__ import annotations

from analysis.rules import Phrase
from citadel.oracle.messages import MAX_PATTERN, MOST_LINE

MOST_WORDS = 300

_STAMP = Phrase(
    "abort/stamp",
    r"^(?:[IWEF]\d{4} \S+\s+\d+ |\d{4}-\d\d-\d\d \S+ [IWEF] )",
    finds=(
        "F0000 00:00:17.5     1 tensor.cc:904] Check failed: x",
        "2026-01-01 10:00:00.1: F tensor.cc:7] x",
    ),
    spares=("Check failed: x",),
)
"""Time and thread in front of a line of a log."""
_CHECK = Phrase(
    "abort/check",
    r"Check failed: |Non-OK-status: |Assertion `.*' failed",
    finds=("Check failed: d < dims() (4 vs. 4)", "python: a.h:1: f(): Assertion `i >= 0' failed."),
    spares=("the check is fine",),
)
_REASON = Phrase(
    "abort/reason",
    rf"{_CHECK.pattern}|LLVM ERROR: |^\s*(?:what\(\): |terminate called)",
    finds=(
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "  what():  out of range",
    ),
    spares=("Aborted (core dumped)",),
)
_HEAP = Phrase(
    "abort/heap",
    r"^(?:double free or corruption|corrupted (?:size|double)|free\(\): |malloc\w*\(\): "
    r"|munmap_chunk\(\): |\*\*\* stack smashing)",
    finds=("double free or corruption (!prev)", "malloc(): invalid size (unsorted)"),
    spares=("a double free was reported",),
)
"""The C library's words on memory that was damaged earlier: the next run may say something else."""

_RULES: tuple[tuple[Phrase, str], ...] = (
    # The file of the check, or of the assertion; its line moves with every release.
    (
        Phrase(
            "abort/place",
            r"^.*?([\w.+-]+\.(?:cc|cpp|cu|cuh|h|hpp)):\d+(?:\] ?|: ?)",
            finds=("F ./core/tensor.cc:904] Check failed",),
            spares=("Check failed: a == b",),
        ),
        r"\1: ",
    ),
    (
        Phrase(
            "abort/address",
            r"0x[0-9a-fA-F]+",
            finds=("at 0x7ffe12",),
            spares=("at 12",),
        ),
        "ADDRESS",
    ),
    (
        Phrase(
            "abort/dtype",
            r"\bDT_[A-Z0-9_]+\b",
            finds=("dtype is DT_HALF",),
            spares=("dtype is half",),
        ),
        "DTYPE",
    ),
    (
        Phrase(
            "abort/number",
            r"(?<![A-Za-z_\d])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?",
            finds=("d < dims() (4 vs. 5)",),
            spares=("tensor",),
        ),
        "N",
    ),
    (
        Phrase(
            "abort/numbers",
            r"\b(?:N, ?)+N\b",
            finds=("Invalid index: N, N",),
            spares=("Invalid index: N",),
        ),
        "N",
    ),
    # Not all releases leave a space before what follows the condition.
    (
        Phrase(
            "abort/missing-space",
            r"(?<=N vs\. N\))(?=\w)",
            finds=("(N vs. N)Must have one element",),
            spares=("(N vs. N) Must have",),
        ),
        " ",
    ),
    (
        Phrase(
            "abort/space",
            r"\s+",
            finds=("two  spaces",),
            spares=("none",),
        ),
        " ",
    ),
)

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("F0000 00:00:1700000000.123456     1 tensor.cc:904] Check failed: 1 == NumElements() "
     "(1 vs. 2) Must have one element",
     "tensor.cc: Check failed: N == NumElements() (N vs. N) Must have one element"),
    ("2026-01-01 10:00:00.123456: F tensorflow/core/framework/tensor.cc:778] Check failed: "
     "1 == NumElements() (1 vs. 0)Must have one element",
     "tensor.cc: Check failed: N == NumElements() (N vs. N) Must have one element"),
    ("F ./tensorflow/core/util/tensor_format.h:427] Check failed: index >= 0 && index < total "
     "Invalid index: 3, 0, C", "tensor_format.h: Check failed: index >= N && index < total "
     "Invalid index: N, C"),
    ("python: external/eigen/Eigen/src/Core/Block.h:120: Block(int): Assertion `i >= 0' failed.",
     "Block.h: Block(int): Assertion `i >= N' failed."),
    ("terminate called after throwing an instance of 'std::bad_alloc'",
     "terminate called after throwing an instance of 'std::bad_alloc'"),
)  # fmt: skip
"""(line as it is printed, crash state)."""


def last_words(stderr: str) -> str | None:
    """The line in which the process says why it aborts, if it does."""
    lines = stderr.splitlines()
    for pattern in (_REASON, _HEAP):
        for line in reversed(lines):
            if pattern.search(line[:MOST_LINE]):
                return _STAMP.sub("", line.strip())[:MOST_WORDS].rstrip()
    return None


def names_check(words: str | None) -> bool:
    """Whether last words name a check that failed: the same input then fails it again."""
    return words is not None and _CHECK.search(words[:MOST_LINE]) is not None


def damages_memory(signal: str | None, words: str | None) -> bool:
    """Whether a process may have died of memory that it had damaged: how it then does is chance."""
    heap = words is not None and _HEAP.search(words[:MOST_LINE]) is not None
    return signal in ("SIGSEGV", "SIGBUS") or (signal == "SIGABRT" and heap)


def crash_state(words: str | None) -> str | None:
    """What is the same in all crashes of one check; None where the words do not tell.

    >>> crash_state("tensor_shape.cc:362] Check failed: d < dims() (4 vs. 4)")
    'tensor_shape.cc: Check failed: d < dims() (N vs. N)'
    """
    if words is None or not _REASON.search(words[:MOST_LINE]):
        return None
    text = _STAMP.sub("", words.strip())[:MOST_LINE]
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.strip()[:MAX_PATTERN]
