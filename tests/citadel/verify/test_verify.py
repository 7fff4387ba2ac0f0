"""From readings to cases: the decisions, and real runs."""

import pytest

from analysis.target.session import Limits
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle import status
from citadel.verify.deciding import says_accepted
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified

CONV = """
    import torch
    import torch.nn.functional as F
    F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)
"""
OTHER = "import torch\ntorch.ones(3).view(7)\n"
CALM = "import torch\nx = torch.exp(torch.ones(3))\nprint(x)\n"


@pytest.mark.parametrize(
    ("title", "says"),
    [
        ("f silently accepts a negative size", True),
        ("f takes ints without an error", True),
        ("f accepts ints instead of raising a TypeError", True),
        ("f: RuntimeError when accepting ints", False),
        ("f raises a TypeError where it accepts ints in eager mode", False),
        ("f fails to accept ints", False),
        ("f no longer accepts ints", False),
        ("f doesn\u2019t accept ints", False),
        ("f should run without an error", False),
    ],
)
def test_a_title_may_say_that_there_is_no_error(title, says):
    assert says_accepted(title) is says


@pytest.fixture
def verified(bench):
    def check(reading, *, runs=2, wall=30.0):
        return verify(
            reading,
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=runs,
            limits=Limits(wall=wall),
        )

    return check


def real(test):
    return pytest.mark.torch(pytest.mark.slow(test))


@real
def test_a_report_that_reproduces(verified, read):
    found = verified(
        read("conv2d", CONV, text="RuntimeError: non-positive groups is not supported")
    )
    assert isinstance(found, Verified)
    case = found.case
    assert (case.api, case.kind, case.reproduces) == (
        "torch.nn.functional.conv2d",
        BugKind.STATUS,
        True,
    )
    assert case.runs == (2, 2)
    assert case.symptom.message == "non-positive groups is not supported"
    assert not found.deferred


@real
def test_a_pasted_crash_that_is_a_clean_error_now_is_fixed_here(verified, read):
    found = verified(
        read("conv2d crashes", CONV, text="```\nSegmentation fault (core dumped)\n```")
    )
    case = found.case
    assert (case.api, case.reproduces) == ("torch.nn.functional.conv2d", False)
    assert case.symptom == status.crashes("SIGSEGV")
    assert case.runs == (0, 2)
    assert case.observed.startswith("RuntimeError: non-positive groups")


@real
def test_a_crash_of_no_told_signal_that_runs_well_now(verified, read):
    found = verified(read("torch.exp crashes the interpreter", CALM))
    assert (found.case.api, found.case.symptom.kind) == ("torch.exp", SymptomKind.CRASHES)
    assert found.case.observed == "runs without an error"


@real
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("It printed\n```\nGradcheckError: Jacobian mismatch for output 0\n```", BugKind.STATUS),
        ("", None),
    ],
)
def test_a_pasted_failure_that_is_gone_is_one_whatever_the_title_says(verified, read, text, kind):
    code = (
        "import torch\nx = torch.ones(2, dtype=torch.double, requires_grad=True)\n"
        "torch.autograd.gradcheck(torch.exp, (x,))\n"
    )
    found = verified(read("torch.exp gives a wrong gradient", code, text=text))
    assert isinstance(found, Verified) is (kind is not None)
    if isinstance(found, Verified):
        assert (found.case.api, found.case.kind) == ("torch.exp", kind)
        assert not found.case.reproduces


@real
def test_a_pasted_failure_is_another_one_where_the_title_speaks_of_a_value_alone(verified, read):
    code = "import torch\nx = torch.log(torch.tensor([-2.0, 1.0]))\nprint(x)\n"
    text = "I expect `[0., 0.]`.\n```\nAttributeError: module 'zlib' has no attribute 'best'\n```"
    found = verified(read("torch.log returns nan below zero", code, text=text))
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.log", BugKind.VALUE)
    assert found.case.reproduces


@real
def test_that_others_raise_does_not_keep_values_from_being_looked_at(verified, read):
    code = "import torch\nx = torch.zeros(1).expand(2)\nx.masked_fill_(torch.tensor([True, False])"
    text = "`put_` and `index_copy_` raise an error. I expect `tensor([1., 0.])`."
    found = verified(read("masked_fill_ fills all", f"{code}, 1.0)\nprint(x)\n", text=text))
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.Tensor.masked_fill_", BugKind.VALUE)
    assert found.case.reproduces


@real
def test_what_an_api_asserts_of_its_arguments_is_an_exception_like_others(verified, read):
    said = "AssertionError: embed_dim must be divisible by num_heads"
    code = "import torch\ntorch.nn.MultiheadAttention(5, 2)\n"
    found = verified(read("MultiheadAttention with 5 dimensions", code, text=said))
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.nn.MultiheadAttention", BugKind.STATUS)
    assert found.case.reproduces


