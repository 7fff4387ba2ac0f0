"""The words of symptoms: what native crashes leave in logs, and how people tell what went wrong.

Tables only; `claims` reads texts with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harvest.report.model import ClaimKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A pattern and what it speaks for."""

    kind: ClaimKind
    pattern: re.Pattern[str]
    signal: str | None = None
    exception: str | None = None


def _log(signal: str | None, pattern: str) -> Symptom:
    return Symptom(kind=ClaimKind.CRASHES, signal=signal, pattern=re.compile(pattern))


def _word(
    kind: ClaimKind, pattern: str, signal: str | None = None, exception: str | None = None
) -> Symptom:
    compiled = re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)
    return Symptom(kind=kind, signal=signal, exception=exception, pattern=compiled)


_EXIT = r"(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|returncode|return code|exitcode)[ :=]+-?"

IN_LOGS: tuple[Symptom, ...] = (
    _log(
        "SIGSEGV",
        r"[Ss]egmentation fault|SIGSEGV|\bSEGV\b|[Aa]ccess violation|0xC0000005|EXC_BAD_ACCESS",
    ),
    _log("SIGSEGV", rf"(?i:{_EXIT}(?:139|11)\b)"),
    _log("SIGFPE", rf"[Ff]loating point exception|SIGFPE|(?i:{_EXIT}(?:136|8)\b)"),
    _log("SIGBUS", rf"\b[Bb]us error|SIGBUS|(?i:{_EXIT}(?:135|7)\b)"),
    _log("SIGILL", rf"[Ii]llegal instruction|SIGILL|(?i:{_EXIT}(?:132|4)\b)"),
    _log("SIGABRT", r"^\W*(?:\d+ )?Aborted\b|SIGABRT|Fatal Python error: Aborted|terminate called"),
    _log("SIGABRT", r"^F[\d ].{0,200}\] .*|^\W*Check failed: |\] Check failed: "),
    _log(
        "SIGABRT",
        r"double free or corruption|free\(\): |malloc\(\): |munmap_chunk\(\)|corrupted size vs",
    ),
    _log(
        "SIGABRT",
        rf"stack smashing detected|Assertion .{{1,300}} failed\.?$|(?i:{_EXIT}(?:134|6)\b)",
    ),
    _log("SIGKILL", rf"^\W*Killed\s*$|SIGKILL|(?i:{_EXIT}(?:137|9)\b)"),
    _log(
        None,
        r"ERROR: AddressSanitizer|runtime error: .{0,200}(?:overflow|null pointer|out of bounds)",
    ),
    Symptom(
        kind=ClaimKind.VALUE,
        pattern=re.compile(r"Tensor-likes are not (?:close|equal)|Mismatched elements:"),
    ),
)

