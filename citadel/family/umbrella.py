"""The task list of an umbrella issue, as it stands in the issue itself.

In: an issue. Out: what it covers: an entry per name of an API in its list of tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citadel.family.known import Known
from harvest.report.mentions import find_mentions
from harvest.report.model import Report

_TASK = re.compile(r"[ \t]*[-*+] \[(?P<done>[ xX])\] (?P<text>.+)")
_SAID_OF = re.compile(r":(?=\s)|\s[-(\[\u2013\u2014]")
"""What stands between the names of a task and what is said of them."""
MOST_TEXT = 300
"""Characters of a task that are read."""


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
