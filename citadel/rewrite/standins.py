"""A function where the report has a layer among others: a layer of its own that calls it.

`nn.Sequential(nn.Linear(2, 2), nn.ReLU6())` calls what it is given one after the other. A small
class above the statement stands in for a layer there, or Keras' `Lambda`.
"""

from __future__ import annotations

from typing import cast

import libcst as cst
import libcst.matchers as m

from analysis.rules import Rule
from citadel.plan.model import Form, Take
from citadel.rewrite import imports
from citadel.rewrite.calls import Maker, Nodes, defaulted, parameters
from citadel.rewrite.given import Given, takes
from citadel.rewrite.layout import LONGEST, shortened
from citadel.rewrite.source import Source
from citadel.rewrite.steps import code_of

_HELD = (cst.Element, cst.DictElement, cst.ListComp, cst.GeneratorExp, cst.DictComp)


def _stand_in(maker: Maker) -> Nodes | None:
    """A layer that others call becomes a layer that calls a function.

    A class that is to be defined comes as the change of a whole top-level statement, in front of
    which it belongs (see `pieces`). None where the report itself calls the layer by its name.
    """
    source, plan = maker.source, maker.plan
    built = source.built
    variable = m.matches(source.call, m.Call(func=m.Name()))  # it may be any of the layers
    held = source.form == "inner" or (variable and isinstance(_above(source, built), _HELD))
    held |= variable and source.several
    named = source.naming is not None and not source.shared
    if not held or not isinstance(built, cst.Call) or named:
        return None
    if plan.form not in (Form.FUNCTION, Form.METHOD):
        return None
    values = (plan.receiver, *(slot.value for slot in plan.call))
    own = [take for value in values for take in takes(value) if take.key.startswith("attr:")]
    layer, dot, _ = source.api.rpartition(".")
    if not own and _keras(source.api) and source.naming is None:
        function = _lambda(maker, built)
        if function is None:
            return None
        name = imports.spelled(f"{layer}{dot}Lambda", source.local(built))[0]
        made = cst.Call(cst.parse_expression(name), args=[cst.Arg(function)])
        return {built: made, **maker.nodes}
    return _with_class(maker, built, own)


stand_in = Rule("rewrite/layer-that-calls-function", _stand_in)


def renamed(nodes: Nodes, others: Nodes) -> Nodes:
    """The nodes, with another name for a class that others define otherwise in the same text."""
    there = [one for one in others.values() if isinstance(one, cst.ClassDef)]
    made = next((one for one in nodes.values() if isinstance(one, cst.ClassDef)), None)
    if made is None or all(
        one.name.value != made.name.value or one.deep_equals(made) for one in there
    ):
        return nodes
    taken = {one.name.value for one in there}
    name = m.Name(made.name.value)
    free = (f"Other{made.name.value}{n}" for n in ("", *range(2, len(taken) + 2)))
    other = cst.Name(next(one for one in free if one not in taken))
    uses = m.ClassDef(name=name) | m.Call(func=name)

    def with_name(old: cst.CSTNode, _: object) -> cst.CSTNode:
        return old.with_changes(**{"name" if isinstance(old, cst.ClassDef) else "func": other})

    return {
        node: cast("cst.CSTNode", m.replace(new, uses, with_name)) for node, new in nodes.items()
    }


def _within_layer(maker: Maker) -> cst.BaseExpression | None:
    """A call on placeholders of Keras: of a `Lambda` layer that makes it when there are tensors."""
    source, plan = maker.source, maker.plan
    values = (plan.receiver, *(slot.value for slot in maker.slots))
    own = {one.key: maker.text(Take(key=one.key)) for value in values for one in takes(value)}
    outer = [node for key in plan.symbolic if (node := own.pop(key, None)) is not None]
    name = next((n for n in ("x", "inputs", "given") if not source.scopes.bound(n)), None)
    if len(outer) < len(plan.symbolic) or name is None:
        return None
    inner: list[cst.BaseExpression] = [cst.Name(name)]
    if len(outer) > 1:
        inner = [cst.parse_expression(f"{name}[{i}]") for i in range(len(outer))]
    args = {key: cst.Arg(node) for key, node in own.items() if node is not None}
    args |= {key: cst.Arg(node) for key, node in zip(plan.symbolic, inner, strict=True)}
    body = maker.applied(Given(args=args, parts={}), source.call)
    if body is None:
        return None
    layer = imports.spelled("tf.keras.layers.Lambda", source.local(source.call))[0]
    made = cst.Call(cst.parse_expression(layer), args=[cst.Arg(_function(name, body))])
    whole = outer[0] if len(outer) == 1 else cst.List([cst.Element(node) for node in outer])
    return cst.Call(made, args=[cst.Arg(whole)])


within_layer = Rule("rewrite/lambda-layer-around-call", _within_layer)


