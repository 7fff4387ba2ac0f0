"""The words of symptoms: what native crashes leave in logs, and how people tell what went wrong.

Tables only; `claims` reads texts with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harvest.report.growth import FASTER_THAN_SIZE
from harvest.report.model import ClaimKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A pattern and what it speaks for."""

    kind: ClaimKind
    pattern: re.Pattern[str]
    signal: str | None = None
    exception: str | None = None


def _log(signal: str | None, *patterns: str) -> Symptom:
    pattern = re.compile("|".join(patterns))
    return Symptom(kind=ClaimKind.CRASHES, signal=signal, pattern=pattern)


def _exits(*codes: int) -> str:
    """Return a pattern for a process that ended with one of `codes`, however a shell tells it."""
    alternatives = "|".join(map(str, codes))
    return (
        r"(?i:\b(?:exit(?:ed|s)?|return(?:ed|s)?)[ -]?(?:with )?(?:code|status)?"
        r"(?: code)?[ :=]{1,3}"
        rf"(?:{alternatives})\b)"
    )


IN_LOGS: tuple[Symptom, ...] = (
    _log(
        "SIGSEGV",
        r"[Ss]egmentation fault|SIGSEGV|\bSEGV\b|[Aa]ccess violation|0xC0000005|EXC_BAD_ACCESS",
        _exits(139, -11),
    ),
    _log("SIGFPE", r"[Ff]loating point exception|SIGFPE", _exits(136, -8)),
    _log("SIGBUS", r"\b[Bb]us error|SIGBUS", _exits(135, -7)),
    _log("SIGILL", r"[Ii]llegal instruction|SIGILL", _exits(132, -4)),
    _log(
        "SIGABRT",
        r"^\W*(?:\d+ )?Aborted\b|SIGABRT|Fatal Python error: Aborted|terminate called",
        r"^F[\d ].{0,200}\] |^\W*Check failed: |\] Check failed: ",
        r"double free or corruption|free\(\): |malloc\(\): |munmap_chunk\(\)|corrupted size vs",
        r"stack smashing detected|Assertion .{1,300} failed\.?$",
        _exits(134, -6),
    ),
    _log("SIGKILL", r"^\W*Killed\s*$|SIGKILL", _exits(137, -9)),
    _log(None, r"ERROR: AddressSanitizer|runtime error: .{0,200}(?:overflow|null pointer|bounds)"),
    Symptom(
        kind=ClaimKind.VALUE,
        pattern=re.compile(r"Tensor-likes are not (?:close|equal)|Mismatched elements:"),
    ),
    Symptom(
        kind=ClaimKind.RAISES,
        exception="GradcheckError",
        pattern=re.compile(r"\bmismatch for output \d+ with respect to input \d"),
    ),
)


