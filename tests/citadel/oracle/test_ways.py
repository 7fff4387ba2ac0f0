"""One computation in two ways, told by its form."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.watch import Role
from citadel.oracle.ways import AT_ONCE, BATCHES, EQUAL, in_two_ways

DERIVED = "the same derivatives"
DEVICES = "the same call on two devices"
DTYPES = "the same call, given the same numbers in two dtypes"


def told(code, *, batches=True, equal=False, whole=False):
    code = "import torch\nfrom torch.func import jacfwd, jacrev\nx = torch.rand(3)\n" + dedent(code)
    points = [p for p in watched(instrument(code)).points if p.role is Role.SHOWN]
    one, other = points[-2:]
    return in_two_ways(one, other, batches=batches, equal=equal, whole=whole)


@pytest.mark.parametrize(
    ("code", "way"),
    [
        ("print(f(x))\nprint(torch.stack([f(row) for row in x]))", AT_ONCE),
        ("print(torch.cat([f(r, dim=-1) for r in x], 0))\nprint(f(x, dim=-1))", AT_ONCE),
        ("y = f(x)\nz = torch.stack([f(x[i]) for i in range(3)])\nprint(y, z)", AT_ONCE),
        ("y = f(x)\nfor i in range(3):\n    print(y[i], f(x[i]))", AT_ONCE),
        ("print(f(x[0]))\nprint(f(x)[0])", AT_ONCE),
        ("print(x.int())\nprint(x.cuda().int())", DEVICES),
        ("y = x.to('cuda:0')\na = f(x)\nb = f(y).cpu()\nprint(a)\nprint(b)", DEVICES),
        ("print(torch.full((2,), 0.5))\nprint(torch.full((2,), 0.5, device='cuda'))", DEVICES),
        ("print(x.int())\nprint(x.cuda().long())", ""),
        ("print(x.int())\nprint(x.cpu().int())", ""),
        ("print(f(x))\nprint(torch.stack([g(row) for row in x]))", ""),
        ("print(f(x, dim=0))\nprint(torch.stack([f(row, dim=1) for row in x]))", ""),
        ("print(f(x))\nprint(torch.stack([f(row) for row in x if row > 0]))", ""),
        ("print(f(x))\nprint([f(row) for row in x])", ""),
        ("print(f(x)[0])\nprint(f(x[1]))", ""),
        ("print(f(x)[0])\nprint(f(x[0], x[0]))", ""),
        ("print(jacfwd(f)(x))\nprint(jacrev(f)(x))", DERIVED),
        ("a = torch.func.jacrev(f, 1)(x, x)\nprint(a, torch.func.jacfwd(f, 1)(x, x))", DERIVED),
        ("print(jacfwd(f)(x))\nprint(jacrev(g)(x))", ""),
        ("print(jacfwd(f)(x))\nprint(jacfwd(f)(x))", ""),
        ("print(torch.func.jacrev(f, 0)(x, x))\nprint(torch.func.jacfwd(f, 1)(x, x))", ""),
        ("print(torch.vmap(f)(x))\nprint(jacfwd(f)(x))", ""),
    ],
)
def test_ways(code, way):
    found = told(code)
    assert found.startswith(way) if way else found == ""


def test_rows_are_compared_only_where_the_report_speaks_of_them():
    assert told("print(f(x)[0])\nprint(f(x[0]))", batches=False) == ""


@pytest.mark.parametrize(
    ("code", "way"),
    [
        ("print(torch.abs(x.double()).tolist())\nprint(torch.abs(x).tolist())", DTYPES),
        ("print(torch.abs(x.double()))\nprint(torch.abs(x.half()))", ""),  # rounds
        ("print(torch.abs(x))\nprint(torch.abs(x.int()))", ""),  # nobody says that it is whole
        ("print(torch.sum(x.to(torch.bool)))\nprint(torch.sum(x))", ""),
        ("print(torch.abs(x.to(device)))\nprint(torch.abs(x))", ""),
        ("print(torch.abs(x.double()))\nprint(torch.exp(x))", ""),
        ("print(torch.abs(x.double()))\nprint(torch.abs(-x))", ""),
        ("print(torch.abs(x))\nprint(torch.abs(x))", ""),
        ("print(torch.abs(x))\nprint(torch.abs(x.cpu()))", ""),
        ("print(x.double())\nprint(x)", ""),
    ],
)
def test_dtypes_are_two_ways_where_results_should_be_equal(code, way):
    assert told(code, equal=True) == way
    assert told(code) == ""


def test_whole_numbers_stay_what_they_are_in_a_wider_dtype():
    code = """
        u = torch.tensor([7], dtype=torch.uint8)
        v = u.to(torch.int16)
        print(torch.clamp(v, min=-1).tolist())
        print(torch.clamp(u, min=-1).tolist())
    """
    assert told(code, equal=True, whole=True) == DTYPES
    assert told(code, equal=True) == ""  # as fractions do not
    assert told(code.replace("int16", "int8"), equal=True, whole=True) == ""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("No pixel is below -1, so I expected the two lines to be equal.", True),
        ("Both should give the same result.", True),
        ("I expected torch.abs(x) and torch.abs(y) to be equal.", True),
        ("I expected an error. The same holds for CUDA.", False),
        ("The results are equal.", False),
        ("The size of tensor a (3) must match the size of tensor b (4)", False),
        ("Expected all tensors to be on the same device", False),
        ("They should not be the same.", False),
        ("The two results should give exactly the\nsame values.", True),
        ("Expected: both dtypes give equal results", True),
        ("They should have the same number of elements.", False),
        ("Both should come in the same output shape.", False),
        ("I expected the sizes to match.", False),
        ("Both should give the same error.", False),
        ("Expected behavior\n\nThe same as before.", False),
        ("should " * 8000, False),
    ],
)
def test_words_for_results_that_are_to_be_alike(words, wanted):
    assert (EQUAL.search(words) is not None) is wanted


@pytest.mark.parametrize(
    ("words", "speaks"),
    [
        ("batched and unbatched input differ", True),
        ("softmax is wrong row by row", True),
        ("other numbers for each row", True),
        ("one at a time it works", True),
        ("vmap gives something else", True),
        ("softmax of two tensors", False),
        ("the matrix is singular", False),
        ("batch_norm is wrong in a training loop", False),
    ],
)
def test_words_for_batches(words, speaks):
    assert (BATCHES.search(words) is not None) is speaks
