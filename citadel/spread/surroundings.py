"""What encloses the call that a report is about: contexts, and settings that are made before it.

In: a verified case whose symptom is a failure. Out: the facts `within` and `set`, with which other
APIs' calls are made, too. Only calls of the framework with plain arguments count: a script of
another API can hold no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst

from analysis.catalog.model import Catalog
from analysis.target.observation import Call, Observation
from citadel.oracle import status
from citadel.spread.facts import BY_NAME, Given
from citadel.verify.verified import Verified

WITHIN, SET = BY_NAME["within"], BY_NAME["set"]
_NO_CONTEXT = cst.parse_expression("__import__('contextlib').nullcontext()")
_NO_SETTING = cst.parse_expression("None")


def surroundings(
    verified: Verified, catalog: Catalog, run: Callable[[str], Observation]
) -> list[Given]:
    """What encloses the blamed call, as ways to make calls. Where a run of the report's code
    without it fails alike, it does not count."""
    failed = status.capture(verified.observation)
    if verified.shown or failed is None:
        return []
    known = {one.number: one for one in verified.observation.calls}
    around = [known[number] for number in verified.call.within if number in known]
    contexts = {
        one: text for one in around if WITHIN.takes_value(text := _text(one, verified, catalog))
    }
    found = [Given(WITHIN, ", ".join(contexts.values()))] if contexts else []
    settings = _settings(verified, catalog)
    found += [Given(SET, name) for name in settings.values()]
    without = {_node(one, verified): _NO_CONTEXT for one in contexts}
    without |= {_node(one, verified): _NO_SETTING for one in settings}
    if not found:
        return []
    code = verified.source.module.visit(_Replaced(without)).code
    return [] if status.matches(failed, status.capture(run(code))) else found


def _settings(verified: Verified, catalog: Catalog) -> dict[Call, str]:
    """The calls before the blamed one that have switched something on, and what."""
    last: dict[str, Call] = {}
    for one in verified.observation.calls:
        nothing = one.result is not None and one.result.value.kind == "none"
        if one.number < verified.call.number and one.form == "function" and nothing:
            last[one.name] = one  # what is switched off again does not count
    found = {one: _text(one, verified, catalog) for one in last.values()}
    names = {
        one: text.removesuffix("(True)") for one, text in found.items() if text.endswith("(True)")
    }
    return {one: name for one, name in names.items() if SET.takes_value(name)}


def _node(call: Call, verified: Verified) -> cst.CSTNode:
    return verified.source.nodes[call.site]


def _text(call: Call, verified: Verified, catalog: Catalog) -> str:
    """A call with plain arguments, as code; "" for any other."""
    given = [("", one) for one in call.arguments] + list(call.keywords)
    literals = [(name, one.value.literal()) for name, one in given]
    foreign = call.receiver is not None or call.site >= len(verified.source.nodes)
    if foreign or any(text is None for _, text in literals):
        return ""
    inner = ", ".join(f"{name}={text}" if name else str(text) for name, text in literals)
    return f"{_name(call, verified, catalog)}({inner})"


def _name(call: Call, verified: Verified, catalog: Catalog) -> str:
    """As the report's text names the function, if scripts have that name."""
    node, api = _node(call, verified), catalog.resolve(call.name)
    written = verified.source.module.code_for_node(node.func) if isinstance(node, cst.Call) else ""
    if SET.takes_value(written):
        return written
    return call.name if api is None else api.name


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
