"""Apply plans in text space: the report's code with its failing call made through a sibling.

The report is parsed once; each plan then replaces as little of it as will do. Everything else of
the text stays byte for byte. One plan may be written in several ways; they come in the order in
which a maintainer would want them: first those that change a name in its place (a list of
functions, a layer's construction), then those that write the call anew; values whose shape changes
are first changed where they are made, then where they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import libcst as cst
import libcst.matchers as m

from analysis.target.instrument import Instrumented
from citadel.plan.identity import identity
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Form
from citadel.rewrite import imports
from citadel.rewrite.bound import assigning, constants, difference
from citadel.rewrite.calls import Maker, Nodes
from citadel.rewrite.given import takes
from citadel.rewrite.layout import LONGEST, shortened
from citadel.rewrite.messages import Messages
from citadel.rewrite.naming import renamed_string
from citadel.rewrite.origins import Edits, Wanted
from citadel.rewrite.pieces import Pieces, beside, replaced_in
from citadel.rewrite.references import Named, counterparts, unknown
from citadel.rewrite.sites import Sites
from citadel.rewrite.source import Source
from citadel.rewrite.standins import renamed, reshaping, stand_in, within_layer
from citadel.rewrite.state import line_of, lines_of
from citadel.rewrite.steps import KEPT, code_of

IN_FRONT = "called in front of the report's own call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """One way to write a plan down."""

    code: str
    edits: tuple[str, ...]
    sites: dict[int, int]
    """Site in the report -> site in this text."""
    references: bool = False
    """Whether what the API is compared with has changed as well."""


class Rewriter:
    """Rewrites one case for any number of siblings; `named` tells which API has a name."""

    def __init__(
        self, source: Instrumented, invocation: Invocation, named: Named = unknown
    ) -> None:
        self._named = named
        self._source = Source(source, invocation)
        self._module = source.module
        self._own = identity(invocation)
        made = self._source
        self._line = assigning(self._module, made.built) if made.layer else None
        self._constants = constants(self._module)
        self._messages = Messages(made.tree, made.local(made.call), made.api)
        self._pieces = Pieces(made.tree)
        self._sites = Sites(source, made.tree)
        self._long = longest(source.module.code)

    @property
    def standing(self) -> bool:
        """Whether the call is a line of its own, whose result nothing uses."""
        return self._source.standing

    @property
    def discards(self) -> bool:
        """Whether the call stands alone, and is not made for what it changes."""
        source = self._source
        effect = source.layer or source.constructing or source.api.endswith("_")
        return source.standing and not effect and not source.writes

    def write(
        self,
        plan: Adaptation,
        others: Others = (),
        *,
        references: bool = False,
    ) -> Iterator[Rewritten]:
        """The plan in text, in one or more ways; none where text cannot say it.

        `others` are further uses of the API in the same text (of rewriters of the same
        `Instrumented`), each with its plan: they change as well, or nothing is written.
        `references`: what the API is compared with also changes, where that is possible.
        """
        if self.identical(plan):
            yield Rewritten(code=self._module.code, edits=plan.edits, sites=self._sites.moved({}))
            return
        written: set[str] = set()
        for first, reshaped in self.ways(plan):
            nodes = _with_others(first, others)
            if nodes is None:
                continue
            edits = ("changed the shape where it is written",) if reshaped else ()
            counterpart = self._with_reference(nodes, plan, edits, others) if references else None
            for way in filter(None, (counterpart, self._replaced(nodes, plan, edits, others))):
                if way.code not in written:
                    written.add(way.code)
                    yield way

    def in_front(self, plan: Adaptation) -> Rewritten | None:
        """The report's own call as it is, and the sibling's on a line of its own in front of it,
        given the same: what the text goes on to do with a result is of the report's. None where no
        line can stand there."""
        source, line = self._source, line_of(self._source)
        if line is None or source.form == "inner" or source.handed or source.several:
            return None
        maker = Maker(source, replace(plan, after=(), effect=False))
        made = None if plan.symbolic else maker.whole()
        front = None if made is None or line in maker.nodes else lines_of([code_of(made)])
        if front is None:
            return None
        return self._replaced({**maker.nodes, line: front}, plan, (IN_FRONT,), ())

    def _with_reference(
        self, nodes: Nodes, plan: Adaptation, edits: tuple[str, ...], others: Others
    ) -> Rewritten | None:
        """As `_replaced`, compared with the sibling's own reference; None where there is none."""
        source = self._source
        local = source.local(source.call)
        lost, places = self._dropped(plan)
        more = counterparts(self._module, local, source.api, plan.target, self._named, lost, places)
        inside = [one for one in more if any(source.tree.inside(one, node) for node in nodes)]
        if not more or inside:
            return None
        edits = (*edits, "compared with its own reference")
        made = self._replaced({**more, **nodes}, plan, edits, others)
        return replace(made, references=True)

    def _dropped(self, plan: Adaptation) -> tuple[list[int], int]:
        """The places, among those without keywords, of what the sibling is not given, and how many
        there are in all."""
        given = [plan.receiver, *(slot.value for slot in (*plan.new, *plan.call))]
        kept = {take.key for value in given for take in takes(value)}
        first = ["recv"] if "recv" in self._source.values else []
        keys = first + sorted(key for key in self._source.called.args if key.startswith("arg:"))
        return [place for place, key in enumerate(keys) if key not in kept], len(keys)

    def identical(self, plan: Adaptation) -> bool:
        """Whether a plan is the report's own call."""
        if plan == self._own:
            return True
        source, maker = self._source, Maker(self._source, plan)
        given = source.constructed if plan.form is Form.CONSTRUCTOR else source.called
        slots = maker.new if plan.form is Form.CONSTRUCTOR else maker.arguments()
        new = plan.form is not Form.MODULE or source.constructed.same(maker.new)
        return plan.target == source.api and new and given.same(slots)

    def ways(self, plan: Adaptation) -> Iterator[tuple[Nodes, bool]]:
        """The nodes to replace, and whether the shape changes where a value is made."""
        wanted = self._wanted(plan)
        # A construction that is not kept has its arguments moved to the call.
        moved = [one for one in wanted if self._source.layer and one.key.startswith("new")]
        said = self._messages.renamed(plan.target)
        anew = (self._anew, [one for one in wanted if one not in moved])
        for make, ones in (anew,) if plan.effect else ((self._in_place, wanted), anew):
            for changed, edits in self._variants(ones):
                nodes = make(Maker(self._source, plan, changed))
                if nodes is not None:
                    yield self._with_edits(nodes, {**said, **edits}), bool(edits)

    def _variants(self, wanted: list[Wanted]) -> Iterator[tuple[frozenset[str], Edits]]:
        """The values changed where they are made, as far as possible; then none of them."""
        keys, edits = self._source.origins.edits(wanted)
        if keys:
            yield keys, edits
        yield frozenset(), {}

    def _wanted(self, plan: Adaptation) -> list[Wanted]:
        """The values that a plan changes, where the text shows them."""
        source = self._source
        if plan.reshapes:
            return []  # what else is made of the values is of the report's own dimensions
        found: dict[str, Wanted] = {}
        given = [plan.receiver, *(s.value for s in (*plan.call, *plan.new, *plan.state))]
        for take in (take for value in given for take in takes(value)):
            if not take.steps or any(step.name in KEPT for step in take.steps):
                continue
            node = source.receiver if take.key == "recv" else source.called.node(take.key)
            node = source.constructed.node(take.key) if node is None else node
            value = source.values.get(take.key)
            if node is not None and value is not None and node in source.tree:
                found[take.key] = Wanted(key=take.key, node=node, value=value, steps=take.steps)
        return list(found.values())

    def _in_place(self, maker: Maker) -> Nodes | None:
        """A name changed where it stands, the call itself no more than its arguments."""
        source, plan = self._source, maker.plan
        if source.layer:
            if plan.form is Form.MODULE:
                return self._layer(maker) or reshaping(maker)
            return None if plan.after else stand_in(maker)
        naming, named = source.naming, None if plan.after or plan.state else maker.named()
        if naming is None:
            return None
        changed: Nodes | None = None
        if named is not None:
            slots = maker.new if plan.form is Form.CONSTRUCTOR else maker.arguments()
            changed = maker.kept(source.called, source.call, slots)
        kept = changed is not None and (not changed or source.handed)
        function = maker.function() if (source.handed or source.shared) and not kept else None
        if function is not None:
            return {naming.node: function, **self._label(plan), **maker.nodes}
        alone = source.alone(source.call) and not source.shared
        if named is None or changed is None or not (kept or alone):
            return None
        return {naming.node: named, **self._label(plan), **changed, **maker.nodes}

    def _label(self, plan: Adaptation) -> Nodes:
        """The key of a dictionary of functions that says the function's name, changed as well."""
        label = self._source.naming.label if self._source.naming is not None else None
        name = plan.target.rpartition(".")[2]
        return {} if label is None else {label: renamed_string(label, name)}

    def _layer(self, maker: Maker) -> Nodes | None:
        """Another class where the layer is constructed."""
        source, naming = self._source, self._source.naming
        if source.built is None or source.built is source.call:
            return None
        called = maker.kept(source.called, source.call, maker.slots)
        if called is None or ((called or maker.plan.after) and not source.alone(source.call)):
            return None
        if maker.plan.after:
            result = self._lowered(maker, called)
            if result is None:
                return None
            called = {source.call: result}
        used = (take for slot in maker.new for take in takes(slot.value))
        if not all(take.key.startswith("new") for take in used):
            return None  # what the call is given need not be there yet
        if naming is not None and (named := maker.named()) is not None:
            built = maker.kept(source.constructed, source.built, maker.new)
            function = maker.function() if built != {} and source.shared else None
            if function is not None:
                return {naming.node: function, **called, **maker.nodes}
            if built is not None and not (built and source.shared):
                return {naming.node: named, **built, **called, **maker.nodes}
        if m.matches(source.built, m.Call(func=m.Attribute(value=m.Call(func=m.Name("super"))))):
            return None
        construction = maker.built()
        if construction is None:
            return None
        return {source.built: construction, **called, **maker.nodes}

    def _lowered(self, maker: Maker, called: Nodes) -> cst.BaseExpression | None:
        """The call of a layer that stays where it is, with what its result goes through."""
        call = called.get(self._source.call, self._source.call)
        if not isinstance(call, cst.Call) or self._source.form == "inner":
            return None
        return maker.after(call)

    def _anew(self, maker: Maker) -> Nodes | None:
        """The call made through the sibling itself."""
        if self._source.form == "inner" or self._source.handed or self._source.several:
            return None
        whole = _whole(maker)
        return None if whole is None else {self._source.call: whole, **maker.nodes}

    def _with_edits(self, nodes: Nodes, edits: Nodes) -> Nodes:
        """The nodes and the edits of values; what is inside a replaced node is replaced there."""
        tree = self._source.tree
        made = dict(nodes)
        for outer, new in nodes.items():
            inner = {
                node: by
                for node, by in {**nodes, **edits}.items()
                if node is not outer and tree.inside(node, outer)
            }
            if inner and isinstance(new, cst.BaseExpression):
                made[outer] = replaced_in(new, inner)
        return {**edits, **made}

    def _replaced(
        self, nodes: Nodes, plan: Adaptation, edits: tuple[str, ...], others: Others
    ) -> Rewritten:
        source, tree = self._source, self._source.tree
        uses = ((self, plan), *others)
        kept = source.built in nodes or source.naming is not None
        gone: list[cst.CSTNode] = []
        if self._line is not None and not kept and self._line.unused(difference(tree, nodes)):
            gone.append(self._line.node)
        added = difference(tree, nodes, gone)
        gone += [one.node for one in self._constants if one.unused(added)]
        code = self._pieces.replaced(_all_bound(nodes, uses), gone)
        if longest(code) > max(LONGEST, self._long) and not beside(nodes):
            calls = (source.call, source.built)
            nodes = {n: shortened(new) if n in calls else new for n, new in nodes.items()}
            code = self._pieces.replaced(_all_bound(nodes, uses), gone)
        framework = plan.target.split(".", 1)[0]
        for name in sorted({framework, imports.PACKAGES.get(framework, framework)}):
            # What the report's own call names is in reach there, however it was imported.
            known = name in source.local(source.call) or _names(nodes, name)
            if not known and _names(nodes.values(), name):
                code = imports.with_import(cst.parse_module(code), name).code
        return Rewritten(code=code, edits=plan.edits + edits, sites=self._sites.moved(nodes, gone))

    def bound(self, nodes: Nodes, plan: Adaptation) -> Nodes:
        """The nodes, with the result assigned to what an in-place call has changed: `x.abs_()` is
        `x = x.sign()` for a sibling that changes nothing."""
        source, tree = self._source, self._source.tree
        changed = source.receiver
        if changed is None and isinstance(source.call, cst.Call) and source.call.args:
            first = source.call.args[0]
            changed = first.value if first.keyword is None and not first.star else None
        alone = source.standing and _in_place(source.api) and not _in_place(plan.target)
        touched = [node for node in nodes if tree.inside(node, source.call)]
        if not alone or not touched or not isinstance(changed, cst.Name | cst.Attribute):
            return nodes
        if isinstance(changed, cst.Name) and not self._is_local(changed):
            return nodes
        line = tree.parent(source.call)
        value = nodes.get(source.call)
        if value is None and isinstance(source.call, cst.Call):
            value = replaced_in(source.call, {node: nodes[node] for node in touched})
        if line is None or not isinstance(value, cst.BaseExpression):
            return nodes
        assigned = cst.Assign(targets=[cst.AssignTarget(changed)], value=value)
        return {n: new for n, new in nodes.items() if n not in touched} | {line: assigned}

    def _is_local(self, name: cst.Name) -> bool:
        """Whether a name can be assigned where it stands, and stays the same variable."""
        above = self._source.tree.above(name)
        inner = next((one for one in above if isinstance(one, cst.FunctionDef | cst.Lambda)), None)
        if inner is None:
            return True
        own = m.Param(name=m.Name(name.value)) | m.AssignTarget(target=m.Name(name.value))
        return bool(m.findall(inner, own))


