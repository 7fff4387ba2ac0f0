"""Who is to blame where one function is run in two ways, and what constructors only make."""

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PRECISIONS = """
    import torch
    def f(x):
        h = torch.FIRST
        return torch.SECOND
    x = torch.arange(1, 65) / 8
    a, b = f(x), f(x.half()).float()
    assert torch.allclose(a, b), "differ"
"""


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ("sin(x)", "cumsum(h, 0)", "torch.cumsum"),
        ("cumsum(x, 0)", "sin(h)", "torch.cumsum"),
        ("nn.functional.gelu(x)", "logcumsumexp(h, 0)", "torch.logcumsumexp"),
    ],
)
def test_what_only_rounds_is_not_to_blame_for_whom_the_title_names(verified, first, second, named):
    code = PRECISIONS.replace("FIRST", first).replace("SECOND", second)
    assert verified(f"{named} gives wrong results in half precision", code).case.api == named


@pytest.mark.parametrize("maker", ["FloatTensor", "Tensor", "tensor"])
def test_who_makes_the_input_is_not_to_blame(verified, maker):
    code = f"""
        import torch
        x = torch.{maker}([[1., 2.], [3., 4.]])
        y = x.t().reshape(4)
        assert torch.equal(y, torch.tensor([1., 2., 3., 4.])), y
    """
    assert verified("Wrong values after view", code).case.api == "torch.Tensor.reshape"


def test_what_writes_where_it_should_not_is_to_blame_whatever_it_writes(verified):
    """The places that `sum` writes to are the same, whatever is summed up."""
    code = """
        import torch
        board = torch.zeros(5, 5)
        target = board[1:3, 1]
        _ = torch.sum(torch.ones(3, 3), dim=1, out=target)
        touched = board.nonzero().tolist()
        print([c for c in touched if c not in ([1, 1], [2, 1])])
    """
    text = "It prints\n```\n[[1, 2], [1, 3]]\n```\nand should print nothing."
    found = verified("sum(..., out=view) writes to elements that are not of the view", code, text)
    assert found.case.api == "torch.sum"
