"""How alike two parameter names are: equal, synonyms, sharing a word, or not at all.

Most synonyms are learnt from the catalog: where two forms of one operation (`max_pool2d` and
`MaxPool2d`, `tf.reduce_sum` and `tf.raw_ops.Sum`) agree on the parameters around it, what one calls
`filters` and the other `kernel` is the same thing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

from analysis.catalog.model import Api, Parameter, Signature
from citadel.match.family import parse
from citadel.plan.dimensions import spatial
from citadel.plan.types import BROADCAST, INTS, accepted

SAME_NAME, SAME_WORDS, LIKE_NAME = 10.0, 9.0, 6.0

CONVENTIONS = (
    frozenset(("input", "self", "x", "x1", "a", "tensor")),
    frozenset(("dim", "axis", "dims", "axes")),
    frozenset(("other", "mat2", "vec", "vec2", "b", "x2", "tensor2")),
)
"""What libraries of arrays agree on."""
LEAST_FAMILIES = 2
"""Operations in which two names must stand for each other."""
LEAST_SHARE = 0.2
"""... as a share of the operations that have the rarer one of them."""
MOST_FORMS = 16
"""Signatures of one operation that are compared with each other."""
GRADIENTS = frozenset(("backward", "gradient"))
VALUES = frozenset(("val", "value"))
"""Words that say nothing beside others."""

Pair = frozenset[str]


class Lexicon:
    """Likeness of parameter names, with the synonyms of one framework build."""

    def __init__(
        self,
        synonyms: Iterable[Pair] = (),
        windows: Iterable[str] = (),
        words: Mapping[tuple[str, str], frozenset[str]] | None = None,
    ) -> None:
        self.synonyms = frozenset(synonyms)
        self.windows = frozenset(windows)
        """Parameters that take a number per spatial dimension, or one for all of them."""
        self._defaults = words or {}
        self._known: dict[tuple[str, str], float] = {}

    def words(self, api: str, parameter: str) -> frozenset[str]:
        """The literals that are the defaults of parameters of this name where an API stands:
        `{"'SAME'", "'VALID'"}`."""
        return self._defaults.get((_room(api), parameter), frozenset())

    def likeness(self, one: str, other: str) -> float:
        """`SAME_NAME`, `SAME_WORDS` (also for synonyms), `LIKE_NAME`, half of it, or 0."""
        if one == other:
            return SAME_NAME
        found = self._known.get((one, other))
        if found is None:
            found = self._known[one, other] = self._likeness(one, other)
        return found

    def _likeness(self, one: str, other: str) -> float:
        if any(one in group and other in group for group in CONVENTIONS):
            return SAME_NAME
        left, right = _words(one), _words(other)
        same = (left == right and bool(left)) or _plain(one) == _plain(other)
        if same or frozenset((one, other)) in self.synonyms:
            return SAME_WORDS
        if not left or not right:  # a `value` is more like a `fill_value` than like a `dim`
            return LIKE_NAME / 2 if _parts(one) & _parts(other) & VALUES else 0.0
        if left <= right or right <= left:
            return LIKE_NAME
        return LIKE_NAME / 2 if left & right or _ends_alike(left, right) else 0.0


def in_a_row(one: str, other: str) -> bool:
    """Whether names only count what they stand for: `x1` and `x2`, or any two letters.

    >>> in_a_row("x1", "x2"), in_a_row("a", "b"), in_a_row("input", "other")
    (True, True, False)
    """
    return len(one) == len(other) == 1 or one.rstrip("0123456789") == other.rstrip("0123456789")


def same_name(one: str, other: str) -> bool:
    """Whether two parameters have one name, as libraries spell it (`beta_1` and `beta1`)."""
    by_convention = any(one in group and other in group for group in CONVENTIONS)
    return one == other or by_convention or _plain(one) == _plain(other)


def _ends_alike(left: frozenset[str], right: frozenset[str]) -> bool:
    """`ksize` ends like `pool_size`."""
    return any(
        a.endswith(b) or b.endswith(a) for a in left for b in right if min(len(a), len(b)) >= 4
    )


@lru_cache(maxsize=65536)
def _words(name: str) -> frozenset[str]:
    return _parts(name) - VALUES


def _parts(name: str) -> frozenset[str]:
    parts = (_singular(part) for part in re.split(r"[_\d]+", name.lower()))
    return frozenset(part for part in parts if len(part) > 1)


_IRREGULAR = {"axes": "axis", "indices": "index", "matrices": "matrix"}


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "sui" else word


def _plain(name: str) -> str:
    """`keepdims` and `keep_dims` are one name, and so are `value` and `values`."""
    return _singular(name.lower().replace("_", ""))


def learnt(apis: Iterable[Api]) -> Lexicon:
    """The lexicon of a build: names that stand for each other in several operations.

    Two names that one signature has beside each other are no synonyms.
    """
    apis = tuple(apis)
    votes: dict[Pair, set[str]] = defaultdict(set)
    families: dict[str, set[str]] = defaultdict(set)
    beside: dict[Pair, set[str]] = defaultdict(set)
    for core, forms in _families(apis):
        for form in forms:
            for parameter in form:
                families[parameter.name].add(core)
            for one, other in combinations(sorted({p.name for p in form}), 2):
                beside[frozenset((one, other))].add(core)
        for one_form, other_form in combinations(forms[:MOST_FORMS], 2):
            for one, other in _aligned(one_form, other_form):
                votes[frozenset((one, other))].add(core)
    synonyms = (
        pair
        for pair, cores in votes.items()
        if len(cores) >= LEAST_FAMILIES
        and len(cores) > len(beside.get(pair, ()))
        and len(cores) >= LEAST_SHARE * min(len(families[name]) for name in pair)
    )
    return Lexicon(synonyms, _windows(apis), _defaults(apis))


def _defaults(apis: Iterable[Api]) -> dict[tuple[str, str], frozenset[str]]:
    """The words that are defaults of parameters, by where their APIs stand."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for api in apis:
        for signature in (*api.signatures, *api.call_signatures):
            for one in signature.parameters:
                if one.default is not None and one.default[:1] in ("'", '"'):
                    found[_room(api.name), one.name].add(one.default)
    return {key: frozenset(words) for key, words in found.items()}


