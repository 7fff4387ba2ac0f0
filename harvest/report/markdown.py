"""A report's Markdown -> its blocks of code and its prose.

In: the body as written. Out: a `Document`: fenced, indented and bare code blocks in their order,
and the prose without them and without version dumps. Fences are read by `fences`; markdown-it-py
tells which indented lines are code (lists and quotes change that). Inline markup stays as it is.
"""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from analysis.rules import Phrase, Registry, Rule
from harvest.report.backticks import fence_backticks
from harvest.report.failures import find_failures
from harvest.report.fences import Fence, scan_fences
from harvest.report.lines import (
    heading_of,
    is_dump_heading,
    is_environment,
    is_output,
    is_prose,
)
from harvest.report.symptoms_in_logs import IN_LOGS
from harvest.report.syntax import Refusal, parse
from harvest.report.text import clean, indent_of

_PARSER = MarkdownIt("commonmark").disable(["html_block", "fence", "reference"])
_MAX_INDENTED = 400_000
"""Characters of text up to which indented code is looked for."""
_IMPORT = Phrase(
    "code/import",
    r"\s*(?:(?:>>>|In\s?\[\d+\]:)\s*)?"
    r"(?:import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*"
    r"|from\s+[\w.]+\s+import\s+(?:[\w*]+|\()[^.;:!?]*)\s*(?:[#;].*)?",
    finds=("import torch as t", ">>> from a import b"),
    spares=("an important thing",),
)
_FRAMEWORK = Phrase(
    "code/import-of-a-framework",
    r"\b(?:import|from)\s+(?:torch|tensorflow|keras)\b|import\s.*\b(?:torch|tensorflow)\b",
    finds=("import torch", "import os, torch", "from keras import ops"),
    spares=("import os",),
)
_USES = Phrase(
    "code/use-of-a-framework",
    r"\b(?:torch|tf|keras)\.\w",
    finds=("torch.ones(3)",),
    spares=("np.ones(3)",),
)
_STATEMENT = Phrase(
    "code/statement",
    r"[A-Za-z_][\w.]*(?:, \w+)* = \S|[A-Za-z_]\w*(?:\.\w+)+\(.*\)\s*(?:#.*)?$",
    finds=("x = torch.ones(3)", "torch.seed()  # first"),
    spares=("it is so",),
)
_CALLED = Phrase(
    "code/call",
    r"\s*(?:[\w.]+ = )?[\w.]+\(",
    finds=("y = f(x)", "f(x)"),
    spares=("y = 1",),
)
_CODE_HEADING = Phrase(
    "title/of-code",
    r"\b(?:code|reproduc\w+|example|script|snippet)\b",
    re.IGNORECASE,
    finds=("Code example", "To reproduce"),
    spares=("Versions",),
)
_TAG = re.compile(
    r"</?(?:details|summary|br|p|b|i|img|a|h\d|ul|ol|li|table|tbody|thead|tr|td|th|div|span|sub|sup"
    r"|hr|strong|em|kbd|pre|code)(?:\s[^<>\n]{0,500})?/?>",
    re.IGNORECASE,
)
_TEXT_LANGUAGES = frozenset(
    {"", "shell", "bash", "sh", "text", "txt", "md", "markdown", "plaintext"}
)
_LOG_LEAD = Phrase(
    "title/of-a-log",
    r"\b(?:logs?|outputs?|errors?|trace|results?|prints?|messages?)\b",
    re.IGNORECASE,
    finds=("Error message:", "it prints"),
    spares=("Describe the bug",),
)
_PROMPTED = Phrase(
    "code/prompt",
    r"\s*(?:In ?\[|[$>%!@])",
    finds=("In [1]: f()", "$ python a.py", ">>> f()"),
    spares=("f()",),
)
_IMAGE = re.compile(r"\s*!\[[^\]]{0,500}\]\([^)]{0,1000}\)\s*")
_MARK = re.compile(r"[ \t>*+-]*(?:```|~~~)")
_TRIES = 20
MAX_BLOCKS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of code or output.

    `number` counts the blocks of the document from 1, `lead` is the line of text above it.
    """

    text: str
    language: str
    number: int
    lead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The blocks of a text in order, and the rest of it: words, without version dumps."""

    blocks: tuple[Block, ...]
    prose: str


