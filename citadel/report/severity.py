"""How bad a finding is, as trackers rank bugs: a wrong result that nobody notices comes first."""

from __future__ import annotations

from enum import StrEnum

from citadel.model import Symptom, SymptomKind

RAW = ("torch.ops.", "tf.raw_ops.")
"""Namespaces of operators that users do not call themselves."""


class Severity(StrEnum):
    """From the worst to the least."""

    WRONG_RESULT = "wrong result"
    LOST_VALIDATION = "lost validation"
    CRASH = "crash"
    CRASH_OF_RAW_API = "crash of a raw or private API"
    COST = "time or memory"
    EXCEPTION = "exception"


RANK = {severity: rank for rank, severity in enumerate(Severity)}


def severity(symptom: Symptom | None, api: str) -> Severity:
    """The severity of a symptom that an API shows.

    >>> str(severity(Symptom(kind=SymptomKind.CRASHES), "tf.raw_ops.Conv2D"))
    'crash of a raw or private API'
    """
    kind = None if symptom is None else symptom.kind
    if kind in (SymptomKind.NON_FINITE, SymptomKind.DISAGREES, SymptomKind.FALSE):
        return Severity.WRONG_RESULT
    if kind is SymptomKind.ACCEPTS:
        return Severity.LOST_VALIDATION
    if kind in (SymptomKind.CRASHES, SymptomKind.HANGS):
        return Severity.CRASH_OF_RAW_API if is_raw(api) else Severity.CRASH
    if kind in (SymptomKind.SLOW, SymptomKind.MEMORY):
        return Severity.COST
    return Severity.EXCEPTION


def is_raw(api: str) -> bool:
    """Whether users call an API through others only.

    >>> is_raw("torch.ops.aten.add"), is_raw("torch._foreach_norm"), is_raw("torch.add")
    (True, True, False)
    >>> is_raw("keras.ops.conv"), is_raw("torch.Tensor.__getitem__")
    (False, False)
    """
    private = any(one.startswith("_") and not one.endswith("__") for one in api.split("."))
    return api.startswith(RAW) or private