def _word(
    kind: ClaimKind, *patterns: str, signal: str | None = None, exception: str | None = None
) -> Symptom:
    pattern = re.compile(rf"\b(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
    return Symptom(kind=kind, signal=signal, exception=exception, pattern=pattern)


_RESULT = (
    r"(?:results?|outputs?|values?|answers?|gradients?|shapes?|maximum|minimum|numbers?|dtype"
    r"|sign|index|indices|sums?|means?|counts?)"
)
_VALUES = r"(?:results?|outputs?|values?|answers?|gradients?)"
_COMPARED = rf"(?:{_VALUES}|CPU|GPU|CUDA|eager|compiled|NumPy|SciPy)"
_OF_NUMBERS = (
    *("calculation", "computation", "numerical", "rounding", "precision", "approximation"),
    *("absolute", "relative", "squared"),
)
"""Errors that are no exceptions."""
_UNFIT = (
    r"\b(?:invalid|illegal|wrong|incorrect|negative|non-?positive|impossible|nonsens\w*|bad|bogus"
    r"|malformed|mismatch(?:ed|ing)|inconsistent|incompatible|unsupported"
    r"|out[- ]of[- ](?:range|bounds?)|anything|any (?:value|string|number|input)"
    r"|too (?:large|small|many|few|big|long)"
    r"|(?:larger|greater|smaller|less|more|fewer) than|arbitrary|zero|nans?"
    r"|unsorted|unordered|decreasing|duplicate[ds]?|repeated|overlapping|infinite|infs?|non-?finite"
    r"|unknown|non-?existent|fractional|non-?integers?)"
)
_COST = (
    r"(?:(?:the|its|overall|peak|total|actual|allocated|cpu|gpu) ){0,3}"
    r"(?:memory|speed|run-?time|latency)\b"
)
"""What something has no effect on where it costs as much as without."""
_PLACE = r"\b(?:ind(?:ex|exes|ices)|ax[ei]s|dims?|dimensions?|shapes?)\b"
"""What a negative number is usual for."""
_COUNT = (
    r"(?:[nkm]|n_\w+|num\w*|\w*(?:sizes?|strides?|dilations?|groups?|bins|counts?|classes|steps"
    r"|chunks|sections|channels|features|factors?|repeats?))"
)
"""Names of arguments of which there is hardly ever none."""
_NUMBER_GIVEN = (
    rf"(?:\b(?!{_PLACE})\w+ ?= ?[(\[]?(?:\d+, ?)*-\.?\d[\d.]*(?:e-?\d+)?"
    rf"|\b{_COUNT} ?= ?0(?!\.\d)|(?<![\w.(\[])(?<!, )-\.?\d[\d.]*(?:e-?\d+)?)"
)
"""`k=-1`, `n = 0`, `-3`."""
_AS_ELSEWHERE = r"(?![^.\n]*\b(?:in|like|as|by) (?:numpy|np|scipy|pandas|jax)\b)"

IN_WORDS: tuple[Symptom, ...] = (
    _word(
        ClaimKind.CRASHES,
        r"seg(?:mentation)?[- ]?fault(?:s|ed|ing)?|SIGSEGV",
        r"out[- ]of[- ]bounds (?:read|write|access)|access violation",
        _exits(139, -11),
        signal="SIGSEGV",
    ),
    _word(
        ClaimKind.CRASHES,
        r"floating[- ]point exceptions?|SIGFPE|FPE",
        _exits(136, -8),
        signal="SIGFPE",
    ),
    _word(
        ClaimKind.CRASHES,
        r"abort(?:s|ed|ing)?|SIGABRT|check[- ]fail(?:s|ed|ures?)?|by a check|double free",
        _exits(134, -6),
        signal="SIGABRT",
    ),
    _word(ClaimKind.CRASHES, r"bus errors?|SIGBUS", signal="SIGBUS"),
    _word(ClaimKind.CRASHES, r"illegal instructions?|SIGILL", signal="SIGILL"),
    _word(
        ClaimKind.CRASHES,
        r"crash(?:es|ed|ing)?|core[- ]dump(?:s|ed)?|dump(?:s|ed)? core|dies",
        r"(?:kill(?:s|ed)|takes down) (?:the )?(?:python|process|interpreter|kernel)",
        r"heap[- ]buffer[- ]overflow|use[- ]after[- ]free",
    ),
    _word(
        ClaimKind.HANGS,
        r"(?:hangs?|hung)(?! (?:over|out)\b)|hanging|dead[- ]?lock(?:s|ed)?|stuck|freezes",
        r"infinite loop",
        r"never (?:returns|finishes|terminates|ends|completes)",
    ),
    _word(ClaimKind.RAISES, r"internal assert(?: failed)?", exception="RuntimeError"),
    _word(
        ClaimKind.VALUE,
        rf"(?:wrong|incorrect|inaccurate|unexpected|bogus|garbage) (?:[\w-]+ ){{0,2}}?{_RESULT}",
        r"does(?: not|n't) work (?:correctly|properly|as (?:expected|intended|documented))",
        r"incorrect(?:ly)?|wrong(?:ly)?|silent(?:ly)?|inconsisten(?:t|tly|cy)|discrepanc(?:y|ies)",
        r"(?:precision|accuracy) loss|los(?:es|s of) (?:precision|accuracy)",
        rf"(?:{'|'.join(_OF_NUMBERS)}) errors?",
        rf"(?:numerical(?:ly)?|{_VALUES}) mismatch(?:es)?",
        rf"mismatch(?:es|ed)? (?:(?:between|in|of|with) )?(?:[\w-]+ ){{0,2}}?{_COMPARED}",
    ),
    _word(ClaimKind.VALUE, r"nans?|-?inf|underflows?|overflows? to|garbage|uninitiali[sz]ed"),
    _word(
        ClaimKind.VALUE,
        rf"disagrees?|differs?|different (?:[\w-]+ )?{_RESULT}|does(?: not|n't) match",
        r"not (?:equal|identical|the same)|depends on how",
        r"(?:gives?|returns?|shows?|prints?|yields?) (?:another|other|something else)",
        rf"{_VALUES} (?:is|are) (?:different|another|not th(?:e|at))",
        r"(?:different|something else) (?:on|across|between|from) [^.\n]{0,30}?backends?",
    ),
    _word(
        ClaimKind.VALUE,
        rf"negative (?:dimensions?|shapes?|sizes?)|accept(?:s|ed|ing)? [^.\n]{{0,60}}?{_UNFIT}",
        rf"accepts (?:(?!{_PLACE})[^.\n]){{0,60}}?{_NUMBER_GIVEN}{_AS_ELSEWHERE}",
        rf"{_UNFIT} (?:[\w-]+ ){{0,3}}?(?:is|are|gets?) accepted",
        r"no (?:error|exception) (?:is )?raised|do(?:es)?(?: not|n't) (?:check|validate|reject)",
        r"without (?:an? |any )?(?:error|complaint|validation|check)|no error",
    ),
    _word(
        ClaimKind.VALUE,
        r"(?:returns?|gives?|produces?|outputs?|yields?|prints?) [^.\n]{1,80}"
        r"(?:instead of|rather than|but expected|should be)",
        rf"repeats? the|ignores?|has no effect(?! on {_COST})|truncat(?:es|ed)",
    ),
    _word(
        ClaimKind.PERFORMANCE,
        r"slow(?:er|ness|down|s down)?|inefficient(?:ly)?",
        r"regression in (?:speed|performance)|takes (?:too long|forever|minutes|hours)",
        r"latency (?:issue|problem|regression|increase)|(?:takes|took|needs) (?:much |far )?longer",
        r"(?:orders? of )?magnitudes? (?:more|slower|longer|behind)",
        r"(?:lags?|lagging|trails?|\d[\d.]*(?:x| times)) behind|leaves? \S+ (?:far |way )?behind",
        r"(?:is|are|was|were|runs?) (?:(?:much|far|way|\d[\d.]*(?:x| times)) )?faster",
        r"performance (?:regression|issue|problem|drop|degradation)|(?:x|times) (?:slower|longer)",
        *FASTER_THAN_SIZE,
    ),
    _word(
        ClaimKind.PERFORMANCE,
        r"memory[- ]leak(?:s|ed|ing)?|leak(?:s|ed|ing)? memory|out of memory|OOM(?:s|ed)?",
        r"(?:extra|more|too much|excessive|high|peak|memory)"
        r" (?:memory|usage|consumption|activations|copies)",
        rf"no effect on {_COST}",
        r"(?:allocates?|uses?|needs?|takes?|consumes?) (?:[\w-]+ ){0,3}?"
        r"(?:more|as much|twice|times) (?:[\w-]+ ){0,3}?memory",
    ),
    _word(
        ClaimKind.RAISES,
        r"raises?|throws?|fails?|failed|failing|unsupported|misleading|complains",
        "".join(f"(?<!{word} )" for word in _OF_NUMBERS)
        + r"errors?(?: out)?(?![^\n]{0,60}?\b(?:uncaught|undetected|unreported|missing)\b)",
        r"does(?: not|n't) (?:work(?! correct| proper| as )|run|support|broadcast|accept)",
        r"(?<!point )exceptions?(?! of\b)",
        r"not (?:implemented|supported|available)",
    ),
)
"""Distinct claims of one kind and signal are kept once: the first pattern that is found."""

EXCEPTION_WORD = re.compile(
    r"(?P<quote>[`\"']?)(?<![\w.])(?:[a-z_]\w{0,60}\.){0,6}"
    r"(?P<type>_{0,2}[A-Z]\w{0,60}(?:Error|Exception))(?!\w)(?=(?::(?P<rest>.{0,500}))?)"
)
"""An exception that a sentence names, the quote mark before it and what follows its colon."""

NEGATION = re.compile(
    r"(?:\b(?:no|not|never|without|neither|nor|avoids?|than(?! \d)|cannot|do(?:es)?nt)"
    r"|n['\u2019]t)"
    r"\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of)\b[^.,;:]*$", re.IGNORECASE)
WISH = re.compile(
    r"\b(?:expect(?:s|ed|ing)?|should|would|ought|could|please|suggest|proper|clear|helpful"
    r"|better|want)\b(?:[^.]|(?<=\d)\.(?=\d))*$",
    re.IGNORECASE,
)
PREFERRED = re.compile(r"^[^.\n]{0,140}?\b(?:is|are|were|would be) better than\b", re.IGNORECASE)
"""Behind what is wished for: "A ValueError would be better than 0 / 0"."""
ELSEWHERE = re.compile(
    r"\b(?:older|old|previous|earlier|past|other|another|newer|former|some|debug|GPU|CUDA|XPU"
    r"|Windows)\s+(?:[\w.]+\s+)?(?:builds?|versions?|releases?|machines?)\b"
    r"|\b(?:used to|previously|formerly|in the past|on (?:the )?(?:GPU|CUDA|TPU|MPS))\b"
    r"|\b(?:before|until) v?\d",
    re.IGNORECASE,
)
COMPILED = re.compile(
    r"\b(?:(?:torch\.)?compile[drs]?|compiling|inductor|dynamo|aot\w*|torchscript|jit\w*|xla"
    r"|vmap(?:ped)?|graph mode|tf\.function)\b",
    re.IGNORECASE,
)
"""Other ways to run code, which eager mode is the reference for."""
REFERENCE = re.compile(
    r"^\W*(?:(?:where|although|because|since|in|the|also|as)\s+)*"
    r"(?<!\.)(?:numpy|np|scipy|pandas)(?:\.[\w.]+)?(?:\(\))?"
    r"(?:\s+(?:correctly|also|properly|simply|just|itself|would|does|will|always|raises?|throws?"
    r"|gives?|reports?|an?|the))*\W*$",
    re.IGNORECASE,
)
"""Whose exceptions are right, as the subject of a clause that ends where it raises them."""
REFERENCE_OF_COMPILED = re.compile(rf"{REFERENCE.pattern}|\beager(?:ly)?\b", re.IGNORECASE)
_CPU, _GPU = r"CPUs?", r"(?:CUDA|GPUs?)"
_FINE = r"\b(?:works?|working|fine|ok|okay|correct\w*|right|passes|succeeds)"


def reference(title: str) -> re.Pattern[str]:
    """What a report compares with, as the subject of a clause: the mode or device that its title
    does not complain of, where it names the other one alone.

    >>> bool(reference("f is silent on CUDA").search("On CPU f raises"))
    True
    >>> bool(reference("f differs on CUDA and on CPU").search("On CPU f raises"))
    False
    >>> bool(reference("f fails, works on CPU").search("On CPU f raises"))
    True
    """
    if COMPILED.search(title):
        return REFERENCE_OF_COMPILED
    devices = (_CPU, _GPU)
    fine = [one for one in devices if re.search(rf"{_FINE} on (?:the )?{one}\b", title, re.I)]
    named = [one for one in devices if re.search(rf"\b{one}\b", title, re.IGNORECASE)]
    others = fine if fine else [one for one in devices if one not in named]
    if len(others) != 1:
        return REFERENCE
    place = rf"^\W*(?:and\s+)?(?:on|in|for) (?:the )?{others[0]}\b"
    return re.compile(rf"{REFERENCE.pattern}|{place}", re.IGNORECASE)
