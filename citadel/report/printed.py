"""What a case prints names the API that it runs, rather than the report's.

In: code that was rewritten for a sibling. Out: the same code, with the sibling's name in the texts
that it prints; nothing else of it changes.
"""

from __future__ import annotations

import re

import libcst as cst
from libcst import matchers as m

from citadel.oracle.foreign import REFERENCES

_PRINTS = m.Call(func=m.Name("print"))


def renamed_in_prints(code: str, source: str, sibling: str) -> str:
    """The code, with `sibling` in what it prints of `source` (both dotted names).

    >>> renamed_in_prints('print("torch.std:", torch.var(x))', "torch.std", "torch.var")
    'print("torch.var:", torch.var(x))'
    """
    try:
        module = cst.parse_module(code)
    except (cst.ParserSyntaxError, RecursionError):
        return code
    return module.visit(_Renaming(source, sibling)).code


class _Renaming(m.MatcherDecoratableTransformer):
    def __init__(self, source: str, sibling: str) -> None:
        super().__init__()
        self._leaf, self._sibling = source.rpartition(".")[2], sibling
        leaf = re.escape(self._leaf)
        self._dotted = re.compile(rf"\b(?P<root>\w+)(?:\.\w+)*\.{leaf}\b(?!\.)")
        # Alone, a name may be any word; as a label, or with an underscore, it is none.
        alone = rf"(?<![\w.]){leaf}(?![\w.])"
        self._alone = re.compile(alone if "_" in leaf else rf"^(\W*){alone}(?=\W*$)")

    @m.leave(_PRINTS)
    def _printed(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        told = [one.with_changes(value=self._told(one.value)) for one in updated_node.args]
        return updated_node.with_changes(args=told)

    def _told(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A text, or what is put together of some: not what is merely found by one (`d["a"]`)."""
        match node:
            case cst.SimpleString():
                changed = self._renamed(node.raw_value)
                return node.with_changes(value=node.value.replace(node.raw_value, changed, 1))
            case cst.FormattedString():
                return node.with_changes(parts=[self._part(one) for one in node.parts])
            case cst.ConcatenatedString() | cst.BinaryOperation():
                return node.with_changes(left=self._told(node.left), right=self._told(node.right))
        return node

    def _part(self, part: cst.BaseFormattedStringContent) -> cst.BaseFormattedStringContent:
        if not isinstance(part, cst.FormattedStringText):
            return part
        return part.with_changes(value=self._renamed(part.value))

    def _renamed(self, text: str) -> str:
        def dotted(found: re.Match[str]) -> str:
            return found[0] if found["root"] in REFERENCES else self._sibling

        leaf = self._sibling.rpartition(".")[2]
        told = self._dotted.sub(dotted, text)
        return self._alone.sub(lambda found: f"{(found.groups() or ('',))[0]}{leaf}", told)
