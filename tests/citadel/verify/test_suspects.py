"""Which APIs a title speaks of."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.target.observation import Argument, Observation, Outcome
from analysis.values import Value
from citadel.verify.performance import said_fast, said_slow
from citadel.verify.suspects import compiled_first, meant, named, spoken, suspects
from harvest.report.model import Mention


@pytest.mark.parametrize(
    ("name", "title", "found"),
    [
        ("torch.distributions.Beta", "Beta distribution yields wrong results", True),
        ("torch.distributions.Beta", "betas are wrong", False),
        ("torch.tensor", "A tensor is nan", False),  # many titles say so, of anything
        ("torch.Tensor.view", "A view is nan", False),
        ("torch.std", "std is nan", False),  # too short to be sure
        ("torch.where", "where gives a nan gradient", True),
        ("torch.where", "the gradient of where is nan", True),
        ("torch.where", "wrong results in cases where x is 0", False),
        ("torch.mean", "a name does not mean that it is there", False),
        ("torch.nn.MaxPool2d", "Maxpool2d layers are slow", False),
    ],
)
def test_a_title_speaks_of_an_api_by_a_word(api, name, title, found):
    assert spoken(api(name, "input: Tensor"), title) is found


@pytest.mark.parametrize(
    ("name", "mention", "found"),
    [
        ("torch.nn.SoftMarginLoss", "soft_margin_loss", True),
        ("torch.nn.CrossEntropyLoss", "F.cross_entropy", True),
        ("torch.nn.functional.max_pool2d", "MaxPool2d", True),
        ("torch.nn.functional.max_pool2d", "MaxPool3d", False),
        ("torch.nn.SoftMarginLoss", "multilabel_soft_margin_loss", False),
        ("torch.nn.SoftMarginLoss", "loss", False),
        ("tf.data.Dataset.window", "WindowDataset", True),  # the operator of that method
        ("tf.data.Dataset.window", "WindowHash", False),
    ],
)
def test_a_layer_is_named_by_its_function_and_the_other_way_round(api, name, mention, found):
    module = api(name, kind=ApiKind.MODULE)
    assert named(module, [Mention(name=mention, title=1, body=0)]) is found


def names(calls, known, reading):
    run = Observation(outcome=Outcome.OK, calls=calls)
    return [api.name for _, api in suspects(run, known, reading)]


def test_all_that_a_title_names_come_before_what_is_called_later(api, catalog, call, read):
    known = catalog(
        *(api(f"torch.{name}", "input: Tensor") for name in ("func.vmap", "stack", "stft"))
    )
    calls = (
        call("torch.func.vmap", number=1),
        call("torch.stft", {(2,)}, number=2, site=1),
        call("torch.stack", {(2,)}, number=3, site=2),
    )
    report = read("vmap over torch.stft disagrees with a loop", "vmap(f)(x)")
    assert names(calls, known, report) == ["torch.func.vmap", "torch.stft", "torch.stack"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("torch.isclose is wrong for inf", ["torch.exp", "torch.isclose", "torch.tensor"]),
        ("torch.exp is wrong for inf", ["torch.exp", "torch.tensor"]),
    ],
)
def test_a_check_is_suspected_where_the_title_names_it_behind_what_computes(
    api, catalog, call, read, title, expected
):
    called = ("torch.tensor", "torch.exp", "torch.isclose")
    known = catalog(*(api(name, "input: Tensor") for name in called))
    calls = (
        call("torch.tensor", number=1),
        call("torch.exp", {(2,)}, number=2, site=1),
        call("torch.isclose", {(2,)}, number=3, site=2),
    )
    assert names(calls, known, read(title, "print(torch.isclose(y, x))")) == expected


def test_the_method_of_an_object_stands_for_its_class_and_output_for_nothing(
    api, catalog, call, read
):
    known = catalog(
        api("torch.tensor", "data: Any"),
        api("torch.Tensor.ge", "self: Tensor", kind=ApiKind.METHOD),
        api("torch.HalfNormal", "scale: Tensor", kind=ApiKind.CLASS),
    )
    calls = (
        call("torch.tensor", 1.0, number=1),
        call(
            "torch.HalfNormal",
            {()},
            form="class",
            number=2,
            site=1,
            result=Argument(value=Value(kind="other", text="torch.HalfNormal")),
        ),
        call("torch.HalfNormal.cdf", {()}, number=3, site=2, result={()}),
        call("torch.Tensor.ge", {()}, number=4, site=3, result={()}),
    )
    report = read("HalfNormal.cdf is negative", "d.cdf(x)", text="It prints `tensor(-0.68)`.")
    assert names(calls, known, report)[0] == "torch.HalfNormal"
    assert names(calls, known, report)[-1] == "torch.tensor"


def test_where_nothing_fails_a_call_is_meant_though_the_title_names_another(
    api, catalog, call, read
):
    known = catalog(
        api("torch.tensor", "data: Any"), api("torch.fmod", "input: Tensor, other: Tensor")
    )
    report = read("torch.remainder dies", "fmod(a, b)", text="It printed `tensor(1)` before.")
    makes, computes = (
        call("torch.tensor", 1.0, number=1),
        call("torch.fmod", {()}, number=2, site=1),
    )
    run = Observation(outcome=Outcome.OK, calls=(makes, computes))
    assert meant(run, known, report)[1].name == "torch.fmod"
    assert meant(Observation(outcome=Outcome.OK, calls=(makes,)), known, report) is None


def test_a_report_that_gradcheck_fails_for_an_api_is_about_the_api(api, catalog, call, read):
    check = "torch.autograd.gradcheck"
    known = catalog(api(check, "func, inputs"), api("torch.angle", "input: Tensor"))
    calls = (call("torch.angle", {(2,)}, number=2), call(check, number=1))
    report = read("`gradcheck` fails for torch.angle", "gradcheck(f, x)", text="See `gradcheck`.")
    run = Observation(outcome=Outcome.OK, calls=calls)
    assert meant(run, known, report)[1].name == "torch.angle"
    alone = Observation(outcome=Outcome.OK, calls=calls[1:])
    assert meant(alone, known, report)[1].name == check


def test_a_compiler_comes_behind_what_it_compiles(api, catalog, call, read):
    made = Argument(value=Value(kind="function"))
    calls = (
        call("torch.pow", {(2,)}, 2, result={(2,)}, number=1),
        call("torch.compile", made, result=made, number=2, site=1),
    )
    known = catalog(api("torch.pow", "input: Tensor"), api("torch.compile", "model"))
    report = read("torch.compile: wrong result", "torch.pow(x, 2)")
    assert names(calls, known, report) == ["torch.pow", "torch.compile"]


def test_the_trace_of_a_matrix_is_no_compiler(api, catalog, call, read):
    calls = (
        call("torch.matmul", {(2, 2)}, result={(2, 2)}, number=1),
        call("torch.trace", {(2, 2)}, result={()}, number=2, site=1),
    )
    known = catalog(api("torch.matmul", "input: Tensor"), api("torch.trace", "input: Tensor"))
    report = read("torch.trace gives a wrong result", "torch.trace(torch.matmul(a, a))")
    assert names(calls, known, report)[0] == "torch.trace"


@pytest.mark.parametrize(("form", "suspected"), [("function", True), ("method", False)])
def test_differences_of_numbers_are_no_gradient_of_what_was_computed(
    api, call, catalog, read, form, suspected
):
    known = catalog(api("a.gradient", "input: Tensor"))
    calls = (call("a.gradient", form=form, result=Value(kind="tensor")),)
    assert bool(names(calls, known, read("it is wrong", "a.gradient(x)"))) is suspected


NOTHING = Value(kind="none", text="None")


@pytest.mark.parametrize(
    ("others", "title", "first"),
    [
        ([], ["torch.compile"], "torch.f"),  # nothing else computes there
        (["torch.Tensor.to"], ["torch.compile"], "torch.f"),
        (["torch.Tensor.mul"], ["torch.compile"], "torch.compile"),
        (["torch.g"], ["torch.compile"], "torch.compile"),
        (["torch.g"], ["torch.compile", "torch.g"], "torch.g"),
        (["torch.g"], ["torch.g"], "torch.g"),
    ],
)
def test_a_compiler_comes_before_what_it_compiles_if_there_is_much(
    api, call, read, others, title, first
):
    names = ["torch.ones", "torch.f", *others, "torch.testing.assert_close", "torch.compile"]
    made = [
        call(
            name,
            result=NOTHING if name.endswith("close") else {(2,)},
            number=n,
            form="method" if "Tensor" in name else "function",
        )
        for n, name in enumerate(names, 1)
    ]
    reading = read(f"{' and '.join(title)}: gradients differ", "pass")
    found = compiled_first([(one, api(one.name)) for one in made], reading)
    assert found[0][1].name == first


def test_checks_are_suspected_where_nothing_else_is_called(api, call, catalog, read):
    known = catalog(*(api(f"tf.{name}", "a, b") for name in ("isclose", "reciprocal")))
    check = call("tf.isclose", {(2,)}, {(2,)}, number=2, result={(2,)})
    other = call("tf.reciprocal", {(2,)}, number=1, result={(2,)})
    reading = read("it is not close to itself", "pass")
    for calls, names in (((check,), ["tf.isclose"]), ((other, check), ["tf.reciprocal"])):
        run = Observation(outcome=Outcome.OK, calls=calls)
        assert [found.name for _, found in suspects(run, known, reading)] == names


@pytest.mark.parametrize(
    ("title", "slow"),
    [
        ("torch.cat in a loop is 20x slower than one torch.stack", ["torch.cat"]),
        ("torch.cat takes ten times longer than stack", ["torch.cat"]),
        ("cat: an order of magnitude behind stack", ["torch.cat"]),
        ("stack is much faster than torch.cat", ["torch.cat"]),
        ("stack leaves torch.cat far behind", ["torch.cat", "torch.stack"]),
        ("torch.cat is slow, torch.stack is not", []),
        ("concatenating is slower than one torch.stack", []),
    ],
)
def test_a_title_says_which_of_two_is_slow(api, call, title, slow):
    told = [(call(name, {(2,)}), api(name)) for name in ("torch.cat", "torch.stack")]
    assert [pair[1].name for pair in said_slow(told, title)] == slow


@pytest.mark.parametrize(
    ("title", "fast"),
    [
        ("concatenating is slower than one torch.stack", True),
        ("A loop takes ten times longer than `stack`", True),
        ("cat: an order of magnitude behind stack", True),
        ("cat needs more GPU memory than torch.stack", True),
        ("torch.cat is not slower than torch.stack", False),
        ("When there are more than 16, stack gets 30 times slower", False),
        ("Slower than expected: torch.stack", False),
        ("10x slower than NumPy: torch.stack", False),
        ("Performance regression compared to 1.12 in torch.stack", False),
        ("More than 10 GB of memory used by torch.stack", False),
        ("torch.stack no faster than a loop", False),
        ("a loop is slower than nn.Stack", False),
    ],
)
def test_a_title_names_what_something_is_slower_than(api, title, fast):
    assert said_fast(api("torch.stack"), title) is fast
