"""What people say of findings: confirmed, rejected, duplicate of, fixed in. Never overwritten.

In: a finding by its id or the beginning of it, and a remark. Out: a further row; the latest one
counts, all are kept. Triggers of the database refuse changes, whoever attempts them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from analysis.errors import CitadelError
from citadel.store.database import Store
from citadel.store.texts import sound

SHORTEST = 4
"""Digits of an id that are taken for it, if no other begins so."""


class LabelKind(StrEnum):
    """A person's judgement."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    DUPLICATE_OF = "duplicate-of"
    FIXED_IN = "fixed-in"
    WITHDRAWN = "withdrawn"
    """What was said before does not count any more."""


_VERSION = re.compile(r"(?=.*\d)[\w.+~/-]+")
_ISSUE = re.compile(r"https?://\S+|(?:[\w.-]+/[\w.-]+)?#\d+")
NEEDS_VALUE = frozenset((LabelKind.DUPLICATE_OF, LabelKind.FIXED_IN))


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One judgement; `value` is the other finding or issue, or the version, where there is one."""

    finding: str
    kind: LabelKind
    value: str | None
    note: str
    added: float


def add(store: Store, finding: str, kind: LabelKind, value: str | None, note: str) -> Label:
    """Add a label to a finding.

    Raises:
        CitadelError: for no or several findings of that id, a value that is missing or too much, or
            nothing that could be withdrawn.
    """
    if (value is None) is (kind in NEEDS_VALUE):
        if value is None:
            what = "a finding or an issue" if kind is LabelKind.DUPLICATE_OF else "a version"
            raise CitadelError(f"{kind} needs {what}", "see citadel label --help")
        raise CitadelError(f"{kind} takes nothing more, not {value}", "see citadel label --help")
    found = find(store, finding)
    if kind is LabelKind.FIXED_IN and value is not None and not _VERSION.fullmatch(value):
        raise CitadelError(f"{value!r} is no version", "e.g. 2.14.0, or a commit")
    if kind is LabelKind.DUPLICATE_OF and value is not None:
        value = _other(store, value)
        if found in _originals(store, value):
            raise CitadelError(
                f"{found} would be a duplicate of itself",
                "name the finding that stays, or withdraw what was said of the other one",
            )
    if kind is LabelKind.WITHDRAWN and not all_of(store, found):
        raise CitadelError(f"nothing was said of {found}", "is it this finding? see citadel report")
    label = Label(finding=found, kind=kind, value=value, note=note, added=time.time())
    with store.transaction() as db:
        db.execute(
            "INSERT INTO labels (finding, kind, value, note, added) VALUES (?, ?, ?, ?, ?)",
            [found, kind, None if value is None else sound(value), sound(note), label.added],
        )
    return label


def find(store: Store, finding: str) -> str:
    """The whole id of a finding.

    Raises:
        CitadelError: when no finding's id begins so, or several do.
    """
    known = _beginning(store, finding)
    if len(known) == 1:
        return known[0]
    if len(finding) < SHORTEST or set(finding) - set("0123456789abcdef"):
        raise CitadelError(
            f"{finding or 'nothing'} is no id of a finding",
            f"at least its first {SHORTEST} characters, as citadel report shows them",
        )
    told = "no finding" if not known else "more than one finding"
    raise CitadelError(f"{told} has an id that begins with {finding}", "see citadel report")


def all_of(store: Store, finding: str) -> list[Label]:
    """All labels of a finding, the oldest first."""
    return of_each(store, [finding]).get(finding, [])


def of_each(store: Store, findings: Sequence[str]) -> dict[str, list[Label]]:
    """All labels of those findings that have some, the oldest first."""
    rows = store.db.execute(
        "SELECT l.finding, l.kind, l.value, l.note, l.added FROM json_each(?) wanted"
        " CROSS JOIN labels l ON l.finding = wanted.value ORDER BY l.id",
        [json.dumps(list(findings))],
    )
    found: dict[str, list[Label]] = {}
    for finding, kind, value, note, added in rows:
        label = Label(finding=finding, kind=LabelKind(kind), value=value, note=note, added=added)
        found.setdefault(finding, []).append(label)
    return found


def _other(store: Store, value: str) -> str:
    """A finding's whole id where the value is one, else the value: an issue, an address.

    Raises:
        CitadelError: when it is none of these.
    """
    known = _beginning(store, value)
    if len(known) == 1:
        return known[0]
    if not _ISSUE.fullmatch(value):
        raise CitadelError(
            f"{value!r} is no finding of this store, and no issue",
            "an id of citadel report, OWNER/REPO#N, #N or an address",
        )
    return value


def _originals(store: Store, finding: str) -> set[str]:
    """The finding, what it is said to be a duplicate of, and so on."""
    seen: set[str] = set()
    value: str | None = finding
    while value is not None and value not in seen:
        seen.add(value)
        row = store.db.execute(
            "SELECT label_value FROM findings WHERE id = ? AND label = ?",
            [value, LabelKind.DUPLICATE_OF],
        ).fetchone()
        value = None if row is None else row[0]
    return seen


def _beginning(store: Store, text: str) -> list[str]:
    if len(text) < SHORTEST or set(text) - set("0123456789abcdef"):
        return []
    rows = store.db.execute(
        "SELECT id FROM findings WHERE id >= ? AND id < ? LIMIT 2", [text, text + "g"]
    )
    return [one for (one,) in rows]
