"""Which call of a run is to blame, on runs made by hand."""

import signal
from dataclasses import replace

import pytest

from analysis.catalog.model import ApiKind
from analysis.target.observation import Argument, Frame, Observation, Outcome, Raised
from analysis.values import Value
from citadel.traced import constructor_of, leaf, makers, resolve
from citadel.verify.culprit import culprit
from citadel.verify.identify import failing_call, mentioned_calls
from harvest.report.model import Mention

BAD = ("RuntimeError", "bad")


def raised(*calls, message="bad", kind="RuntimeError"):
    return Observation(
        outcome=Outcome.EXCEPTION, exception=Raised(types=(kind,), message=message), calls=calls
    )


def died(*calls, outcome=Outcome.SIGNAL):
    return Observation(outcome=outcome, code=signal.SIGSEGV, calls=calls)


def mention(name, title=0, body=1):
    return Mention(name=name, title=title, body=body)


@pytest.fixture
def known(api, catalog):
    functions = ("exp", "sqrt", "matmul", "sum", "rand", "relu", "logsumexp")
    methods = ("backward", "sum", "add_", "exp_", "item", "matmul", "__and__")
    return catalog(
        *(api(f"torch.{name}", "input: Tensor") for name in functions),
        *(api(f"torch.Tensor.{name}", "self: Tensor", kind=ApiKind.METHOD) for name in methods),
        api("torch.nn.Linear", "in_features: int", kind=ApiKind.MODULE, call="input: Tensor"),
        api("torch.Tensor", kind=ApiKind.CLASS),
    )


def blamed(observation, known, *mentions):
    found = culprit(observation, known, mentions)
    return None if found is None else found[1].name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.Tensor.add_", "add"),
        ("torch.Tensor.__and__", "and"),
        ("torch.nn.Conv2d", "conv2d"),
        ("abs", "abs"),
    ],
)
def test_leaf(name, expected):
    assert leaf(name) == expected


def test_the_innermost_call_that_raised_what_ended_the_run(call):
    outer = call("torch.outer", number=1, depth=0, raised=BAD)
    inner = call("torch.inner", number=2, depth=1, raised=BAD)
    caught = call("torch.caught", number=3, depth=2, raised=("RuntimeError", "other"))
    assert failing_call(raised(outer, inner, caught)) is inner


def test_of_calls_of_one_depth_the_last_one(call):
    first, second = (call("torch.f", number=n, raised=BAD) for n in (1, 2))
    assert failing_call(raised(first, second)) is second


def test_what_the_case_itself_raises_is_no_calls_failure(call):
    assert failing_call(raised(call("torch.f", raised=("RuntimeError", "caught")))) is None
    assert failing_call(raised(call("torch.f", result={(2,)}))) is None


@pytest.mark.parametrize("outcome", [Outcome.SIGNAL, Outcome.TIMEOUT])
def test_after_a_crash_the_innermost_call_that_never_ended(call, outcome):
    ended = call("torch.a", number=1, depth=5, result={(2,)})
    outer = call("torch.b", number=2, depth=0)
    inner = call("torch.c", number=3, depth=1)
    assert failing_call(died(ended, outer, inner, outcome=outcome)) is inner


def test_a_crash_between_the_calls_has_no_failing_call(call):
    assert failing_call(died(call("torch.a", result={(2,)}))) is None


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.EXIT])
def test_a_run_that_ended_has_no_failing_call(call, outcome):
    assert failing_call(Observation(outcome=outcome, calls=(call("torch.a", raised=BAD),))) is None


def test_the_api_that_raised_is_to_blame_whatever_the_report_names(call, known, numbered):
    calls = (
        call("torch.exp", {(2,)}, number=1, result=numbered(1)),
        call("torch.matmul", numbered(1), number=2, raised=BAD),
    )
    assert blamed(raised(*calls), known, mention("torch.exp", title=1)) == "torch.matmul"


def test_a_crash_when_the_result_is_printed_is_its_makers(call, known, numbered):
    calls = (
        call("torch.rand", 3, number=1, result=numbered(1)),
        call("torch.exp", numbered(1), number=2, result=numbered(2)),
        call("builtins.print", numbered(2), form="other", number=3),
    )
    assert blamed(died(*calls), known) == "torch.exp"


def test_of_several_makers_the_one_that_the_report_names(call, known, numbered):
    calls = (
        call("torch.exp", numbered(0), number=1, result=numbered(1)),
        call("torch.relu", numbered(1), number=2, result=numbered(2)),
        call("builtins.print", numbered(2), form="other", number=3),
    )
    assert blamed(died(*calls), known) == "torch.relu"
    assert blamed(died(*calls), known, mention("torch.exp")) == "torch.exp"
    assert blamed(died(*calls), known, mention("exp", body=0)) == "torch.relu"


