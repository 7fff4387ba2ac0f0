"""The case of a family that people should see first: of the reported operation, if it still fails.

In: the reproduced report and its findings. Out: one of them, as scripts that fail and that do not.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citadel.model import BugCase, Finding, Repro, Symptom
from citadel.report.printed import renamed_in_prints
from citadel.report.severity import is_raw
from citadel.report.text import lines_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A case as text; `fails` tells whether it fails by itself, `why` what its control changes,
    `file` where it lies ("" where nowhere), `small` whether it was reduced."""

    api: str
    code: str
    control: str
    why: str
    symptom: Symptom
    fails: bool
    file: str
    small: bool = False

    def difference(self) -> str:
        """The lines that the control changes, as a diff without its heads."""
        lines = difflib.ndiff(self.code.splitlines(), self.control.splitlines())
        return "\n".join(one for one in lines if one[:1] in "+-")


def lead(case: BugCase, bugs: Sequence[Finding], repro: Repro | None = None) -> Lead | None:
    """The case to show first: people call its API themselves, it fails by itself, it is of the
    reported operation (of a sibling nobody has said that it is wrong), it has a control, and it is
    short. Where it was reduced, it is the `repro`."""
    own = case.operation or case.api
    found = [(True, _of_source(case))] if case.reproduces else []
    found += [
        ((one.operation or one.api) == own, _of_finding(one, case.symptom))
        for one in bugs
        if one.code
    ]
    _, first = min(found, key=_place, default=(False, None))
    if first is None:
        return None
    if repro is not None and repro.api == first.api:
        small = lines_of(repro.code) < lines_of(first.code)
        return replace(first, code=repro.code, control=repro.control, small=small)
    if first.api == case.api:
        return first
    code, control = (
        renamed_in_prints(one, case.api, first.api) for one in (first.code, first.control)
    )
    return replace(first, code=code, control=control)


def _place(found: tuple[bool, Lead]) -> tuple[bool, bool, bool, bool, int]:
    own, one = found
    return is_raw(one.api), not one.fails, not own, not one.control, lines_of(one.code)


def _of_source(case: BugCase) -> Lead:
    return Lead(
        api=case.api,
        code=case.check or case.code,
        control=case.control,
        why=case.cured,
        symptom=case.symptom,
        fails=bool(case.check),
        file=case.file or "",
    )


def _of_finding(finding: Finding, symptom: Symptom) -> Lead:
    control = finding.evidence and finding.evidence.control
    return Lead(
        api=finding.api,
        code=finding.code,
        control=control.code if control else "",
        why=control.sentence if control else "",
        symptom=finding.verdict.symptom or symptom,
        fails=finding.fails,
        file=finding.file or "",
    )
