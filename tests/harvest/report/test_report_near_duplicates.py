"""Which reports say almost the same."""

import random

import pytest

from harvest.report.model import Report
from harvest.report.near_duplicates import sketch, stand_ins
from harvest.report.understand import understand

CODE = """import torch
torch.manual_seed(0)
weight = torch.rand(4, 4, 3, 3)
x = torch.rand(1, 4, 8, 8, requires_grad=True)
y = torch.nn.functional.conv2d(x, weight, stride=2, groups=0)
print(y.shape, y.sum())
"""
TEXT = """Calling conv2d with zero groups crashes with a floating point exception instead of
raising an error. I would expect a message that groups has to be positive. It happens on the latest
release and on the nightly build, and only on the CPU as far as I can see."""
OTHER = """Since the update our training stops in the first step. Nothing is printed at all and the
shell says that the process was killed. Older releases printed a warning there and went on."""


def reading(number, code=CODE, text=TEXT, title="conv2d crashes"):
    body = f"{text}\n```python\n{code}```\n"
    return understand(Report(source=str(number), title=title, body=body, number=number))


def linked(*readings):
    return stand_ins([sketch(one) for one in readings])


def test_the_same_report_twice():
    assert linked(reading(2), reading(1)) == {0: 1}


def test_the_earlier_complete_one_stands_for_the_others():
    broken = CODE.replace("torch.manual_seed(0)", "seed()").replace("weight = torch", "weight = t")
    first = reading(1, code=broken)
    assert sketch(first).standing > sketch(reading(9)).standing
    assert linked(reading(7), reading(5), reading(6)) == {0: 1, 2: 1}


@pytest.mark.parametrize(
    "second",
    [
        reading(2, text=OTHER, title="Training stops"),  # the same code in other words
        reading(2, code="# please run this\n" + CODE.replace("\n", "\n\n")),
        reading(2, code=CODE.replace("stride=2", "stride=3"), title="conv2d crashes again"),
        reading(2, text=TEXT + " Thanks!"),
    ],
)
def test_almost_the_same(second):
    assert linked(reading(1), second) == {1: 0}


@pytest.mark.parametrize(
    "second",
    [
        reading(2, code=CODE.replace("conv2d", "conv3d")),  # a sibling
        reading(2, code="import torch\nx = torch.rand(3)\nprint(torch.sort(x))\n"),
        reading(
            2,
            code="import torch\ntorch.manual_seed(1)\nprint(torch.nn.functional.conv2d("
            "torch.rand(2, 2, 2, 2), torch.rand(0, 2, 1, 1)).sum())\n",
            text=OTHER,
        ),
    ],
)
def test_different_reports(second):
    assert linked(reading(1), second) == {}


def test_likeness_is_not_handed_on():
    """A chain of small changes: everything is like its stand-in itself."""
    words = TEXT.split()
    chain = []
    for at in range(12):
        lines = [f"a{n} = torch.rand({n + (100 if n < at else 0)})" for n in range(12)]
        code = "import torch\n" + "\n".join(lines) + "\n"
        text = " ".join([*(f"w{n}" for n in range(at * 4)), *words[at * 4 :]])
        chain.append(reading(at + 1, code=code, text=text))
    found = linked(*chain)
    assert 11 not in found or found[11] != 0
    assert found[1] == 0


def test_without_code_there_is_nothing_to_compare():
    assert sketch(understand(Report(source="x", title="t", body="words"))) is None
    assert stand_ins([]) == {}


def test_one_stands_for_many():
    rng = random.Random(1)
    one = sketch(reading(1))
    many = []
    for number in range(3000):
        signature = one.signature.copy()
        if number % 3:
            signature[:] = [rng.getrandbits(32) for _ in signature]
        many.append(type(one)(signature=signature, calls=one.calls, standing=(0, 0, number)))
    found = stand_ins(many)
    assert set(found.values()) == {0}
    assert len(found) == 999
