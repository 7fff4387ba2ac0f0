"""Words by which something is taken that should be refused -> whether a sentence says just that.

In: a title or a sentence. Out: whether it tells of a fact ("accepts `p=2`", "can be set to a
negative number"), not of a wish, of a failure, or of what another library does.
"""

from __future__ import annotations

import re

from analysis.rules import Phrase
from harvest.report.wordings import Wording, Wordings

MOST_WORDS = 500
"""Characters of a sentence that are read."""
EXAMPLES: tuple[tuple[str, bool], ...] = (
    ("f accepts strings", True),
    ("an empty tuple is accepted by f", True),
    ("f does not check and accepts strings", True),
    ("f should refuse strings; it accepts them", True),
    ("a different argument is accepted by g", True),
    ("g should only accept numbers", False),
    ("f raises when strings are accepted", False),
    ("RuntimeError when accepting strings", False),
    ("f should accept strings", False),
    ("strings should be accepted", False),
    ("f fails to accept strings", False),
    ("f refuses to accept strings", False),
    ("f is unable to accept strings", False),
    ("f no longer accepts strings", False),
    ("f doesnt accept strings", False),
    ("f doesn\u2019t accept strings", False),
    ("strings aren't accepted", False),
    ("f only accepts strings", False),
    ("the accepted dtypes are those of integers", False),
)
"""(sentence, whether it says that something is accepted)."""
TITLES: tuple[tuple[str, bool], ...] = (
    ("the width of `f` can be set to a negative number", True),
    ("f can accept an invalid mode", True),
    ("`f` allows an invalid mode", True),
    ("`f` returns a negative size tensor", True),
    ("`f` makes a tensor with negative dimensions", True),
    ("torch.add allows an invalid constant", True),
    ("f should allow negative widths", False),
    ("Allow negative widths in f", False),
    ("the width may be a negative number, as documented", False),
    ("the width may be set to a negative number", False),
    ("numpy allows negative widths", False),
    ("f no longer allows negative widths", False),
    ("f doesn\u2019t allow negative widths", False),
    ("f gives ValueError: negative dimensions are not allowed", False),
    ("f gives a negative dimension error", False),
    ("Please make f such that it allows negative widths", False),
    ("f crashes if the width can be set to a negative number", False),
)
"""(title, whether it says that something is taken, or made, that there cannot be)."""
CHECKS: tuple[tuple[str, bool], ...] = (
    ("negative values raise in eager, silently ignored under jit_compile=True", True),
    ("Validation is lost in the compiled path", True),
    ("the bounds check of axis is skipped in graph mode", True),
    ("the compiled path appears to skip the input validation", True),
    ("XLA drops all range checks", True),
    ("f raises in eager mode but works under XLA", False),
    ("raises TypeError in graph mode, the name is silently ignored", False),
    ("the argument is silently ignored", False),
    ("XLA should skip the shape check", False),
    ("it no longer skips the check", False),
    ("the checksum is lost", False),
    ("fit drops the last validation batch", False),
    ("torch.compile drops validation loss to nan", False),
    ("Validation is skipped when validation_freq > epochs", False),
    ("Passing validate_args=False skips the checks", False),
    ("running with the autograd profiler reports nothing unusual", False),
    ("with XLA you can skip the input check by setting a flag", False),
)
"""(sentence, whether it says that what should be checked is not)."""

