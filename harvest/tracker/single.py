"""One issue of GitHub, with its comments, through REST: works without a token, too."""

from __future__ import annotations

from typing import Any

from analysis.errors import CitadelError
from harvest.report.issue import read_issue
from harvest.report.model import BadInput, Report
from harvest.tracker.client import Client, Missing
from harvest.tracker.patience import Patience

MAX_PAGES = 3
"""Pages of 100 comments that are read."""
INSTEAD = "try again later, or save the issue as JSON or Markdown and give that"


def fetch_issue(
    repository: str, number: int, client: Client | None = None, patience: Patience | None = None
) -> Report | BadInput:
    """Return the issue `repository#number`, or why there is none; moved ones are followed."""
    source = f"{repository}#{number}"
    patience = patience or Patience(longest_limit=60, instead=INSTEAD)
    try:
        client = client or Client()
        content = _read(repository, number, client, patience)
    except Missing as problem:
        if problem.gone:
            return BadInput(source=source, error="the issue was deleted, or moved out of sight")
        hint = "is the number right? Private repositories need GITHUB_TOKEN"
        return BadInput(source=source, error="GitHub has no such issue", hint=hint)
    except CitadelError as problem:
        return BadInput(source=source, error=problem.message, hint=problem.hint)
    return read_issue(content, source)


def _read(repository: str, number: int, client: Client, patience: Patience) -> dict[str, Any]:
    def get(path: str, **parameters: Any) -> Any:
        return patience.ask(lambda: client.get(path, parameters))

    content = get(f"/repos/{repository}/issues/{number}")
    if not isinstance(content, dict):
        raise CitadelError("GitHub sent no issue", "is GITHUB_API_URL that of GitHub's API?")
    count = content.get("comments")
    # A moved issue's own address tells where its comments are.
    place = str(content.get("url", "")).partition("/repos/")[2] or f"{repository}/issues/{number}"
    thread: list[Any] = []
    for page in range(1, MAX_PAGES + 1):
        if not isinstance(count, int) or len(thread) >= count:
            break
        thread += get(f"/repos/{place}/comments", per_page="100", page=str(page))
    return {**content, "thread": thread}
