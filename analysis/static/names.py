"""Names as written in C++ to names that can be compared.

In: the bytes of a name. Out: the name without template arguments, comments and white space. Cached,
since a few tens of thousands of names make up all calls of a framework.
"""

from __future__ import annotations

import re
from functools import lru_cache

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_OPERATOR = re.compile(r"\boperator\b")


@lru_cache(maxsize=100_000)
def without_templates(name: bytes) -> str:
    """`A<B<int>>::go<C>` as `A::go`; `operator<` keeps its sign."""
    text = name.decode("utf-8", "replace")
    if text.isidentifier():
        return text
    text = " ".join(_COMMENT.sub(" ", text).split())
    operator = _OPERATOR.search(text)
    if operator is not None:
        return _plain(text[: operator.start()]) + text[operator.start() :].replace(" ", "")
    return _plain(text)


def _plain(text: str) -> str:
    plain = (_outside(text) if "<" in text or ">" in text else text).replace(" ", "")
    for keyword in ("typename", "template"):
        plain = plain.replace("::" + keyword, "::").removeprefix(keyword)
    return plain


def _outside(text: str) -> str:
    """What is not between `<` and `>`."""
    depth, kept = 0, []
    for sign in text:
        if sign == "<":
            depth += 1
        elif sign == ">":
            depth -= 1
        elif depth <= 0:
            kept.append(sign)
    return "".join(kept)
