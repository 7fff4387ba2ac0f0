"""Scripts with their pickled arguments written in, and what counts as a literal."""

import pytest

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.literals import with_literals
from harvest.importers.pickles import is_literal
from tests.harvest.importers.layouts import write


def written(tmp_path, code, text="{'x': np.array([1, -2]), 'axis': None}"):
    folder = Folder(write(tmp_path, {"p/a.p": b"a", "p/b.p": b"b"}))
    return with_literals(code, "p/a.py", folder, lambda data, _: text if data == b"a" else "'ß'")


def test_keywords_are_spelled_out(tmp_path):
    code = "import tensorflow as tf\ndata = pickle.load(open('/x/a.p', 'rb'))\ntf.cumsum(**data)\n"
    assert "tf.cumsum(x=np.array([1, -2]), axis=None)" in written(tmp_path, code)


def test_what_is_used_otherwise_stays_a_value(tmp_path):
    code = "import pickle\nimport torch\ndata = pickle.load(open('/x/a.p', 'rb'))\nprint(data)\n"
    lines = written(tmp_path, code).splitlines()
    assert lines == [
        "import numpy as np",
        "import torch",
        "data = {'x': np.array([1, -2]), 'axis': None}",
        "print(data)",
    ]
    other = "import torch\nd = pickle.load(open('a.p'))\n"
    assert "d = {'not a name': 1}" in written(tmp_path, other, "{'not a name': 1}")


def test_several_on_one_line_and_letters_of_several_bytes(tmp_path):
    code = "import torch\nö = 'ä', pickle.load(open('b.p')), pickle.load(open('a.p')), 'ü'\n"
    told = written(tmp_path, code, "[1]")
    assert told.splitlines()[-1] == "ö = 'ä', 'ß', [1], 'ü'"


def test_only_pickles_are_replaced(tmp_path):
    code = "import json\nimport torch\nx = json.load(open('a.p'))\n"
    assert written(tmp_path, code) == code


def test_a_pickle_that_cannot_be_opened_is_the_scripts_reason(tmp_path):
    folder = Folder(write(tmp_path, {"p/a.p": b"a"}))

    def refuse(_data, _framework):
        raise Unreadable("", "no literal")

    with pytest.raises(Unreadable) as problem:
        with_literals("x = pickle.load(open('a.p'))\n", "p/a.py", folder, refuse)
    assert (problem.value.path, problem.value.reason) == ("p/a.py", "no literal")


@pytest.mark.parametrize(
    "text",
    [
        "{'a': [1, 2.5, None, True], 'b': (b'x', 'y')}",
        'float("nan")',
        "np.array(float(\"inf\"), dtype='float32')[()]",
        "torch.full((2, 3), 1.0, dtype=torch.float16).requires_grad_()",
        "tf.constant([-1], dtype=tf.int32)",
        "slice(None, 2, None)",
    ],
)
def test_literals(text):
    assert is_literal(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "open('x')",
        "torch.load('x')",
        "np.array.__class__",
        "[x for x in (1,)]",
        "(lambda: 0)()",
        "f'{open(1)}'",
        "np.array(*x)",
        "x := 1",
        "np.array((yield))",
        "",
        "1\n2",
        "(" * 500,
        "torch.hub.load('a/b', 'c')",
        "np.full.__globals__",
    ],
)
def test_no_literals(text):
    assert not is_literal(text)