_ACCEPTS = Phrase(
    "acceptance/accepts",
    r"\b(?:accepts|accepted(?! (?:as|values?|types?|dtypes?|range|inputs?|formats?|shapes?)\b))\b",
    re.IGNORECASE,
    finds=("f accepts strings", "strings are accepted"),
    spares=("the accepted dtypes",),
)
_DENIED = (
    r"(?:not|never|longer|only|(?:ca|do|does|did|is|are|was|were|wo|would|should)n['\u2019]?t)"
)
_NOT_SO = Phrase(
    "acceptance/no-fact",
    r"\b(?:when|if|until|before|previously|once|should|must|would|could|ought|fail\w*|refus\w+"
    rf"|unable|no|{_DENIED})\b(?:[^.;,\n](?!\b(?:and|but)\b)){{0,60}}$",
    re.IGNORECASE,
    finds=("f should ", "f no longer "),
    spares=("f should, but it ",),
)
"""What stands in front of a verb that says no fact."""
_CHECKS = (
    r"(?:(?:validation|checks?|checking)(?! (?:mark|point|box|loss|data|accuracy|batch|step|set"
    r"|split|metric|score|error)))"
)
_UNCHECKED = Wordings(
    Wording(
        "acceptance/check-is-lost",
        rf"\b{_CHECKS}\b(?: (?:of|for) [`\w.]+)? (?:is|are|was|were|gets?) (?:(?!not\b)\w+ )?"
        r"(?:lost|skipped|dropped|bypassed|missing|omitted|ignored)\b",
        ("the checks of `axis` are skipped",),
        ("the checks are there", "the validation loss is lost"),
    ),
    Wording(
        "acceptance/skips-the-check",
        r"\b(?:skip|drop|bypass|lose|omit|mishandle)(?:e?s)?(?: or \w+)?(?: (?:the|its|all|any))?"
        rf"(?: [\w-]+){{0,2}} {_CHECKS}\b",
        ("XLA skips the range check",),
        ("XLA skips the layer",),
    ),
    Wording(
        "acceptance/raises-in-eager-alone",
        r"\brais(?:e|es|ed) (?:an? )?(?:\w+ )?(?:in|under|with) eager\b[^.\n]{0,40}"
        r"\bsilently (?:ignored|dropped|skipped|swallowed)\b",
        ("a bad name raises in eager, and is silently ignored when compiled",),
        ("a bad name raises in eager",),
    ),
    flags=re.IGNORECASE,
)
_MODE = Phrase(
    "acceptance/mode",
    r"\b(?:eager\w*|xla|jit\w*|compil\w+|graphs?|traced?|tracing|scripted)\b",
    re.I,
    finds=("in graph mode", "the compiled path"),
    spares=("in any mode",),
)
_CHOSEN = Phrase(
    "acceptance/on-purpose",
    r"\b(?:you|we|can|could|by setting|CI)\b",
    re.IGNORECASE,
    finds=("you can skip the check",),
    spares=("it skips the check",),
)
_NO_ARGUMENT = r"\b(?:negative|invalid|illegal|out[- ]of[- ]range|nonsensical)\b"
"""What is said of an argument that has to be refused, whatever the function."""
_NO_SHAPE = (
    r"\b(?:negative (?:sizes?|shapes?|dimensions?)\b|negative[- ]sized?\b"
    r"|tensors? (?:with|of) (?:an? )?negative (?:sizes?|shapes?|dimensions?)\b)"
)
"""Results that there cannot be."""
_TAKES = Wordings(
    Wording(
        "acceptance/can-be-set",
        r"\b(?:can|could) (?:also )?be (?:set|given|passed|fed|assigned|initiali[sz]ed)\b"
        rf"[^.\n]{{0,30}}{_NO_ARGUMENT}",
        ("the width can be set to a negative number",),
        ("the width can be set",),
    ),
    Wording(
        "acceptance/allows",
        rf"\b(?:allows|permits|(?:can|could) (?:also )?accept)\b[^.\n]{{0,20}}{_NO_ARGUMENT}",
        ("pad allows an invalid mode",),
        ("pad allows a mode",),
    ),
    Wording(
        "acceptance/makes-what-cannot-be",
        r"\b(?:gets?|gives|returns|outputs|creates|makes|produces)\b"
        rf"[^.\n]{{0,20}}{_NO_SHAPE}",
        ("pad makes a tensor of negative size",),
        ("pad makes a negative number",),
    ),
    flags=re.IGNORECASE,
)
_ELSE = Wordings(
    Wording(
        "acceptance/wish",
        r"\b(?:should|must|would|ought|please|need\w*|wish|request\w*|feature|support\w*"
        rf"|documented|so that|such that|caused by|as (?:in|expected)|{_DENIED})\b",
        ("pad should allow it", "pad never allows it"),
        ("pad allows it",),
    ),
    Wording(
        "acceptance/failure",
        r"\b(?:raises?|raised|throw\w*|fail\w*|crash\w*|abort\w*|segfault\w*|error|exception"
        r"|\w*Error)\b",
        ("pad crashes", "pad gives ValueError"),
        ("pad allows it",),
    ),
    Wording(
        "acceptance/request",
        r"^\W*(?:let|allow|make|add|enable)\b",
        ("Allow negative widths",),
        ("They allow negative widths",),
    ),
    Wording(
        "acceptance/of-another-library",
        r"\b(?:numpy|np|scipy|jax|matlab|pytorch|torch|tensorflow|tf|keras) (?:also |already )?"
        r"(?:allows|permits|gives|returns|outputs|creates|makes|produces)\b",
        ("NumPy already allows it",),
        ("NumPy has it",),
    ),
    flags=re.IGNORECASE,
)
"""A title that wishes something, tells of a failure, or of what another library does."""


def accepts(sentence: str) -> bool:
    """Tell whether a sentence says, as a fact, that something is accepted."""
    return is_fact(_ACCEPTS, sentence)


def unchecked(sentence: str) -> bool:
    """Tell whether a sentence says, as a fact, that a check is missing in one of two modes.

    Of no mode in particular it may be said that somebody leaves checks out on purpose.
    """
    text = sentence[:MOST_WORDS]
    by_mode = _MODE.search(text) is not None and _CHOSEN.search(text) is None
    return by_mode and is_fact(_UNCHECKED, text)


def is_fact(words: re.Pattern[str] | Phrase | Wordings, sentence: str) -> bool:
    """Tell whether a sentence has such words where nothing in front of them says otherwise."""
    text = sentence[:MOST_WORDS]
    return any(not _NOT_SO.search(text[: one.start()]) for one in words.finditer(text))


def takes_what_is_none(title: str) -> bool:
    """Tell whether a title says that something takes, or makes, what there cannot be.

    In a text such words may be documentation, or a message that is quoted.
    """
    words = title[:MOST_WORDS]
    return _TAKES.search(words) is not None and _ELSE.search(words) is None
