"""The report's own check, as a condition on any result."""

import pytest

from citadel.spread.checked import of_result

CODE = """
import torch
x = torch.ones(3)
limit = 5
y = torch.sum(x, dtype=torch.int8)
low = y.min()
for low_again in (1, 2):
    z = y
z = y.max()
"""
CALL = "torch.sum(x, dtype=torch.int8)"


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ("y >= 0", "result >= 0"),
        ("low <= limit", "result.min() <= 5"),
        ("(torch.sum(x, dtype=torch.int8) >= 0).all()", "(result >= 0).all()"),
        ("torch.equal(y, torch.tensor(3))", None),  # what is right of this call alone
        ("y == x.sum()", None),
        ("z > 0", "z > 0"),  # which of the two it is, nobody can tell
        ("y >", None),
    ],
)
def test_names_become_what_they_stand_for(check, told):
    assert of_result(CODE, check, CALL) == told


def test_what_stands_for_itself_ends():
    assert of_result("y = y + f()", "y > 0", "f()") is None
    assert of_result("y = " + " + ".join(["y"] * 100), "y > 0", "f()") is None
