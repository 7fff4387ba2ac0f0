"""The words of symptoms: what native crashes leave in logs, and how people tell what went wrong.

Tables only; `claims` reads texts with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.rules import Phrase
from harvest.report.growth import faster_than_size
from harvest.report.model import ClaimKind
from harvest.report.wordings import Wording, Wordings


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """Wordings and what they speak for."""

    kind: ClaimKind
    pattern: Wordings
    signal: str | None = None
    exception: str | None = None


def _log(signal: str | None, *wordings: Wording) -> Symptom:
    return Symptom(kind=ClaimKind.CRASHES, signal=signal, pattern=Wordings(*wordings))


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
        Wording(
            "log/segmentation-fault",
            r"[Ss]egmentation fault|SIGSEGV|\bSEGV\b",
            ("Segmentation fault (core dumped)", "received SIGSEGV"),
            ("image segmentation",),
        ),
        Wording(
            "log/access-violation",
            r"[Aa]ccess violation|0xC0000005|EXC_BAD_ACCESS",
            ("Windows fatal exception: access violation",),
        ),
        Wording(
            "log/exit-code-of-sigsegv",
            _exits(139, -11),
            ("Process finished with exit code 139",),
            ("exit code 1",),
        ),
    ),
    _log(
        "SIGFPE",
        Wording(
            "log/floating-point-exception",
            r"[Ff]loating point exception|SIGFPE",
            ("Floating point exception (core dumped)",),
            ("a floating point number",),
        ),
        Wording(
            "log/exit-code-of-sigfpe",
            _exits(136, -8),
            ("exited with code 136",),
            ("exited with code 13",),
        ),
    ),
    _log(
        "SIGBUS",
        Wording("log/bus-error", r"\b[Bb]us error|SIGBUS", ("Bus error",), ("the bus",)),
        Wording("log/exit-code-of-sigbus", _exits(135, -7), ("exit code: -7",), ("exit code: 7",)),
    ),
    _log(
        "SIGILL",
        Wording(
            "log/illegal-instruction",
            r"[Ii]llegal instruction|SIGILL",
            ("Illegal instruction (core dumped)",),
            ("an illegal argument",),
        ),
        Wording("log/exit-code-of-sigill", _exits(132, -4), ("returned code 132",)),
    ),
    _log(
        "SIGABRT",
        Wording(
            "log/aborted",
            r"^\W*(?:\d+ )?Aborted\b|SIGABRT|Fatal Python error: Aborted",
            ("Aborted (core dumped)", "Fatal Python error: Aborted"),
            ("the run was aborted",),
        ),
        Wording(
            "log/terminate-called",
            r"terminate called",
            ("terminate called after throwing an instance of 'std::out_of_range'",),
        ),
        Wording(
            "log/fatal-line-of-glog",
            r"^F[\d ].{0,200}\] ",
            ("F0410 09:12:44.102 7 shape.cc:12] rank is negative",),
            ("E0410 09:12:44.102 7 shape.cc:12] rank is negative",),
        ),
        Wording(
            "log/check-failed",
            r"^\W*Check failed: |\] Check failed: ",
            ("Check failed: rank >= 0", "shape.cc:12] Check failed: rank >= 0"),
            ("the health check failed",),
        ),
        Wording(
            "log/heap-corruption",
            r"double free or corruption|free\(\): |malloc\(\): |munmap_chunk\(\)"
            r"|corrupted size vs",
            ("free(): invalid pointer", "malloc(): corrupted top size"),
            ("the buffer is free",),
        ),
        Wording(
            "log/stack-smashing",
            r"stack smashing detected",
            ("*** stack smashing detected ***: terminated",),
        ),
        Wording(
            "log/assertion-of-c",
            r"Assertion .{1,300} failed\.?$",
            ("a.cpp:7: void f(int): Assertion `n > 0' failed.",),
            ("AssertionError: it failed",),
        ),
        Wording("log/exit-code-of-sigabrt", _exits(134, -6), ("exit status 134",)),
    ),
    _log(
        "SIGKILL",
        Wording("log/killed", r"^\W*Killed\s*$|SIGKILL", ("Killed",), ("It was Killed by hand",)),
        Wording("log/exit-code-of-sigkill", _exits(137, -9), ("exit code 137",)),
    ),
    _log(
        None,
        Wording(
            "log/address-sanitizer",
            r"ERROR: AddressSanitizer",
            ("==7==ERROR: AddressSanitizer: heap-use-after-free",),
        ),
        Wording(
            "log/undefined-behaviour",
            r"runtime error: .{0,200}(?:overflow|null pointer|bounds)",
            ("a.cpp:3:9: runtime error: signed integer overflow",),
            ("runtime error: no such file",),
        ),
    ),
    Symptom(
        kind=ClaimKind.VALUE,
        pattern=Wordings(
            Wording(
                "log/tensors-not-close",
                r"Tensor-likes are not (?:close|equal)",
                ("AssertionError: Tensor-likes are not close!",),
            ),
            Wording(
                "log/mismatched-elements",
                r"Mismatched elements:",
                ("Mismatched elements: 3 / 4 (75%)",),
            ),
        ),
    ),
    Symptom(
        kind=ClaimKind.RAISES,
        exception="GradcheckError",
        pattern=Wordings(
            Wording(
                "log/gradcheck-mismatch",
                r"\bmismatch for output \d+ with respect to input \d",
                ("Jacobian mismatch for output 0 with respect to input 1,",),
            ),
        ),
    ),
)


def _word(
    kind: ClaimKind, *wordings: Wording, signal: str | None = None, exception: str | None = None
) -> Symptom:
    pattern = Wordings(*wordings, before=r"\b", after=r"(?!\w)", flags=re.IGNORECASE)
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
        Wording(
            "claim/segfault",
            r"seg(?:mentation)?[- ]?fault(?:s|ed|ing)?|SIGSEGV",
            ("fold segfaults on an empty input", "a segmentation fault"),
            ("the default segment",),
        ),
        Wording(
            "claim/out-of-bounds-access",
            r"out[- ]of[- ]bounds (?:read|write|access)|access violation",
            ("an out-of-bounds read in gather",),
            ("an index out of bounds",),
        ),
        Wording(
            "claim/exit-code-of-sigsegv",
            _exits(139, -11),
            ("Python ends with exit code 139",),
            ("exit code 2",),
        ),
        signal="SIGSEGV",
    ),
    _word(
        ClaimKind.CRASHES,
        Wording(
            "claim/floating-point-exception",
            r"floating[- ]point exceptions?|SIGFPE|FPE",
            ("the pool dies of a floating point exception",),
            ("a floating point tensor",),
        ),
        Wording("claim/exit-code-of-sigfpe", _exits(136, -8), ("it exits with code 136",)),
        signal="SIGFPE",
    ),
    _word(
        ClaimKind.CRASHES,
        Wording(
            "claim/aborts",
            r"abort(?:s|ed|ing)?|SIGABRT",
            ("the process aborts",),
            ("abortive",),
        ),
        Wording(
            "claim/check-fails",
            r"check[- ]fail(?:s|ed|ures?)?|by a check",
            ("Check failed in the reshape op", "Python is ended by a check"),
            ("the check passes",),
        ),
        Wording("claim/double-free", r"double free", ("a double free in the destructor",)),
        Wording("claim/exit-code-of-sigabrt", _exits(134, -6), ("it exits with code 134",)),
        signal="SIGABRT",
    ),
    _word(
        ClaimKind.CRASHES,
        Wording("claim/bus-error", r"bus errors?|SIGBUS", ("mmap ends in a bus error",)),
        signal="SIGBUS",
    ),
    _word(
        ClaimKind.CRASHES,
        Wording(
            "claim/illegal-instruction",
            r"illegal instructions?|SIGILL",
            ("matmul ends in an illegal instruction",),
        ),
        signal="SIGILL",
    ),
    _word(
        ClaimKind.CRASHES,
        Wording(
            "claim/crashes",
            r"crash(?:es|ed|ing)?",
            ("fold crashes Python",),
            ("a crashtest",),
        ),
        Wording(
            "claim/dumps-core",
            r"core[- ]dump(?:s|ed)?|dump(?:s|ed)? core",
            ("the interpreter dumped core",),
            ("a core module",),
        ),
        Wording("claim/dies", r"dies", ("the kernel dies",), ("studies",)),
        Wording(
            "claim/kills-the-process",
            r"(?:kill(?:s|ed)|takes down) (?:the )?(?:python|process|interpreter|kernel)",
            ("a bad stride kills the interpreter",),
            ("it kills the speedup",),
        ),
        Wording(
            "claim/memory-error-of-sanitizers",
            r"heap[- ]buffer[- ]overflow|use[- ]after[- ]free",
            ("a heap-buffer-overflow in roll",),
            ("the buffer overflows",),
        ),
    ),
    _word(
        ClaimKind.HANGS,
        Wording(
            "claim/hangs",
            r"(?:hangs?|hung)(?! (?:over|out)\b)|hanging",
            ("einsum hangs", "a hanging call"),
            ("it hangs over the edge",),
        ),
        Wording(
            "claim/deadlocks",
            r"dead[- ]?lock(?:s|ed)?|stuck|freezes",
            ("two loaders deadlock", "backward gets stuck"),
            ("a locked file",),
        ),
        Wording("claim/infinite-loop", r"infinite loop", ("it is an infinite loop",)),
        Wording(
            "claim/never-returns",
            r"never (?:returns|finishes|terminates|ends|completes)",
            ("median never returns",),
            ("median never fails",),
        ),
    ),
    _word(
        ClaimKind.RAISES,
        Wording(
            "claim/internal-assert",
            r"internal assert(?: failed)?",
            ("an internal assert in autograd",),
            ("an assert in my test",),
        ),
        exception="RuntimeError",
    ),
    _word(
        ClaimKind.VALUE,
        Wording(
            "claim/wrong-result",
            r"(?:wrong|incorrect|inaccurate|unexpected|bogus|garbage)"
            rf" (?:[\w-]+ ){{0,2}}?{_RESULT}",
            ("cumsum gives wrong results", "an unexpected output shape"),
            ("an unexpected keyword",),
        ),
        Wording(
            "claim/does-not-work-correctly",
            r"does(?: not|n't) work (?:correctly|properly|as (?:expected|intended|documented))",
            ("interpolate does not work as documented",),
            ("it does not work on Windows",),
        ),
        Wording(
            "claim/incorrect",
            r"incorrect(?:ly)?|wrong(?:ly)?",
            ("the gradient is wrong",),
            ("the gradient is right",),
        ),
        Wording("claim/silently", r"silent(?:ly)?", ("it silently wraps around",), ("silence",)),
        Wording(
            "claim/inconsistent",
            r"inconsisten(?:t|tly|cy)|discrepanc(?:y|ies)",
            ("inconsistent rounding", "a discrepancy of 3"),
            ("consistent rounding",),
        ),
        Wording(
            "claim/loses-precision",
            r"(?:precision|accuracy) loss|los(?:es|s of) (?:precision|accuracy)",
            ("logsumexp loses precision",),
            ("the training loss",),
        ),
        Wording(
            "claim/numerical-error",
            rf"(?:{'|'.join(_OF_NUMBERS)}) errors?",
            ("a large rounding error",),
            ("a runtime error",),
        ),
        Wording(
            "claim/numerical-mismatch",
            rf"(?:numerical(?:ly)?|{_VALUES}) mismatch(?:es)?",
            ("a numerical mismatch",),
            ("a shape mismatch",),
        ),
        Wording(
            "claim/mismatch-between-results",
            rf"mismatch(?:es|ed)? (?:(?:between|in|of|with) )?(?:[\w-]+ ){{0,2}}?{_COMPARED}",
            ("a mismatch between eager and compiled",),
            ("a mismatch of the sizes",),
        ),
    ),
    _word(
        ClaimKind.VALUE,
        Wording(
            "claim/not-finite",
            r"nans?|-?inf|underflows?|overflows? to",
            ("softmax returns NaN", "the sum overflows to zero"),
            ("nanmean is fine",),
        ),
        Wording(
            "claim/uninitialised",
            r"garbage|uninitiali[sz]ed",
            ("the padding is uninitialized",),
            ("initialized",),
        ),
    ),
    _word(
        ClaimKind.VALUE,
        Wording(
            "claim/differs",
            rf"disagrees?|differs?|different (?:[\w-]+ )?{_RESULT}|does(?: not|n't) match",
            ("the mean differs", "it does not match the docs"),
            ("a different layer",),
        ),
        Wording(
            "claim/not-equal",
            r"not (?:equal|identical|the same)|depends on how",
            ("both sums are not the same",),
            ("not the sums",),
        ),
        Wording(
            "claim/gives-another",
            r"(?:gives?|returns?|shows?|prints?|yields?) (?:another|other|something else)",
            ("a second call gives another seed",),
            ("it gives one more",),
        ),
        Wording(
            "claim/results-are-different",
            rf"{_VALUES} (?:is|are) (?:different|another|not th(?:e|at))",
            ("the outputs are different",),
            ("the devices are different",),
        ),
        Wording(
            "claim/different-between-backends",
            r"(?:different|something else) (?:on|across|between|from) [^.\n]{0,30}?backends?",
            ("different across the two backends",),
            ("different between releases",),
        ),
    ),
    _word(
        ClaimKind.VALUE,
        Wording(
            "claim/negative-size",
            r"negative (?:dimensions?|shapes?|sizes?)",
            ("a tensor of negative size",),
            ("a negative number",),
        ),
        Wording(
            "claim/accepts-what-is-unfit",
            rf"accept(?:s|ed|ing)? [^.\n]{{0,60}}?{_UNFIT}",
            ("pad accepts an invalid mode",),
            ("pad accepts a mode",),
        ),
        Wording(
            "claim/accepts-a-number",
            rf"accepts (?:(?!{_PLACE})[^.\n]){{0,60}}?{_NUMBER_GIVEN}{_AS_ELSEWHERE}",
            ("unfold accepts k=-1", "Linear accepts out_features=0"),
            ("softmax accepts dim=-1",),
        ),
        Wording(
            "claim/unfit-is-accepted",
            rf"{_UNFIT} (?:[\w-]+ ){{0,3}}?(?:is|are|gets?) accepted",
            ("a negative stride is accepted",),
            ("a stride is accepted",),
        ),
        Wording(
            "claim/nothing-raised",
            r"no (?:error|exception) (?:is )?raised",
            ("no exception is raised",),
            ("an exception is raised",),
        ),
        Wording(
            "claim/does-not-validate",
            r"do(?:es)?(?: not|n't) (?:check|validate|reject)",
            ("fold does not validate its stride",),
            ("fold does not broadcast",),
        ),
        Wording(
            "claim/without-error",
            r"without (?:an? |any )?(?:error|complaint|validation|check)|no error",
            ("it runs without any error",),
            ("it runs without a GPU",),
        ),
    ),
    _word(
        ClaimKind.VALUE,
        Wording(
            "claim/returns-instead-of",
            r"(?:returns?|gives?|produces?|outputs?|yields?|prints?) [^.\n]{1,80}"
            r"(?:instead of|rather than|but expected|should be)",
            ("argmax returns 0 instead of 3",),
            ("argmax returns 0",),
        ),
        Wording("claim/repeats", r"repeats? the", ("the stream repeats the seed",)),
        Wording(
            "claim/ignores",
            rf"ignores?|has no effect(?! on {_COST})",
            ("the layer ignores its mask", "align_corners has no effect"),
            ("it has no effect on memory",),
        ),
        Wording("claim/truncates", r"truncat(?:es|ed)", ("the cast truncates",), ("truncate",)),
    ),
    _word(
        ClaimKind.PERFORMANCE,
        Wording(
            "cost/slow",
            r"slow(?:er|ness|down|s down)?|inefficient(?:ly)?",
            ("sort is slow",),
            ("slowfast",),
        ),
        Wording(
            "cost/regression-in-speed",
            r"regression in (?:speed|performance)",
            ("a regression in speed",),
            ("a regression in the parser",),
        ),
        Wording(
            "cost/takes-too-long",
            r"takes (?:too long|forever|minutes|hours)",
            ("a gather takes minutes",),
            ("a gather takes two inputs",),
        ),
        Wording(
            "cost/latency-problem",
            r"latency (?:issue|problem|regression|increase)",
            ("a latency regression",),
            ("the latency is fine",),
        ),
        Wording(
            "cost/takes-longer",
            r"(?:takes|took|needs) (?:much |far )?longer",
            ("the first call takes much longer",),
            ("the list is longer",),
        ),
        Wording(
            "cost/magnitudes-slower",
            r"(?:orders? of )?magnitudes? (?:more|slower|longer|behind)",
            ("two orders of magnitude slower",),
            ("the magnitude of the error",),
        ),
        Wording(
            "cost/behind",
            r"(?:lags?|lagging|trails?|\d[\d.]*(?:x| times)) behind"
            r"|leaves? \S+ (?:far |way )?behind",
            ("conv3d lags behind", "NumPy leaves it far behind"),
            ("the theory behind",),
        ),
        Wording(
            "cost/other-is-faster",
            r"(?:is|are|was|were|runs?) (?:(?:much|far|way|\d[\d.]*(?:x| times)) )?faster",
            ("a loop is 3x faster",),
            ("make it faster",),
        ),
        Wording(
            "cost/performance-problem",
            r"performance (?:regression|issue|problem|drop|degradation)",
            ("a performance drop",),
            ("the performance guide",),
        ),
        Wording("cost/times-slower", r"(?:x|times) (?:slower|longer)", ("10 times longer",)),
        *faster_than_size("cost"),
    ),
    _word(
        ClaimKind.PERFORMANCE,
        Wording(
            "cost/leaks",
            r"memory[- ]leak(?:s|ed|ing)?|leak(?:s|ed|ing)? memory",
            ("a memory leak in the loader", "the loader leaks memory"),
            ("leaky_relu",),
        ),
        Wording("cost/out-of-memory", r"out of memory|OOM(?:s|ed)?", ("it runs out of memory",)),
        Wording(
            "cost/extra-memory",
            r"(?:extra|more|too much|excessive|high|peak|memory)"
            r" (?:memory|usage|consumption|activations|copies)",
            ("excessive memory", "high usage"),
            ("shared memory",),
        ),
        Wording(
            "cost/no-effect-on-cost",
            rf"no effect on {_COST}",
            ("checkpointing has no effect on peak memory",),
            ("it has no effect on the result",),
        ),
        Wording(
            "cost/uses-more-memory",
            r"(?:allocates?|uses?|needs?|takes?|consumes?) (?:[\w-]+ ){0,3}?"
            r"(?:more|as much|twice|times) (?:[\w-]+ ){0,3}?memory",
            ("clone uses twice the memory",),
            ("clone uses memory",),
        ),
    ),
    _word(
        ClaimKind.RAISES,
        Wording(
            "claim/raises",
            r"raises?|throws?",
            ("stack raises for no reason",),
            ("raised",),
        ),
        Wording("claim/fails", r"fails?|failed|failing", ("stack fails",), ("failsafe",)),
        Wording("claim/unsupported", r"unsupported", ("uint16 is unsupported",), ("supported",)),
        Wording(
            "claim/misleading-message",
            r"misleading|complains",
            ("a misleading message",),
            ("leading zeros",),
        ),
        Wording(
            "claim/error",
            "".join(f"(?<!{word} )" for word in _OF_NUMBERS)
            + r"errors?(?: out)?(?![^\n]{0,60}?\b(?:uncaught|undetected|unreported|missing)\b)",
            ("fold errors out",),
            ("a rounding error", "the error is undetected"),
        ),
        Wording(
            "claim/does-not-work",
            r"does(?: not|n't) (?:work(?! correct| proper| as )|run|support|broadcast|accept)",
            ("roll does not support bool",),
            ("roll does not work as documented",),
        ),
        Wording(
            "claim/exception",
            r"(?<!point )exceptions?(?! of\b)",
            ("there is an exception",),
            ("a floating point exception", "with the exception of bool"),
        ),
        Wording(
            "claim/not-implemented",
            r"not (?:implemented|supported|available)",
            ("this is not implemented for half",),
            ("not this",),
        ),
    ),
)
"""Distinct claims of one kind and signal are kept once: the first pattern that is found."""

EXCEPTION_WORD = Phrase(
    "claim/exception-by-name",
    r"(?P<quote>[`\"']?)(?<![\w.])(?:[a-z_]\w{0,60}\.){0,6}"
    r"(?P<type>_{0,2}[A-Z]\w{0,60}(?:Error|Exception))(?!\w)(?=(?::(?P<rest>.{0,500}))?)",
    finds=("it ends in a ValueError", "`KeyError: 'a'`"),
    spares=("a value error", "ErrorHandler"),
)
"""An exception that a sentence names, the quote mark before it and what follows its colon."""

NEGATION = Phrase(
    "claim/negated",
    r"(?:\b(?:no|not|never|without|neither|nor|avoids?|than(?! \d)|cannot|do(?:es)?nt)"
    r"|n['\u2019]t)"
    r"\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
    finds=("it does not ", "there is no such "),
    spares=("it does ", "not long ago it was all good and now it "),
)
"""Behind it, a symptom is denied."""
INSTEAD = Phrase(
    "claim/instead-of",
    r"\b(?:instead of|rather than|in place of)\b[^.,;:]*$",
    re.IGNORECASE,
    finds=("zeros instead of ",),
    spares=("instead of zeros, ",),
)
WISH = Phrase(
    "wish/wished",
    r"\b(?:expect(?:s|ed|ing)?|should|would|ought|could|please|suggest|proper|clear|helpful"
    r"|better|want)\b(?:[^.]|(?<=\d)\.(?=\d))*$",
    re.IGNORECASE,
    finds=("it should ", "please make it "),
    spares=("it should. But it ",),
)
"""Behind it, a symptom is wished for."""
PREFERRED = Phrase(
    "wish/better-than",
    r"^[^.\n]{0,140}?\b(?:is|are|were|would be) better than\b",
    re.IGNORECASE,
    finds=("ValueError would be better than a crash",),
    spares=("ValueError is what comes",),
)
"""Behind what is wished for: "A ValueError would be better than 0 / 0"."""
ELSEWHERE = Wordings(
    Wording(
        "elsewhere/other-version",
        r"\b(?:older|old|previous|earlier|past|other|another|newer|former|some|debug|GPU|CUDA|XPU"
        r"|Windows)\s+(?:[\w.]+\s+)?(?:builds?|versions?|releases?|machines?)\b",
        ("an older release does so", "some versions"),
        ("this version",),
    ),
    Wording(
        "elsewhere/earlier",
        r"\b(?:used to|previously|formerly|in the past|on (?:the )?(?:GPU|CUDA|TPU|MPS))\b",
        ("it used to crash", "on the GPU it is fine"),
        ("it is used for this", "on the CPU"),
    ),
    Wording(
        "elsewhere/before-version",
        r"\b(?:before|until) v?\d",
        ("before 1.8 it was fine",),
        ("before the call",),
    ),
    flags=re.IGNORECASE,
)
COMPILED = Phrase(
    "reference/compiled-mode",
    r"\b(?:(?:torch\.)?compile[drs]?|compiling|inductor|dynamo|aot\w*|torchscript|jit\w*|xla"
    r"|vmap(?:ped)?|graph mode|tf\.function)\b",
    re.IGNORECASE,
    finds=("torch.compile drops the mask", "under XLA"),
    spares=("eager mode",),
)
"""Other ways to run code, which eager mode is the reference for."""
OTHER_LIBRARY = Phrase(
    "reference/other-library",
    r"^\W*(?:(?:where|although|because|since|in|the|also|as)\s+)*"
    r"(?<!\.)(?:numpy|np|scipy|pandas)(?:\.[\w.]+)?(?:\(\))?"
    r"(?:\s+(?:correctly|also|properly|simply|just|itself|would|does|will|always|raises?|throws?"
    r"|gives?|reports?|an?|the))*\W*$",
    re.IGNORECASE,
    finds=("where NumPy correctly ", "np.linalg.inv() raises a "),
    spares=("NumPy arrays are no problem, it ",),
)
"""Whose exceptions are right, as the subject of a clause that ends where it raises them."""
EAGER = Phrase(
    "reference/eager-mode",
    r"\beager(?:ly)?\b",
    re.IGNORECASE,
    finds=("in eager mode it ",),
    spares=("a meager result",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Device:
    """How a title names a device, calls it fine, and how a clause begins that is about it."""

    named: Phrase
    fine: Phrase
    place: Phrase


def _device(name: str, pattern: str, example: str) -> _Device:
    return _Device(
        named=Phrase(
            f"reference/{name}-in-title",
            rf"\b{pattern}\b",
            re.IGNORECASE,
            finds=(f"f differs on {example}",),
            spares=("f differs",),
        ),
        fine=Phrase(
            f"reference/{name}-is-fine",
            r"\b(?:works?|working|fine|ok|okay|correct\w*|right|passes|succeeds)"
            rf" on (?:the )?{pattern}\b",
            re.IGNORECASE,
            finds=(f"f fails, works on the {example}",),
            spares=(f"f fails on the {example}",),
        ),
        place=Phrase(
            f"reference/on-{name}",
            rf"^\W*(?:and\s+)?(?:on|in|for) (?:the )?{pattern}\b",
            re.IGNORECASE,
            finds=(f"on the {example} it ",),
            spares=(f"it, on the {example}, ",),
        ),
    )


_DEVICES = (_device("cpu", "CPUs?", "CPU"), _device("gpu", "(?:CUDA|GPUs?)", "GPU"))


def reference(title: str) -> tuple[Phrase, ...]:
    """What a report compares with, as the subject of a clause: the mode or device that its title
    does not complain of, where it names the other one alone.

    >>> def is_reference(title, clause):
    ...     return any(phrase.search(clause) for phrase in reference(title))
    >>> is_reference("f is silent on CUDA", "On CPU f raises")
    True
    >>> is_reference("f differs on CUDA and on CPU", "On CPU f raises")
    False
    >>> is_reference("f fails, works on CPU", "On CPU f raises")
    True
    """
    if COMPILED.search(title):
        return OTHER_LIBRARY, EAGER
    fine = [one for one in _DEVICES if one.fine.search(title)]
    named = [one for one in _DEVICES if one.named.search(title)]
    others = fine if fine else [one for one in _DEVICES if one not in named]
    return (OTHER_LIBRARY, others[0].place) if len(others) == 1 else (OTHER_LIBRARY,)
