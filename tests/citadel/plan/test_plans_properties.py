"""Whatever the signatures and the values: a plan is a call that Python can bind."""

import inspect
from dataclasses import replace
from itertools import combinations, takewhile

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.catalog.model import Api, ApiKind, Parameter, Provenance, Signature
from analysis.target.observation import Argument, Call
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Form, Obstacle, Take
from citadel.rewrite.steps import INNER

NAMES = ("self", "input", "other", "dim", "axis", "weight", "size", "kernel_size", "p", "groups")
TYPES = (None, "Tensor", "Tensor?", "Tensor[]", "int", "int[2]", "float?", "Scalar", "str", "bool")
KINDS = (ApiKind.FUNCTION, ApiKind.METHOD, ApiKind.MODULE, ApiKind.OP)


def tensors():
    shapes = st.lists(st.integers(0, 9), max_size=5).map(tuple)
    return shapes.map(lambda s: Value(kind="tensor", shape=s, dtype="float32", layout="strided"))


def simple():
    integers = st.integers().map(lambda n: Value(kind="int", text=repr(n)))
    words = st.text(max_size=5).map(lambda s: Value(kind="str", text=repr(s)))
    others = st.sampled_from(
        [Value(kind="none", text="None"), Value(kind="function"), Value(kind="list", length=99)]
    )
    return integers | words | others


VALUES = (
    tensors()
    | simple()
    | st.lists(tensors() | simple(), max_size=3).map(
        lambda items: Value(kind="list", items=tuple(items))
    )
)
ARGUMENTS = VALUES.map(lambda value: Argument(value=value))


@st.composite
def signatures(draw):
    # No signature has both: `self` is how schemas call what Python calls `input`.
    names = draw(
        st.lists(
            st.sampled_from(NAMES), unique_by=lambda n: "self" if n == "input" else n, max_size=5
        )
    )
    firsts = draw(st.integers(0, len(names)))
    required = draw(st.integers(0, firsts))
    made = [
        Parameter(
            name=name,
            type=draw(st.sampled_from(TYPES)),
            default=None
            if index < required or (index >= firsts and draw(st.booleans()))
            else "None",
            keyword_only=index >= firsts,
        )
        for index, name in enumerate(names)
    ]
    if draw(st.booleans()):
        made.insert(firsts, Parameter(name="tensors", variadic="*"))
    if draw(st.booleans()):
        made.append(Parameter(name="kwargs", variadic="**"))
    return Signature(parameters=tuple(made), provenance=Provenance.SCHEMA)


def of_method(signature):
    receiver = Parameter(name="self", type="Tensor")
    others = tuple(p for p in signature.parameters if p.name != "self")
    return replace(signature, parameters=(receiver, *others))


@st.composite
def apis(draw, name):
    kind = draw(st.sampled_from(KINDS))
    overloads = draw(st.lists(signatures(), max_size=3))
    return Api(
        name=name,
        kind=kind,
        signatures=tuple(map(of_method, overloads) if kind is ApiKind.METHOD else overloads),
        call_signatures=tuple(draw(st.lists(signatures(), max_size=2))),
    )


@st.composite
def calls(draw, name, form, number=1):
    keywords = draw(st.dictionaries(st.sampled_from(NAMES), ARGUMENTS, max_size=3))
    receiver = draw(ARGUMENTS) if form in ("method", "module") else None
    return Call(
        number=number,
        site=0,
        occurrence=1,
        depth=0,
        name=name,
        form=form,
        receiver=receiver,
        arguments=tuple(draw(st.lists(ARGUMENTS, max_size=4))),
        keywords=tuple(keywords.items()),
    )


@st.composite
def sources(draw):
    name = draw(st.sampled_from(["torch.one2d", "torch.two"]))
    source = draw(apis(name))
    form = draw(st.sampled_from(["function", "method", "module", "class", "operator"]))
    return invocation(draw(calls(name, form)), source, ())


@given(sources(), st.sampled_from(["torch.one3d", "torch.two", "torch.three"]).flatmap(apis))
@settings(max_examples=100, deadline=None)
def test_plans_are_calls_that_python_can_bind(source, target):
    found = plans(source, target)
    if isinstance(found, Obstacle):
        return
    assert found
    for plan in found:
        assert plan.target == target.name
        assert 0 < plan.plausibility <= 1
        assert_each_value_is_used_once(plan)
        assert binds(plan, target), (plan, target)


def assert_each_value_is_used_once(plan):
    filled = {edit.removeprefix("filled ") for edit in plan.edits if edit.startswith("filled ")}
    filled |= {"input"} if "self" in filled else set()
    used = [slot.value for slot in (*plan.new, *plan.call) if slot.name not in filled]
    if plan.receiver is not None and plan.form is Form.METHOD and not filled:
        used.append(plan.receiver)
    places = [place(value) for value in used if isinstance(value, Take)]
    for one, other in combinations(places, 2):
        shared = zip(one, other, strict=False)
        assert any(a != b for a, b in shared), (one, other)


def place(value):
    """Which of the report's values it is: an argument, or something within its lists."""
    inner = takewhile(lambda step: step.name in INNER, value.steps)
    return (value.key, *(step.amount for step in inner))


def binds(plan, target):
    """Whether some overload takes just what the plan gives."""
    new = [plan.new] if plan.form in (Form.MODULE, Form.CONSTRUCTOR) else []
    overloads = [(slots, target.signatures) for slots in new]
    if plan.form is not Form.CONSTRUCTOR:
        called = target.call_signatures if plan.form is Form.MODULE else target.signatures
        overloads.append((plan.call, called))
    receiver = [None] if plan.form is Form.METHOD else []
    return all(
        any(
            takes(
                signature,
                slots,
                receiver if slots is plan.call else [],
                python=target.kind is not ApiKind.OP,
            )
            for signature in choices
        )
        for slots, choices in overloads
    )


def takes(signature, slots, receiver, *, python):
    positional = [*receiver, *(slot.name for slot in slots if not slot.keyword)]
    keywords = {slot.name: None for slot in slots if slot.keyword}
    kinds = inspect.Parameter
    parameters = []
    for index, parameter in enumerate(signature.parameters):
        kind = kinds.KEYWORD_ONLY if parameter.keyword_only else kinds.POSITIONAL_OR_KEYWORD
        renamed = parameter.name == "self" and python and not (receiver and index == 0)
        name = "input" if renamed else parameter.name
        if parameter.variadic:
            kind = kinds.VAR_KEYWORD if parameter.variadic == "**" else kinds.VAR_POSITIONAL
        default = kinds.empty if parameter.required or parameter.variadic else None
        parameters.append(kinds(name, kind, default=default))
    try:
        inspect.Signature(parameters).bind(*positional, **keywords)
    except (TypeError, ValueError):
        return False
    return True
