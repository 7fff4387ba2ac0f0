"""Calls that should be refused: who else accepts the same argument, verified by real runs."""

from collections.abc import Callable

import pytest

from analysis.target.session import Limits
from citadel.model import Road, SymptomKind
from citadel.options import Options
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Adaptation
from citadel.propagate.walk import Walk
from citadel.triage import triage
from citadel.verify.disputed import Disputed, carried, disputed
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

ALPHA = "import torch\nprint(torch.nn.functional.{}(-torch.ones(3), {}))\n"
SENTENCE = "It should raise an error."


def told(read, api, call, title, *, text=SENTENCE, **given):
    """The names of the arguments that a report about one call wants refused."""
    made = call("torch.f", {(3,)}, **given)
    f = api("torch.f", "input: Tensor, lower: float, upper: float, p: float, mode: str")
    found = disputed(made, f, (made,), read(title, "import torch", text=text))
    return [one.name for one in found]


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("f accepts lower > 1", SENTENCE, ["lower"]),
        ("f accepts lower > upper", SENTENCE, ["lower", "upper"]),
        ("f accepts a negative `p`", SENTENCE, ["p"]),
        ("f accepts p=-2.0", SENTENCE, ["p"]),
        ("a problem of f", SENTENCE, []),  # "a p" is no name: three could be meant
        ("f accepts -2.0", SENTENCE, ["p"]),
        ("f accepts nonsense", f"{SENTENCE}\n\nThe `mode` is unknown.", ["mode"]),
        ("f accepts nonsense", f"{SENTENCE}\n\nI call it in mode x with an upper end.", []),
        ("f accepts a p of \u22122", SENTENCE, ["p"]),
        ("f accepts -2. It should not", SENTENCE, ["p"]),
        ("f accepts 3", SENTENCE, ["lower"]),
        ("f accepts 1,000,000 items", SENTENCE, []),
        ("f accepts an integer tensor with lower=3.0", SENTENCE, []),
        ("f accepts tensors and a negative p=-2.0", SENTENCE, ["p"]),
        ("f accepts lower > upper", "It returns a tensor. It should raise.", ["lower", "upper"]),
        ("f accepts " + "7" * 30_000 + "x", SENTENCE, []),
        ("f accepts a negative number", SENTENCE, ["p"]),
        ("f accepts a number below the lowest", SENTENCE, []),
        ("f accepts an empty input", SENTENCE, []),  # a tensor may be right for others
    ],
)
def test_words_tell_what_should_be_refused(read, api, call, title, text, names):
    given = {"lower": 3.0, "upper": 1.0, "p": -2.0, "mode": "x"}
    assert told(read, api, call, title, text=text, **given) == names


def test_the_only_argument_need_not_be_named(read, api, call):
    """Beside a tensor it is that which may be wrong."""
    assert told(read, api, call, "f accepts nonsense", p=-2.0) == []
    made = call("torch.f", p=-2.0)
    reading = read("f accepts nonsense", "import torch", text=SENTENCE)
    found = disputed(made, api("torch.f", "p: float"), (made,), reading)
    assert [one.name for one in found] == ["p"]
    # Of a tensor by name, the argument beside it tells nothing.
    assert told(read, api, call, "f(input=) accepts nonsense", p=-2.0) == []


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("f accepts 0 and negative values", ["p"]),
        ("f accepts a negative `value`", ["value"]),
        ("f accepts value=-2.0", ["value"]),
    ],
)
def test_a_word_for_any_argument_names_none(read, api, call, title, names):
    made = call("torch.f", p=0, value=1.0)
    f = api("torch.f", "p: int, value: float")
    found = disputed(made, f, (made,), read(title, "import torch", text=SENTENCE))
    assert [one.name for one in found] == names


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("input: Tensor, beta1: float", True),
        ("input: Tensor, beta_1: float, beta_2: float = 0.5", True),
        ("input: Tensor, beta_1s: Tensor", True),
        ("input: Tensor, beta_2: float", False),
        ("input: Tensor, *, gamma: float = 1.0", False),
        ("input: Tensor", False),
    ],
)
def test_the_value_goes_to_a_parameter_of_the_same_name(api, call, target, kept):
    source = api("torch.f", "input: Tensor, beta_1: float")
    made = call("torch.f", {(3,)}, beta_1=2.0)
    (plan, *_) = plans(invocation(made, source, (made,)), api("torch.g", target))
    assert isinstance(plan, Adaptation)
    assert carried(plan, (Disputed(key="kw:beta_1", name="beta_1"),)) is kept
    assert not carried(plan, ())


Found = Callable[..., set[str]]


