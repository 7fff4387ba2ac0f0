"""What encloses the call that a report is about: contexts, and settings that are made before it.

In: a verified case. Out: the facts `within` and `set`, with which other APIs' calls are made, too.
Only calls of the framework with plain arguments count: a script of another API can hold no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from analysis.catalog.model import Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import Instrumented
from analysis.target.observation import Call, Observation
from citadel.oracle import status
from citadel.spread.facts import BY_NAME, Given
from citadel.verify.verified import Verified

WITHIN, SET = BY_NAME["within"], BY_NAME["set"]
_NO_CONTEXT = cst.parse_expression("__import__('contextlib').nullcontext()")
_NO_DECORATOR = cst.parse_expression("lambda function: function")
_NO_SETTING = cst.parse_expression("None")


def surroundings(
    verified: Verified, catalog: Catalog, run: Callable[[str], Observation]
) -> list[Given]:
    """What encloses the blamed call, as ways to make calls. Where a run of the report's code
    without it fails alike, it does not count."""
    source, calls = verified.source, verified.observation.calls
    if verified.call.site >= len(source.nodes):
        return []
    texts = {
        call.site: text
        for call in reversed(calls)
        if call.number < verified.call.number and (text := _text(call, source, catalog)) is not None
    }
    around = _around(source, source.nodes[verified.call.site])
    contexts = {n: i for n, i in around.items() if source.sites.get(id(n)) in texts}
    told: list[str] = []
    for node in contexts:
        text = texts[source.sites[id(node)]]
        told += [text] if text not in told else []
    found = [Given(WITHIN, ", ".join(told))] if told else []
    settings = {
        source.nodes[call.site]: name
        for call in calls
        if call.number < verified.call.number
        and (name := _setting(call, source, catalog)) is not None
    }
    found += [Given(SET, name) for name in dict.fromkeys(settings.values())]
    found = [one for one in found if one.fact.takes_value(one.value)]
    without = contexts | dict.fromkeys(settings, _NO_SETTING)
    return [] if not found or _fails_alike(verified, without, run) else found


def _fails_alike(
    verified: Verified,
    without: Mapping[cst.CSTNode, cst.BaseExpression],
    run: Callable[[str], Observation],
) -> bool:
    """Whether the report's code fails as before if other expressions stand in some places."""
    before = status.capture(verified.observation)
    if verified.witness is not None or before is None:
        return False
    try:
        code = verified.source.module.visit(_Replaced(without)).code
    except (CitadelError, RecursionError):
        return False
    return status.matches(before, status.capture(run(code)))


def _text(call: Call, source: Instrumented, catalog: Catalog) -> str | None:
    """A call of the framework with plain arguments, as code; None of any other."""
    if call.form not in ("class", "function") or call.receiver is not None:
        return None
    given = [("", one) for one in call.arguments] + list(call.keywords)
    literals = [(name, one.value.literal()) for name, one in given]
    if any(text is None for _, text in literals):
        return None
    inner = ", ".join(f"{name}={text}" if name else str(text) for name, text in literals)
    return f"{_name(call, source, catalog)}({inner})"


def _name(call: Call, source: Instrumented, catalog: Catalog) -> str:
    """As the report's text names the function, if scripts have that name."""
    node, api = source.nodes[call.site], catalog.resolve(call.name)
    written = source.module.code_for_node(node.func) if isinstance(node, cst.Call) else ""
    if SET.takes_value(written):
        return written
    return call.name if api is None else api.name


def _setting(call: Call, source: Instrumented, catalog: Catalog) -> str | None:
    """The function of a call that switches something on, and returns nothing."""
    text = _text(call, source, catalog)
    alone = call.form == "function" and call.result is not None and text is not None
    if not alone or call.result is None or call.result.value.kind != "none" or text is None:
        return None
    name, _, given = text.partition("(")
    return name if given == "True)" else None


def _around(source: Instrumented, blamed: cst.CSTNode) -> dict[cst.CSTNode, cst.BaseExpression]:
    """The calls that make the contexts around a node, and around the first call of the function
    that it stands in, outermost first; with what stands for each where there is none."""
    places = _Places(blamed)
    source.module.visit(places)
    inner: list[dict[cst.CSTNode, cst.BaseExpression]] = []
    left, seen = [places.found], set[str]()
    while left:
        for node in reversed(left.pop()):
            if isinstance(node, cst.With):
                items = (one.item for one in node.items if one.asname is None)
                inner.append(dict.fromkeys(items, _NO_CONTEXT))
                continue
            inner.append(dict.fromkeys((one.decorator for one in node.decorators), _NO_DECORATOR))
            if node.name.value not in seen:
                seen.add(node.name.value)
                left += places.calls.get(node.name.value, [])[:1]
    return {node: instead for one in reversed(inner) for node, instead in one.items()}


@dataclass
class _Places(cst.CSTVisitor):
    """Finds what a node stands in, and what the calls of each name stand in."""

    blamed: cst.CSTNode
    found: Sequence[cst.With | cst.FunctionDef] = ()
    calls: dict[str, list[Sequence[cst.With | cst.FunctionDef]]] = field(default_factory=dict)
    _stack: list[cst.With | cst.FunctionDef] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if node is self.blamed:
            self.found = tuple(self._stack)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
            self.calls.setdefault(node.func.value, []).append(tuple(self._stack))
        if isinstance(node, cst.With | cst.FunctionDef):
            self._stack.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._stack and self._stack[-1] is original_node:
            self._stack.pop()


class _Replaced(cst.CSTTransformer):
    """Has other expressions stand in some places."""

    def __init__(self, instead: Mapping[cst.CSTNode, cst.BaseExpression]) -> None:
        super().__init__()
        self._instead = {id(node): one for node, one in instead.items()}

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        made = self._instead.get(id(original_node))
        return updated_node if made is None else made  # type: ignore[return-value]