def _reshaping(maker: Maker) -> Nodes | None:
    """A layer among others, whose input has to be reshaped: a class of its own does that.

    PyTorch only: Keras makes a layer's weights by the shape of what its model gives it.
    """
    source = maker.source
    built = source.built
    alone = source.form == "inner" and source.naming is None
    if not alone or not isinstance(built, cst.Call) or _keras(source.api):
        return None
    statement = next(s for s in source.tree.module.body if source.tree.inside(built, s))
    names = _inputs(source)
    given = Given(args={key: cst.Arg(cst.Name(name)) for key, name in names.items()}, parts={})
    body = maker.handed_on(cst.parse_expression("super().forward"), given)
    base, missing = imports.spelled(maker.plan.target, source.local(statement))
    name = f"Reshaped{maker.plan.target.rpartition('.')[2]}"
    if body is None or missing is not None or source.scopes.bound(name):
        return None
    construction = maker.built(cst.Name(name))
    if construction is None:
        return None
    head = f"class {name}({base}):\n    def forward(self, {', '.join(names.values())}):\n"
    made = cst.parse_statement(f"{head}        return {code_of(body)}\n")
    return {built: construction, statement: cst.ensure_type(made, cst.ClassDef), **maker.nodes}


reshaping = Rule("rewrite/layer-that-reshapes-input", _reshaping)


def _with_class(maker: Maker, built: cst.Call, own: list[Take]) -> Nodes | None:
    """The construction of a class in front of the statement; with parameters it inherits them."""
    source = maker.source
    statement = next(s for s in source.tree.module.body if source.tree.inside(built, s))
    local = source.local(statement)
    names = _inputs(source)
    given = {key: cst.Arg(cst.Name(name)) for key, name in names.items()}
    given |= {take.key: cst.Arg(_attribute(take.key)) for take in own}
    body = maker.applied(Given(args=given, parts={}), statement)
    base = source.api if own else _base(source.api)
    written, missing = imports.spelled(base, local)
    name = _free_name(source, maker.plan.target)
    if body is None or missing is not None or name is None:
        return None
    method = "call" if _keras(source.api) else "forward"
    head = f"class {name}({written}):\n    def {method}(self, {', '.join(names.values())}):\n"
    made = cst.ensure_type(cst.parse_statement(f"{head}        return ...\n"), cst.ClassDef)
    fits = len(code_of(body)) <= LONGEST - len("        return ")
    end = m.findall(made, m.Return())[0]
    made = made.with_deep_changes(end, value=body if fits else shortened(body))
    args = built.args if own else ()
    if source.naming is not None:
        return _handed_on(maker, name, made, statement, inherits=bool(own))
    return {
        built: built.with_changes(func=cst.Name(name), args=args) if args else _plain(name),
        statement: made,
        **maker.nodes,
    }


def _inputs(source: Source) -> dict[str, str]:
    """What the layer is given, by the names of parameters for it."""
    keys = [key for key in source.values if key.startswith(("arg:", "kw:"))]
    return dict(zip(keys, parameters([source.names[key] for key in keys]), strict=True))


def _handed_on(
    maker: Maker, name: str, made: cst.ClassDef, statement: cst.CSTNode, *, inherits: bool
) -> Nodes | None:
    """The class where the report hands the layer's own on: it takes what that is given there."""
    source = maker.source
    keys = [key for key in source.values if key.startswith(("new:", "newkw:"))]
    if source.naming is None or set(source.constructed.args) != set(keys):
        return None
    taken = ", ".join(defaulted(source, keys, parameters([source.names[key] for key in keys])))
    ready = cst.parse_expression(f"lambda {taken}: {name}()")
    given = cst.Name(name) if inherits or not keys else ready
    return {source.naming.node: given, statement: made, **maker.nodes}


def _lambda(maker: Maker, built: cst.Call) -> cst.BaseExpression | None:
    """What `Lambda` is given: the function itself, where it gets nothing but the layer's input."""
    keys = [key for key in maker.source.values if key.startswith(("arg:", "kw:"))]
    if len(keys) != 1:
        return None
    given = Given(args={keys[0]: cst.Arg(cst.Name("x"))}, parts={})
    body = maker.applied(given, built)
    return None if body is None else _function("x", body)


def _function(name: str, body: cst.BaseExpression) -> cst.BaseExpression:
    """What computes an expression of one name: a lambda, or the function that is called with it."""
    if isinstance(body, cst.Call) and code_of(body) == f"{code_of(body.func)}({name})":
        return body.func
    return cst.parse_expression(f"lambda {name}: {code_of(body)}")


def _free_name(source: Source, target: str) -> str | None:
    """`AvgPool2d` for `avg_pool2d`, or with a word more where that is something else already."""
    words = target.rpartition(".")[2].strip("_").split("_")
    name = "".join(word[:1].upper() + word[1:] for word in words)
    free = (one for one in (name, f"{name}Layer") if not source.scopes.bound(one))
    return next(free, None)


def _above(source: Source, node: cst.CSTNode | None) -> cst.CSTNode | None:
    return None if node is None else source.tree.parent(node)


def _attribute(key: str) -> cst.BaseExpression:
    return cst.Attribute(value=cst.Name("self"), attr=cst.Name(key.partition(":")[2]))


def _plain(name: str) -> cst.Call:
    return cst.Call(cst.Name(name))


def _keras(api: str) -> bool:
    return "keras" in api.split(".")[:2]


def _base(api: str) -> str:
    """The class of all layers beside a layer."""
    if _keras(api):
        return api.rpartition(".")[0] + ".Layer"
    return "torch.nn.Module"
