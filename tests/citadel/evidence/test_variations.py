"""Each variation alters what it says, and nothing else of the argument, on real frameworks."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument
from analysis.target.observation import Outcome
from citadel.evidence.page import PAGE, page
from citadel.evidence.variations import BY_NAME, VARIATIONS


@pytest.fixture(scope="module")
def torch_session(torch_target):
    with torch_target.session() as made:
        yield made


@pytest.fixture(scope="module")
def tf_session(tf_target):
    with tf_target.session() as made:
        yield made


EXAMPLES = [(root, one.name) for one in VARIATIONS for root in one.examples]
FACTS = {
    "torch": """
        def facts(x):
            if not torch.is_tensor(x):
                return [type(x), x]
            own = [x.dtype, x.shape, x.stride(), x.requires_grad, x.is_conj(), x.device, x.layout]
            return [*own, x.tolist()]
    """,
    "tf": """
        def facts(x):
            if not tf.is_tensor(x):
                return [type(x), x]
            return [type(x).__name__, x.dtype, x.shape, x.numpy().tolist()]
    """,
    "keras": """
        def facts(x):
            if not keras.ops.is_tensor(x):
                return [type(x), x]
            return [str(x.dtype), list(x.shape), keras.ops.convert_to_numpy(x).tolist()]
    """,
}
BESIDE = {
    "torch": "torch.zeros(2, 3, 4)",
    "tf": "tf.zeros([2, 3, 4])",
    "keras": "keras.ops.zeros([2, 3, 4])",
}
IMPORTS = {"torch": "import torch", "tf": "import tensorflow as tf", "keras": "import keras"}


def run_with(session, code, traced, site, root, name):
    """Run a case with a variation of the first argument of one call."""
    one = BY_NAME[name]
    changes = {str(site): [["arg:0", one.ways_in(root), one.preserves]]}
    given = {"changes": changes, "blamed": [site]}
    return session.run(code, traced=traced, entry="vary:run", arguments=given)


def varied(session, root, name, before, after):
    """Run a case whose call compares what it is given with what it should be given."""
    code = "\n".join(
        (
            IMPORTS[root],
            dedent(FACTS[root]).strip(),
            f"wanted = {after}",
            "def same(x, beside):",
            "    print(facts(x) == facts(wanted), facts(x), facts(wanted))",
            f"given, beside = {before}, {BESIDE[root]}",
            "same(given, beside)",
        )
    )
    case = instrument(code)
    texts = [case.module.code_for_node(node) for node in case.nodes]
    run = run_with(session, code, case.traced, texts.index("same(given, beside)"), root, name)
    assert run.outcome is Outcome.OK, run.stderr
    return run


def ends(run):
    return [event for event in run.extra if event["e"] in ("varied", "returned", "failed")]


def check(session, root, name):
    before, after = BY_NAME[name].examples[root]
    run = varied(session, root, name, before, after)
    assert run.stdout.startswith("True"), run.stdout
    assert [event["e"] for event in ends(run)] == ["varied", "returned"]
    assert len(ends(run)[0]["made"]) == 1
    # What a variation has made of an argument is nothing that it would alter.
    again = varied(session, root, name, after, after)
    assert [event["made"] for event in ends(again) if event["e"] == "varied"] == [[]]


@pytest.mark.torch
@pytest.mark.parametrize("name", [name for root, name in EXAMPLES if root == "torch"])
def test_a_variation_of_pytorch_alters_one_fact(torch_session, name):
    check(torch_session, "torch", name)


@pytest.mark.tf
@pytest.mark.parametrize("name", [name for root, name in EXAMPLES if root == "tf"])
def test_a_variation_of_tensorflow_alters_one_fact(tf_session, name):
    check(tf_session, "tf", name)


def test_all_variations_have_examples():
    without = {one.name for one in VARIATIONS if not one.examples}
    assert without == {"default"}  # a keyword is left out: there is no value to show


def test_names_are_unique():
    assert len(BY_NAME) == len(VARIATIONS)


def test_the_page_of_variations_is_fresh():
    assert PAGE.read_text() == page(), "renew it: python -m citadel.evidence.page"


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "call", "dtype"),
    [
        ("wider", "torch.abs(x)", "torch.float32"),  # it preserves: so must the result's dtype
        ("wider", "torch.max(x, 0).values", "torch.float32"),
        ("wider", "torch.isnan(x)", "torch.bool"),
        ("int64", "torch.abs(x)", "torch.int64"),
    ],
)
def test_the_result_of_what_preserves_is_cast_back(torch_session, name, call, dtype):
    code = f"import torch\nx = torch.tensor([1.0, 2.0])\nprint({call}.dtype)"
    case = instrument(code)
    texts = [case.module.code_for_node(node) for node in case.nodes]
    site = next(n for n, text in enumerate(texts) if text.startswith(call.removesuffix(".values")))
    run = run_with(torch_session, code, case.traced, site, "torch", name)
    assert run.stdout.strip() == dtype, run.stderr
