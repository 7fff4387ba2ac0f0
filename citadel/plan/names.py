"""How alike two parameter names are."""

from __future__ import annotations

import re
from functools import lru_cache

SAME_NAME, SAME_WORDS, LIKE_NAME = 10.0, 9.0, 6.0

_SYNONYMS = (
    frozenset(("input", "self", "x", "a", "tensor")),
    frozenset(("dim", "axis", "dims", "axes")),
    frozenset(("other", "mat2", "vec", "vec2", "b", "tensor2")),
)


@lru_cache(maxsize=65536)
def name_likeness(one: str, other: str) -> float:
    """How alike two parameter names are: equal or synonyms, sharing a word, or not at all."""
    if one == other or any(one in group and other in group for group in _SYNONYMS):
        return SAME_NAME
    left, right = _words(one), _words(other)
    if not left or not right:
        return 0.0
    if left == right:
        return SAME_WORDS
    if left <= right or right <= left:
        return LIKE_NAME
    return LIKE_NAME / 2 if left & right else 0.0


def _words(name: str) -> frozenset[str]:
    parts = re.split(r"[_\d]+", name.lower())
    return frozenset(part for part in parts if len(part) > 1 and part not in ("val", "value"))