@real
def test_a_recorded_assertion_that_holds_by_now_tells_of_values_that_are_fixed(verified, read):
    first = "import torch\nprint(torch.exp(torch.zeros(2)))"
    second = """
        import torch
        a, b = torch.sin(torch.ones(2)), torch.full((2,), 0.84147)
        assert torch.allclose(a, b, atol=1e-3), "sin is off"
    """
    text = "```\nAssertionError: sin is off\n```"
    found = verified(read("Inconsistent torch.exp and torch.sin", first, second, text=text))
    assert isinstance(found, Verified)
    assert (found.case.api, found.case.reproduces) == ("torch.sin", False)
    assert found.case.kind is BugKind.VALUE


HANDLED = """
    import torch
    try:
        torch.ones(-2**63)
    except RuntimeError as error:
        print(error)
        assert "SymInt" not in str(error)
"""
QUOTED = HANDLED.replace("str(error)", "str(error), error")
CAUGHT = """
    import torch
    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    try:
        fine = torch.autograd.gradgradcheck(lambda x: torch.nn.functional.hardsigmoid(x), (x,))
    except RuntimeError as error:
        print(type(error).__name__, error)
        fine = False
    assert fine
"""


@pytest.mark.torch
@pytest.mark.parametrize(
    ("title", "code", "api", "message"),
    [
        ("torch.ones raises an internal error for -2**63", HANDLED, "torch.ones", "SymInt"),
        ("torch.ones raises an internal error for -2**63", QUOTED, "torch.ones", "SymInt"),
        (
            "Double backward of torch.nn.functional.hardsigmoid is not implemented",
            CAUGHT,
            "torch.nn.functional.hardsigmoid",
            "hardsigmoid_backward",
        ),
    ],
)
def test_a_check_fails_for_what_the_code_has_handled(verified, read, title, code, api, message):
    found = verified(read(title, code, text="RuntimeError: it should be another one"))
    assert isinstance(found, Verified), found
    assert (found.api.name, found.case.kind, found.caught) == (api, BugKind.STATUS, True)
    assert message in found.case.symptom.message


@real
def test_an_assertion_of_the_reports_own_tells_of_values(verified, read):
    found = verified(read("exp of ones", CALM + "assert x.sum() == 0"))
    assert (found.case.api, found.case.symptom.kind) == ("torch.exp", SymptomKind.FALSE)
    assert found.case.kind is BugKind.VALUE


@real
@pytest.mark.parametrize(
    ("title", "code", "text", "reason"),
    [
        ("conv fails", "import torch\ntorch.exp(model.weight)", "", "not self-contained"),
        (
            "cuda crash",
            "import torch\ntorch.rand(3, device='cuda').exp()\n",
            "Segmentation fault",
            "needs cuda",
        ),
        ("package", "import torch\nimport torchvision\ntorchvision.ops.nms()\n", "", "package"),
        ("torch.exp returns wrong values", CALM, "The result is wrong.", "value"),
        ("assertion", CALM + "assert len([x]) == 0", "", "assert"),
        (
            "torch.mean and whole numbers",
            "import torch\nprint(torch.mean(torch.tensor([1, 2])))",
            "It prints 1, I expect 1.5.",
            "the run ends by runtimeerror",
        ),
        (
            "tf.abs",
            "import tensorflow as tf\ntf.abs('x')",
            "",
            "(--python names an interpreter that has it)",
        ),
        (
            "torch.new_thing",
            "import torch\ntorch.new_thing(torch.ones(3))",
            "",
            "not in this build",
        ),
        (
            "torch.exp crashes",
            "import torch\ntorch.exp(torch.rand(-1))",
            "Segmentation fault (core dumped)",
            "torch.rand ends it before torch.exp is called",
        ),
        ("my own error", "import torch\nraise ValueError('mine')", "", "no public api"),
    ],
)
def test_what_yields_no_case(verified, read, title, code, text, reason):
    found = verified(read(title, code, text=text))
    assert isinstance(found, NotVerified)
    assert reason in found.reason.lower()


ASSERTS = """
    import torch
    x = torch.eye(3, device="cuda").to_sparse_csr()
    torch.diagonal_scatter(x, torch.ones(3, device="cuda"))
"""


@real
def test_what_needs_a_device_counts_here_only_if_it_shows_the_same(verified, read):
    said = (
        'self.has_storage() INTERNAL ASSERT FAILED at "TensorShape.cpp":4668, please report a bug'
    )
    text = f"```\nRuntimeError: {said} to PyTorch.\n```"
    found = verified(read("diagonal_scatter fails", ASSERTS, text=text))
    assert (found.case.api, found.case.reproduces) == ("torch.diagonal_scatter", True)
    assert "cuda" not in found.case.code
    other = verified(
        read("diagonal_scatter fails", ASSERTS, text="```\nRuntimeError: CUDA 77\n```")
    )
    assert other == NotVerified(reason="needs cuda (cuda)")


