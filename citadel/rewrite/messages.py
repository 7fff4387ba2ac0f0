"""What a case says about the API: what it prints, raises and asserts names the sibling then.

Only words are changed that can mean nothing but the API: its dotted name, its name before a
bracket, or a name that is no word of English (`max_pool2d`). Strings with another use stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

from analysis.rules import Phrase, Registry
from citadel.rewrite.shapes import leaf
from citadel.rewrite.tree import Tree

EXAMPLES: tuple[tuple[str, str, str, str | None], ...] = (
    ("print('conv2d failed')", "torch.conv2d", "torch.conv3d", "print('conv3d failed')"),
    ("print(f'{x}: torch.floor')", "torch.floor", "torch.ceil", "print(f'{x}: torch.ceil')"),
    ("print('floor(x) =', y)", "torch.floor", "torch.ceil", "print('ceil(x) =', y)"),
    ("print('on the floor')", "torch.floor", "torch.ceil", None),
    ("raise E('torch.abs: %s' % e)", "torch.abs", "torch.sgn", "raise E('torch.sgn: %s' % e)"),
    ("print('torch.abs')", "torch.abs", "torch.Tensor.sgn", "print('torch.Tensor.sgn')"),
    ("assert x, 'conv2d is off'", "torch.conv2d", "torch.conv3d", "assert x, 'conv3d is off'"),
    ("assert 'floor' in str(e)", "torch.floor", "torch.ceil", "assert 'ceil' in str(e)"),
    ("t.assertRaisesRegex(E, 'floor')", "torch.floor", "torch.ceil",
     "t.assertRaisesRegex(E, 'ceil')"),
    ("raises(E, match='floor.*')", "torch.floor", "torch.ceil", "raises(E, match='ceil.*')"),
    ("names = ['conv2d']", "torch.conv2d", "torch.conv3d", None),
    ("print(known['conv2d'])", "torch.conv2d", "torch.conv3d", None),
    ("print(np.floor, 'np.floor')", "torch.floor", "torch.ceil", None),
)  # fmt: skip
"""(text, API, sibling, the text then or None)."""

_NO_WORD = Phrase(
    "rewrite/no-word-of-english",
    r"[_\d]|[a-z][A-Z]",
    finds=("max_pool2d", "conv1d", "LayerNorm"),
    spares=("floor", "Linear"),
    meaning="A name that can mean nothing but an API.",
)
_SHOWING = frozenset(("print", "fail", "skipTest"))
_ASSERTING = frozenset(
    ("assertRaisesRegex", "assertRaisesRegexp", "assertWarnsRegex", "assertRegex")
)
_STRINGS = (cst.SimpleString, cst.FormattedStringText)
_PARTS = (cst.Arg, cst.ConcatenatedString, cst.FormattedString, cst.BinaryOperation, cst.Attribute)


class Messages:
    """The strings of a case that say the name of one API; found once, for all siblings.

    `local` says what the module's names stand for. A name that the code uses more than once may
    mean another use, which stays.
    """

    def __init__(self, tree: Tree, local: Mapping[str, str], source: str) -> None:
        self._source, self._local = source, local
        self._name = source.rpartition(".")[2]
        said = [n for n in tree.nodes if isinstance(n, _STRINGS) and self._name in n.value]
        known = said if said and _uses(tree, self._name) < 2 else []
        told = ((node, STRINGS.first(tree, node)) for node in known)
        self._strings = [(node, sure) for node, sure in told if sure is not None]

    def renamed(self, target: str) -> dict[cst.CSTNode, cst.CSTNode]:
        """The strings, and what they say of a sibling."""
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        if target.rpartition(".")[2] == self._name:
            return found
        for node, sure in self._strings:
            changed = _said(node.value, self._source, target, self._local, sure=sure)
            if changed != node.value:
                found[node] = node.with_changes(value=changed)
        return found


def _said(text: str, source: str, target: str, local: Mapping[str, str], *, sure: bool) -> str:
    owner, _, before = source.rpartition(".")
    after = target.rpartition(".")[2]
    own = _NO_WORD.search(before) is not None
    alone = re.sub(r"\W", "", text) == before

    def change(found: re.Match[str]) -> str:
        said, called = found[1], found[2]
        if not said:
            return f"{after}{called}" if sure or own or called or alone else found[0]
        first, dot, rest = said[:-1].partition(".")
        meant = local.get(first, first) + dot + rest
        if meant != owner and not owner.endswith(f".{meant}"):
            return found[0]
        same = target.rpartition(".")[0] == owner
        return f"{said}{after}{called}" if same else f"{target}{called}"

    return re.sub(rf"(?<![\w.])((?:[A-Za-z_]\w*\.)*){re.escape(before)}\b(\(?)", change, text)


def _uses(tree: Tree, name: str) -> int:
    """How often the code has a name, imports aside."""
    imports = (cst.ImportAlias, cst.ImportFrom)
    named = (n for n in tree.nodes if isinstance(n, cst.Name) and n.value == name)
    return sum(not isinstance(tree.parent(node), imports) for node in named)


STRINGS: Registry[[Tree, cst.CSTNode], bool] = Registry("rewrite")
"""Strings that may say the name of the API, and whether they say it for sure."""


@STRINGS.rule("expected-message", examples=EXAMPLES[7:10])
def _expected(tree: Tree, node: cst.CSTNode) -> bool | None:
    """A message has to hold the string: it says the name for sure."""
    return _asserted(tree, node) or None


@STRINGS.rule("shown-message", examples=(*EXAMPLES[:7], *EXAMPLES[10:]))
def _printed(tree: Tree, node: cst.CSTNode) -> bool | None:
    """The string is printed, raised, or the message of an assertion."""
    return False if _shown(tree, node) else None


def _shown(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a string is printed, or is the message of an exception or of an assertion."""
    inner = node
    for above in tree.above(node):
        if isinstance(above, cst.Assert):
            return inner is above.msg
        if isinstance(above, cst.Call):
            if inner is above.func or leaf(above.func) == "format":
                inner = above
                continue
            return leaf(above.func) in _SHOWING or isinstance(tree.parent(above), cst.Raise)
        if not isinstance(above, _PARTS):
            return False
        inner = above
    return False


def _asserted(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a string is what a message has to hold."""
    above = tree.parent(node)
    if isinstance(above, cst.Arg):
        call = tree.parent(above)
        word = above.keyword.value if above.keyword is not None else ""
        return isinstance(call, cst.Call) and (word == "match" or leaf(call.func) in _ASSERTING)
    if not isinstance(above, cst.Comparison) or above.left is not node:
        return False
    (first, *_) = above.comparisons
    return isinstance(first.operator, (cst.In, cst.NotIn)) and isinstance(
        first.comparator, (cst.Call, cst.Name, cst.Attribute)
    )
