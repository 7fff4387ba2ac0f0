"""What a report is about, by the calls that its code makes rather than by its words."""

import pytest

from citadel.model import BugKind, SymptomKind
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

REFUSED_FIRST = """
    import torch
    rows = torch.tensor([0, -1])

    def pick(m):
        try:
            return torch.index_select(m, 0, rows)
        except IndexError as error:
            return "IndexError: " + str(error)

    m = torch.eye(3)
    print("dense:", pick(m))
    print("sparse:", pick(m.to_sparse()))
"""
REFUSED_LAST = """
    import torch

    def pick(rows):
        try:
            return torch.index_select(torch.eye(3), 0, rows)
        except IndexError as error:
            return "IndexError: " + str(error)

    print(pick(torch.tensor([0, 2])))
    print(pick(torch.tensor([0, 9])))
"""
BY_NUMPY = """
    import numpy as np
    import torch
    print(torch.unravel_index(torch.tensor([17]), (2, 3)))
    np.unravel_index([17], (2, 3))
"""
INDEX = "torch.index_select and index -1"


def test_where_the_last_call_returns_it_is_what_is_accepted(verified):
    found = verified(INDEX, REFUSED_FIRST)
    assert (found.case.api, found.case.kind) == ("torch.index_select", BugKind.STATUS)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.case.symptom.observed == "[1, 0, 0, 0, 0, 1] (float32 of shape [2, 3])"


def test_where_the_last_call_is_refused_it_is_not(verified):
    found = verified(INDEX, REFUSED_LAST)
    accepts = isinstance(found, Verified) and found.case.symptom.kind is SymptomKind.ACCEPTS
    assert not accepts


def test_what_numpy_refuses_is_accepted(verified):
    found = verified("torch.unravel_index and numbers beyond the shape", BY_NUMPY)
    assert found.case.api == "torch.unravel_index"
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.case.reproduces


def test_any_condition_that_the_report_asserts_is_its_oracle(verified):
    code = """
        import torch

        def found(image, number):
            return torch.isin(image, number)

        image = torch.tensor([44, 7], dtype=torch.uint8)
        assert not found(image, torch.tensor([300])).any()
        assert not found(image, 300).any(), "44 was taken for 300"
    """
    case = verified("isin: a number wraps around and gives a wrong mask", code).case
    assert (case.api, case.symptom.kind, case.reproduces) == (
        "torch.isin",
        SymptomKind.FALSE,
        True,
    )
    assert case.symptom.where == "not found(image, 300).any()"
