"""Calls that should have been refused."""

import pytest

from citadel.model import BugKind, Channels, SymptomKind, VerdictKind

from .conftest import CONTEXT, EMPTY, FAR, NEAR

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.mark.parametrize(
    ("sibling", "channels", "kind"),
    [
        ("torch.nanmedian", NEAR, VerdictKind.BUG),
        ("torch.nanmedian", FAR, VerdictKind.NOT_ADAPTED),
        ("torch.max", NEAR, VerdictKind.REFUSED),
        ("torch.sum", NEAR, VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_should_be_refused(verified, judged, sibling, channels, kind):
    found = verified("median of an empty tensor silently returns INT_MIN", EMPTY)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.case.kind is BugKind.STATUS
    code = EMPTY.replace("torch.median", sibling)
    assert judged(found, code, sibling, channels).kind is kind


def test_a_constructor_that_refuses_by_now_need_not_be_named(verified):
    code = "import torch.nn as nn\nm = nn.GRU(input_size=4, hidden_size=5, num_layers=-1)\nprint(m)"
    found = verified("nn.LSTM and its friends: num_layers=-1 is accepted", code)
    assert (found.case.api, found.case.reproduces) == ("torch.nn.GRU", False)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS


@pytest.mark.parametrize(
    ("sibling", "channels", "kind"),
    [
        ("torch.median", Channels(family="max"), VerdictKind.BUG),
        ("torch.median", NEAR, VerdictKind.NOT_ADAPTED),  # need not be refused, too
        ("torch.min", Channels(family="max"), VerdictKind.REFUSED),
    ],
)
def test_what_is_refused_by_now_may_be_accepted_by_a_sibling(
    verified, judged, sibling, channels, kind
):
    code = EMPTY.replace("torch.median", "torch.max")
    found = verified("max of an empty tensor silently returns INT_MIN", code, "It should raise.")
    assert (found.case.api, found.case.reproduces) == ("torch.max", False)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.tells
    verdict = judged(found, EMPTY.replace("torch.median", sibling), sibling, channels)
    assert verdict.kind is kind


@pytest.mark.parametrize("line", ["y = {}", "{}", "print({})"])
def test_what_is_accepted_need_not_be_shown(verified, judged, line):
    made = "torch.full((2,), -1, dtype=torch.uint8)"
    code = f"import torch\n{line.format(made)}\n"
    found = verified("full accepts -1 for uint8", code, "It should raise an error.")
    assert (found.case.api, found.case.symptom.kind) == ("torch.full", SymptomKind.ACCEPTS)
    other = code.replace("torch.full(", "torch.ops.aten.full(")
    assert judged(found, other, "torch.ops.aten.full").kind is VerdictKind.BUG


def test_what_is_compared_beside_it_does_not_hide_what_should_be_refused(verified):
    code = """
        import torch
        noise = torch.nn.functional.celu(torch.ones(2), alpha=-1.0)
        print("accepted a negative alpha", noise.shape, "sum", float(noise.sum()) > 0)
    """
    found = verified("celu: negative alpha is accepted", code, "I expected a ValueError.")
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.case.kind is BugKind.STATUS


def test_a_missing_error_alone_is_a_status_bug(verified):
    code = "import torch\nprint(torch.diag(torch.ones(3)))"
    found = verified("diag accepts a vector", code, "It should raise a ValueError.")
    assert found.case.kind is BugKind.STATUS


@pytest.mark.parametrize(
    ("channels", "kind"),
    [
        (NEAR, VerdictKind.BUG),
        (CONTEXT, VerdictKind.NOT_ADAPTED),  # may take a negative number for something else
    ],
)
def test_a_number_under_another_name_is_wrong_for_what_does_the_same(
    verified, judged, channels, kind
):
    code = """
        import torch
        noisy = torch.nn.functional.celu(torch.ones(2), alpha=-1.0)
        print(noisy.shape)
    """
    found = verified("celu accepts a negative alpha", code, "It should raise an error.")
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    other = code.replace("celu", "hardshrink").replace("alpha", "lambd")
    assert judged(found, other, "torch.nn.functional.hardshrink", channels).kind is kind


COMPILED = """
    import torch

    def bump(v):
        w = v.expand(4)
        w.add_(1)
        return w

    try:
        bump(torch.ones(1))
    except RuntimeError as e:
        print("eager refuses:", str(e)[:40])
    compiled = torch.compile(bump, backend="aot_eager")
    print("compiled:", compiled(torch.ones(1)))
"""


@pytest.mark.parametrize(
    ("call", "channels", "kind"),
    [
        ("mul_(2)", NEAR, VerdictKind.BUG),  # whatever it computes
        ("fill_(3)", NEAR, VerdictKind.NOT_ADAPTED),  # accepted in eager mode, too
        ("add(1)", Channels(family="in-place"), VerdictKind.NOT_ADAPTED),  # as it should be
    ],
)
def test_what_is_accepted_only_where_it_is_compiled_whole(verified, judged, call, channels, kind):
    """Traced, each call is made alone, and refused as in eager mode."""
    found = verified("torch.compile: Tensor.add_ on an expanded tensor is accepted", COMPILED)
    assert (found.case.api, found.case.reproduces) == ("torch.Tensor.add_", True)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    sibling = f"torch.Tensor.{call.partition('(')[0]}"
    assert judged(found, COMPILED.replace("add_(1)", call), sibling, channels).kind is kind


LABELS = """
    import torch
    torch.manual_seed(3)
    scores = torch.randn(5, 1, 3).log_softmax(-1)
    labels, length = torch.tensor([[1, 7]]), torch.tensor([5])
    print("loss", torch.nn.functional.ctc_loss(scores, labels, length, torch.tensor([2])).item())
"""


@pytest.mark.parametrize(
    ("family", "kind"), [("function", VerdictKind.BUG), (None, VerdictKind.NOT_ADAPTED)]
)
def test_what_another_form_reads_from_memory_may_be_anything(verified, judged, family, kind):
    """7 is none of 3 classes: the loss is whatever lies behind the scores."""
    found = verified("ctc_loss accepts labels past the classes", LABELS, "It should raise.")
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    other = LABELS.replace("torch.nn.functional.ctc_loss", "torch.ctc_loss")
    other = other.replace("torch.tensor([2])", "torch.tensor([1])") if family is None else other
    channels = Channels(family=family)
    assert judged(found, other, "torch.ctc_loss", channels).kind is kind


@pytest.mark.parametrize("given", [True, False])
def test_what_is_not_given_the_argument_has_accepted_nothing(verified, judged, given):
    """Whatever else it is given, and however close the two are: its result is as large as any."""
    code = """
        import torch
        x = torch.ones(2)
        print(torch.nn.functional.leaky_relu(x, -5.0).shape)
    """
    found = verified("leaky_relu accepts a negative negative_slope", code, "It should raise.")
    assert [one.name for one in found.witness.disputed] == ["negative_slope"]
    other = code.replace("leaky_relu", "leaky_relu_")
    astray = () if given else (found.witness.disputed[0].key,)
    told = judged(found, other, "torch.nn.functional.leaky_relu_", Channels(family="in-place"),
                  astray=astray)  # fmt: skip
    assert told.kind is (VerdictKind.BUG if given else VerdictKind.NOT_ADAPTED)


PLACES = """
    import torch
    import torch.nn.functional as F

    def shape(device):
        return F.conv1d(torch.ones(1, 8, 9, device=device), torch.ones(2, 2, 3, device=device),
                        groups=4).shape

    print("meta", shape("meta"))
    try:
        print("cpu", shape("cpu"))
    except RuntimeError as error:
        print("cpu refuses", error)
"""


def test_siblings_are_tried_in_the_place_of_the_call_that_is_accepted(verified):
    """The last call is the one that is refused, as it should be: so would be all siblings."""
    title = "conv1d on the meta device accepts groups that do not exist"
    found = verified(title, PLACES, "Expected: the same RuntimeError for both devices.")
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.call.raised is None
    assert found.call.arguments[0].value.device == "meta"


@pytest.mark.parametrize(
    ("channels", "given", "kind"),
    [
        (Channels(signature=0.3, documentation=0.8), {}, VerdictKind.BUG),
        (Channels(signature=0.3, documentation=0.3), {}, VerdictKind.NOT_ADAPTED),
        (Channels(signature=0.1, documentation=0.8), {}, VerdictKind.NOT_ADAPTED),
        (
            Channels(signature=0.3, documentation=0.8),
            {"filled": True},
            VerdictKind.NOT_ADAPTED,
        ),
    ],
)
def test_what_is_described_in_the_same_words_should_refuse_the_same(
    verified, judged, channels, given, kind
):
    code = """
        import torch
        targets = torch.tensor([[1.0], [2.0]])
        scores = torch.tensor([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]])
        loss = torch.nn.functional.l1_loss(scores, targets)
        print("no error:", loss.item())
    """
    text = "l1_loss should raise an error where the shapes differ, as cross_entropy does."
    found = verified("l1_loss accepts targets of another shape", code, text)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    other = code.replace("l1_loss(", "mse_loss(")
    verdict = judged(found, other, "torch.nn.functional.mse_loss", channels, **given)
    assert verdict.kind is kind, verdict.reason
