"""Which arguments a report wants refused: "`Adam` accepts beta_1 > 1", "negative `stddev`".

In: the call that is blamed, and the report's words. Out: the arguments that they speak of, by their
keys in an `Invocation`. A sibling that takes the very same value under the same name, and accepts
it, has the bug whatever its result is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api
from analysis.rules import Phrase, Registry
from analysis.target.observation import Call
from citadel.plan.invocation import invocation
from citadel.plan.lexicon import same_name
from citadel.plan.model import Adaptation, SourceValue, Take
from harvest.report.model import Reading

MOST_WORDS = 20_000
"""Characters of a report that are looked through for names."""
SHORTEST_PART = 4
"""Letters of a part of a name that is looked for among words."""
_KINDS = (
    (
        Phrase(
            "word/negative",
            r"\b(?:negative)\b",
            re.IGNORECASE,
            finds=("accepts a negative stride",),
            spares=("a non-positive stride",),
        ),
        re.compile(r"(?<![\w.])-\d*[1-9.]"),
    ),
    (
        Phrase(
            "word/zero",
            r"\b(?:zeros?)\b",
            re.IGNORECASE,
            finds=("accepts zero groups",),
            spares=("accepts nonzero groups",),
        ),
        re.compile(r"(?<![\w.])0(?:\.0)?(?![\w.])"),
    ),
    (
        Phrase(
            "word/nan",
            r"\b(?:nans?)\b",
            re.IGNORECASE,
            finds=("accepts NaN",),
            spares=("accepts nanoseconds",),
        ),
        re.compile(r"\bnan\b"),
    ),
    (
        Phrase(
            "word/infinity",
            r"\b(?:inf|infinit[ey])\b",
            re.IGNORECASE,
            finds=("accepts an infinite step",),
            spares=("accepts information",),
        ),
        re.compile(r"\binf\b"),
    ),
    (
        Phrase(
            "word/empty",
            r"\b(?:empty)\b",
            re.IGNORECASE,
            finds=("accepts an empty list",),
            spares=("accepts emptyish lists",),
        ),
        re.compile(r"^(?:\[\]|\(\)|''|\"\")$"),
    ),
)
"""Words for values, and what these look like in Python."""
_NUMBER = re.compile(r"(?<![\w.,])[-+]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:e[-+]?\d++)?+(?![\w,])", re.I)
_OF_TENSORS = Phrase(
    "word/tensors",
    r"\b(?:tensors?|dtypes?|shapes?|inputs?|arrays?|matri(?:x|ces)|sparse|bool(?:ean)?s?)\b",
    re.IGNORECASE,
    finds=("f accepts a sparse input", "bool tensors are accepted"),
    spares=("f accepts a negative stride",),
)
_OF_ANY = frozenset(
    ("value", "values", "input", "inputs", "other", "number", "argument", "parameter", "result")
)
"""Names of parameters that are words for what any parameter is given, or a function gives."""
_AROUND = frozenset(("list", "tensor"))
"""Steps that put a number into something."""
_MINUS = str.maketrans("\u2212\u2013", "--")


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """One argument that should be refused: its key among the source's values, and its name.

    `operand`: the name is one that many APIs have for whatever they work on (`input`, `x`).
    """

    key: str
    name: str
    operand: bool = False


def disputed(call: Call, api: Api, calls: Sequence[Call], reading: Reading) -> tuple[Disputed, ...]:
    """The arguments that a report wants refused; none where its words do not tell.

    Those that the title or the sentence about the missing error name: by parameter, by kind ("a
    negative one"), by value ("accepts 3.0"), or by a part of a parameter's name; else those that
    the rest of the text spells as code; else the only one that there is. Tensors are left out:
    what is wrong with them (a dtype, a shape) may well be right for another function. Where a
    report speaks of one, it has to call another argument wrong plainly for that to count.
    """
    values = [v for v in invocation(call, api, calls).values if not v.name.startswith("#")]
    given = [value for value in values if value.value.literal() is not None]
    head = f"{reading.report.title}\n{reading.refusal or ''}"[:MOST_WORDS].translate(_MINUS)
    tensors = any(value.value.is_tensor for value in values)
    if tensors and _OF_TENSORS.search(head):
        return _told(value for value in given if _plainly(value, head))
    if any(value not in given and _as_argument(value.name, head) for value in values):
        return ()
    told = Told(given=given, head=head, prose=reading.prose[:MOST_WORDS], tensors=tensors)
    return _told(ARGUMENTS.first(told) or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The arguments that have values of their own, and the words that may be about some of them:
    the title with the sentence about the missing error (`head`), and the rest. `tensors`: the call
    is given some as well."""

    given: list[SourceValue]
    head: str
    prose: str
    tensors: bool


ARGUMENTS: Registry[[Told], list[SourceValue]] = Registry("disputed")
"""Which arguments the words are about."""


@ARGUMENTS.rule("by-name")
def _by_name(told: Told) -> list[SourceValue] | None:
    """Those that the head names."""
    return [value for value in told.given if _named(value.name, told.head)] or None


@ARGUMENTS.rule("by-kind")
def _by_kind(told: Told) -> list[SourceValue] | None:
    """Those of a kind that the head names: negative ones."""
    return [value for value in told.given if _described(value, told.head)] or None


@ARGUMENTS.rule("by-number")
def _by_number(told: Told) -> list[SourceValue] | None:
    """Those with a number that the head has."""
    numbers = {float(number) for number in _NUMBER.findall(told.head)}
    return [value for value in told.given if _number(value) in numbers] or None


@ARGUMENTS.rule("by-part-of-name")
def _by_part_of_name(told: Told) -> list[SourceValue] | None:
    """Those of which the head has a part of the name."""
    return [value for value in told.given if _named_in_part(value.name, told.head)] or None


@ARGUMENTS.rule("by-code")
def _by_code(told: Told) -> list[SourceValue] | None:
    """Those that the rest of the text spells as code."""
    return [value for value in told.given if _spelled(value.name, told.prose)] or None


@ARGUMENTS.rule("only-one")
def _only_one(told: Told) -> list[SourceValue] | None:
    """The only one that there is."""
    return told.given if len(told.given) == 1 and not told.tensors else None


def carried(plan: Adaptation, wanted: Iterable[Disputed]) -> bool:
    """Whether a plan hands these arguments on unchanged, each to a parameter of the same name.

    A number may stand alone in a tensor, or in a list.
    """
    slots = {
        (slot.value.key, slot.name)
        for slot in (*plan.new, *plan.call)
        if isinstance(slot.value, Take) and {step.name for step in slot.value.steps} <= _AROUND
    }
    found = [
        any(key == one.key and _means(name, one.name) for key, name in slots) for one in wanted
    ]
    return bool(found) and all(found)


def _means(name: str, other: str) -> bool:
    """Whether two parameters have one name, be it in the plural."""
    return same_name(name, other) or same_name(name.removesuffix("s"), other.removesuffix("s"))


def _told(values: Iterable[SourceValue]) -> tuple[Disputed, ...]:
    return tuple(Disputed(key=value.key, name=value.name) for value in values)


def _named(name: str, text: str) -> bool:
    """Whether a text names a parameter.

    A single letter, or a word that is said of any argument, only where it is marked as code.
    """
    if len(name) == 1 or name in _OF_ANY:
        return re.search(rf"`{re.escape(name)}\b|\b{re.escape(name)} ?[=<>]", text) is not None
    words = "[_ ]".join(map(re.escape, name.split("_")))
    return re.search(rf"\b{words}s?\b", text, re.IGNORECASE) is not None


def _plainly(value: SourceValue, text: str) -> bool:
    """Whether a text calls this very argument wrong: negative `start`, start < 0."""
    called = _named(value.name, text) and _described(value, text)
    return called or _spelled(value.name, text)


def _spelled(name: str, text: str) -> bool:
    """Whether a text has a name as code has it: `name` alone, name > 1, a_name."""
    plain = re.escape(name)
    code = rf"`{plain}`|\b{plain} ?[<>]" + (rf"|\b{plain}\b" if "_" in name else "")
    return re.search(code, text) is not None


def _named_in_part(name: str, text: str) -> bool:
    """Whether a text has a longer part of a name: "a negative divisor" for `divisor_override`."""
    parts = [part for part in name.split("_") if len(part) >= SHORTEST_PART]
    return any(_named(part, text) for part in parts)


def _number(value: SourceValue) -> float | None:
    """A number that an argument is."""
    literal = value.value.literal() or ""
    try:
        return float(literal) if value.value.kind in ("int", "float") else None
    except (ValueError, OverflowError):  # float("nan") is written as a call
        return None


def _described(value: SourceValue, text: str) -> bool:
    """Whether a text tells what kind of value is wrong, and this is one."""
    literal = value.value.literal() or ""
    return any(
        word.search(text) is not None and kind.search(literal) is not None for word, kind in _KINDS
    )


def _as_argument(name: str, text: str) -> bool:
    """Whether a text is about a tensor by this name: `f(out=)`; it may be right for others."""
    return re.search(rf"\b{re.escape(name)} ?=", text) is not None
