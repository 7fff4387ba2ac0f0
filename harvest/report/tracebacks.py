"""Pasted tracebacks -> the exceptions that ended them, wherever they stand and however prefixed.

In: lines (of a block, of comments, of prose). Out: class name and message of each traceback's last
exception, and of exception lines that stand alone. Chained tracebacks count as one: the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.rules import Phrase
from harvest.report.wordings import Wording, Wordings

MAX_MESSAGE = 4000

_PREFIX = Phrase(
    "traceback/prefix",
    r"[ \t]*(?:(?:#+|//|>(?!>)|E(?=\s{2})|[|│]|\+)[ \t|]*)*",
    finds=("# ValueError: no", "E   ValueError: no"),
)
"""What may stand in front of each line: marks of comments, of quotes, of pytest."""
_START = Phrase(
    "traceback/head",
    r".{0,200}?Traceback \(most recent call last\)|-{20,}$",
    finds=("Traceback (most recent call last):", "-" * 40),
    spares=("the traceback is below",),
)
_LAST = Phrase(
    "traceback/last-line",
    r"(?P<type>[A-Za-z_][\w.]{0,150}+)(?:(?P<colon>:)(?:\s(?P<message>.*))?)?$",
    finds=("ValueError: no", "torch.Broken"),
    spares=("3 ValueErrors!",),
)
_TYPE = Phrase(
    "traceback/exception-by-its-name",
    r"(?:[\w.]*\.)?_{0,2}(?:[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt|Exit|Iteration"
    r"|Invalid|Group|Timeout|Unsupported|Violation\w*)|Unsupported)",
    finds=("ValueError", "torch._dynamo.exc.Unsupported"),
    spares=("tensor", "warnings"),
)
_DOTTED_TYPE = Phrase(
    "traceback/exception-by-its-module",
    r"[a-z_]\w*(?:\.\w+)*\.[A-Z]\w+",
    finds=("library.errors.Refused",),
    spares=("refused", "Refused"),
)
_ALONE = Phrase(
    "traceback/exception-alone",
    r"[\s`*\"'(>]{0,8}(?P<type>(?:[A-Za-z_]\w{0,60}\.){0,8}_{0,2}[A-Z]\w{0,60}"
    r"(?:Error|Exception))`{0,3}:\s(?P<message>\S.*)",
    finds=("RuntimeError: no kernel", "`ValueError`: no"),
    spares=("it raises a ValueError",),
)
_GOES_ON = Phrase(
    "traceback/goes-on",
    r"(?:During handling of the above|The above exception was the direct)",
    finds=("During handling of the above exception, another exception occurred:",),
    spares=("The above works",),
)
_WRAPPERS = Wordings(
    Wording(
        "traceback/wrapper-of-keras",
        r"Exception encountered when calling",
        ("Exception encountered when calling Dense.call().",),
    ),
    Wording("traceback/wrapper-of-tf-function", r"in user code:", ("in user code:",)),
    Wording(
        "traceback/wrapper-of-graphs",
        r"Graph execution error:|Detected at node",
        ("Graph execution error:", "Detected at node model/dense defined at"),
    ),
    Wording(
        "traceback/wrapper-of-workers",
        r"Caught \w+ in",
        ("Caught IndexError in DataLoader worker process 0.",),
    ),
    Wording(
        "traceback/wrapper-of-dynamo",
        r"backend='?\w+'? raised:|from user code:",
        ("backend='inductor' raised:", "from user code:"),
    ),
)
_FRAME = Phrase(
    "traceback/frame",
    r"\s*(?:File \"|\[\.\.\.\]|\[Previous line repeated|[\^~]+\s*$|\.\.\.\s*$)",
    finds=('  File "a.py", line 3, in f', "    ^^^^"),
    spares=("ValueError: no",),
)
_STOP = Phrase(
    "traceback/behind-its-end",
    r"(?:>>>|In ?\[|\$ |Aborted|Segmentation fault|Process finished|real\s+\d|\[\w+@)",
    finds=(">>> f()", "$ python b.py", "Aborted (core dumped)"),
    spares=("ValueError: no",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception as pasted: class name without its module, and what it said."""

    exception: str
    message: str


