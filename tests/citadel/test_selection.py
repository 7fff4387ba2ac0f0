"""Which build a report is about: by its code, by what the user says, by its text."""

from textwrap import dedent

import pytest

from analysis.errors import CitadelError
from analysis.target.frameworks import FRAMEWORKS
from citadel.selection import (
    Choice,
    Unavailable,
    Wish,
    choose,
    used_late,
    variables,
    with_installed,
)

ALL = ("torch", "tensorflow", "keras")
INSTALLED = frozenset(("torch", "tensorflow", "keras", "jax"))
WITH_TENSORFLOW = (("tensorflow", "keras"), frozenset(("tensorflow", "keras")))
KERAS = "import keras\nkeras.ops.relu([1.0])\n"
SET = 'import os\nos.environ["KERAS_BACKEND"] = "{}"\n' + KERAS


@pytest.fixture
def chosen(read):
    def run(code, wish=None, *, text="It fails.", frameworks=ALL, installed=INSTALLED):
        reading = read("keras.ops.relu", dedent(code), text=text)
        return choose(reading, wish or Wish(), frameworks, installed)

    return run


def keras(backend):
    return Choice(framework="keras", backend=backend)


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["KERAS_BACKEND"] = "jax"',
        "os.environ['KERAS_BACKEND'] = 'jax'",
        'os.environ.setdefault("KERAS_BACKEND", "jax")',
        'os.putenv("KERAS_BACKEND", "jax")',
        'os.environ.update({"KERAS_BACKEND": "jax"})',
        'os.environ.update(KERAS_BACKEND="jax")',
        'os.environ |= {"KERAS_BACKEND": "jax"}',
    ],
)
def test_the_code_chooses_the_backend(chosen, line):
    assert chosen(f"import os\n{line}\n{KERAS}") == keras("jax")


def test_the_code_counts_more_than_the_user(chosen):
    assert chosen(SET.format("torch"), Wish(backend="jax")) == keras("torch")


def test_what_has_no_backends_is_run_on_none_that_the_user_names(chosen):
    found = chosen("import torch\ntorch.ones(1)\n", Wish(backend="jax"))
    assert found == Unavailable(reason="is about torch, which has no --backend to choose")


def test_the_user_counts_more_than_the_text(chosen):
    text = "With `KERAS_BACKEND=torch` it fails."
    environment = (("KERAS_BACKEND", "jax"),)
    assert chosen(KERAS, text=text) == keras("torch")
    assert chosen(KERAS, Wish(environment=environment), text=text) == keras("jax")
    assert chosen(KERAS, Wish(backend="tensorflow", environment=environment)) == keras("tensorflow")


def test_without_any_word_it_is_the_usual_one_that_is_there(chosen):
    assert chosen(KERAS) == keras("tensorflow")
    assert chosen(KERAS, installed=frozenset(("keras", "torch"))) == keras("torch")


def test_a_backend_that_is_not_there_is_no_error_of_the_user(chosen):
    found = chosen(SET.format("jax"), installed=frozenset(("keras", "torch")))
    assert isinstance(found, Unavailable)
    assert "jax" in found.reason
    with pytest.raises(CitadelError, match="jax"):
        chosen(KERAS, Wish(backend="jax"), installed=frozenset(("keras", "torch")))


@pytest.mark.parametrize(
    ("code", "framework"),
    [
        ("import torch\ntorch.relu(torch.ones(1))\n", "torch"),
        ("import tensorflow as tf\ntf.nn.relu([1.0])\n", "tensorflow"),
        ("from tensorflow import keras\nkeras.layers.ReLU()([1.0])\n", "tensorflow"),
        ("import tensorflow as tf\nimport keras\nkeras.layers.ReLU()(tf.ones(1))\n", "tensorflow"),
        ("import torch\nimport keras\nkeras.layers.ReLU()(torch.ones(1))\n", "keras"),
        (KERAS, "keras"),
        (SET.format("tensorflow"), "keras"),
    ],
)
def test_the_framework_is_what_the_code_imports(chosen, code, framework):
    assert chosen(code).framework == framework


def test_tensorflow_serves_the_keras_that_it_brings(chosen):
    frameworks, installed = WITH_TENSORFLOW
    given = {"frameworks": frameworks, "installed": installed}
    assert chosen(KERAS, **given).framework == "tensorflow"
    assert chosen(SET.format("tensorflow"), **given).framework == "tensorflow"
    assert isinstance(chosen(SET.format("torch"), **given), Unavailable)
    assert chosen(KERAS, Wish(framework="keras"), **given) == keras("tensorflow")


