"""How people tell what went wrong."""

from __future__ import annotations

import re

from harvest.report.growth import faster_than_size
from harvest.report.model import ClaimKind
from harvest.report.symptoms import Symptom, exits
from harvest.report.wordings import Wording, Wordings


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
            exits(139, -11),
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
        Wording("claim/exit-code-of-sigfpe", exits(136, -8), ("it exits with code 136",)),
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
        Wording("claim/exit-code-of-sigabrt", exits(134, -6), ("it exits with code 134",)),
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
            "cost/takes-too-long",
            r"takes (?:too long|forever|minutes|hours)",
            ("a gather takes minutes",),
            ("a gather takes two inputs",),
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
            "cost/other-is-faster",
            r"(?:is|are|was|were|runs?) (?:(?:much|far|way|\d[\d.]*(?:x| times)) )?faster",
            ("a loop is 3x faster",),
            ("make it faster",),
        ),
        Wording(
            "cost/performance-problem",
            r"(?:performance|latency|speed) (?:regression|issue|problem|drop|degradation|increase)"
            r"|regression in (?:performance|latency|speed)",
            ("a performance drop", "a regression in speed"),
            ("the performance guide", "a regression in the parser"),
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
