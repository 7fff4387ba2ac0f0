"""What code asks psutil for, asked of the kernel."""

import pytest

from harvest.report.steps.memory import EXAMPLES, resident


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    assert resident(before) == after


def test_the_number_is_the_memory_of_the_process():
    code = resident("import psutil\nhas = psutil.Process().memory_info().rss\n")
    told = {}
    exec(code, told)
    assert 2**20 < told["has"] < 2**36
