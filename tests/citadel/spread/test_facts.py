"""Each fact does to a value what its example says, on real frameworks."""

from textwrap import dedent

import pytest

from citadel.evidence.variations import BY_NAME as VARIATIONS
from citadel.spread.facts import BY_NAME, FACTS, expressions
from citadel.spread.page import PAGE, page

EXAMPLES = [(root, one.name) for one in FACTS for root in one.examples]
CODE = {
    "torch": """
        import torch
        from eagle_torch import World
        from spread import expression

        def facts(x):
            kept = [x.requires_grad, x.device.type, x.layout, x.is_neg(), behind(x)]
            return [x.dtype, x.shape, *kept, told(x)]

        def behind(x):
            "Memory behind a tensor without elements."
            return 0 if x.numel() else x.untyped_storage().nbytes()

        def told(x):
            return None if x.is_meta else x.detach().to_dense().tolist()
    """,
    "tf": """
        import tensorflow as tf
        from eagle_tensorflow import World
        from spread import expression

        def facts(x):
            if isinstance(x, tf.SparseTensor):
                return [x.dtype, x.shape, tf.sparse.to_dense(x).numpy().tolist()]
            return [x.dtype, x.shape, x.numpy().tolist()]
    """,
}


@pytest.fixture(scope="module")
def torch_session(torch_target):
    with torch_target.session() as made:
        yield made


@pytest.fixture(scope="module")
def tf_session(tf_target):
    with tf_target.session() as made:
        yield made


def check(session, root, name):
    fact = BY_NAME[name]
    value, before, after = fact.examples[root]
    lines = f"""
        x = {before}
        text = expression({expressions(fact.ways, root, value)!r}, x, World())
        made, wanted = eval(text), {after}
        print(repr(facts(made)) == repr(facts(wanted)), text, facts(made), facts(wanted))
    """
    run = session.run(dedent(CODE[root]) + dedent(lines))
    assert run.stdout.startswith("True"), run.stdout + run.stderr


@pytest.mark.torch
@pytest.mark.parametrize("name", [name for root, name in EXAMPLES if root == "torch"])
def test_a_fact_is_brought_into_a_tensor_of_pytorch(torch_session, name):
    check(torch_session, "torch", name)


@pytest.mark.tf
@pytest.mark.parametrize("name", [name for root, name in EXAMPLES if root == "tf"])
def test_a_fact_is_brought_into_a_tensor_of_tensorflow(tf_session, name):
    check(tf_session, "tf", name)


def test_names_are_unique():
    assert len({one.name for one in FACTS}) == len(FACTS)


def test_what_a_fact_brings_back_is_a_variation():
    named = {name for one in FACTS for name in (*one.brings_back, *one.of_numbers)}
    assert named <= VARIATIONS.keys()


def test_the_page_is_fresh():
    assert PAGE.read_text() == page(), "renew it: python -m citadel.spread.page"
