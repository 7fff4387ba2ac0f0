"""The page to look at: all families of a run in one file that needs no network and no server.

In: the builds under test and their triages. Out: HTML. Whatever a report or a framework has written
is text there (Jinja2 escapes it), no handler is made of it, and the page's policy lets nothing run
or load but its own script and style, by their digests.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import jinja2

from citadel.model import (
    BugCase,
    Channels,
    Finding,
    Symptom,
    TargetSummary,
    Triage,
    VerdictKind,
)
from citadel.report.besides import none_found
from citadel.report.headline import figure, headline
from citadel.report.lead import lead
from citadel.report.markdown import elsewhere
from citadel.report.order import INTENDED, by_operation, everywhere, may_be_intended, ranked
from citadel.report.severity import Severity, severity
from citadel.report.text import counted, plain, source_name, without_folders

ALMOST = 3
"""Lines around a change that a difference shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a difference: `mark` is "+", "-", " " or "@" where lines are left out."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A score (0 to 1) by its name."""

    name: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation that has the bug, by the form of it that people should see first."""

    api: str
    forms: tuple[str, ...]
    severity: str
    confidence: float | None
    """None for the reported operation itself."""
    symptom: str
    difference: tuple[Line, ...]
    """From the report's code to the case; nothing where the case is a call of its own."""
    code: str
    control: tuple[Line, ...]
    """What the control changes of the case; nothing where there is none."""
    why: str
    bars: tuple[Bar, ...]
    shared: tuple[str, ...]
    """What it has in common with the report's call, for people."""
    samples: tuple[float, ...]
    issues: tuple[str, ...]

    @property
    def largest(self) -> float:
        """The largest of the samples."""
        return max(self.samples, default=1.0) or 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One family."""

    number: int
    title: str
    origin: str
    build: str
    framework: str
    kind: str
    code: str
    """The case to show first; "" where there is none."""
    small: bool
    """Whether it was reduced."""
    control: tuple[Line, ...]
    why: str
    """What its control changes, and what it does."""
    facts: tuple[tuple[str, str], ...]
    operations: tuple[Operation, ...]
    empty: str
    """What is said where no operation has the bug; "" where one has."""
    alike: tuple[str, ...]


def page(targets: Sequence[TargetSummary], triages: Sequence[Triage]) -> str:
    """The page of some triages; of a report without a case there is a line with the reason."""
    builds = {one.framework: one for one in targets}
    sections = [
        _section(number, triage, triage.case, builds.get(triage.case.framework))
        for number, triage in enumerate(triages)
        if triage.case is not None
    ]
    left = [
        (plain(source_name(one.input)), plain(one.error or one.skipped or ""))
        for one in triages
        if not one.case
    ]
    script, style = _part("page.js"), _part("page.css")
    found = [one for section in sections for one in section.operations]
    return _template().render(
        sections=sections,
        left=left,
        count=counted(len(found), "operation"),
        families=counted(len(sections), "report"),
        severities=[one for one in map(str, Severity) if any(o.severity == one for o in found)],
        kinds=sorted({one.kind for one in sections}),
        frameworks=sorted({one.framework for one in sections}),
        script=script,
        style=style,
        policy="; ".join(
            (
                "default-src 'none'",
                f"script-src '{_digest(script)}'",
                f"style-src '{_digest(style)}'",
                "base-uri 'none'",
                "form-action 'none'",
            )
        ),
    )


def _section(number: int, triage: Triage, case: BugCase, build: TargetSummary | None) -> Section:
    bugs = [one for one in ranked(triage.findings) if one.verdict.kind is VerdictKind.BUG]
    first = lead(case, bugs, triage.repro)
    own = case.operation or case.api
    groups = by_operation(bugs)
    same = [one.api for forms in groups for one in forms if (one.operation or one.api) == own]
    operations = [_reported(case, same)] if case.reproduces else []
    for forms in groups:
        if not case.reproduces or (forms[0].operation or forms[0].api) != own:
            operations.append(_operation(forms, case))
    alike = by_operation(f for f in triage.findings if f.verdict.kind is VerdictKind.ALIKE)
    origin = plain(source_name(triage.input))
    if triage.number is not None:
        origin = plain(f"{triage.repository or ''}#{triage.number}")
    return Section(
        number=number,
        title=plain(triage.title) or origin,
        origin=origin,
        build="" if build is None else plain(f"{build.framework} {build.version}"),
        framework=case.framework,
        kind=str(case.kind),
        code=_code(first.code) if first else "",
        small=first is not None and first.small,
        why=plain(first.why) if first else "",
        control=_changes(first.code, first.control) if first and first.control else (),
        facts=tuple(_facts(triage, case)),
        operations=tuple(operations),
        empty="" if bugs else none_found(triage),
        alike=tuple(plain(forms[0].api) for forms in alike),
    )


def _facts(triage: Triage, case: BugCase) -> Iterator[tuple[str, str]]:
    """What is told of a family, each under its name."""
    yield "API", plain(case.api)
    yield "symptom", without_folders(headline(case.symptom))
    if not case.reproduces:
        yield "on this build", f"fixed: {plain(case.observed)}" if case.observed else "fixed"
    if case.trigger.sentence:
        yield "trigger", plain(case.trigger.sentence)
    if case.relation:
        yield "tried on other operations' own calls", plain(case.relation)
    for title, api, told in elsewhere(triage):
        yield f"{title.lower()}{f' ({plain(api)})' if api else ''}", plain(told)
    for doubt in case.doubts:
        yield "doubt", plain(doubt)
    for note in (everywhere(triage), INTENDED if may_be_intended(triage) else ""):
        if note:
            yield "note", plain(note)


def _reported(case: BugCase, forms: Sequence[str]) -> Operation:
    """The operation that the report is about."""
    code = case.check or case.code
    return Operation(
        api=plain(case.api),
        forms=tuple(map(plain, forms)),
        severity=str(severity(case.symptom, case.api)),
        confidence=None,
        symptom=_short(case.symptom),
        difference=(),
        code=_code(code),
        control=_changes(code, case.control) if case.control else (),
        why=plain(case.cured),
        bars=(),
        shared=(),
        samples=case.samples,
        issues=tuple(map(str, case.issues)),
    )


def _operation(forms: Sequence[Finding], case: BugCase) -> Operation:
    first = forms[0]
    symptom = first.verdict.symptom or case.symptom
    control = first.evidence.control if first.evidence else None
    own_call = "its own call" in first.edits
    return Operation(
        api=plain(first.api),
        forms=tuple(plain(one.api) for one in forms[1:]),
        severity=str(severity(symptom, first.api)),
        confidence=first.verdict.confidence,
        symptom=_short(symptom) if _short(symptom) != _short(case.symptom) else "the same",
        difference=() if own_call else _changes(case.check or case.code, first.code),
        code=_code(first.code),
        control=_changes(first.code, control.code) if control and control.code else (),
        why=plain(control.sentence) if control else "",
        bars=tuple(_bars(first.channels)),
        shared=tuple(map(plain, first.edits)),
        samples=first.verdict.samples,
        issues=tuple(map(str, first.issues)),
    )


def _short(symptom: Symptom) -> str:
    return figure(symptom) or without_folders(headline(symptom))


def _bars(channels: Channels) -> Iterator[Bar]:
    if channels.context is not None:
        yield Bar(name="context", score=float(channels.context))
    yield Bar(name="signature", score=channels.signature)
    yield Bar(name="documentation", score=channels.documentation)
    if channels.arguments is not None:
        yield Bar(name="arguments", score=channels.arguments)


def _code(text: str) -> str:
    """Code whose lines are kept, and whose other control characters are shown."""
    return "\n".join(map(plain, text.strip("\n").split("\n")))


def _changes(before: str, after: str) -> tuple[Line, ...]:
    """The lines that differ, with a few around each."""
    old, new = (_code(one).split("\n") for one in (before, after))
    lines = list(difflib.unified_diff(old, new, n=ALMOST, lineterm=""))[2:]
    return tuple(
        Line(mark="@", text="") if one.startswith("@@") else Line(mark=one[:1], text=one[1:])
        for one in lines[1:]
    )


def _digest(text: str) -> str:
    """What a policy calls a script or style of this text.

    >>> _digest("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    found = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(found).decode()}"


@cache
def _part(name: str) -> str:
    return resources.files("citadel.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> jinja2.Template:
    made = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["width"] = lambda score: f"{100 * max(0.0, min(1.0, score)):.0f}"
    return made.from_string(_part("page.html.jinja"))
