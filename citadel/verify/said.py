"""What the exception that a call raised speaks of: words, nodes of graphs, operators."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analysis.target.observation import Call

_NODE = re.compile(r"\bnode:? '?(?:\w+/)*([A-Za-z]\w*)", re.IGNORECASE)
_OPERATOR = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]*|\d[A-Z])+\w*")
_VERSION = re.compile(r"(?:V\d+)?(?:_\d+)?$")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words(call: Call) -> frozenset[str]:
    """The words of the exception that a call raised; `ExpBackward0` speaks of `exp`."""
    message = call.raised.message if call.raised is not None else ""
    words = re.findall(r"[a-z_]+", re.sub(r"backward\d*\b", "", message.lower()))
    return frozenset(word.strip("_") for word in words)


def nodes(call: Call) -> frozenset[str]:
    """What the nodes of a graph are made by, of which an exception speaks: `GatherV2` by `gather`.

    Older releases show the source beside them, which names more.
    """
    message = call.raised.message if call.raised is not None else ""
    found = (_VERSION.sub("", node) for node in _NODE.findall(message))
    return frozenset(_CAPITAL.sub("_", node).lower() for node in found)


def operators(call: Call) -> frozenset[str]:
    """The operators that an exception names: `no entry for: ResizeArea` speaks of `resize_area`."""
    message = call.raised.message if call.raised is not None else ""
    found = (_VERSION.sub("", name) for name in _OPERATOR.findall(message))
    return frozenset(_CAPITAL.sub("_", name).lower() for name in found)


def begun(operators: Iterable[str]) -> frozenset[str]:
    """Their names' beginnings: `resize_area` is one way to `resize`."""
    parts = [name.split("_") for name in operators]
    return frozenset("_".join(one[:n]) for one in parts for n in range(1, len(one)))
