import ast

import pytest

from harvest.report import devices
from harvest.report.edits import apply_edits
from harvest.report.model import Need, Report, Snippet
from harvest.report.needs import find_needs
from harvest.report.on_cpu import (
    EXAMPLES,
    LISTS,
    STATEMENTS,
    compares_devices,
    shows_on_cpu,
    with_cpu_versions,
)
from harvest.report.understand import understand

ON_BOTH = "It is wrong on CPU and GPU."


@pytest.mark.parametrize(("before", "after"), devices.EXAMPLES)
def test_examples_of_lists_of_devices(before, after):
    edits = list(devices.cpu_only(ast.parse(before)))
    assert apply_edits(before, edits) == (after or before)


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    given = Snippet(code=before, origin="fence 1", needs=find_needs(ast.parse(before)))
    found = list(with_cpu_versions([given], "", ON_BOTH))
    assert found[0] is given
    assert [one.code for one in found[1:]] == ([after] if after else [])
    assert all(one.needs == () and one.origin == "fence 1 on the CPU" for one in found[1:])


@pytest.mark.parametrize(
    "title",
    [
        "Wrong result of conv on CPU (results are correct on GPU)!",
        "sum is wrong on CPU, but not on CUDA",
        "Inconsistent results on the CPU (1.12, 1.13)",
    ],
)
def test_titles_that_say_so(title):
    assert shows_on_cpu(title, "")


@pytest.mark.parametrize(
    "told",
    [
        "f is wrong on CUDA",
        "f differs between CPU and CUDA",
        "CPU and CUDA overflow in an inconsistent way",
        "This bug is not present on CPU, where f works",
        "On CPU the result is correct.",
        "Wrong on both CPU and GPU, though the CPU is right for float64",
    ],
)
def test_texts_that_do_not_say_so(told):
    assert not shows_on_cpu(told, "")
    assert not shows_on_cpu("", told)


@pytest.mark.parametrize(
    "told", ["I ran this on CPU or GPU: inf.", "Seen with half on CUDA and CPU"]
)
def test_texts_that_name_both(told):
    assert shows_on_cpu("", told)


def versions(title, *lines):
    body = "```python\nimport torch\n" + "\n".join(lines) + "\n```"
    return understand(Report(source="a", title=title, body=body)).candidates


def test_lists_need_no_words():
    first, second = versions("f", "for d in ['cpu', 'cuda']:", "    print(torch.ones(1, device=d))")
    assert first.needs == ((Need.CUDA, "cuda"),)
    assert (second.needs, second.repairs) == ((), (LISTS,))


@pytest.mark.parametrize(
    ("title", "guesses"),
    [
        ("f is wrong on CUDA", 1),
        ("f fails", 1),
        ("f is wrong on CUDA, the CPU is right", 0),
        ("f is slow", 0),
        ("f is slow on CUDA", 0),
        ("memory leak in f", 0),
    ],
)
def test_of_what_the_cpu_shows_is_only_guessed_where_nothing_is_said(title, guesses):
    found = versions(title, "x = torch.ones(2, device='cuda')", "print(torch.f(x).cuda())")
    assert [bool(one.guess) for one in found] == [False] + [True] * guesses
    for one in found[1:]:
        assert (
            one.code == "import torch\nx = torch.ones(2, device='cpu')\nprint(torch.f(x).cpu())\n"
        )


def test_what_shows_on_cuda_alone_counts_elsewhere_only_if_it_shows():
    lines = ("x = torch.ones(2)", "print(x.sum())", "print(x.cuda().sum())")
    only, guess = versions("sum is wrong on CUDA", *lines)
    assert only.needs
    assert not only.guess
    assert guess.guess == "needs cuda (cuda)"
    _, second = versions("sum is wrong on CPU", *lines)
    assert second.repairs == (STATEMENTS,)
    assert second.code == "import torch\nx = torch.ones(2)\nprint(x.sum())\n"


@pytest.mark.parametrize(
    ("title", "compares"),
    [
        ("f differs between CPU and CUDA", True),
        ("inconsistent results of f (cpu vs. gpu)", True),
        ("f is wrong on CPU and GPU", False),
        ("f differs on CUDA", False),
    ],
)
def test_a_title_may_compare_devices(title, compares):
    assert compares_devices(title) is compares


@pytest.mark.parametrize("title", ["The CPU version of f is slow", "The cpu kernel of f is wrong"])
def test_a_version_for_the_cpu_is_one_that_shows_there(title):
    assert shows_on_cpu(title, "")


def test_a_script_s_block_goes_as_a_whole_where_nothing_of_it_stays():
    lines = ("x = torch.ones(3)", "if __name__ == '__main__':", "    y = x.cuda()", "    y.sum()")
    _, second = versions("f is wrong on CPU", *lines, "print(torch.f(x))")
    assert second.code == "import torch\nx = torch.ones(3)\nprint(torch.f(x))\n"


@pytest.mark.parametrize(
    ("words", "stays"),
    [
        ('"GPU is right, CPU gives", f', True),
        ('"right on GPU, wrong on cpu", f', True),
        ('"on GPU", f', False),
        ('"on GPU", f.to("cpu")', False),
    ],
)
def test_what_is_printed_for_the_cpu_as_well_is_shown(words, stays):
    lines = ("f = torch.f(torch.ones(3))", "g = f.cuda()", f"print({words})", "print(torch.h(f))")
    _, second = versions("f is wrong on CPU", *lines)
    assert (f"print({words})" in second.code) is stays
