"""Whom the words of an exception or of a report point to, on runs made by hand."""

import pytest

from analysis.catalog.model import ApiKind, Catalog
from analysis.target.observation import Observation, Outcome, Raised
from citadel.verify import said
from citadel.verify.culprit import culprit
from harvest.report.model import Mention

NO_GRADIENT = "gradient registry has no entry for: ResizeArea"
NOT_A_LEAF = "Only Tensors created explicitly by the user support the deepcopy protocol"


def blamed(calls, known, *mentions):
    kind, message = calls[-1].raised.types[0], calls[-1].raised.message
    seen = Observation(
        outcome=Outcome.EXCEPTION, exception=Raised(types=(kind,), message=message), calls=calls
    )
    found = culprit(seen, known, mentions)
    return None if found is None else found[1].name


@pytest.fixture
def known(api, catalog):
    names = ("abs", "reduce_mean", "image.resize", "GradientTape.gradient")
    torch = ("nn.utils.weight_norm", "nn.Linear", "save")
    return catalog(
        *(api(f"tf.{name}", "input: Tensor") for name in names),
        *(api(f"torch.{name}", "input: Tensor") for name in torch),
    )


def test_an_operator_that_has_no_gradient_is_that_of_the_function_it_begins_with(
    call, known, numbered
):
    def going_back(raised):
        name, tape = "tf.GradientTape.gradient", numbered(9)
        return call(name, numbered(3), form="method", receiver=tape, number=4, raised=raised)

    calls = (
        call("tf.image.resize", numbered(0), number=1, result=numbered(1)),
        call("tf.abs", numbered(1), number=2, result=numbered(2)),
        call("tf.reduce_mean", numbered(2), number=3, result=numbered(3)),
        going_back(("LookupError", NO_GRADIENT)),
    )
    assert blamed(calls, known) == "tf.image.resize"
    other = (*calls[:-1], going_back(("LookupError", "no gradient")))
    assert blamed(other, known) == "tf.abs"  # behind the reduction


@pytest.mark.parametrize("keeper", ["copy.deepcopy", "torch.save"])
@pytest.mark.parametrize("title", [0, 1])
def test_what_cannot_be_copied_or_saved_is_what_the_report_names(
    call, known, numbered, keeper, title
):
    form = "function" if keeper.startswith("torch") else "other"
    calls = (
        call("torch.nn.Linear", 2, number=1, result=numbered(1)),
        call("torch.nn.utils.weight_norm", numbered(1), number=2, result=numbered(1)),
        call("torch.nn.Linear", 2, number=3, result=numbered(3)),
        call(keeper, numbered(3), form=form, number=4, raised=("RuntimeError", NOT_A_LEAF)),
    )
    told = Mention(name="weight_norm", title=title, body=1)
    assert blamed(calls, known, told) == "torch.nn.utils.weight_norm"
    itself = Mention(name=keeper, title=1, body=0)
    public = "torch.save" if keeper == "torch.save" else "torch.nn.utils.weight_norm"
    assert blamed(calls, known, told, itself) == public
    other = Mention(name="nn.Linear", title=title, body=1)
    assert blamed(calls, known, told, other) != "torch.nn.utils.weight_norm"


def test_what_cannot_be_copied_any_more_is_what_has_worked_on_it_since(call, known, numbered):
    def round_of(first, *between):
        """A layer is made and put into a model, then worked on, from call number `first` on."""
        yield call("torch.nn.Linear", 2, number=first, result=numbered(first))
        yield call("tf.abs", numbered(first), number=first + 1, result=numbered(first + 100))
        for at, (name, given) in enumerate(between, first + 2):
            yield call(name, numbered(given), number=at, result=numbered(given))

    def copied(number, given, **how):
        model = numbered(given + 100)
        return call("copy.deepcopy", model, form="other", number=number, site=7, **how)

    failed = {"raised": ("RuntimeError", NOT_A_LEAF)}
    norm, saved = ("torch.nn.utils.weight_norm", 10), ("torch.save", 10)
    fine = (*round_of(1), copied(4, 1, result=numbered(5)))
    again = blamed((*fine, *round_of(10, norm), copied(14, 10, **failed)), known)
    assert again == "torch.nn.utils.weight_norm"
    for calls in (
        (*round_of(10, norm), copied(14, 10, **failed)),  # none was copied before
        (*fine, *round_of(10, (norm[0], 99)), copied(14, 10, **failed)),  # on something else
        (*fine, *round_of(10, norm, saved), copied(14, 10, **failed)),  # which of the two?
        (*round_of(1, (norm[0], 1)), copied(4, 1, result=numbered(5)),
         *round_of(10, norm), copied(14, 10, **failed)),
    ):  # fmt: skip
        assert blamed(calls, known) != "torch.nn.utils.weight_norm"


