"""What is known of findings: umbrella issues that cover them, issues of a tracker about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from analysis.errors import CitadelError
from citadel.commands.inputs import read_known_issues
from citadel.family.known import Known
from citadel.model import BugCase, Finding, Symptom, Triage, VerdictKind
from citadel.report.headline import headline
from citadel.triage import Halted
from harvest.tracker.issue import Issue
from harvest.tracker.search import LEAST, Tracker, open_tracker

MOST = 2
"""Issues that are told per finding."""
_WORDS = 300
"""Characters of a symptom that are searched for."""


class Knowledge:
    """What a user has named: an umbrella, a harvest, both, or neither.

    Raises:
        CitadelError: where one of them cannot be read.
    """

    def __init__(
        self, known: str | None, harvest: Path | None, note: Callable[[str], None]
    ) -> None:
        self._note = note
        self._known: Sequence[Known] = () if known is None else read_known_issues(known)
        self._tracker: Tracker | None = None if harvest is None else open_tracker(harvest)

    def close(self) -> None:
        """Close the index of the harvest."""
        if self._tracker is not None:
            self._tracker.close()

    def told(self, done: Triage) -> Triage:
        """The triage, with the issues that its case and its bugs may be known by.

        Raises:
            Halted: after Ctrl-C; nothing of the triage is lost.
        """
        case = done.case
        if case is None or not (self._known or self._tracker):
            return done
        try:
            return self._told(done, case)
        except KeyboardInterrupt:
            raise Halted(done) from None
        except CitadelError as problem:  # what is found must not be lost by what is known of it
            self._note(f"{problem.message}; {problem.hint}")
            return done

    def _told(self, done: Triage, case: BugCase) -> Triage:
        own = f"{done.repository or ''}#{done.number}"

        def known(one: Finding) -> Finding:
            if one.verdict.kind is not VerdictKind.BUG:
                return one
            symptom = one.verdict.symptom or case.symptom
            return replace(one, issues=tuple(self._issues(case, one.api, symptom, own)))

        issues = tuple(self._issues(case, case.api, case.symptom, own))
        return replace(
            done,
            case=replace(case, issues=issues),
            findings=tuple(map(known, done.findings)),
        )

    def _issues(self, case: BugCase, api: str, symptom: Symptom, own: str) -> Iterator[Issue]:
        """The umbrella that covers an API, then what a tracker has; not the report itself."""
        told = headline(symptom, _WORDS)
        for one in self._known:
            if one.covers(case.framework, api, told):
                yield Issue(title="", state="", likeness=1.0, note=one.note, place=one.url)
                break
        if self._tracker is not None:
            found = self._tracker.about(api, case.framework, told, most=MOST + 1)
            others = [one for one in found if one.place != own and one.likeness >= LEAST]
            yield from others[:MOST]
