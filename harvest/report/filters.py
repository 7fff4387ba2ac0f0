"""Which reports are worth running, and why the others are not: named predicates with reasons.

In: a reading, or an input that could not be read. Out: for every filter that drops it, the filter's
name and what exactly it saw. The preset `paper` is section 4.1 of the paper; `wide`, the default,
drops only what cannot be run at all, since the paper's own rules lose the reports that are richest
in siblings (closed as duplicates, without labels, with one comment).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from analysis.errors import CitadelError
from analysis.rules import Phrase, Rule
from harvest.report.model import BadInput, Need, Reading, Report, Snippet
from harvest.report.snippets import FRAMEWORKS
from harvest.report.steps import id_of
from harvest.report.syntax import Refusal, imported_roots, parse

T = TypeVar("T")
MAX_TEXT = 1_000_000
"""Characters of a report and its thread; GitHub allows 65,536 per text."""
MAX_OWN = 200_000
"""Characters of a report's own text."""
FEW_COMMENTS = 3
NEAR_DUPLICATE = "near_duplicate"
_DEVICES = frozenset({Need.CUDA, Need.MPS, Need.DEVICE})
_BUG = Phrase(
    "label/bug",
    r"\bbugs?\b|\bcrash|correctness|regression|performance|\bnans?\b|\bassert|\bmemory|error"
    r"|edge cases|stability|sanitizer",
    re.IGNORECASE,
    finds=("type: bug", "module: crash"),
    spares=("triaged",),
)
_WISH = Phrase(
    "label/wish",
    r"\bfeature|enhancement|documentation|\bdocs\b|proposal|\brfc\b",
    re.IGNORECASE,
    finds=("type:feature", "module: docs"),
    spares=("triaged",),
)
_QUESTION = Phrase(
    "label/question",
    r"question|\bsupport\b|\bhow[- ]?to\b|discussion",
    re.IGNORECASE,
    finds=("type:support",),
    spares=("unsupported",),
)
_HARDWARE = Phrase(
    "label/hardware",
    r"\bcuda\b|\bgpu\b|\brocm\b|\bmps\b|\bxpu\b|\btpu\b|\bxla\b|\bhpu\b|cudnn|nccl|\barm\b",
    re.IGNORECASE,
    finds=("module: cuda", "comp:gpu"),
    spares=("module: nn",),
)
_DUPLICATE = Phrase(
    "label/duplicate",
    r"^duplicate",
    re.IGNORECASE,
    finds=("duplicate",),
    spares=("no duplicate",),
)


