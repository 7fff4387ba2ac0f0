"""Texts that a sibling's case prints."""

import pytest

from citadel.report.printed import renamed_in_prints


@pytest.mark.parametrize(
    ("code", "renamed"),
    [
        ('print("torch.argmax", t)', 'print("torch.std", t)'),
        ("print(f'torch.argmax {t:.2f} ms')", "print(f'torch.std {t:.2f} ms')"),
        ('print("argmax:", t)', 'print("std:", t)'),
        ('print("np.argmax", t)', 'print("np.argmax", t)'),
        ('print("the argmax of x", t)', 'print("the argmax of x", t)'),
        ('print("torch.argmax %d" % t)', 'print("torch.std %d" % t)'),
        ('print("t of " "torch.argmax", t)', 'print("t of " "torch.std", t)'),
        ('print(names["torch.argmax"])', 'print(names["torch.argmax"])'),
        ('print(f("argmax"))', 'print(f("argmax"))'),
        ('x = "torch.argmax"', 'x = "torch.argmax"'),
        ("print(", "print("),
    ],
)
def test_names_in_what_is_printed(code, renamed):
    assert renamed_in_prints(code, "torch.argmax", "torch.std") == renamed


def test_a_name_with_an_underscore_is_no_word():
    code = 'print("vector_norm inf", n)'
    assert renamed_in_prints(code, "torch.linalg.vector_norm", "torch.Tensor.norm") == (
        'print("norm inf", n)'
    )
