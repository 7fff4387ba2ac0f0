"""What reports tell of a device's memory by nvidia-smi, and the counters that code gets for it."""

import ast

import pytest

from harvest.report.device_memory import EXAMPLES, NAME, metered
from harvest.report.model import ClaimKind, Need, Report
from harvest.report.repair import Repaired
from harvest.report.understand import understand

CODE = """import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.rand(9, device=device)
for i in range(9):
    y = torch.nn.functional.pad(x, (1, 1))
"""
TABLE = """+------------------------------------------------------------------------+
| NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0 |
| 30%   50C    P2   110W / 350W |  12034MiB / 24576MiB |     98%   Default |
"""


def read(*parts, title="pad needs a lot of it", code=CODE):
    body = "\n\n".join([f"```python\n{code}```", *parts])
    return understand(Report(source="r.md", title=title, body=body))


@pytest.mark.parametrize(("before", "growing", "after"), EXAMPLES)
def test_examples(before, growing, after):
    found = metered(Repaired(code=before, tree=ast.parse(before)), growing=growing)
    assert found.code == (after or before)
    assert found.repairs == ((NAME,) if after else ())


@pytest.mark.parametrize(
    "text",
    [
        "nvidia-smi shows 12 GiB used after that.",
        "According to `nvtop` it takes 9 GiB, I had expected less.",
        "The memory in gpustat goes up all the time.",
        "It eats all of the memory:\n\n```\n" + TABLE + "```",
    ],
)
def test_what_a_tool_shows_is_a_claim_about_memory_that_needs_a_gpu(text):
    reading = read(text)
    assert [claim.kind for claim in reading.claims] == [ClaimKind.PERFORMANCE]
    (snippet,) = reading.candidates
    assert NAME in snippet.repairs
    ((need, detail),) = snippet.needs
    assert need is Need.CUDA
    assert detail.startswith("device memory, as ")


def test_memory_that_grows_is_shown_after_each_step():
    (grows,) = read("In nvidia-smi the memory grows and grows.").candidates
    assert "\n    print('device memory:', torch.cuda.memory_allocated())\n" in grows.code
    (much,) = read("In nvidia-smi I see 12 GiB used.").candidates
    assert "\nprint('device memory:', torch.cuda.max_memory_allocated())\n" in much.code


@pytest.mark.parametrize(
    "text",
    [
        "Here is my machine:\n\n```\n" + TABLE + "```",
        "nvidia-smi says driver 525.",
        "It uses 12 GiB of memory.",
    ],
)
def test_what_is_no_claim(text):
    (snippet,) = read(text, title="pad is wrong").candidates
    assert NAME not in snippet.repairs
    assert snippet.needs == ()


def test_what_the_code_counts_itself_stays():
    code = CODE + "print(torch.cuda.memory_allocated())\n"
    (snippet,) = read("nvidia-smi shows 12 GiB used.", code=code).candidates
    assert (snippet.code, NAME in snippet.repairs) == (code, False)


def test_a_bug_of_another_kind_can_do_without_a_gpu():
    text = "nvidia-smi shows 12 GiB used before."
    plain, counted = read(text, title="pad crashes with a segmentation fault").candidates
    assert (plain.code, plain.needs) == (CODE, ())
    assert NAME in counted.repairs
