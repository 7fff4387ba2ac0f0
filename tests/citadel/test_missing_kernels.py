"""A kernel that is missing is a finding for close relations only."""

from fractions import Fraction

import pytest

from analysis.catalog.model import Api, ApiKind
from citadel.match.rank import Candidate
from citadel.model import Channels, Verdict, VerdictKind
from citadel.oracle import status
from citadel.propagation import _of_kernels

MISSING = status.raises("NotFoundError", "Could not find device for node: {{node A}} = A[]")
OTHER = status.raises("InvalidArgumentError", "bad window")
RELATED, STRANGER = Channels(family="op"), Channels(context=Fraction(1, 5), signature=0.2)


@pytest.mark.parametrize(
    ("symptom", "channels", "kind"),
    [
        (MISSING, RELATED, VerdictKind.BUG),
        (MISSING, STRANGER, VerdictKind.NEEDS),
        (OTHER, STRANGER, VerdictKind.BUG),
    ],
)
def test_only_close_relations_share_a_missing_kernel(symptom, channels, kind):
    api = Api(name="tf.a", kind=ApiKind.FUNCTION, aliases=(), signatures=())
    found = Verdict(kind=VerdictKind.BUG, runs=(3, 3), confidence=0.9, symptom=symptom)
    assert _of_kernels(found, Candidate(api=api, channels=channels, score=0.5)).kind is kind