def find_raised(lines: list[str]) -> list[Raised]:
    """Return the exceptions that `lines` record, in order, each traceback's last one."""
    bare = [_PREFIX.sub("", line, count=1) if _is_marked(line) else line for line in lines]
    found: list[Raised] = []
    handled = 0  # of those found so far, as many gave way to one that has not been seen yet
    at = 0
    while at < len(bare):
        if _GOES_ON.match(bare[at].strip()):
            raised, at, handled = None, at + 1, len(found)
        elif _START.match(bare[at]) and "Traceback" in bare[at][:300]:
            raised, at = _read_traceback(bare, at + 1)
        else:
            raised, at = _read_alone(bare, at), at + 1
        if raised is not None:
            if handled == len(found) > 0:
                found.pop()
            found.append(raised)
    return list(_without_inner(found))


def _is_marked(line: str) -> bool:
    return line.lstrip()[:1] in ("#", "/", ">", "E", "|", "│", "+")


def _without_inner(found: list[Raised]) -> Iterator[Raised]:
    seen: set[tuple[str, str]] = set()
    for raised in found:
        key = (raised.exception, raised.message)
        if key not in seen:
            seen.add(key)
            yield raised


def _read_traceback(lines: list[str], at: int) -> tuple[Raised | None, int]:
    """Read from below a traceback's head; return its exception and the line to go on with."""
    while at < len(lines):
        line = lines[at].rstrip()
        outer = not line[:1].isspace() or not line
        if line and outer and not _FRAME.match(line):
            raised = _as_last(line)
            if raised is not None:
                message, at = _continue(lines, at + 1, raised.message)
                following = _after_blank(lines, at)
                if following < len(lines) and _GOES_ON.match(lines[following].strip()):
                    return _chained(
                        lines, following, Raised(exception=raised.exception, message=message)
                    )
                return Raised(exception=raised.exception, message=message), at
            if _STOP.match(line) or "Traceback (most recent call last)" in line[:300]:
                return None, at
        at += 1
    return None, at


def _chained(lines: list[str], at: int, first: Raised) -> tuple[Raised, int]:
    """Return the last exception of a chain whose next traceback starts soon after line `at`."""
    raised: Raised | None = first
    while True:
        start = _after_blank(lines, at + 1)
        if start >= len(lines) or "Traceback (most recent call last)" not in lines[start][:300]:
            return raised or first, at
        start += 1
        last, at = _one_traceback(lines, start)
        raised = last or raised
        following = _after_blank(lines, at)
        if last is None or following >= len(lines) or not _GOES_ON.match(lines[following].strip()):
            return raised or first, max(at, start)
        at = following


def _one_traceback(lines: list[str], at: int) -> tuple[Raised | None, int]:
    while at < len(lines):
        line = lines[at].rstrip()
        if line and not line[:1].isspace() and not _FRAME.match(line):
            raised = _as_last(line)
            if raised is not None:
                message, at = _continue(lines, at + 1, raised.message)
                return Raised(exception=raised.exception, message=message), at
            if _STOP.match(line):
                return None, at
        at += 1
    return None, at


def _after_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _as_last(line: str) -> Raised | None:
    found = _LAST.match(line[:MAX_MESSAGE])
    if found is None:
        return None
    name = found["type"]
    if not (_TYPE.fullmatch(name) or (found["colon"] and _DOTTED_TYPE.fullmatch(name))):
        return None
    return Raised(exception=name.rpartition(".")[2], message=(found["message"] or "").strip())


def _continue(lines: list[str], at: int, message: str) -> tuple[str, int]:
    """Take the lines up to a blank one; past it where so far only a wrapper has spoken."""
    parts = [message] if message else []
    size = len(message)
    while at < len(lines) and size < MAX_MESSAGE:
        line = lines[at].rstrip()
        if _GOES_ON.match(line) or _STOP.match(line) or "Traceback (most" in line[:300]:
            break
        if _ALONE.match(line[:300]) and not _only_wrapper(parts):
            break
        if not line.strip():
            rest = _after_blank(lines, at)
            if rest >= len(lines) or not _only_wrapper(parts):
                break
            at = rest
            continue
        if not _FRAME.match(line):
            parts.append(line.strip())
            size += len(line)
        at += 1
    return "\n".join(parts)[:MAX_MESSAGE], at


def _only_wrapper(parts: list[str]) -> bool:
    return bool(parts) and bool(_WRAPPERS.match(parts[-1]))


def _read_alone(lines: list[str], at: int) -> Raised | None:
    found = _ALONE.match(lines[at][:MAX_MESSAGE])
    if found is None:
        return None
    message = found["message"].strip().rstrip("`*")
    name = found["type"].rpartition(".")[2]
    if not lines[at][:1].isspace() and "`" not in lines[at][:20]:
        message, _ = _continue(lines, at + 1, message)
    return Raised(exception=name, message=message)
