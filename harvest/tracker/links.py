"""Code behind links, for reports that have none themselves; only where the user asks for it.

In: a page of entries, or a harvest with such reports. Out: the page, with what gists and Colab
notebooks hold as `linked_code`; links of the report count first, then those of its comments.
Only the hosts named here are asked, never others that a report names; what they send is bounded,
and it is text for the sandbox like the report's own.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import requests

from analysis.errors import CitadelError
from harvest.report.issue import read_issue
from harvest.report.markdown import read_markdown
from harvest.report.model import Report
from harvest.report.snippets import find_snippets
from harvest.tracker.client import TIMEOUT, Client, Missing
from harvest.tracker.pages import Entry, Page, to_line
from harvest.tracker.patience import Patience
from harvest.tracker.stored import read_versions

MAX_LINKS = 3
MAX_CODE = 500_000
_MAX_READ = 2_000_000
_MAX_BODY = 200_000
_NAME = r"[\w.-]{1,100}"
_GIST = re.compile(
    rf"https://(?:gist\.github\.com|colab\.research\.google\.com/gist)/{_NAME}/(?P<id>[0-9a-f]{{8,40}})"
)
_NOTEBOOK = re.compile(
    rf"https://colab\.research\.google\.com/github/(?P<repo>{_NAME}/{_NAME})/blob/"
    rf"(?P<ref>{_NAME})/(?P<path>[\w./%-]{{1,200}}\.ipynb)"
)
_DRIVE = re.compile(r"https://colab\.research\.google\.com/drive/(?P<id>[\w-]{10,80})")
_HOSTS = ("https://gist.github.com/", "https://colab.research.google.com/")
_FOLLOWED = re.compile(rb'(?<!\\)"linked_code"\s*:')
"""A key of a line of JSON: in a text its quotes would be escaped."""
_DOWNLOAD = "https://drive.usercontent.google.com/download"

_UNREADABLE = (
    CitadelError,
    requests.RequestException,
    # What is behind a link may have any shape.
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RecursionError,
)
Download = Callable[[str], bytes]
"""A Google Drive id -> what is stored there. Raises `requests.RequestException`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Follows the links of a page. `download` stands for Google Drive."""

    client: Client
    patience: Patience
    download: Download

    def follow(self, page: Page) -> Page:
        """Return the page with the code that its links lead to, or why they lead nowhere."""
        return replace(page, entries=tuple(map(self._of_entry, page.entries)))

    def _of_entry(self, entry: Entry) -> Entry:
        if "https://" not in entry.line:
            return entry
        content = json.loads(entry.line)
        report = read_issue(content, "")
        if not isinstance(report, Report) or len(report.body) > _MAX_BODY:
            return entry
        texts = [report.body, *(comment.body[:_MAX_BODY] for comment in report.thread)]
        found = dict.fromkeys(link[0] for text in texts for link in _links(text))
        links = list(found)[:MAX_LINKS]
        if not links or _has_code(report.body):
            return entry
        content["linked_code"] = [self._fetched(link) for link in links]
        return replace(entry, line=to_line(content))

    def _fetched(self, link: str) -> dict[str, str]:
        try:
            code = self.patience.ask(lambda: self._code(link))
        except Missing:
            return {"url": link, "error": "there is nothing (any more)"}
        except _UNREADABLE as problem:
            return {"url": link, "error": f"cannot be read: {type(problem).__name__}"}
        if not code.strip() or len(code) > MAX_CODE:
            return {"url": link, "error": "no code" if not code.strip() else "too large"}
        return {"url": link, "code": code}

    def _code(self, link: str) -> str:
        if found := _GIST.match(link):
            files = self.client.get(f"/gists/{found['id']}")["files"]
            return "\n\n".join(_of_file(name, file["content"]) for name, file in files.items())
        if found := _NOTEBOOK.match(link):
            path = f"/repos/{found['repo']}/contents/{found['path']}"
            answer = self.client.get(path, {"ref": found["ref"]})
            return _of_notebook(base64.b64decode(answer["content"]).decode())
        found = _DRIVE.match(link)
        return _of_notebook(self.download(found["id"] if found else "").decode())


def unfollowed(path: Path) -> Iterator[Entry]:
    """Yield the issues of a harvest that name one of the hosts and were never followed.

    Raises:
        CitadelError: when the file cannot be read.
    """
    for entry, versions in read_versions(path):
        if any(host in entry.line for host in _HOSTS) and not any(map(_FOLLOWED.search, versions)):
            yield entry


def _has_code(body: str) -> bool:
    try:
        return not isinstance(find_snippets(read_markdown(body)), str)
    except (RecursionError, MemoryError):
        return True  # the filters will say what is wrong with it


def _links(text: str) -> list[re.Match[str]]:
    found = [match for one in (_GIST, _NOTEBOOK, _DRIVE) for match in one.finditer(text)]
    return sorted(found, key=lambda match: match.start())


def _of_file(name: str, content: str) -> str:
    if name.endswith(".ipynb"):
        return _of_notebook(content)
    return content if name.endswith(".py") else ""


def _of_notebook(text: str) -> str:
    """The code cells of a notebook, one after the other."""
    cells: list[dict[str, Any]] = json.loads(text)["cells"]
    code = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
    return "\n\n".join(one if isinstance(one, str) else "".join(one) for one in code)


def from_drive(identifier: str) -> bytes:
    """Download a shared file of Google Drive, up to a bound.

    Raises:
        requests.RequestException: when it cannot be had.
    """
    parameters = {"id": identifier, "export": "download"}
    with requests.get(_DOWNLOAD, params=parameters, stream=True, timeout=TIMEOUT) as answer:
        answer.raise_for_status()
        data = b""
        for chunk in answer.iter_content(65536):
            data += chunk
            if len(data) > _MAX_READ:
                raise requests.RequestException("too large")
        return data