@pytest.mark.parametrize(("title", "found"), [(0, "nn.HuberLoss"), (1, "from_numpy")])
def test_what_makes_tensors_of_numbers_is_blamed_if_the_title_is_about_it(
    api, catalog, call, numbered, title, found
):
    names = ("from_numpy", "Tensor.float", "nn.HuberLoss", "Tensor.backward")
    known = catalog(*(api(f"torch.{name}", "input: Tensor") for name in names))
    double = ("RuntimeError", "Found dtype Double but expected Float")
    calls = (
        call("torch.from_numpy", numbered(0), number=1, result=numbered(1)),
        call("torch.Tensor.float", numbered(1), form="method", number=2, result=numbered(2)),
        call("torch.nn.HuberLoss", numbered(2), numbered(1), number=3, result=numbered(3)),
        call("torch.Tensor.backward", numbered(3), form="method", number=4, raised=double),
    )
    told = Mention(name="torch.from_numpy", title=title, body=1)
    assert blamed(calls, known, told) == f"torch.{found}"


IN_PLACE = "[torch.FloatTensor [3]], which is output 0 of Sigmoid, is at version 1"


@pytest.mark.parametrize(
    ("message", "names", "begins"),
    [
        ("no entry for: ResizeArea", {"resize_area", "resizearea"}, [{"resize"}]),
        ("{{node MatMul}}", {"mat_mul", "matmul"}, [{"mat"}]),
        ("Conv2D and MaxPool3DGrad", {"conv2d", "max_pool3d_grad", "maxpool3dgrad"}, None),
        (IN_PLACE, set(), []),  # a class of tensors is no operator
        ("ExpBackward0 returned nan; TypeError", set(), []),
    ],
)
def test_operators_that_a_message_names(call, message, names, begins):
    raising = call("f", number=1, raised=("RuntimeError", message))
    assert said.operators(raising) == names
    assert begins is None or list(said.begun(raising)) == begins


@pytest.mark.parametrize(
    ("message", "blames"),
    [
        ("the derivative for 'igamma: input' is not implemented.", "torch.special.gammainc"),
        ("derivative for aten::igamma is not implemented", "torch.special.gammainc"),
        ("\"igamma_cpu\" not implemented for 'Long'", "torch.special.gammainc"),
        ("igamma has no derivative", "torch.Tensor.neg"),  # a word of prose, as any other
        ("the derivative for 'zeta: self' is not implemented.", "torch.Tensor.neg"),
        ("Can't call numpy() on Tensor that requires grad", "torch.Tensor.neg"),
        ("the derivative for aten::sum is not implemented", "torch.Tensor.neg"),  # many run it
    ],
)
def test_an_operator_that_a_message_names_is_that_of_who_runs_it(
    api, call, numbered, message, blames
):
    apis = [
        api("torch.special.gammainc", "input: Tensor"),
        api("torch.Tensor.neg", "self: Tensor", kind=ApiKind.METHOD),
    ]
    ran = frozenset({"special_gammainc", "igamma", "t", "sum"})
    runs = {"torch.special.gammainc": ran}
    runs |= {f"torch.f{number}": frozenset({"sum"}) for number in range(said.FEW)}
    known = Catalog(apis={one.name: one for one in apis}, runs=runs)
    calls = (
        call("torch.special.gammainc", numbered(0), number=1, result=numbered(1)),
        call("torch.Tensor.neg", form="method", receiver=numbered(1), number=2, result=numbered(2)),
        call(
            "torch.Tensor.backward",
            form="method",
            receiver=numbered(2),
            number=3,
            raised=("NotImplementedError", message),
        ),
    )
    assert blamed(calls, known) == blames
