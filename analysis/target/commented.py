"""What stands beside statements in comments: behind them, and in the lines below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst


def commented(module: cst.Module) -> dict[int, str]:
    """The `id` of each statement of a parsed case with a comment behind it -> what that says.

    Lines of comments right below it go on. Where nothing stands behind a statement, they may speak
    of all that is above them.
    """
    collector = _Collector()
    module.visit(collector)
    return collector.found


class _Collector(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, str] = {}

    def visit_Module(self, node: cst.Module) -> None:
        self._note(node.body, node.footer)

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._note(node.body, node.footer)

    def _note(self, body: Sequence[cst.BaseStatement], footer: Sequence[cst.EmptyLine]) -> None:
        for statement, after in zip(body, (*body[1:], None), strict=True):
            if not isinstance(statement, cst.SimpleStatementLine):
                continue
            behind = statement.trailing_whitespace.comment
            if behind is not None:
                lines = footer if after is None else getattr(after, "leading_lines", ())
                self.found[id(statement)] = "\n".join((behind.value, *_told(lines)))


def _told(lines: Sequence[cst.EmptyLine]) -> Iterator[str]:
    """The comments up to the first empty line."""
    for line in lines:
        if line.comment is None:
            return
        yield line.comment.value
