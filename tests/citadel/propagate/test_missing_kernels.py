"""A missing kernel is a finding for close relations, and for neighbours that lack the same one."""

from fractions import Fraction

import pytest

from analysis.catalog.model import Api, ApiKind
from citadel.match.rank import Candidate
from citadel.model import Channels, Symptom, Verdict, VerdictKind
from citadel.oracle import status
from citadel.plan.model import Adaptation, Form
from citadel.propagate.kernels import of_kernels
from citadel.propagate.propagation import _as_given

MISSING = status.raises("NotFoundError", "Could not find device for node: {{node A}} = A[]")
HALF = status.raises("NotFoundError", "Could not find device for node: {{node A}} = A[T=DT_HALF]")
WHOLE = status.raises("NotFoundError", "Could not find device for node: {{node B}} = B[T=DT_INT64]")
INDEXED = status.raises(
    "NotFoundError", "Could not find device for node: {{node C}} = C[T=DT_HALF, I=DT_INT32]"
)
ANOTHER = status.raises(
    "NotFoundError", "Could not find device for node: {{node D}} = D[T=DT_HALF, order=1]"
)
XLA = status.raises(
    "InvalidArgumentError",
    "Detected unsupported operations when trying to compile graph f on XLA_CPU_JIT: E "
    "(No registered 'E' OpKernel for XLA_CPU_JIT devices compatible with node {{node E}})",
)
OTHER = status.raises("InvalidArgumentError", "bad window")
RELATED, STRANGER = Channels(family="op"), Channels(context=Fraction(1, 5), signature=0.2)


def _api(name: str, kind: ApiKind = ApiKind.FUNCTION, *aliases: str) -> Candidate:
    api = Api(name=name, kind=kind, aliases=aliases, signatures=())
    return Candidate(api=api, channels=STRANGER, score=0.5)


def _found(symptom: Symptom) -> Verdict:
    return Verdict(kind=VerdictKind.BUG, runs=(3, 3), confidence=0.9, symptom=symptom)


@pytest.mark.parametrize(
    ("symptom", "channels", "kind"),
    [
        (MISSING, RELATED, VerdictKind.BUG),
        (MISSING, STRANGER, VerdictKind.NEEDS),
        (OTHER, STRANGER, VerdictKind.BUG),
    ],
)
def test_only_close_relations_share_a_missing_kernel(symptom, channels, kind):
    candidate = Candidate(api=_api("tf.a").api, channels=channels, score=0.5)
    assert of_kernels(_found(symptom), candidate).kind is kind


@pytest.mark.parametrize(
    ("name", "symptom", "kind"),
    [
        ("tf.linalg.det", ANOTHER, VerdictKind.BUG),
        ("tf.linalg.lu", INDEXED, VerdictKind.BUG),
        ("tf.linalg.det", WHOLE, VerdictKind.NEEDS),
        ("tf.math.erfinv", ANOTHER, VerdictKind.NEEDS),
        ("tf.math.erfinv", HALF, VerdictKind.BUG),  # the very same
    ],
)
def test_neighbours_share_a_kernel_that_is_missing_for_the_same_dtype(
    name, symptom, kind, by_hand, call
):
    source = by_hand(call("tf.linalg.inv"), HALF)
    assert of_kernels(_found(symptom), _api(name), source).kind is kind


def test_neighbours_share_what_a_compiler_has_no_kernel_for(by_hand, call):
    source = by_hand(call("tf.linalg.inv"), XLA)
    assert of_kernels(_found(XLA), _api("tf.linalg.det"), source).kind is VerdictKind.BUG
    assert of_kernels(_found(XLA), _api("tf.math.erfinv"), source).kind is VerdictKind.NEEDS
    assert of_kernels(_found(HALF), _api("tf.linalg.det"), source).kind is VerdictKind.NEEDS


@pytest.mark.parametrize(
    ("aliases", "kind"),
    [
        (("tf.linalg.det",), VerdictKind.BUG),
        (("tf.compat.v1.linalg.det",), VerdictKind.NEEDS),
        (("tf.raw_ops.Inv2",), VerdictKind.NEEDS),
        ((), VerdictKind.NEEDS),
    ],
)
def test_neighbours_are_known_by_any_of_their_names(by_hand, call, aliases, kind):
    source = by_hand(call("tf.linalg.inv"), HALF)
    other = _api("tf.matrix_determinant", ApiKind.FUNCTION, *aliases)
    assert of_kernels(_found(ANOTHER), other, source).kind is kind


def test_raw_operators_are_no_neighbours(by_hand, call):
    source = by_hand(call("tf.raw_ops.Inv"), HALF)
    assert of_kernels(_found(ANOTHER), _api("tf.raw_ops.Det", ApiKind.OP), source).kind is (
        VerdictKind.NEEDS
    )


@pytest.mark.parametrize(
    ("symptom", "whatever"),
    [
        (XLA, True),
        (HALF, False),
        (MISSING, False),
        (OTHER, False),
        (
            status.raises("InvalidArgumentError", XLA.message[:-1] + "\n\t (OpKernel was found"),
            False,
        ),
    ],
)
def test_a_compiler_lacks_a_kernel_whatever_it_is_given(symptom, whatever):
    assert status.lacked_by_compiler(symptom) is whatever


def test_in_another_dtype_a_missing_kernel_is_not_looked_for():
    given, cast = (
        Adaptation(
            target="tf.a",
            form=Form.FUNCTION,
            receiver=None,
            new=(),
            call=(),
            edits=(),
            plausibility=1.0,
            cast=cast,
        )
        for cast in (False, True)
    )
    assert _as_given([(_api("tf.a"), (given, cast))]) == [(_api("tf.a"), (given,))]
