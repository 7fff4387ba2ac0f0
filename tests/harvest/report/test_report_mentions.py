import pytest

from harvest.report.mentions import find_mentions


def names(title="", prose=""):
    return [mention.name for mention in find_mentions(title, prose)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See torch.nn.functional.conv1d.", ["torch.nn.functional.conv1d"]),
        ("`F.max_pool1d(x, 3)` and tf.raw_ops.Gather", ["F.max_pool1d", "tf.raw_ops.Gather"]),
        ("with `addmm` or `.clamp_`", ["addmm", "clamp_"]),
        ("Calling matmul(a, b) twice", ["matmul"]),
        ("MaxPool1d, Conv2d, LSTMCell, ReLU6, GRUCell", "MaxPool1d Conv2d LSTMCell ReLU6 GRUCell"),
        ("scatter_add fails where relu_ works", ["scatter_add", "relu_"]),
        ("conv1d and bn2d", ["conv1d", "bn2d"]),
        ("torch.ops.aten.x.default", ["torch.ops.aten.x.default"]),
        ("PyTorch on GitHub with float32, x86_64 and a ValueError, i.e. `True`", []),
        ("https://a.org/torch.nn and me@some.org see a_file.py", []),
    ],
)
def test_names_in_prose(text, expected):
    expected = expected.split() if isinstance(expected, str) else expected
    assert names(prose=text) == expected


def test_counts_and_order():
    found = find_mentions("conv1d(groups=0)", "torch.conv2d, torch.conv2d and conv1d")
    assert [(m.name, m.title, m.body) for m in found] == [
        ("conv1d", 1, 1),
        ("torch.conv2d", 0, 2),
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("`tf.foo(tf.one(1), tf.one(2))` is nan", {"tf.foo": 1, "tf.one": 0}),
        ("tf.foo(tf.one(1)) and tf.one(2) differ", {"tf.foo": 1, "tf.one": 1}),
        ("torch.wrap(torch.foo.bar)(x) is slow", {"torch.wrap": 1, "torch.foo.bar": 1}),
        ("`np.asarray(tf.foo(x))` is empty", {"np.asarray": 1, "tf.foo": 1}),
        ("tf.foo(tf.one(1, tf.two((2", {"tf.foo": 1, "tf.one": 0, "tf.two": 0}),
    ],
)
def test_what_makes_an_argument_in_a_title_is_not_its_subject(title, expected):
    assert {m.name: m.title for m in find_mentions(title, "")} == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("addmm with a sparse input", ["addmm"]),
        ("[bug] median of an empty integer tensor", ["median"]),
        ("Second derivative of pow is nan", ["derivative", "pow"]),
        ("Wrong result of torch.f with zero", ["torch.f"]),
        ("half matmul is slow", ["matmul", "slow"]),
        ("empty tensors crash torch.f", ["torch.f"]),
        ("empty with a negative size", ["empty"]),
        ("full_like is slow", ["full_like"]),
        ("[CPU] gradient of softshrink at 0", ["softshrink"]),
        ("sum of int8 overflows", ["sum"]),
    ],
)
def test_plain_words_of_a_title(title, expected):
    assert [name for name in names(title) if name != "second"] == expected


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("A model gives odd numbers for normal-distributed weights", False),
        ("A model gives odd numbers for normal", True),
        ("A model gives odd numbers for normal-softmax", True),
    ],
)
def test_a_word_that_says_how_something_was_made_names_nothing(title, named):
    assert ("normal" in {mention.name for mention in find_mentions(title, "")}) is named


@pytest.mark.parametrize(
    ("title", "settings"),
    [
        ("Bad pointers given to f crash the process in to_dense()", {"to_dense"}),
        ("An invalid torch.f segfaults when calling `torch.g`", {"torch.g"}),
        ("Pointers given to f crash the process in to_dense()", set()),
        ("Tensors made by to_sparse() raise an error in torch.softmax()", set()),
        ("Bad tensors of to_sparse() raise an error in torch.softmax()", set()),
        ("torch.f crashes, as does torch.g in torch.h", set()),
        ("torch.f gives NaN in torch.g", set()),
    ],
)
def test_where_a_title_says_that_something_happens(title, settings):
    assert {one.name for one in find_mentions(title, "") if one.setting} == settings
