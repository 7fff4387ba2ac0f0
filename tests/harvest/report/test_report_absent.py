import ast

import pytest

from harvest.report import absent
from harvest.report.edits import Edit, apply_edits
from harvest.report.needs import find_needs
from harvest.report.repair import Repaired


def parsed(code):
    return Repaired(code=code, tree=ast.parse(code))


@pytest.mark.parametrize(("repair", "before", "after"), absent.EXAMPLES)
def test_examples(repair, before, after):
    edits = list(absent.REPAIRS[repair](ast.parse(before)))
    assert apply_edits(before, edits).strip("\n") == (after or before)
    assert bool(edits) == bool(after)


def test_every_repair_has_an_example_that_it_changes_and_one_that_it_leaves():
    for name in absent.REPAIRS:
        examples = [after for repair, _, after in absent.EXAMPLES if repair == name]
        assert any(examples)
        assert not all(examples)


def test_repairs_build_on_each_other_and_leave_nothing_to_need():
    found = absent.leave_out(
        parsed(
            "import torch\nimport torchvision\nimport matplotlib.pyplot as plt\n"
            "from tqdm import tqdm\nfor d in tqdm(['cpu']):\n"
            "    y = torch.ones(2, device=d)\n    plt.plot(y.numpy())\nplt.show()"
        )
    )
    assert (
        found.code == "import torch\nfor d in ['cpu']:\n    y = torch.ones(2, device=d)\n    pass"
    )
    assert found.repairs == (absent.BARS, absent.PLOTS, absent.UNUSED)
    assert find_needs(found.tree) == ()
    assert ast.dump(ast.parse(found.code)) == ast.dump(found.tree)


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nfor d in ['cpu', 'cuda']:\n    f(d)",
        "import torchvision",
        "import torchvision\ntorchvision.f()",
        "try:\n    import cv2\nexcept ImportError:\n    pass\nf()",
    ],
)
def test_what_is_needed_or_harmless_stays(code):
    found = parsed(code)
    assert absent.leave_out(found) is found


def test_edits_count_columns_in_bytes_and_keep_the_rest():
    code = "s = 'ä'; f('ä')  # b\ng()"
    (_, call, _) = ast.parse(code).body
    assert apply_edits(code, [Edit(node=call.value, text="h()")]) == "s = 'ä'; h()  # b\ng()"
    assert apply_edits(code, [Edit(node=call, text="")]) == "s = 'ä'; pass  # b\ng()"