def _whole(maker: Maker) -> cst.BaseExpression | None:
    """The expression that stands in for the call, in a layer where it has to be."""
    inside = maker.plan.symbolic and not maker.plan.effect
    return within_layer(maker) if inside else maker.whole()


Others = Sequence[tuple[Rewriter, Adaptation]]
"""Uses of the API in one text, each with its plan."""


def _all_bound(nodes: Nodes, uses: Others) -> Nodes:
    """The nodes, with the results assigned that each of the uses would lose."""
    for rewriter, plan in uses:
        nodes = rewriter.bound(nodes, plan)
    return nodes


def _in_place(api: str) -> bool:
    """Whether it changes what it is called on; what an item is assigned gives nothing besides."""
    named = api.endswith("_") and not api.endswith("__")
    return named or api.endswith(".__setitem__")


def _with_others(nodes: Nodes, others: Others) -> Nodes | None:
    """The replaced nodes of all uses; None where two of them change one place differently."""
    made = dict(nodes)
    for rewriter, plan in others:
        if rewriter.identical(plan):
            continue
        for way, _ in rewriter.ways(plan):
            more = renamed(way, made)
            shared = made.keys() & more.keys()
            if all(made[node].deep_equals(more[node]) for node in shared):
                made.update(more)
                break
        else:
            return None
    return made


def longest(code: str) -> int:
    """The length of the longest line."""
    return max(map(len, code.splitlines()), default=0)


def _names(nodes: Iterable[cst.CSTNode], name: str) -> bool:
    """Whether a name is read in any of the nodes."""
    return any(m.findall(node, m.Name(name)) for node in nodes)