def test_backward_blames_the_operation_that_the_report_names(call, known, numbered):
    calls = (
        call("torch.logsumexp", numbered(0), number=1, result=numbered(1)),
        call("torch.Tensor.sum", form="method", receiver=numbered(1), number=2, result=numbered(2)),
        call("torch.Tensor.backward", form="method", receiver=numbered(2), number=3, raised=BAD),
    )
    assert blamed(raised(*calls), known, mention("torch.logsumexp")) == "torch.logsumexp"


def test_backward_looks_behind_the_reduction(call, known, numbered):
    calls = (
        call("torch.sqrt", numbered(0), number=1, result=numbered(1)),
        call("torch.Tensor.sum", form="method", receiver=numbered(1), number=2, result=numbered(2)),
        call("torch.Tensor.backward", form="method", receiver=numbered(2), number=3, raised=BAD),
    )
    assert blamed(raised(*calls), known) == "torch.sqrt"


def test_backward_blames_the_node_that_the_message_names(call, known, numbered):
    message = "Function ExpBackward0 returned nan values in its 0th output."
    calls = (
        call("torch.exp", numbered(0), number=1, result=numbered(1)),
        call("torch.relu", numbered(1), number=2, result=numbered(2)),
        call(
            "torch.Tensor.backward",
            form="method",
            receiver=numbered(2),
            number=3,
            raised=("RuntimeError", message),
        ),
    )
    assert blamed(raised(*calls, message=message), known) == "torch.exp"


@pytest.mark.parametrize("name", ["copy.deepcopy", "json.dumps"])
def test_a_copy_that_fails_is_its_makers(call, known, numbered, name):
    calls = (
        call("torch.rand", 2, number=1, result=numbered(1)),
        call("torch.exp", numbered(1), number=2, result=numbered(2)),
        call(name, numbered(2), form="other", number=3, raised=BAD),
    )
    assert blamed(raised(*calls), known) == "torch.exp"


def test_backward_alone_is_to_blame_itself(call, known, numbered):
    backward = call("torch.Tensor.backward", form="method", receiver=numbered(1), raised=BAD)
    assert blamed(raised(backward), known) == "torch.Tensor.backward"


def test_nothing_public_nobody_to_blame(call, known):
    assert blamed(raised(call("torch.unheard_of", raised=BAD)), known) is None
    assert blamed(raised(call("mine.f", form="other", raised=BAD)), known) is None
    assert blamed(raised(), known) is None


def test_in_place_calls_make_what_they_were_given(call, numbered):
    made = call("torch.rand", 3, number=1, result=numbered(1))
    changed = call(
        "torch.Tensor.add_", 1, form="method", receiver=numbered(1), number=2, result=numbered(1)
    )
    user = call("torch.Tensor.item", form="method", receiver=numbered(1), number=3)
    later = call(
        "torch.Tensor.exp_", form="method", receiver=numbered(1), number=4, result=numbered(1)
    )
    assert list(makers(user, (made, changed, user, later))) == [changed, made]


def test_makers_come_nearest_first_and_once(call, numbered):
    root = call("torch.rand", 3, number=1, result=numbered(1))
    left = call("torch.exp", numbered(1), number=2, result=numbered(2))
    right = call("torch.sqrt", numbered(1), number=3, result=numbered(3))
    both = call("torch.matmul", numbered(2), numbered(3), number=4)
    assert list(makers(both, (root, left, right, both))) == [left, right, root]


def test_makers_of_what_stands_in_a_list(call, numbered):
    made = call("torch.rand", 3, number=1, result=numbered(1))
    items = Argument(value=Value(kind="list", items=(numbered(1).value,)), inner=(1,))
    user = call("torch.stack", items, number=2)
    assert list(makers(user, (made, user))) == [made]


def test_a_layers_construction(call, numbered):
    first = call("torch.nn.Linear", 3, form="class", number=1, result=numbered(1))
    second = call("torch.nn.Linear", 4, form="class", number=2, result=numbered(2))
    used = call("torch.nn.Linear", {(2, 3)}, form="module", receiver=numbered(1), number=3)
    assert constructor_of(used, (first, second, used)) is first
    assert constructor_of(first, (first,)) is None
    stranger = call("torch.nn.Linear", form="module", receiver=numbered(9), number=4)
    assert constructor_of(stranger, (first, second)) is None


def test_names_resolve_by_form(call, known):
    assert resolve(call("torch.exp", form="other"), known) is None
    assert resolve(call("torch.exp"), known).name == "torch.exp"
    assert resolve(call("torch.nn.Linear", form="module"), known).name == "torch.nn.Linear"
    operator = call("torch.Tensor.__matmul__", form="operator", receiver={(2,)})
    assert resolve(operator, known).name == "torch.Tensor.matmul"
    other = call("torch.Tensor.__and__", form="operator", receiver={(2,)})
    assert resolve(other, known).name == "torch.Tensor.__and__"


