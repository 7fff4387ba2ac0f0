"""Statements that fail as they should -> the same, their failure caught, so that the case goes on.

In: code that parses, whose comments say "raises as intended". A report that shows what is refused
beside what should be would otherwise end at the first, and pass for one about it.
"""

from __future__ import annotations

import ast
import re

from analysis.rules import Phrase, Registry
from harvest.report.edits import Edit
from harvest.report.markdown import Block, Document
from harvest.report.repair import Repaired, edited
from harvest.report.syntax import Refusal, imported_roots, parse
from harvest.report.wordings import Wording, Wordings

NAME = "intended errors"
EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "f(1)  # raises an exception as intended\nf(2)  # does not raise",
        "try:\n    f(1)\nexcept Exception:\n    pass  # raises an exception as intended\n"
        "f(2)  # does not raise",
    ),
    (
        "x = f(1)  # correctly throws\nf(2)",
        "try:\n    x = f(1)\nexcept Exception:\n    pass  # correctly throws\nf(2)",
    ),
    ("f(1)\nf(2)  # raises as expected", ""),
    ("f(1)  # does not raise as expected\nf(2)", ""),
    ("f(1)  # works as expected\nf(2)", ""),
    ("f(1)  # raises, which is not as expected\nf(2)", ""),
)
"""(code, what it becomes; "" where nothing may change)."""

_FAILS = r"(?:raises?|throws?|errors?(?: out)?|fails?|rejects?|rejected|refuses?|exception)"
_INTENDED = Wordings(
    Wording(
        "intended/fails-as-intended",
        rf"\b{_FAILS}\b[^.]{{0,40}}?\b(?:as (?:intended|expected|desired|it should)|correctly)\b",
        ("it raises as it should", "it fails correctly"),
        ("it works as expected",),
    ),
    Wording(
        "intended/rightly-fails",
        rf"\b(?:correctly|properly|rightly) {_FAILS}\b",
        ("add rightly rejects this",),
        ("add rightly takes this",),
    ),
    flags=re.IGNORECASE,
)
_CONTRAST = Phrase(
    "intended/in-contrast",
    r"\W*(?:`[\w.]+`,?\s+)?(?:instead|(?:in|by) contrast|on the other hand|(?:in|for) comparison)\b"
    r"[^.]*?\b(?:does|do|correctly|properly|rightly)\s+"
    r"(?:checks?|raises?|throws?|validates?|rejects?|refuses?|reports?)\b",
    re.IGNORECASE,
    finds=("In contrast, add does check its input:",),
    spares=("In contrast, add is fast:",),
)
SUCCEEDS = (
    r"(?<!n't )(?<!not )\b(?:(?:can|will|would|could)(?: still| silently)? succeed\b"
    r"|succeeds? (?:with|when|for|if|even|on|silently)\b)"
)
"""That something succeeds, said as if it should not."""
_SUCCEEDS = Phrase(
    "intended/complaint-of-success",
    SUCCEEDS,
    re.IGNORECASE,
    finds=("fold succeeds with a stride of 0", "fold can silently succeed"),
    spares=("fold does not succeed with it",),
)
_FAILS_TOO = Phrase(
    "intended/complaint-of-failure",
    r"\b(?:fail|rais|throw|error|crash|wrong|should|segfault)",
    re.IGNORECASE,
    finds=("fold crashes", "fold raises"),
    spares=("fold succeeds",),
)
_RECORDED = Phrase(
    "intended/exception-in-a-comment",
    r"(?m)^(?:[^#\n]*\S)?[ \t]*#+ ?(?:[a-z_]+\.)*[A-Z]\w*(?:Error|Exception)\b",
    finds=("f(1)  # ValueError: no",),
    spares=("f(1)  # is fine", "raise ValueError"),
)
_CAUGHT = "try:\n    {}\nexcept Exception:\n    pass"
_DENIED = Phrase(
    "intended/denied",
    r"\b(?:not|never|no|without|should)\b|n't\b",
    re.IGNORECASE,
    finds=("it does not raise as ", "it doesn't"),
    spares=("it raises as ",),
)


def is_intended(words: str) -> bool:
    """Tell whether words say that something fails as it should."""
    found = _INTENDED.search(words[:500])
    return found is not None and not _DENIED.search(words[: found.end()].removesuffix("should"))


def is_contrast(lead: str) -> bool:
    """Tell whether the text above a block says that what it shows is refused as it should be."""
    return is_intended(lead) or _CONTRAST.match(lead[:500]) is not None


def contrasts(title: str, document: Document) -> frozenset[int]:
    """Return the numbers of the blocks that show what is refused as it should be.

    Where the title's complaint is that something succeeds, it is those whose comments record an
    exception, as long as another one records none.
    """
    return frozenset(number for found in _CONTRASTS.each(title, document) for number in found)


_CONTRASTS: Registry[[str, Document], set[int]] = Registry("intended")


@_CONTRASTS.rule("told-above-a-block")
def _told_above(title: str, document: Document) -> set[int] | None:
    """The line above a block says that it shows what is refused as it should be."""
    return {block.number for block in document.blocks if is_contrast(block.lead)} or None


@_CONTRASTS.rule("recorded-in-a-block")
def _recorded(title: str, document: Document) -> set[int] | None:
    """A block records an exception, and the title's complaint is that something succeeds."""
    if not _SUCCEEDS.search(title[:500]) or _FAILS_TOO.search(title[:500]):
        return None
    codes = [block for block in document.blocks if _is_code(block)]
    refused = {block.number for block in codes if _RECORDED.search(block.text)}
    return refused if 0 < len(refused) < len(codes) else None


def _is_code(block: Block) -> bool:
    tree = parse(block.text)
    return not isinstance(tree, Refusal) and bool(imported_roots(tree))


def catch_intended(found: Repaired) -> Repaired:
    """Return the code with each such failure caught; the last statement is what it is about."""
    lines = found.code.split("\n")
    edits = [
        Edit(node=node, text=_CAUGHT.format(ast.get_source_segment(found.code, node)))
        for node in found.tree.body[:-1]
        if isinstance(node, ast.Expr | ast.Assign)
        and node.col_offset == 0
        and node.lineno == node.end_lineno
        and is_intended(_comment(lines, node))
    ]
    return edited(found, edits, NAME)


def _comment(lines: list[str], node: ast.stmt) -> str:
    """What stands behind a statement on its last line, if that is a comment."""
    line = lines[(node.end_lineno or node.lineno) - 1].encode()
    behind = line[node.end_col_offset :].decode().strip()
    return behind.lstrip("# ") if behind.startswith("#") else ""