def _room(api: str) -> str:
    return api.rpartition(".")[0]


def _windows(apis: Iterable[Api]) -> Iterator[str]:
    """Parameters of APIs of one, two or three dimensions that take a list of numbers."""
    for api in apis:
        if spatial(api.name) is None:
            continue
        for signature in (*api.signatures, *api.call_signatures):
            for parameter in signature.parameters:
                by_default = (parameter.default or "").startswith(("(", "["))
                if by_default or INTS in accepted(parameter.type) or parameter.type == BROADCAST:
                    yield parameter.name


Form = tuple[Parameter, ...]


def _families(apis: Iterable[Api]) -> Iterator[tuple[str, list[Form]]]:
    """Distinct signatures of each operation's forms; constructors of layers among themselves."""
    found: dict[str, dict[tuple[str, ...], Form]] = defaultdict(dict)
    for api in apis:
        name = parse(api.name, api.kind)
        core = ".".join((name.core, *sorted(name.variants & GRADIENTS)))
        made = api.kind.is_class
        for signature in api.signatures:
            _add(found[core + " of" if made else core], signature)
        for signature in api.call_signatures:
            _add(found[core], signature)
    for core, forms in found.items():
        yield core, list(forms.values())


def _add(forms: dict[tuple[str, ...], Form], signature: Signature) -> None:
    plain = tuple(p for p in signature.parameters if not p.variadic)
    forms.setdefault(tuple(p.name for p in plain), plain)


def _aligned(one: Form, other: Form) -> Iterator[tuple[str, str]]:
    """Names in the same place between parameters that both have, where their types agree."""
    names = {p.name for p in other}
    shared = [p.name for p in one if p.name in names]
    if [p.name for p in other if p.name in set(shared)] != shared:
        return
    for left, right in zip(_between(one, shared), _between(other, shared), strict=True):
        if len(left) != len(right):
            continue
        for a, b in zip(left, right, strict=True):
            # Where types are unknown, order alone is no evidence.
            if accepted(a.type) & accepted(b.type) and (a.type or b.type or len(left) == 1):
                yield a.name, b.name


def _between(form: Form, shared: Sequence[str]) -> Iterator[Form]:
    places = [-1, *(i for i, p in enumerate(form) if p.name in set(shared)), len(form)]
    for start, end in pairwise(places):
        yield form[start + 1 : end]
