"""What a fuzzer noted of a symptom -> the words of a report, as `harvest.report` understands them.

In: signals, exit codes, messages. Out: titles, and Markdown with what was logged in fences.
"""

from __future__ import annotations

import re
import signal

from analysis.rules import Phrase

MAX_LOG = 20_000
"""Characters of a log that are kept, the last ones: that is where the exception stands."""
_SIGNALS = {one.value: one.name for one in signal.Signals}
_WORDS = (
    ("SIGSEGV", r"sig_?segv|segv|segmentation[ _-]?fault|segfaults?", "Segmentation_Fault"),
    ("SIGFPE", r"sig_?fpe|fpe|floating[ _-]?point[ _-]?exceptions?", "floating-point-exception"),
    ("SIGABRT", r"sig_?abrt|abrt|abort(?:ed|s)?", "aborted"),
    ("SIGBUS", r"sig_?bus|bus[ _-]?errors?", "bus_error"),
    ("SIGILL", r"sig_?ill|illegal[ _-]?instructions?", "Illegal_instruction"),
    ("SIGKILL", r"sig_?kill|kill(?:ed)?", "sigkill"),
)
_OF_WORDS = tuple(
    (
        name,
        Phrase(
            f"fuzzer/{name.lower()}",
            pattern,
            re.IGNORECASE,
            finds=(example,),
            spares=("seed",),
        ),
    )
    for name, pattern, example in _WORDS
)
_TICKS = re.compile("`+")


def signal_of_exit(code: int) -> str | None:
    """The signal behind an exit status, as Python (-11) or a shell (139) tells it.

    >>> signal_of_exit(-11), signal_of_exit(136), signal_of_exit(1)
    ('SIGSEGV', 'SIGFPE', None)
    """
    return _SIGNALS.get(-code) or _SIGNALS.get(code - 128)


def signal_of_word(word: str) -> str | None:
    """The signal that a whole word names.

    >>> signal_of_word("Segmentation_Fault"), signal_of_word("fpe"), signal_of_word("x")
    ('SIGSEGV', 'SIGFPE', None)
    """
    return next((name for name, pattern in _OF_WORDS if pattern.fullmatch(word)), None)


def crashed(name: str | None) -> str:
    """Say in a log that a signal ended the process."""
    return log(f"The process was ended by {name}") if name else "The process crashes."


def log(text: str) -> str:
    """What was logged as a fenced block, longer than any fence inside it."""
    kept = text[-MAX_LOG:].rstrip()
    longest = max((len(run[0]) for run in _TICKS.finditer(kept)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}text\n{kept}\n{ticks}"
