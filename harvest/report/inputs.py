"""What the user named -> reports. Files, directories and standard input; JSON, Markdown, Python.

Every input yields at least one value: a `Report`, or a `BadInput` that says what is wrong, so that
one unreadable file among many is a row with its error and never the end of the run.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from harvest.report.issue import ISSUE, read_issue
from harvest.report.lines import heading_of
from harvest.report.model import BadInput, Report
from harvest.report.syntax import Refusal, imported_roots, parse
from harvest.report.text import clean, shorten
from harvest.report.titles import title_of

MAX_BYTES = 10 * 1024 * 1024
_SUFFIXES = {".json": "json", ".md": "markdown", ".markdown": "markdown", ".py": "python"}
_WANTED = (
    "give OWNER/REPO#N, an issue as JSON, a Markdown file, a Python script or a folder of these"
)
_REFERENCE = re.compile(
    r"(?:https?://github\.com/)?(?P<repository>[\w.-]+/[\w.-]+)(?:#|/issues/)(?P<number>[1-9]\d{0,9})"
    r"(?:[#?/].*)?"
)

Fetch = Callable[[str, int], Report | BadInput]
"""(repository, number) -> that issue of the tracker."""


def load(
    arguments: Sequence[str], *, stdin: IO[bytes] | None = None, fetch: Fetch | None = None
) -> Iterator[Report | BadInput]:
    """Yield the reports that `arguments` name, in order; `-` reads `stdin`.

    `owner/repo#7` and an issue's address are handed to `fetch`, unless they are files.
    """
    for argument in arguments:
        if argument == "-":
            yield from _from_stdin(stdin)
        elif _is_directory(argument):
            yield from _from_directory(argument)
        elif fetch and (found := _REFERENCE.fullmatch(argument)) and not _is_file(argument):
            yield fetch(found["repository"], int(found["number"]))
        else:
            yield from _from_file(argument)


def _is_directory(argument: str) -> bool:
    try:
        return Path(argument).is_dir()
    except (OSError, ValueError):
        return False


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):
        return False


def _from_stdin(stdin: IO[bytes] | None) -> Iterator[Report | BadInput]:
    if stdin is None:
        yield BadInput(source="-", error="standard input is not available", hint=_WANTED)
        return
    try:
        data = stdin.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        yield BadInput(source="-", error=f"cannot be read: {error}")
        return
    yield from from_bytes(data, source="-")


def _from_directory(argument: str) -> Iterator[Report | BadInput]:
    count = 0
    for folder, subfolders, names in os.walk(argument):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix.lower() in _SUFFIXES and not name.startswith("."):
                for item in _from_file(str(path), in_directory=True):
                    count += 1
                    yield item
    if not count:
        yield BadInput(source=clean(argument), error="no reports in this directory", hint=_WANTED)


def _from_file(argument: str, *, in_directory: bool = False) -> Iterator[Report | BadInput]:
    source = clean(argument)
    try:
        with Path(argument).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        yield BadInput(source=source, error="no such file or directory", hint=_WANTED)
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield BadInput(source=source, error=f"cannot be read: {reason}")
        return
    form = _SUFFIXES.get(Path(argument).suffix.lower(), "")
    yield from from_bytes(data, source=source, form=form, in_directory=in_directory)


def from_bytes(
    data: bytes, *, source: str, form: str = "", in_directory: bool = False
) -> Iterator[Report | BadInput]:
    """Yield the reports in `data`; without a `form` (json, markdown, python) it is found out."""
    bad = _refuse_bytes(data)
    if bad:
        yield BadInput(source=source, error=bad[0], hint=bad[1])
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text (byte {error.start})"
        yield BadInput(source=source, error=message, hint="convert the file to UTF-8")
        return
    match form or _sniff(text):
        case "json":
            yield from _from_json(text, source=source, in_directory=in_directory)
        case "python":
            yield _from_python(text, source)
        case _:
            yield _from_markdown(text, source)


def _refuse_bytes(data: bytes) -> tuple[str, str] | None:
    if len(data) > MAX_BYTES:
        return f"larger than {MAX_BYTES // 1024 // 1024} MB", "split it, or cut the logs"
    if not data.strip():
        return "the input is empty", _WANTED
    if b"\0" in data:
        return "a binary file, not text", _WANTED
    return None


def _sniff(text: str) -> str:
    start = text.lstrip()
    if start.startswith("{") or (start.startswith("[") and start[1:].lstrip()[:1] in ("{", "]")):
        return "json"
    tree = parse(clean(text))
    if not isinstance(tree, Refusal) and imported_roots(tree):
        return "python"
    return "markdown"


def _from_json(text: str, *, source: str, in_directory: bool) -> Iterator[Report | BadInput]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"not valid JSON: {shorten(str(error))}"
        yield BadInput(source=source, error=message, hint="is the file complete?")
        return
    if isinstance(content, dict) and isinstance(content.get("items"), list):
        content = content["items"]
    if not isinstance(content, list):
        report = read_issue(content, source)
        if isinstance(report, Report) or not in_directory:
            yield report
        return
    if in_directory and not any(isinstance(read_issue(item, source), Report) for item in content):
        return
    if not content:
        yield BadInput(source=source, error="a JSON array without an issue", hint=ISSUE)
    for index, item in enumerate(content):
        yield read_issue(item, f"{source}[{index}]")


def _from_markdown(text: str, source: str) -> Report:
    lines = _unquoted(clean(text).split("\n"))
    title = title_of(lines)
    index = next((at for at, line in enumerate(lines) if line.strip()), 0)
    first = lines[index]
    own = first.startswith("#") and heading_of(first) is not None and first.strip("# \t") == title
    body = "\n".join(lines[index + 1 :]).lstrip("\n") if own else "\n".join(lines)
    return Report(source=source, title=title, body=body)


def _unquoted(lines: list[str]) -> list[str]:
    """The lines; without the marks of a quotation where all of them are quoted."""
    if all(line.startswith(">") for line in lines if line.strip()):
        return [line.removeprefix(">").removeprefix(" ") for line in lines]
    return lines


def _from_python(text: str, source: str) -> Report:
    code = clean(text)
    tree = parse(code)
    told = ast.get_docstring(tree) if not isinstance(tree, Refusal) else None
    told = clean(told) if told else _first_comment(code)
    title, _, body = told.strip().partition("\n")
    name = source if source == "-" else Path(source).stem
    return Report(source=source, title=title or name, body=body.strip("\n"), code=code)


def _first_comment(code: str) -> str:
    found: list[str] = []
    for line in code.split("\n"):
        if line.startswith("#!") or re.match(r"#.*coding[:=]", line):
            continue
        if not line.startswith("#"):
            if found or line.strip():
                break
            continue
        found.append(line.lstrip("#").strip())
    return "\n".join(found)
