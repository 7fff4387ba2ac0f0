"""A report as text and back, and its content id.

Two reports are the same work when what is run and read of them is the same: where the file lay,
labels and counts do not matter, so that a moved folder or a new label does not run them again.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from citadel.model import content_id
from harvest.report.model import Comment, Link, LinkedCode, LinkKind, Report


def report_id(report: Report) -> str:
    """The content id of a report."""
    return content_id(
        report.repository or "",
        str(report.number or ""),
        report.title,
        report.body,
        report.code or "",
        *(comment.body for comment in report.thread),
        *(linked.code for linked in report.linked_code),
    )


def to_text(report: Report) -> str:
    """The report as JSON, which `from_text` reads."""
    return json.dumps(asdict(report), separators=(",", ":"), sort_keys=True)


def from_text(text: str) -> Report:
    """The report that `to_text` wrote."""
    content: dict[str, Any] = json.loads(text)
    content["labels"] = tuple(content["labels"])
    content["thread"] = tuple(Comment(**one) for one in content["thread"])
    content["links"] = tuple(
        Link(kind=LinkKind(one["kind"]), target=one["target"], closes=one["closes"])
        for one in content["links"]
    )
    content["linked_code"] = tuple(LinkedCode(**one) for one in content["linked_code"])
    content["files"] = tuple(content.get("files", ()))  # stores of earlier versions have none
    return Report(**content)
