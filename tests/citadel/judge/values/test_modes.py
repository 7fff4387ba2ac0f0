"""Values that two ways of running come to: when a sibling disagrees with itself, too."""

import pytest

from citadel.model import SymptomKind, VerdictKind

from .conftest import CONTEXT, FAR, NEAR

pytestmark = [pytest.mark.torch, pytest.mark.slow]


STRICT = """
    import torch
    x = torch.tensor([1.4999, 2.4999])
    one, other = torch.round(x), torch.round(x * 1.001)
    print(torch.equal(one, other))
"""


def test_a_strict_check_that_fails_for_rounding_is_not_one_of_values_far_apart(verified, judged):
    found = verified("round disagrees with itself", STRICT)
    assert found.case.reproduces
    sibling = judged(found, STRICT.replace("torch.round", "torch.abs"), "torch.abs")
    assert sibling.kind is VerdictKind.NOT_ADAPTED
    assert "but for rounding" in sibling.reason
    assert judged(found, STRICT, "torch.round").kind is VerdictKind.BUG


TWICE = """
    import torch
    x = torch.tensor([2.5])
    eager = torch.round(x)
    compiled = torch.round(x + 0.1)
    print("eager:", eager.item())
    print("compiled:", compiled.item())
"""


def test_a_value_that_is_shown_in_two_modes_is_compared_with_itself(verified, judged):
    """Whatever the text expects it to be, a sibling may come to another."""
    found = verified("round is wrong if compiled", TWICE, "compiled is 3 instead of 2.")
    assert found.case.reproduces
    assert found.witness.oracle.paired
    sibling = judged(found, TWICE.replace("torch.round", "torch.sin"), "torch.sin")
    assert sibling.kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("channels", "filled", "kind"),
    [
        (FAR, True, VerdictKind.NOT_ADAPTED),
        (FAR, False, VerdictKind.BUG),
        (CONTEXT, True, VerdictKind.BUG),
    ],
)
def test_what_was_filled_in_may_be_what_two_modes_disagree_about(
    verified, judged, channels, filled, kind
):
    code = TWICE.replace("torch.round(x + 0.1)", "torch.round(x) + 1")
    found = verified("round is wrong if compiled", code, "compiled is 3 instead of 2.")
    other = code.replace("torch.round(", "torch.add(torch.ones(1), ")
    assert judged(found, other, "torch.add", channels, filled=filled).kind is kind


@pytest.mark.parametrize(
    ("call", "kind"), [("float", VerdictKind.NOT_ADAPTED), ("abs", VerdictKind.BUG)]
)
def test_what_a_coarser_dtype_rounds_off_is_no_gap(verified, judged, call, kind):
    """Of a layer that works in single precision, differences of nearby results are noise."""
    code = """
        import torch
        x = torch.tensor([2.5], dtype=torch.float64)
        eager = torch.round(x)
        compiled = torch.round(x * 1.2)
        print("eager:", eager.item())
        print("compiled:", compiled.item())
    """
    found = verified("round is wrong if compiled", code, "compiled is 3 instead of 2.")
    assert found.case.reproduces
    other = code.replace("torch.round(x)", f"x.{call}()")
    other = other.replace("torch.round(x * 1.2)", f"(x * 1.01).{call}()")
    assert judged(found, other, f"torch.Tensor.{call}").kind is kind


def test_fractions_that_whole_numbers_do_not_hold_are_no_gap(verified, judged):
    """An average of whole numbers is cut off on purpose, a root of it that hides this is not."""
    code = TWICE.replace("torch.round(x + 0.1)", "torch.round(x * 1.2)")
    found = verified("round is wrong if compiled", code, "compiled is 3 instead of 2.")
    assert found.case.reproduces
    other = code.replace("torch.round(x)", "x.abs().long()")
    for factor, kind in ((1.01, VerdictKind.NOT_ADAPTED), (1.5, VerdictKind.BUG)):
        made = other.replace("torch.round(x * 1.2)", f"(x * {factor}).abs()")
        assert judged(found, made, "torch.Tensor.abs").kind is kind


LOST = """
    import torch
    x = torch.tensor([1.0, float("nan")])
    eager = torch.amax(x)
    compiled = torch.amax(x[:1])
    print("eager:", eager.item())
    print("compiled:", compiled.item())
"""


def test_nan_that_two_functions_come_to_is_of_either(verified, judged):
    found = verified("amax drops NaN if compiled", LOST, "compiled returns 1 instead of nan.")
    assert found.case.reproduces
    assert found.witness.oracle.paired
    code = LOST.replace("torch.amax", "torch.logsumexp").replace("(x)", "(x, 0)")
    other = code.replace("[:1])", "[:1] + 0.5, 0)")
    assert judged(found, other, "torch.logsumexp").kind is VerdictKind.BUG


ROWS = """
    import torch
    import torch.nn.functional as F
    x = torch.randn(4, 3, 5)
    y = F.softmax(x)
    for i in range(len(x)):
        print(y[i])
        print(F.softmax(x[i]))
"""


@pytest.mark.parametrize(
    ("name", "channels", "kind"),
    [
        ("softmin", NEAR, VerdictKind.BUG),
        ("normalize", FAR, VerdictKind.NOT_ADAPTED),  # along the second dimension, as documented
        ("gelu", NEAR, VerdictKind.CLEAN),
    ],
)
def test_what_a_batch_gives_need_be_what_its_items_give_for_what_is_alike(
    verified, judged, name, channels, kind
):
    found = verified("softmax gives other numbers for a batch than row by row", ROWS)
    assert found.case.reproduces
    code = ROWS.replace("softmax", name)
    told = judged(found, code, f"torch.nn.functional.{name}", channels)
    assert told.kind is kind
    if channels is FAR:
        assert "different inputs" in told.reason


COUNTS = """
    import torch
    import torch.nn.functional as F

    fast = torch.compile(lambda x: {}, backend="aot_eager_decomp_partition")
    for dtype in (torch.float32, torch.int64):
        for tag, f in (("eager", lambda x: {}), ("compiled", fast)):
            try:
                y = f(torch.tensor([-3, 0, 5]).to(dtype))
                print(tag, y.tolist())
            except NotImplementedError as error:
                print(tag, error)
"""


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("F.silu(x)", VerdictKind.BUG),
        ("F.relu6(x)", VerdictKind.NOT_ADAPTED),  # takes whole numbers everywhere
    ],
)
def test_what_is_refused_in_one_mode_alone_in_the_same_words(verified, judged, sibling, kind):
    text = "Expected: the same exception from both."
    code = COUNTS.format("F.softplus(x)", "F.softplus(x)")
    found = verified("torch.compile: softplus takes integers that eager refuses", code, text)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    other = COUNTS.format(sibling, sibling)
    name = "torch.nn.functional." + sibling[2:].partition("(")[0]
    assert judged(found, other, name, FAR).kind is kind
    everywhere = other.replace("torch.compile(", "eagerly(")
    everywhere = everywhere.replace("    fast =", "    eagerly = lambda f, backend: f\n    fast =")
    assert judged(found, everywhere, name, FAR).kind is VerdictKind.NOT_ADAPTED
