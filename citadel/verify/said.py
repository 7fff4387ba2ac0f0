"""What the exception that a call raised speaks of: words, nodes of graphs, operators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.catalog.model import Api, Catalog
from analysis.rules import Phrase
from analysis.target.observation import Call

FEW = 50
"""APIs that run an operator which tells something of them: `fill` and `sum` are run by hundreds."""
_NODE = Phrase(
    "message/node",
    r"\bnode:? '?(?:\w+/)*([A-Za-z]\w*)",
    re.IGNORECASE,
    finds=("Error at node 'model/GatherV2'", "Node: 'MatMul'"),
    spares=("no nodes here",),
)
_OPERATOR = Phrase(
    "message/operator",
    r"\b[A-Z][a-z]+(?:[A-Z][a-z]*|\d[A-Z])+\w*",
    finds=("MatMul: incompatible shapes", "no kernel for Conv2D"),
    spares=("Matrix of numbers",),
)
_QUOTED = Phrase(
    "message/operator-quoted",
    r"(?:(?<!\w)['\"`]|\baten::)([a-z_]\w*)(?=['\"`.: ]|$)",
    finds=("'igamma: input'", "Could not run aten::igamma"),
    spares=("it's wrong",),
)
_DEVICE = re.compile(r"_(?:cpu|cuda)$")
"""Kernels are called by their operator and their device."""
_CLASS = Phrase(
    "message/class",
    r"Tensor|Error$|Exception$|Backward\d*$|Variable|Loader$",
    finds=("BFloat16Tensor", "ValueError", "ExpBackward0"),
    spares=("MatMul",),
)
_WORD_BEGINS = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])"
)
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
    """What in an exception may be the name of an operator: `MatMul`, as `mat_mul` and `matmul`."""
    found = {"_".join(parts) for parts in _named(call)}
    return frozenset(found | {name.replace("_", "") for name in found})


def runs_what_fails(call: Call, api: Api, catalog: Catalog) -> bool:
    """Whether an API runs an operator that an exception calls by its name, and that few run:
    `gammainc` is an `igamma`."""
    both = _quoted(call) & catalog.runs.get(api.name, frozenset())
    often = (sum(name in ran for ran in catalog.runs.values()) for name in both)
    return any(times <= FEW for times in often)


def begun(call: Call) -> Iterator[frozenset[str]]:
    """What these names begin with, longer ones first: `ResizeArea` is one way to `resize`."""
    names = _named(call)
    for length in range(max(map(len, names), default=0) - 1, 0, -1):
        yield frozenset("_".join(parts[:length]) for parts in names if len(parts) > length)


def _named(call: Call) -> list[list[str]]:
    """The words, in small letters, of what may name operators in the exception that a call raised;
    classes of tensors and of exceptions, and the nodes of gradients, are none."""
    message = call.raised.message if call.raised is not None else ""
    found = (_VERSION.sub("", name) for name in _OPERATOR.findall(message))
    names = [name for name in found if not _CLASS.search(name)]
    return [_WORD_BEGINS.sub(" ", name).lower().split() for name in names]


def _quoted(call: Call) -> frozenset[str]:
    """What may be an operator: `aten::igamma`, `'igamma: input'`, `"igamma_cpu"`, `MatMul`."""
    message = call.raised.message if call.raised is not None else ""
    found = (_DEVICE.sub("", name) for name in _QUOTED.findall(message))
    return frozenset((*found, *_OPERATOR.findall(message)))