def mentioned_call(*args):
    return next(mentioned_calls(*args), None)


def test_without_a_failure_the_last_call_of_what_is_named_most(call, known):
    calls = (
        call("torch.exp", {(2,)}, number=1, result={(2,)}),
        call("torch.exp", {(3,)}, number=2, result={(3,)}),
        call("torch.relu", {(2,)}, number=3, result={(2,)}),
    )
    run = Observation(outcome=Outcome.OK, calls=calls)
    names = (mention("torch.relu", body=3), mention("torch.exp", body=1))
    assert mentioned_call(run, known, names)[0] is calls[2]
    titled = (mention("torch.relu", body=3), mention("torch.exp", title=1, body=0))
    assert mentioned_call(run, known, titled)[0] is calls[1]
    assert mentioned_call(run, known, (mention("torch.sum"),)) is None
    assert mentioned_call(run, known, ()) is None


def test_a_report_may_name_an_api_by_another_of_its_names(call, api, catalog):
    aliased = replace(api("torch.inv", "input: Tensor"), aliases=("torch.linalg.inverse",))
    known = catalog(aliased, api("torch.exp", "input: Tensor"))
    made = call("torch.inv", {(2, 2)}, number=1, result={(2, 2)})
    run = Observation(outcome=Outcome.OK, calls=(made,))
    assert mentioned_call(run, known, (mention("Inverse", title=1),))[0] is made
    assert mentioned_call(run, known, (mention("Reverse", title=1),)) is None
    failed = call("torch.inv", {(2, 2)}, number=1, raised=BAD)
    handed = call("torch.exp", {(2, 2)}, form="handed", number=2, depth=1, result={(2, 2)})
    run = raised(failed, handed)
    assert culprit(run, known, ())[0] is handed
    assert culprit(run, known, (mention("Inverse", title=1),))[0] is failed


def test_a_layer_is_mentioned_by_the_name_of_its_function(call, api, catalog):
    layer = api("torch.nn.KLDivLoss", kind=ApiKind.MODULE, call="input: Tensor")
    known = catalog(layer, api("torch.mean", "input: Tensor"))
    lost = call("torch.nn.KLDivLoss", {(2,)}, form="module", number=1, result={()})
    other = call("torch.mean", {(2,)}, number=2, result={()})
    run = Observation(outcome=Outcome.OK, calls=(lost, other))
    assert mentioned_call(run, known, (mention("kl_div"), mention("torch.mean")))[0] is lost
    assert mentioned_call(run, known, (mention("mean"), mention("kl_div")))[0] is other


def test_an_exception_that_is_handed_on_in_other_words(known, call):
    inner = call("torch.exp", {(2,)}, number=1, raised=("RuntimeError", "not implemented"))
    run = raised(inner, message="exp failed: not implemented")
    assert failing_call(run) is inner
    assert blamed(run, known) == "torch.exp"


def test_what_was_compiled_fails_for_what_is_inside(known, call):
    whole = call(
        "case.f", {(2,)}, form="other", number=1, raised=("RuntimeError", "bad: not for complex")
    )
    inner = call("torch.exp", {(2,)}, number=2, depth=1, raised=("RuntimeError", "not for complex"))
    run = raised(whole, inner, message="bad: not for complex")
    assert failing_call(run) is inner


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [((), "torch.exp"), ((mention("torch.sum"),), "torch.sum")],
)
def test_a_function_that_was_handed_over_is_to_blame(known, call, mentions, expected):
    """`sum` stands for any function that calls what it is given."""
    outer = call("torch.sum", number=1, site=3, raised=BAD)
    inner = call("torch.exp", {(2,)}, form="handed", number=2, site=3, depth=1, result={(2,)})
    assert blamed(raised(outer, inner), known, *mentions) == expected


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [
        ((), "torch.autograd.gradcheck"),
        ((mention("torch.exp"),), "torch.exp"),
        ((mention("torch.autograd.gradcheck", title=1), mention("torch.exp")), "torch.exp"),
    ],
)
def test_a_check_that_raises_accuses_what_its_function_calls(known, call, api, mentions, expected):
    check = api("torch.autograd.gradcheck", "func, inputs: Tensor")
    known.apis[check.name] = check
    outer = call(check.name, number=1, raised=BAD)
    inner = call("torch.exp", {(2,)}, number=2, depth=1, result={(2,)})
    last = call("torch.sum", {(2,)}, number=3, depth=1, result={()})
    assert blamed(raised(outer, inner, last), known, *mentions) == expected


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [
        ((), "torch.allclose"),
        ((mention("torch.exp"),), "torch.allclose"),
        ((mention("torch.exp", title=1), mention("torch.allclose")), "torch.exp"),
        ((mention("torch.exp", title=1), mention("torch.allclose", title=1)), "torch.allclose"),
    ],
)
def test_a_comparison_chokes_on_what_the_title_names(
    known, call, api, numbered, mentions, expected
):
    check = api("torch.allclose", "input: Tensor, other: Tensor")
    known.apis[check.name] = check
    made = call("torch.exp", {(2,)}, number=1, result=numbered(7))
    compared = call("torch.allclose", numbered(7), {(3,)}, number=2, site=1, raised=BAD)
    assert blamed(raised(made, compared), known, *mentions) == expected