def read_markdown(text: str) -> Document:
    """Split Markdown into blocks and prose."""
    text = clean(text)
    for make_fences in _FENCED:
        changed = make_fences(text)
        text = text if changed is None else changed
    fences, lines = scan_fences(text)
    lines = _without_comments(lines)
    released = _RELEASE(fences, lines, text.split("\n"))
    fences = fences if released is None else released
    found = [*fences]
    for taken in _UNFENCED.each(lines):
        found += taken
    found.sort(key=lambda fence: fence.first)
    blocks: list[Block] = []
    end = -1
    for fence in found[:MAX_BLOCKS]:
        if fence.text.strip():
            lead = _lead(lines, fence.first, end)
            number = len(blocks) + 1
            blocks.append(Block(text=fence.text, language=fence.language, number=number, lead=lead))
        end = fence.last
    return Document(blocks=tuple(blocks), prose=_prose(lines))


_FENCED: Registry[[str], str] = Registry("fence")
"""Other marks around code, which become fences."""
_UNFENCED: Registry[[list[str]], list[Fence]] = Registry("fence")
"""Code without fences, which is taken out of the lines."""


def _release_text(fences: list[Fence], lines: list[str], written: list[str]) -> list[Fence] | None:
    """Give sentences that stand in a fence (some issue forms do that) back to the prose."""
    kept: list[Fence] = []
    for fence in fences[:MAX_BLOCKS]:
        end = kept[-1].last if kept else -1
        if _is_text(fence) and not _LOG_LEAD.search(_lead(lines, fence.first, end)):
            for at in range(fence.first, fence.last + 1):
                lines[at] = "" if _MARK.match(written[at]) else written[at]
        else:
            kept.append(fence)
    return kept if len(kept) < len(fences) else None


_RELEASE = Rule("fence/released-text", _release_text)


def _is_text(fence: Fence) -> bool:
    told = [line for line in fence.text.split("\n") if line.strip()]
    if fence.language not in _TEXT_LANGUAGES or any(is_output(x) or _is_crash(x) for x in told):
        return False
    if any(find_failures(told)):
        return False
    code = any(_IMPORT.fullmatch(line[:500]) or _PROMPTED.match(line) for line in told)
    return not code and 10 * sum(map(is_prose, told)) > 6 * len(told)


def _is_crash(line: str) -> bool:
    return len(line.split()) <= 8 and any(symptom.pattern.search(line) for symptom in IN_LOGS)


def _lead(lines: list[str], first: int, block_end: int) -> str:
    """Return the nearest line of text above line `first`, up to the block before it."""
    for at in range(min(first, len(lines) - 1), block_end, -1):
        if _IMAGE.fullmatch(lines[at]):
            continue
        line = _TAG.sub(" ", lines[at][:500]).strip()
        if line:
            return heading_of(line) or line
    return ""


@_FENCED.rule("html")
def _fence_html(text: str) -> str | None:
    """Turn `<pre>` and multi-line `<code>` into fences, entities into characters."""
    written = text
    for tag in ("pre", "code"):
        pieces: list[str] = []
        at = 0
        while (start := text.find(f"<{tag}>", at)) >= 0:
            end = text.find(f"</{tag}>", start)
            content = text[start + len(tag) + 2 : end]
            if end < 0:
                break
            pieces.append(text[at:start])
            at = end + len(tag) + 3
            if "\n" in content.strip("\n") and "```" not in content:
                content = content.strip("\n").removeprefix("<code>").removesuffix("</code>")
                pieces.append(f"\n```\n{html.unescape(content)}\n```\n")
            else:
                pieces.append(text[start:at])
        text = "".join([*pieces, text[at:]])
    return None if text == written else text


@_FENCED.rule("backticks")
def _fence_backticks(text: str) -> str | None:
    """Turn backticks around lines of code into fences."""
    changed = fence_backticks(text)
    return None if changed == text else changed


def _without_comments(lines: list[str]) -> list[str]:
    """Blank HTML comments, keeping the number of lines."""
    text = "\n".join(lines)
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*pieces, text[at:]]).split("\n")


@_UNFENCED.rule("bare-code")
def _take_plain(lines: list[str]) -> list[Fence] | None:
    """Take code that stands in the text without any marking, from its first import on.

    Below a heading that calls it code, any statement may come first, and so it may in a paragraph
    that is code all through.
    """
    found: list[Fence] = []
    at = 0
    while at < len(lines):
        if len(lines[at]) > 500 or not _BEGINS.first(lines, at):
            at += 1
            continue
        end = _plain_end(lines, at)
        text = "\n".join(lines[at:end])
        uses = _FRAMEWORK if _IMPORT.fullmatch(lines[at]) else _USES
        if uses.search(text):
            found.append(
                Fence(text=textwrap.dedent(text).rstrip(), language="", first=at, last=end - 1)
            )
            lines[at:end] = [""] * (end - at)
        at = end
    return found or None