IN_WORDS: tuple[Symptom, ...] = (
    _word(
        ClaimKind.CRASHES,
        r"seg(?:mentation)?[- ]?fault(?:s|ed|ing)?|SIGSEGV|out[- ]of[- ]bounds (?:read|write|access)",
        "SIGSEGV",
    ),
    _word(ClaimKind.CRASHES, r"floating[- ]point exceptions?|SIGFPE|FPE", "SIGFPE"),
    _word(
        ClaimKind.CRASHES,
        r"abort(?:s|ed|ing)?|SIGABRT|check[- ]fail(?:s|ed|ures?)?|by a check|double free",
        "SIGABRT",
    ),
    _word(ClaimKind.CRASHES, r"bus errors?|SIGBUS", "SIGBUS"),
    _word(ClaimKind.CRASHES, r"illegal instructions?|SIGILL", "SIGILL"),
    _word(
        ClaimKind.CRASHES,
        r"crash(?:es|ed|ing)?|(?:core[- ])dump(?:s|ed)?|dump(?:s|ed)? core|dies|kills (?:the )?\w+|heap[- ]buffer[- ]overflow",
    ),
    _word(
        ClaimKind.HANGS,
        r"hangs?|hung|hanging|dead[- ]?locks?|deadlocked|stuck|freezes|infinite loop|never (?:returns|finishes|terminates)",
    ),
    _word(ClaimKind.RAISES, r"internal assert(?: failed)?", exception="RuntimeError"),
    _word(
        ClaimKind.VALUE,
        r"(?:wrong|incorrect|inaccurate|inconsistent|unexpected|bad|bogus|garbage|invalid) (?:[\w-]+ ){0,2}?(?:results?|outputs?|values?|answers?|gradients?|shapes?|maximum|minimum|numbers?|dtype|sign|index|indices)",
    ),
    _word(
        ClaimKind.VALUE,
        r"incorrect(?:ly)?|wrongly|wrong|silent(?:ly)?|inconsistent(?:ly)?|inconsistency|discrepanc(?:y|ies)|mismatch(?:es)?|precision loss|loses precision",
    ),
    _word(ClaimKind.VALUE, r"nans?|-?inf|underflows?|overflows? to|garbage|uninitiali[sz]ed"),
    _word(
        ClaimKind.VALUE,
        r"disagrees?|differs?|different (?:results?|outputs?|values?|answers?|shapes?|gradients?)|does(?: not|n't) match|not (?:equal|the same)|depends on how",
    ),
    _word(
        ClaimKind.VALUE,
        r"negative (?:dimensions?|shapes?|sizes?)|accepts?|without (?:an? )?(?:error|complaint|validation|check)|no (?:error|exception)",
    ),
    _word(
        ClaimKind.VALUE,
        r"(?:returns?|gives?|produces?|outputs?|yields?|prints?) [^.\n]{1,80}(?:instead of|rather than|but expected|should be)|repeats? the",
    ),
    _word(
        ClaimKind.PERFORMANCE,
        r"slow(?:er|ness|down|s down)?|regression in (?:speed|performance)|performance (?:regression|issue|problem|drop|degradation)|x slower|times slower",
    ),
    _word(
        ClaimKind.PERFORMANCE,
        r"memory[- ]leak(?:s|ed|ing)?|leak(?:s|ed|ing)? memory|out of memory|OOM(?:s|ed)?|(?:extra|more|too much|excessive|high|peak|memory) (?:memory|usage|consumption|activations|copies)",
    ),
    _word(
        ClaimKind.PERFORMANCE,
        r"\d+(?:\.\d+)? ?(?:x|times) (?:slower|longer|more)|takes (?:too long|forever|minutes|hours)|many times slower|inefficient(?:ly)?",
    ),
    _word(
        ClaimKind.RAISES,
        r"raises?|throws?|fails?|failed|failing|does(?: not|n't) (?:work|run|support|broadcast)|not (?:implemented|supported|available)|unsupported|errors?(?: out)?|exceptions?|misleading|complains",
    ),
)
"""Distinct claims of one kind and signal are kept once: the first pattern that is found."""

EXCEPTION_WORD = re.compile(
    r"\b(?:[a-z_]\w{0,60}\.){0,6}_{0,2}([A-Z]\w{0,60}(?:Error|Exception))(?!\w)"
)
NEGATION = re.compile(
    r"(?:\b(?:no|not|never|without|neither|nor|avoids?|instead of|rather than|than|cannot)|n't)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
WISH = re.compile(
    r"\b(?:expect(?:s|ed|ing)?|should|would|ought|could|please|suggest|proper|clear|helpful|better|want)\b[^.]*$",
    re.IGNORECASE,
)
ELSEWHERE = re.compile(
    r"\b(?:older|old|previous|earlier|past|other|another|newer|former|some|debug|GPU|CUDA|XPU|Windows)\s+(?:[\w.]+\s+)?(?:builds?|versions?|releases?"
    r"|machines?)\b|\b(?:used to|previously|formerly|in the past|on (?:the )?(?:GPU|CUDA|TPU|MPS))\b|\bbefore v?\d|\buntil v?\d",
    re.IGNORECASE,
)
