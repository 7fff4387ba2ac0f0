import ast

import pytest

from harvest.report.model import Report
from harvest.report.steps import tensorflow
from harvest.report.understand import understand


@pytest.mark.parametrize(("before", "after"), tensorflow.OLDER)
def test_code_of_version_1(before, after):
    assert tensorflow.as_version_1(before) == after


@pytest.mark.parametrize(("before", "after"), tensorflow.EAGER)
def test_functions_run_eagerly(before, after):
    assert tensorflow.run_eagerly(before) == after


@pytest.mark.parametrize(
    "code",
    [
        "",
        "import numpy as np\nnp.ones(2)",
        "import tensorflow as tf; tf.Session()",
        "if True: import tensorflow as tf",
        "import tensorflow as (",
    ],
)
def test_nothing_to_change(code):
    assert tensorflow.as_version_1(code) is None
    assert tensorflow.run_eagerly(code) is None


@pytest.mark.parametrize("change", [tensorflow.as_version_1, tensorflow.run_eagerly])
def test_only_the_import_changes(change):
    code = "x = 'ä'; y = 2\nimport tensorflow as tf  # the package\ntf.Session()  # ü\n"
    changed = change(code)
    ast.parse(changed)
    assert changed.startswith("x = 'ä'; y = 2\nimport tensorflow")
    assert changed.endswith("\ntf.Session()  # ü\n")


def test_what_code_names_of_tensorflow():
    code = "import tensorflow as tf\nimport numpy as np\ntf.nn.relu(np.ones(tf.Session.x))"
    assert tensorflow.named(code) == {"nn", "nn.relu", "Session", "Session.x"}
    assert tensorflow.named("from tensorflow import nn\nnn.relu(1)") == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It should be `tf.Tensor([66], shape=(1,), dtype=int8)`.", [(True, ("66",))]),
        ("I get <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 4])>", [(False, ("3", "4"))]),
        ("It should have shape=(1, 3).", [(True, ("1", "3"))]),
    ],
)
def test_the_shape_that_is_printed_beside_elements_is_none_of_them(text, expected):
    found = understand(Report(source="r.md", title="t", body=text)).expectations
    assert [(one.right, one.numbers) for one in found] == expected
