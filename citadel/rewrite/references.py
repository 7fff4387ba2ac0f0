"""References in a case's oracle: other functions that bear the API's name.

`np.median`, which `torch.median` is compared with, becomes `np.nanmedian` for `torch.nanmedian`,
where NumPy has one; `tf.math.unsorted_segment_sum` beside `tf.sparse.reduce_sum` becomes
`tf.math.unsorted_segment_max` for `tf.sparse.reduce_max`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from types import ModuleType

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m
import numpy as np

from analysis.catalog.model import Api
from analysis.rules import Registry

Named = Callable[[str], Api | None]
MODULES = ("numpy", "numpy.linalg", "numpy.fft", "scipy.special", "scipy.linalg", "scipy.fft")

INPUTS = frozenset(("zeros", "ones", "full", "empty", "eye", "rand", "randn", "arange"))
"""What makes inputs, be it named like an API."""
SHORTEST = 3
"""Letters that still stand for a word."""

EXAMPLES: tuple[tuple[str, str, str, str | None], ...] = (
    ("np.median(x)", "torch.median", "torch.nanmedian", "np.nanmedian(x)"),
    ("np.linalg.eigh(a)[0]", "torch.linalg.eigh", "torch.linalg.eigvalsh", None),
    ("np.cumsum(x, 0)", "torch.Tensor.cumsum_", "torch.cumprod", "np.cumprod(x, 0)"),
    ("np.max(x)", "torch.median", "torch.min", None),
    ("np.max(x)", "tf.reduce_max", "tf.reduce_min", "np.min(x)"),
    ("np.var(x)", "tf.math.reduce_variance", "tf.math.reduce_std", "np.std(x)"),
    ("np.linalg.var(x)", "tf.math.reduce_variance", "tf.math.reduce_std", None),
    ("np.sum(x)", "tf.sparse.reduce_max", "tf.sparse.reduce_min", None),
    ("np.max(x)", "tf.reduce_max", "tf.reduce_logsumexp", None),
    ("np.log(np.sum(np.exp(x)))", "tf.reduce_logsumexp", "tf.reduce_max", None),
    ("np.min([a, b], 0)", "torch.minimum", "torch.maximum", None),
    ("np.ones((2, 2))", "tf.ones_like", "tf.zeros_like", None),
    (
        "torch.segment_sum(x, i)",
        "torch.sparse.sum",
        "torch.sparse.max",
        "torch.segment_max(x, i)",
    ),
)
"""(reference, source, sibling, the sibling's reference or None); a `torch.segment_max` exists."""


def _like(*rows: int) -> list[tuple[str, str, str, str | None]]:
    return [EXAMPLES[row] for row in rows]


def unknown(_: str) -> None:
    """What APIs there are is not known."""


def counterparts(
    module: cst.Module,
    local: Mapping[str, str],
    source: str,
    target: str,
    named: Named = unknown,
    dropped: Collection[int] = (),
    given: int = 0,
) -> dict[cst.CSTNode, cst.CSTNode]:
    """The names of references to replace, and what by; `local` says what names stand for, `named`
    which API of the framework has a name. Of the source's `given` arguments `dropped` are those, by
    their places, that the sibling is not given: nor is its reference that has as many.

    Functions that return other things (`eigvalsh` has no pairs) are told by their use: those
    whose result is taken apart stay as they are.
    """
    before, after = _leaf(source), _leaf(target)
    if before == after:
        return {}
    words = _changed(_words(source), _words(target))
    taken = {id(n.value) for n in m.findall(module, m.Subscript()) if isinstance(n, cst.Subscript)}
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    for call in m.findall(module, m.Call(func=m.Attribute())):
        if not isinstance(call, cst.Call) or id(call) in taken:
            continue
        assert isinstance(call.func, cst.Attribute)  # noqa: S101 - just matched
        room, name = _room(call.func, local), call.func.attr.value
        if name in INPUTS:
            continue
        use = Reference(
            room=room,
            name=name,
            before=before,
            after=after,
            words=words,
            source=source,
            named=named,
        )
        new = COUNTERPARTS.first(use)
        if new is not None:
            function = call.func.with_changes(attr=cst.Name(new))
            places = range(len(call.args)) if len(call.args) == given else ()
            kept = [one for place, one in enumerate(call.args) if place not in dropped]
            if not set(places) & set(dropped) or _is_nested(module, name):
                found[call.func] = function
            elif all(one.keyword is None and not one.star for one in call.args):
                last = kept[-1:] and [kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
                found[call] = call.with_changes(func=function, args=[*kept[:-1], *last])
    return found


def _is_nested(module: cst.Module, name: str) -> bool:
    """Whether one call of a function stands within another one."""
    named = m.Call(func=m.Attribute(attr=m.Name(name)))
    return any(len(m.findall(one, named)) > 1 for one in m.findall(module, named))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A function that a case calls, and the names of the source and of the sibling.

    `before` and `after` are the last parts of these names, `words` the one word that is another in
    them.
    """

    room: str
    name: str
    before: str
    after: str
    words: tuple[str, str] | None
    source: str
    named: Named

    @property
    def module(self) -> ModuleType | None:
        """The module of NumPy's kind that it is taken from."""
        return importlib.import_module(self.room) if self.room in MODULES else None


COUNTERPARTS: Registry[[Reference], str] = Registry("rewrite")
"""The name of the function that stands to the sibling as a reference to the source."""


@COUNTERPARTS.rule("array-function-of-same-name", examples=_like(0, 1, 2))
def _same_name(use: Reference) -> str | None:
    """`np.median` becomes `np.nanmedian` for `torch.nanmedian`."""
    module = use.module
    same = module is not None and use.name == use.before
    return use.after if same and hasattr(module, use.after) else None


@COUNTERPARTS.rule("array-function-of-word", examples=_like(3, 4, 5, 6, 7, 8, 9, 10, 11))
def _of_word(use: Reference) -> str | None:
    """`np.max` becomes `np.min` for `tf.reduce_min`, and `np.var` in short `np.std`."""
    module, words = use.module, use.words
    if module is None or use.name == use.before or words is None or words[0] == use.before:
        return None
    if not _stands_for(module, use.name, words[0]):
        return None
    return next((one for one in dir(module) if _stands_for(module, one, words[1])), None)


@COUNTERPARTS.rule("function-of-framework-with-word", examples=_like(12))
def _of_framework(use: Reference) -> str | None:
    """`torch.segment_sum` becomes `torch.segment_max` for `torch.sparse.max`."""
    if use.room in MODULES or use.words is None:
        return None
    new = _reworded(use.name, *use.words)
    other = None if new is None else use.named(f"{use.room}.{use.name}")
    known = other is not None and other.name != use.source and use.named(f"{use.room}.{new}")
    return new if known else None


def _stands_for(module: ModuleType, name: str, word: str) -> bool:
    """Whether a function is the word, or its beginning where no function is: `sin` is no `sinh`,
    nor what is computed element by element a `logsumexp`."""
    function = getattr(module, name, None)
    if name == word or hasattr(module, word):
        return name == word and callable(function)
    short = len(name) >= SHORTEST and word.startswith(name)
    return short and callable(function) and not isinstance(function, np.ufunc)


def _changed(before: str, after: str) -> tuple[str, str] | None:
    """The one word that is another in two names, whatever words stand in but one of them."""
    one, other = before.split("_"), after.split("_")
    found = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    changed = [(one[a:b], other[c:d]) for how, a, b, c, d in found if how == "replace"]
    if len(changed) != 1 or any(len(part) != 1 for part in changed[0]):
        return None
    (old,), (new,) = changed[0]
    return old, new


def _reworded(name: str, old: str, new: str) -> str | None:
    """A name with a word exchanged, if it has that one."""
    words = name.split("_")
    return "_".join(new if word == old else word for word in words) if old in words else None


def _room(function: cst.BaseExpression, local: Mapping[str, str]) -> str:
    """The module that a function is taken from, by its real name."""
    dotted = h.get_full_name_for_node(function) or ""
    first, _, rest = dotted.partition(".")
    return f"{local.get(first, '')}.{rest}".rpartition(".")[0]


def _leaf(name: str) -> str:
    return name.rpartition(".")[2].strip("_").lower()


def _words(name: str) -> str:
    """The last part of a name, an operator's as a function has it: `SparseReduceMax`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.rpartition(".")[2]).strip("_").lower()
