"""What a symptom is, and the words around one that deny it, wish for it, or place it elsewhere.

Tables only; `claims` reads texts with them, and with `symptoms_in_logs` and `symptoms_in_words`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.rules import Phrase
from harvest.report.model import ClaimKind
from harvest.report.wordings import Wording, Wordings


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """Wordings and what they speak for."""

    kind: ClaimKind
    pattern: Wordings
    signal: str | None = None
    exception: str | None = None


def exits(*codes: int) -> str:
    """Return a pattern for a process that ended with one of `codes`, however a shell tells it."""
    alternatives = "|".join(map(str, codes))
    return (
        r"(?i:\b(?:exit(?:ed|s)?|return(?:ed|s)?)[ -]?(?:with )?(?:code|status)?"
        r"(?: code)?[ :=]{1,3}"
        rf"(?:{alternatives})\b)"
    )


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