@pytest.fixture
def siblings(bench, read) -> Found:
    def find(title: str, code: str, text: str = SENTENCE) -> set[str]:
        options = Options(
            road=Road.CALL, walk=Walk(seconds=25.0, siblings=16), runs=2, limits=Limits(wall=20.0)
        )
        found = triage(read(title, code, text=text), bench, options)
        assert found.case is not None, found.skipped
        assert found.case.reproduces
        return {one.api for one in found.findings if one.verdict.kind == "bug"}

    return find


@pytest.mark.slow
@pytest.mark.torch
def test_another_result_of_the_same_argument_is_the_same_bug(siblings):
    """`elu` and `celu` take `alpha`, and neither checks it; `selu` and others have none."""
    found = siblings("elu accepts alpha=-1.0", ALPHA.format("elu", "alpha=-1.0"))
    assert "torch.celu" in found or "torch.nn.functional.celu" in found
    assert not {name for name in found if name.endswith(("selu", "relu", "gelu"))}


TESTED = """
import unittest
import torch
import torch.nn.functional as F

class TestAlpha(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises((ValueError, RuntimeError)):
            F.elu(-torch.ones(3), alpha=-1.0)

if __name__ == "__main__":
    unittest.main()
"""
TRIED = """
import torch
import torch.nn.functional as F
x = -torch.ones(3)
try:
    y = F.elu(x, alpha=-1.0)
except ValueError as e:
    print("ok", e)
else:
    raise AssertionError("accepted")
"""


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("code", [TESTED, TRIED])
def test_code_that_wants_a_line_to_raise_is_about_what_the_line_is_given(siblings, code):
    """Whatever else raises nothing, as calls without `alpha` do, fails the test in the same way."""
    found = siblings("F.elu takes a negative alpha", code, text="It silently gives wrong numbers.")
    assert "torch.celu" in found or "torch.nn.functional.celu" in found
    assert not {name for name in found if name.endswith(("selu", "relu", "gelu"))}


@pytest.mark.slow
@pytest.mark.torch
def test_what_others_raise_is_not_what_the_report_records(bench, read):
    """An exception in words is NumPy's, where the report wants one and its own run raises none."""
    reading = read(
        "torch.nn.functional.elu silently accepts a negative alpha",
        ALPHA.format("elu", "alpha=-1.0"),
        text="NumPy raises ValueError, elu silently returns wrong numbers.",
    )
    found = verify(
        reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=2, limits=Limits()
    )
    assert isinstance(found, Verified)
    assert found.case.reproduces
    assert found.witness is not None
    assert [one.name for one in found.witness.disputed] == ["alpha"]


@pytest.mark.slow
@pytest.mark.torch
def test_what_is_refused_by_now_is_fixed_though_another_call_raises_as_much(bench, read):
    """The title says what is accepted: the error beside the second call is how it should be."""
    code = """
        import torch
        torch.nn.functional.one_hot(torch.tensor([2]), num_classes=-2)
        torch.zeros(-2)  # RuntimeError: dimensions have to be positive
    """
    reading = read(
        "torch.nn.functional.one_hot silently accepts a negative num_classes",
        code,
        text="`one_hot` should raise a RuntimeError, as `zeros` does.",
    )
    found = verify(
        reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=2, limits=Limits()
    )
    assert isinstance(found, Verified)
    assert found.case.api == "torch.nn.functional.one_hot"
    assert not found.case.reproduces


@pytest.mark.slow
@pytest.mark.torch
def test_what_a_report_says_to_fail_elsewhere_need_not_be_recorded(bench, read):
    code = """
        import torch
        x, i, y = torch.ones(3, 2), torch.ones((4, 0), dtype=torch.complex64), torch.ones(3, 1)
        torch.scatter_add(x, -1, i, y)
    """
    title = "`torch.scatter_add` will succeed when the index is a complex tensor"
    reading = read(title, code, text="Its gradient will fail.")
    found = verify(
        reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=1, limits=Limits()
    )
    assert isinstance(found, Verified), found
    assert found.case.reproduces
    assert found.case.symptom.kind is SymptomKind.ACCEPTS


@pytest.mark.slow
@pytest.mark.torch
def test_a_call_of_other_arguments_does_not_accept_what_is_refused(bench, read):
    """`topk(x, 2)` is no case of "accepts a negative k", which this build refuses."""
    code = "import torch\nx = torch.rand(5)\nprint(torch.topk(x, 2))\nprint(torch.topk(x, -1))\n"
    reading = read("torch.topk silently accepts negative k", code, text=SENTENCE)
    found = verify(
        reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=1, limits=Limits()
    )
    assert isinstance(found, Verified)
    assert not found.case.reproduces
    assert found.call.site == max(
        call.site for call in found.observation.calls if "topk" in call.name
    )