class Preset(StrEnum):
    """Sets of filters."""

    WIDE = "wide"
    PAPER = "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a report is dropped: the filter, and what it saw."""

    filter: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A named predicate. `meaning` completes "dropped are reports ..."."""

    name: str
    meaning: str
    presets: frozenset[Preset]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfReport(Filter):
    """Decides by what the tracker knows; None keeps the report, a text is the reason."""

    test: Rule[[Report], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfReading(Filter):
    """Decides by what was read; asked only where the report was read."""

    test: Rule[[Reading], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere(Filter):
    """Decided by others: before there is a report, or by looking at all of them together."""


def _too_large(report: Report) -> str | None:
    own = len(report.title) + len(report.body) + len(report.code or "")
    size = own + sum(len(comment.body) for comment in report.thread)
    if own <= MAX_OWN and size <= MAX_TEXT:
        return None
    return f"{max(own, size):,} characters"


def _pull_request(report: Report) -> str | None:
    return "a pull request" if report.pull_request else None


def _without_code(reading: Reading) -> str | None:
    told = reading.skipped
    return told if told in ("no code", "only logs, no code", "not Python") else None


def _linked(reading: Reading) -> str | None:
    told = reading.skipped or ""
    return told if told.startswith("code is only linked") else None


def _broken(reading: Reading) -> str | None:
    told = reading.skipped or ""
    return told if told.startswith("Python code that does not parse") else None


def _without_framework(reading: Reading) -> str | None:
    if not reading.candidates or any(map(_uses_framework, reading.candidates)):
        return None
    return "no code that imports " + ", ".join(sorted(FRAMEWORKS))


def _uses_framework(snippet: Snippet) -> bool:
    tree = parse(snippet.code)
    return not isinstance(tree, Refusal) and bool(imported_roots(tree) & FRAMEWORKS)


def _incomplete(reading: Reading) -> str | None:
    if not reading.candidates or any(not snippet.missing for snippet in reading.candidates):
        return None
    return "undefined: " + ", ".join(reading.candidates[0].missing[:5])


def _needing(*needs: Need) -> Callable[[Reading], str | None]:
    """A filter for reports of which every snippet needs one of these."""

    def test(reading: Reading) -> str | None:
        own = [one for one in reading.candidates if not one.guess]
        lacks = [[why for need, why in one.needs if need in needs] for one in own]
        return "needs " + ", ".join(lacks[0][:5]) if lacks and all(lacks) else None

    return test


def _hardware(reading: Reading) -> str | None:
    labels = [label for label in reading.report.labels if _HARDWARE.search(label)]
    return "label " + labels[0] if labels else _needing(*_DEVICES)(reading)


def _labelled(pattern: Phrase) -> Callable[[Report], str | None]:
    def test(report: Report) -> str | None:
        return next((f"label {label}" for label in report.labels if pattern.search(label)), None)

    return test


def _no_bug_label(report: Report) -> str | None:
    if any(_BUG.search(label) for label in report.labels):
        return None
    return "labels: " + (", ".join(report.labels) or "none")


def _few_comments(report: Report) -> str | None:
    return f"{report.comments} comments" if report.comments < FEW_COMMENTS else None


def _unfixed(report: Report) -> str | None:
    if report.state != "closed" or any(link.closes for link in report.links):
        return None
    return "closed without a linked commit or pull request"


def _duplicate(report: Report) -> str | None:
    if report.state_reason == "duplicate":
        return "closed as duplicate"
    return _labelled(_DUPLICATE)(report)


def _rule(name: str, meaning: str, test: Callable[[T], str | None]) -> Rule[[T], str]:
    rule: Rule[[T], str] = Rule(f"filter/{id_of(name)}", test)
    rule.meaning = f"Drop reports {meaning}."
    return rule


def _of_report(
    name: str, meaning: str, presets: frozenset[Preset], test: Callable[[Report], str | None]
) -> OfReport:
    rule = _rule(name, meaning, test)
    return OfReport(name=name, meaning=meaning, presets=presets, test=rule)


def _of_reading(
    name: str, meaning: str, presets: frozenset[Preset], test: Callable[[Reading], str | None]
) -> OfReading:
    rule = _rule(name, meaning, test)
    return OfReading(name=name, meaning=meaning, presets=presets, test=rule)


_BOTH, _PAPER, _NEITHER = frozenset(Preset), frozenset({Preset.PAPER}), frozenset[Preset]()

FILTERS: tuple[Filter, ...] = (
    Elsewhere(name="unreadable", meaning="that are no issue, or broken", presets=_BOTH),
    _of_report(name="pull_request", meaning="of changes", presets=_BOTH, test=_pull_request),
    _of_report(
        name="too_large",
        meaning=f"of more than {MAX_OWN:,} characters, {MAX_TEXT:,} with comments",
        presets=_BOTH,
        test=_too_large,
    ),
    _of_reading(name="no_code", meaning="without Python code", presets=_BOTH, test=_without_code),
    _of_reading(
        name="linked_code",
        meaning="whose code is only behind a link (`--follow-links` fetches it)",
        presets=_BOTH,
        test=_linked,
    ),
    _of_reading(
        name="broken_code", meaning="whose code does not parse", presets=_BOTH, test=_broken
    ),
    _of_reading(
        name="no_framework",
        meaning="whose code uses no framework",
        presets=_BOTH,
        test=_without_framework,
    ),
    _of_reading(
        name="incomplete",
        meaning="whose snippets all use names that nothing defines",
        presets=_BOTH,
        test=_incomplete,
    ),
    _of_reading(
        name="network",
        meaning="whose snippets all need the network",
        presets=_BOTH,
        test=_needing(Need.NETWORK),
    ),
    _of_reading(
        name="files",
        meaning="whose snippets all read files that are not there",
        presets=_BOTH,
        test=_needing(Need.FILES),
    ),
    _of_reading(
        name="distributed",
        meaning="whose snippets all need several processes",
        presets=_BOTH,
        test=_needing(Need.DISTRIBUTED),
    ),
    _of_reading(
        name="packages",
        meaning="whose snippets all need further packages",
        presets=_NEITHER,
        test=_needing(Need.PACKAGE),
    ),
    _of_reading(
        name="hardware",
        meaning="about a device, by label or because all snippets need one",
        presets=_PAPER,
        test=_hardware,
    ),
    _of_report(
        name="no_bug_label",
        meaning="without a label that speaks of a bug",
        presets=_PAPER,
        test=_no_bug_label,
    ),
    _of_report(
        name="few_comments",
        meaning=f"with fewer than {FEW_COMMENTS} comments",
        presets=_PAPER,
        test=_few_comments,
    ),
    _of_report(
        name="closed_unfixed",
        meaning="closed without a linked commit or pull request",
        presets=_PAPER,
        test=_unfixed,
    ),
    _of_report(
        name="wish",
        meaning="labelled as a wish, or about documentation",
        presets=_NEITHER,
        test=_labelled(_WISH),
    ),
    _of_report(
        name="question",
        meaning="labelled as a question",
        presets=_NEITHER,
        test=_labelled(_QUESTION),
    ),
    _of_report(
        name="duplicate",
        meaning="closed or labelled as duplicate",
        presets=_NEITHER,
        test=_duplicate,
    ),
    Elsewhere(
        name=NEAR_DUPLICATE,
        meaning="that say almost the same as another one, to which they are linked",
        presets=_BOTH,
    ),
)
BY_NAME = {one.name: one for one in FILTERS}
UNREADABLE = "unreadable"
_ALWAYS = frozenset({UNREADABLE, "too_large"})
"""Nothing can be done with these."""


def choose(preset: Preset, with_: Iterable[str], without: Iterable[str]) -> tuple[Filter, ...]:
    """Return a preset's filters, with some switched on and some off.

    Raises:
        CitadelError: for a name that is no filter, or one that cannot be switched off.
    """
    on, off = set(with_), set(without)
    if unknown := sorted((on | off) - BY_NAME.keys()):
        known = ", ".join(BY_NAME)
        raise CitadelError(f"there is no filter {unknown[0]}", f"there are {known}")
    if needed := sorted(off & _ALWAYS):
        raise CitadelError(f"{needed[0]} cannot be switched off", "such a report cannot be read")
    wanted = {one.name for one in FILTERS if preset in one.presets} - off | on
    return tuple(one for one in FILTERS if one.name in wanted)


def reasons(
    item: Report | BadInput, read: Callable[[Report], Reading], filters: Iterable[Filter]
) -> tuple[tuple[Reason, ...], Reading | None]:
    """Return all reasons to drop an item, and its reading where it could be read.

    What is too large is not read.
    """
    if isinstance(item, BadInput):
        return (Reason(filter=UNREADABLE, detail=item.error),), None
    found: list[Reason] = []
    for one in filters:
        if isinstance(one, OfReport) and (detail := one.test(item)) is not None:
            found.append(Reason(filter=one.name, detail=detail))
    if _too_large(item) is not None:
        return tuple(found), None
    try:
        reading = read(item)
    except (RecursionError, MemoryError) as problem:
        return (*found, Reason(filter=UNREADABLE, detail=type(problem).__name__)), None
    for one in filters:
        if isinstance(one, OfReading) and (detail := one.test(reading)) is not None:
            found.append(Reason(filter=one.name, detail=detail))
    return tuple(found), reading