def test_packages_that_are_installed_are_not_needed(read):
    code = f"import jax\nimport pandas\n{KERAS}\njax.x, pandas.x\n"
    reading = read("keras", code, text="It fails.")
    (snippet,) = with_installed(reading, INSTALLED).candidates
    assert [detail for _, detail in snippet.needs] == ["pandas"]


QUIET = "import os\nos.environ['TF_ENABLE_ONEDNN_OPTS'] = '0'\n"
TENSORFLOW = "import tensorflow as tf\ntf.add(1, 2)\n"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (QUIET + TENSORFLOW, {"TF_ENABLE_ONEDNN_OPTS": "0"}),
        (TENSORFLOW + QUIET, {}),
        ("import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'\n" + TENSORFLOW, {}),
        ("import os\nos.environ['LD_PRELOAD'] = '/tmp/x.so'\n" + TENSORFLOW, {}),
        ("import os\nos.environ['XLA_FLAGS'] = 'a\\0b'\n" + TENSORFLOW, {}),
        (
            "import os\nos.environ.update(XLA_FLAGS='--a=1', PATH='/tmp')\n" + TENSORFLOW,
            {"XLA_FLAGS": "--a=1"},
        ),
        (QUIET + "from keras import ops\n", {"TF_ENABLE_ONEDNN_OPTS": "0"}),
        (TENSORFLOW, {}),
    ],
)
def test_variables_that_code_sets_before_the_framework_reads_them(read, code, wanted):
    assert variables(read("tf.add fails", code), FRAMEWORKS["tensorflow"]) == wanted


def test_of_several_snippets_the_first_setting_counts(read):
    reading = read("tf.add fails", QUIET + TENSORFLOW, QUIET.replace("'0'", "'1'") + TENSORFLOW)
    assert variables(reading, FRAMEWORKS["tensorflow"]) == {"TF_ENABLE_ONEDNN_OPTS": "0"}
    assert variables(reading, FRAMEWORKS["torch"]) == {}


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("The tensorflow backend gives other numbers.", "tensorflow"),
        ("JAX is right; this is the torch backend.", "jax"),
        ("The result is not the one of the jax backend.", "jax"),
        ("It is inconsistent across backends.", "tensorflow"),
        ("It differs from the other backends.", "tensorflow"),
        ("It should raise an error: the jax and torch backends refuse it.", "jax"),
        ("It should raise an error: it raises one on the jax backend.", "jax"),
        ("It runs on the jax backend.", "jax"),
        ("The backend is torch.", ""),
        ("It fails, other than with tensorflow.", ""),
    ],
)
def test_the_text_names_the_backend_to_compare_with(chosen, text, beside):
    found = chosen(SET.format("torch"), text=text)
    assert found == Choice(framework="keras", backend="torch", beside=beside)


def test_nothing_is_compared_with_a_backend_that_is_not_there(chosen):
    installed = frozenset(("keras", "torch"))
    text = "The jax backend gives other numbers."
    assert chosen(SET.format("torch"), text=text, installed=installed).beside == ""


@pytest.mark.parametrize(
    "text", ["Keras backend: jax", "backend = `jax`", "**Backend**: JAX", "KERAS_BACKEND=jax"]
)
def test_the_text_may_say_the_backend_in_a_line_of_its_own(chosen, text):
    assert chosen(KERAS, text=f"Keras 3.15\n{text}\n").backend == "jax"


@pytest.mark.parametrize(
    "text", ["Versions: keras 3, backend: tensorflow; torch and jax are installed.", "jax 0.4\n"]
)
def test_a_backend_that_is_named_by_the_way_is_not_compared_with(chosen, text):
    assert chosen(SET.format("torch"), text=text).beside == ""


@pytest.mark.parametrize(
    ("code", "compiles"),
    [
        ("torch.compile(f)(x)", True),
        ("@torch.compile\ndef f(x): return x", True),
        ("torch._dynamo.reset()", True),
        ("from torch import nn, compile\ncompile(f)(x)", True),
        ("re.compile('torch')", False),
        ("model.compile(optimizer='sgd')", False),
        ("torch.compiled", False),
    ],
)
def test_the_compiler_is_loaded_in_front_of_code_that_compiles(read, code, compiles):
    found = used_late(read("torch.add fails", "import torch\n" + code), FRAMEWORKS["torch"])
    assert [one.modules[0] for one in found] == ["torch._dynamo"] * compiles
    assert used_late(read("tf.add fails", code), FRAMEWORKS["tensorflow"]) == ()
