"""The task list of an umbrella issue, as it stands in the issue itself.

In: an issue. Out: what it covers: an entry per name of an API in its list of tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from analysis.errors import CitadelError
from citadel.family.known import Known, read_known
from harvest.report.inputs import load
from harvest.report.mentions import find_mentions
from harvest.report.model import BadInput, Report
from harvest.tracker.numbered import is_numbered, numbered_reports

_TASK = re.compile(r"[ \t]*[-*+] \[(?P<done>[ xX])\] (?P<text>.+)")
_SAID_OF = re.compile(r":(?=\s)|\s[-(\[\u2013\u2014]")
"""What stands between the names of a task and what is said of them."""
MOST_TEXT = 300
"""Characters of a task that are read."""
_ISSUE = re.compile(r"[\w.-]+/[\w.-]+#\d+")


def tasks(issue: Report, url: str) -> Iterator[Known]:
    """What the task list of an issue covers: APIs by the end of their names, from a dot on.

    >>> issue = Report(source="a/b#1", title="", body="- [ ] `nn.Fold`: `out` is bad")
    >>> [(one.api.pattern, one.note) for one in tasks(issue, "a/b#1")]
    [('(?:\\\\w+\\\\.)*nn\\\\.Fold_?', 'umbrella')]
    """
    for line in issue.body.splitlines():
        task = _TASK.match(line)
        if task is None:
            continue
        done = task["done"] != " "
        for name in _names(_SAID_OF.split(task["text"][:MOST_TEXT])[0]):
            pattern = re.compile(rf"(?:\w+\.)*{re.escape(name)}_?")
            note = "umbrella, ticked off" if done else "umbrella"
            yield Known(url=url, api=pattern, note=note, done=done)


def _names(text: str) -> list[str]:
    """The APIs that a task names: as code, as dotted names or the like, or by a single word."""
    word = text.strip()
    return [one.name for one in find_mentions("", text)] or [word] * word.isidentifier()


def read_known_issues(given: str) -> tuple[Known, ...]:
    """What is known: an umbrella list in TOML, or an umbrella issue with a list of tasks.

    Args:
        given: a TOML file; `owner/repo#N`, `harvest.jsonl#N`, or a file as `citadel triage` takes.

    Raises:
        CitadelError: when it cannot be read, or has no task that names an API.
    """
    if given.endswith(".toml"):
        return read_known(Path(given))
    found = list(numbered_reports(given) if is_numbered(given) else load([given], fetch=_fetched))
    if len(found) != 1:
        raise CitadelError(f"{given} is no umbrella issue", "name one issue, or a file of TOML")
    issue = found[0]
    if isinstance(issue, BadInput):
        raise CitadelError(f"{given}: {issue.error}", issue.hint or "name one issue")
    named = issue.repository and issue.number is not None and not _ISSUE.fullmatch(given)
    place = f"{issue.repository}#{issue.number}" if named else given
    known = tuple(tasks(issue, place))
    if not known:
        raise CitadelError(
            f"{given} has no task that names an API", "a task is a line like: - [ ] `torch.add`"
        )
    return known


def _fetched(repository: str, number: int) -> Report | BadInput:
    from harvest.tracker.single import fetch_issue  # GitHub's client is large

    return fetch_issue(repository, number)
