"""What a loop goes through, as far as its text says so."""

import libcst as cst
import pytest

from analysis.target.loops import loop_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[1, 2, 4]", (1, 2, 4)),
        ("(10 ** 3, 2 * 10 ** 3, 1 << 12)", (1000, 2000, 4096)),
        ("range(3)", (0, 1, 2)),
        ("range(10, 40, 10)", (10, 20, 30)),
        ("[1e3, 2.5]", (1000, 2.5)),
        ("sizes", ()),
        ("['a', 'b']", ()),
        ("range()", ()),
        ("range(0.5)", ()),
        ("[*more, 1]", ()),
        ("range(10 ** 12)", ()),
        ("[9 ** 9 ** 9 ** 9]", ()),
        ("[1 << 10 ** 10]", ()),
        ("[1 << -1, 2]", ()),
        ("[1 // 0]", ()),
        ("[1e300 * 1e300]", ()),
        (f"[{'9' * 400}]", ()),
        ("[(0 - 8) ** 0.5]", ()),
    ],
)
def test_numbers_of_a_loop(text, numbers):
    assert loop_numbers(cst.parse_expression(text)) == numbers