def test_a_call_that_runs_a_function_is_to_blame_itself_where_the_title_names_it(known, call):
    outer = call("torch.sum", number=1, raised=BAD)
    inner = call("torch.exp", {(2,)}, number=2, depth=1, result={(2,)})
    run = raised(outer, inner)
    assert blamed(run, known, mention("torch.sum", title=1), mention("torch.exp")) == "torch.sum"


def test_nothing_is_blamed_on_what_returned_it_where_the_report_is_about_that(known, call):
    checks = call("torch.sum", {(2,)}, number=1, result=None)
    user = call("torch.exp", [None], number=2, raised=("TypeError", "cannot convert None"))
    run = raised(checks, user, message="cannot convert None")
    assert blamed(run, known, mention("torch.sum", title=1), mention("torch.exp")) == "torch.sum"
    assert blamed(run, known, mention("torch.exp", title=1), mention("torch.sum")) == "torch.exp"
    assert blamed(run, known) == "torch.exp"


def test_what_a_function_of_the_case_catches_is_not_why_it_fails(known, call):
    outer = call("case.check", {(2,)}, form="other", number=1, raised=("AssertionError", "bad"))
    caught = call("torch.exp", {(2,)}, number=2, depth=1, raised=("RuntimeError", "no exp"))
    assert failing_call(raised(outer, caught, message="bad", kind="AssertionError")) is outer
    told = replace(caught, explained=True)
    assert failing_call(raised(outer, told, message="bad", kind="AssertionError")) is told


def test_a_none_that_nobody_complains_about_accuses_nobody(known, call):
    setting = call("torch.sum", number=1, result=None)
    user = call("torch.exp", None, number=2, raised=("RuntimeError", "no deterministic exp"))
    run = raised(setting, user, message="no deterministic exp")
    assert blamed(run, known, mention("torch.sum", title=1)) == "torch.exp"


@pytest.mark.parametrize("defined", ["torch.nn.Linear", "torch.nn.modules.linear._Linear"])
def test_a_method_that_fails_is_the_fault_of_the_class_that_made_its_object(known, call, defined):
    made = Value(kind="other", text=defined)
    layer = call("torch.nn.Linear", form="class", number=1, result=made)
    step = call("torch.nn.Linear.step", number=2, raised=("ZeroDivisionError", "by zero"))
    run = raised(layer, step, message="by zero", kind="ZeroDivisionError")
    assert blamed(run, known) == "torch.nn.Linear"
    stranger = replace(step, name="torch.other.Thing.step")
    assert blamed(raised(layer, stranger, message="by zero"), known) is None


def test_what_fails_between_calls_is_what_one_of_them_made(known, catalog, api, call, numbered):
    data = catalog(*known.apis.values(), api("torch.exp_each", "source: Tensor"))
    loader = numbered(2, value=Value(kind="other", text="Batches"))
    calls = (
        call("torch.rand", number=1, result=numbered(1)),
        call("torch.exp_each", numbered(1), number=2, result=loader),
        call("torch.sqrt", numbered(1), number=3, result=numbered(3)),
    )
    assert blamed(died(*calls), data) == "torch.exp_each"
    assert blamed(died(*calls), data, mention("sqrt")) == "torch.sqrt"
    assert blamed(died(*calls[::2]), data) is None
    assert blamed(died(*calls, outcome=Outcome.OK), data) is None


@pytest.mark.parametrize(("file", "name"), [("data.py", "torch.exp"), ("case.py", None)])
def test_exceptions_of_the_text_itself_are_of_no_call(known, call, numbered, file, name):
    made = call("torch.exp", result=numbered(2, value=Value(kind="other", text="Batches")))
    problem = Raised(
        types=("RuntimeError",),
        message="bad",
        frames=(
            Frame(file="case.py", line=1, function="f"),
            Frame(file=file, line=2, function="g"),
        ),
    )
    run = Observation(outcome=Outcome.EXCEPTION, exception=problem, calls=(made,))
    assert blamed(run, known) == name