_BEGINS: Registry[[list[str], int], Literal[True]] = Registry("fence")
"""Where code begins that has no mark."""


@_BEGINS.rule("bare-import")
def _is_import(lines: list[str], at: int) -> Literal[True] | None:
    """A line is an import."""
    return True if _IMPORT.fullmatch(lines[at]) else None


@_BEGINS.rule("bare-prompt")
def _is_prompted(lines: list[str], at: int) -> Literal[True] | None:
    """A line has the prompt of a session."""
    return True if lines[at].lstrip().startswith((">>> ", "In [")) else None


@_BEGINS.rule("bare-below-a-title")
def _begins_below_heading(lines: list[str], at: int) -> Literal[True] | None:
    """A line is a statement, and the first thing below "Code example"."""
    if not _STATEMENT.match(lines[at]) or is_output(lines[at]):
        return None
    above = next((line for line in reversed(lines[:at]) if line.strip()), "")
    heading = heading_of(above)
    return True if heading is not None and _CODE_HEADING.search(heading) else None


@_BEGINS.rule("bare-paragraph")
def _is_paragraph_of_code(lines: list[str], at: int) -> Literal[True] | None:
    """The lines from here to the next blank one are statements, and no others."""
    if (at and lines[at - 1].strip()) or not _STATEMENT.match(lines[at]) or is_output(lines[at]):
        return None
    above = next((lines[n] for n in range(at - 1, -1, -1) if lines[n].strip()), "")
    if heading_of(above) is not None:  # which says what it is
        return None
    end = next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))
    text = "\n".join(lines[at:end])
    calls = any(_CALLED.match(line) for line in lines[at + 1 : end])
    code = calls and _USES.search(text) and not isinstance(parse(text), Refusal)
    return True if code else None


def _plain_end(lines: list[str], start: int) -> int:
    """Return the line after the code that starts at `start`: a heading, less indentation, prose."""
    indent = indent_of(lines[start])
    tries = 0
    end = start + 1
    while end < len(lines):
        line = lines[end]
        if line.strip():
            heading = heading_of(line) if not line.startswith("# ") else None
            if heading is not None or indent_of(line) < indent or _TAG.match(line.strip()):
                break
            if is_prose(line) and not is_output(line):
                tries += 1
                if tries > _TRIES or _is_complete(lines[start:end]):
                    break
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    return end


def _is_complete(lines: list[str]) -> bool:
    """Tell whether code may end here: what stands so far parses, or is an interactive session."""
    if any(line.lstrip().startswith((">>>", "In [")) for line in lines):
        return not lines[-1].strip()
    kept = [line for line in lines if not is_output(line)]
    return not isinstance(parse(textwrap.dedent("\n".join(kept))), Refusal)


@_UNFENCED.rule("indented-code")
def _take_indented(lines: list[str]) -> list[Fence] | None:
    """Take the blocks that Markdown calls code because of their indentation."""
    text = "\n".join(lines)
    if len(text) > _MAX_INDENTED or not ("    " in text or "\t" in text):
        return None
    found: list[Fence] = []
    for token in _parse_blocks(text):
        first, last = token
        content = textwrap.dedent("\n".join(lines[first:last])).strip("\n")
        found.append(Fence(text=content, language="", first=first, last=last - 1))
        lines[first:last] = [""] * (last - first)
    return found or None


def _parse_blocks(text: str) -> list[tuple[int, int]]:
    """Return the line ranges of indented code; inline text is left alone (it is slow to read)."""
    try:
        tokens: list[Token] = []
        _PARSER.block.parse(text, _PARSER, {}, tokens)
    except RecursionError:
        return []
    return [
        (token.map[0], token.map[1])
        for token in tokens
        if token.type == "code_block" and token.map is not None
    ]


def _prose(lines: list[str]) -> str:
    kept: list[str] = []
    dump = False
    for line in lines:
        heading = heading_of(line)
        if heading is not None:
            dump = is_dump_heading(heading)
        if dump or is_environment(line) or line.strip() == "_No response_":
            kept.append("")
        else:
            kept.append(_TAG.sub(" ", line))
    return "\n".join(kept).strip("\n")