@real
@pytest.mark.parametrize(("title", "shown"), [("is inf", True), ("differs on CPU and GPU", False)])
def test_values_of_two_devices_are_not_compared_on_one(verified, read, title, shown):
    code = """
        import torch
        x = torch.full((2,), 1e30, device="cuda")
        print(torch.prod(x).item())
    """
    found = verified(read(f"torch.prod {title}", code, text="It prints inf."))
    assert isinstance(found, Verified) is shown
    assert shown or found == NotVerified(reason="needs cuda (cuda)")


@real
def test_a_hang(verified, read):
    code = """
        import time
        import torch
        torch.ones(3).apply_(lambda number: time.sleep(60))
    """
    found = verified(read("apply_ hangs", code, text="It hangs forever."), wall=3.0, runs=1)
    assert isinstance(found, Verified)
    assert found.case.symptom == Symptom(kind=SymptomKind.HANGS)
    assert found.case.api == "torch.Tensor.apply_"


@real
def test_of_several_snippets_the_one_that_shows_what_is_recorded(verified, read):
    text = "RuntimeError: non-positive groups is not supported"
    found = verified(read("conv2d", OTHER, CONV, text=text))
    assert found.case.api == "torch.nn.functional.conv2d"
    found = verified(read("conv2d", CALM, CONV, text=text))
    assert found.case.api == "torch.nn.functional.conv2d"


@real
@pytest.mark.parametrize("claimed", [False, True])
def test_the_exception_that_a_report_asks_for_is_no_bug(verified, read, claimed):
    text = "This should actually raise an exception."
    failing = "import torch\ntorch.trace(torch.ones(2, 2, 2))"
    pasted = "\n```\nRuntimeError: trace: expected a matrix, but got tensor with dim 3\n```\n"
    found = verified(read("torch.trace takes 3D", failing, text=text + pasted * claimed))
    assert isinstance(found, Verified)
    assert found.case.reproduces is claimed
    assert (found.case.symptom.kind is SymptomKind.ACCEPTS) is not claimed


@real
@pytest.mark.parametrize(("pasted", "another"), [("-0.25", True), ("ran", False)])
def test_an_exception_where_the_report_pastes_a_result_is_another_one(
    verified, read, pasted, another
):
    code = "import torch\nfloat(torch.full((2,), -0.25))"
    found = verified(read("Negative numbers of torch.full", code, text=f"```\n{pasted}\n```"))
    assert isinstance(found, NotVerified) is another
    assert not another or "describes a wrong value" in found.reason


@real
def test_an_exception_that_the_reports_session_does_not_show_is_another_one(verified, read):
    session = """
        >>> import torch
        >>> x, mask = torch.ones(2), torch.tensor([1, 0], dtype=torch.uint8)
        >>> x.masked_fill_(mask, 0)
        {}
    """
    text = "masked_fill_ gives incorrect results."
    found = verified(read("masked_fill_", session.format("tensor([0., 0.])"), text=text))
    assert isinstance(found, NotVerified)
    assert "describes a wrong value" in found.reason
    shown = "RuntimeError: masked_fill_ only supports boolean masks"
    found = verified(read("masked_fill_", session.format(shown), text=text))
    assert isinstance(found, Verified)
    assert found.case.reproduces


@real
def test_what_has_not_ended_is_not_fixed(verified, read):
    code = """
        import time
        import torch
        torch.ones(3).apply_(lambda number: time.sleep(60))
    """
    crash = "```\nSegmentation fault (core dumped)\n```"
    found = verified(read("apply_ crashes", code, text=crash), wall=3.0, runs=1)
    assert isinstance(found, NotVerified)
    assert "still running" in found.reason


@real
def test_an_error_may_be_a_wrong_value(verified, read):
    code = """
        import torch
        r = torch.special.i0(torch.tensor(713.0).double())
        print(r)
    """
    text = "The result is wrong: it is inf, it should be 6.4e307."
    found = verified(read("torch i0 error", code, text=text))
    assert isinstance(found, Verified)
    assert (found.case.api, found.case.kind) == ("torch.special.i0", BugKind.VALUE)
    calm = verified(read("torch i0 error", code.replace("713", "3"), text=text))
    assert isinstance(calm, NotVerified)


@real
def test_a_snippet_that_is_nested_too_deeply_costs_itself_alone(verified, read):
    deep = "x = " + "+".join("1" for _ in range(290))
    found = verified(read("conv2d", deep, CONV))
    assert isinstance(found, Verified)
    assert found.case.api == "torch.nn.functional.conv2d"
