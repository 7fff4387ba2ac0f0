"""A case is shown under the name that its report uses."""

from dataclasses import replace

import pytest

from citadel.report.named import as_reported

CODE = "import tensorflow as tf\ny = tf.nn.silu(x)\n"
ALIASES = ("tensorflow.python.ops.nn_impl.swish", "tf.compat.v1.nn.silu", "tf.nn.silu")


@pytest.mark.parametrize(
    ("title", "code", "name"),
    [
        ("tf.nn.silu(-inf) is nan", CODE, "tf.nn.silu"),
        ("silu of -inf", CODE, "tf.nn.silu"),
        ("`tf.compat.v1.nn.silu` is nan", CODE, "tf.compat.v1.nn.silu"),
        ("wrong activation", CODE, "tf.nn.silu"),
        ("swish(-inf) is nan", CODE, "tf.nn.swish"),
        ("wrong activation", "nn_impl.gelu(x)", "tf.nn.swish"),
    ],
)
def test_names_are_those_of_the_report(make_triage, title, code, name):
    triage = make_triage(title=title, code=code, api="tf.nn.swish")
    assert triage.case is not None
    known = as_reported(replace(triage, case=replace(triage.case, aliases=ALIASES))).case
    assert known is not None
    assert known.api == name
    assert {known.api, *known.aliases} == {"tf.nn.swish", *ALIASES}


@pytest.mark.parametrize(
    ("title", "name"),
    [("`StudentT.cdf` is missing", "d.StudentT.cdf"), ("StudentT has no cdf", "d.StudentT")],
)
def test_the_method_of_a_class_is_named_where_the_report_does(make_triage, title, name):
    triage = make_triage(title=title, code="d.StudentT(3.0).cdf(x)", api="d.StudentT")
    assert triage.case is not None
    case = replace(triage.case, aliases=("d.StudentT.cdf", "d.studentT.StudentT"))
    known = as_reported(replace(triage, case=case)).case
    assert known is not None
    assert known.api == name
