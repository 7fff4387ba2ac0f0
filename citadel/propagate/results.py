"""Results that the report's text cannot go on with: several where it takes one, several numbers."""

from __future__ import annotations

from analysis.rules import Phrase
from citadel.model import Verdict, VerdictKind
from citadel.oracle.numbers import elements
from citadel.plan.model import Adaptation
from citadel.verify.witness import Witness

_SEVERAL = Phrase(
    "message/several-results",
    r"'(?:tuple|list|torch\.return_types\.\w+)' object has no attribute"
    r"|(?:unsupported|bad) operand type.*'(?:tuple|list|torch\.return_types\.\w+)'"
    r"|.*must be Tensor, not (?:tuple|list|torch\.return_types\.\w+)\b",
    finds=(
        "'tuple' object has no attribute 'sum'",
        "f(): argument 'input' must be Tensor, not tuple",
    ),
    spares=("'Tensor' object has no attribute 'x'",),
)
"""Of what takes one result, where there are several."""
_ONE_WANTED = (
    (
        Phrase(
            "message/scalar-for-gradient",
            r"grad can be implicitly created only for scalar outputs",
            finds=("grad can be implicitly created only for scalar outputs",),
            spares=("grad is wrong",),
        ),
        "sum",
    ),
    (
        Phrase(
            "message/scalar-for-number",
            r"(?!a Tensor with 0 ).*\bconverted to (?:Scalar|Python scalars?)\b",
            finds=("a Tensor with 2 elements cannot be converted to Scalar",),
            spares=("a Tensor cannot be converted to a list",),
        ),
        "max",
    ),
)
"""Of what takes one number, where there are several, and the step that makes one of them: the
largest (the smallest, if the report's is below all numbers), as NaN is, and nothing overflows."""


_UNPACKED = Phrase(
    "message/unpacked",
    r"(?:not enough|too many) values to unpack \(expected (?P<wanted>\d{1,3})\b",
    finds=("not enough values to unpack (expected 3, got 2)",),
    spares=("cannot unpack",),
)
MOST_OUTPUTS = 16
OTHER = (VerdictKind.DIFFERENT, VerdictKind.NOT_ADAPTED)
"""What a case comes to that ends in another way than the report's, or says nothing."""


def gives_several(verdict: Verdict) -> bool:
    """Whether a case ends where it takes several results for one: `rfft` gives two tensors."""
    seen = verdict.symptom if verdict.kind is VerdictKind.NOT_ADAPTED else None
    return seen is not None and _SEVERAL.match(seen.message or "") is not None


def as_many(plan: Adaptation, verdict: Verdict) -> Adaptation | None:
    """The plan with as many outputs as the text unpacks, where the sibling has more or fewer: two
    of `unique` for the three of `unique_with_counts`; None elsewhere."""
    seen = verdict.symptom if verdict.kind in OTHER else None
    told = _UNPACKED.match((seen.message or "") if seen is not None else "")
    wanted = int(told["wanted"]) if told is not None else 0
    made = plan.outputs(wanted) if 1 < wanted <= MOST_OUTPUTS else plan
    return made if made is not plan else None


def as_one(plan: Adaptation, verdict: Verdict, witness: Witness | None) -> Adaptation | None:
    """The plan with one number for several, where a case ends as it takes one; None elsewhere."""
    step = wants_one(verdict)
    if step == "max" and witness is not None and _below_all(witness):
        step = "min"
    reduced = plan.reduced(step) if step else plan
    return reduced if reduced is not plan else None


def wants_one(verdict: Verdict) -> str:
    """The step that makes one number of several, where a case ends as it takes one; else ""."""
    seen = verdict.symptom if verdict.kind in OTHER else None
    told = (seen.message or "") if seen is not None else ""
    return next((step for wanted, step in _ONE_WANTED if wanted.match(told)), "")


def _below_all(witness: Witness) -> bool:
    """Whether the report is about negative infinity, which a maximum would hide."""
    shown = (witness.values[spot] for spot in witness.oracle.spots if spot in witness.values)
    found = {one for value in shown for one in elements(value) or ()}
    return -float("inf") in found and float("inf") not in found
