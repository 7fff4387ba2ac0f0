"""Lists of integers that PyTorch also takes one by one: `torch.ones(2, 3)`, `x.view(2, 3)`.

In: values bound to one parameter, each an integer. Out: what of them a sibling is given as a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.catalog.model import Api, ApiKind, Parameter, Signature
from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.model import SourceValue
from citadel.plan.types import wraps

LISTS = ("int[]", "SymInt[]")
"""How operator schemas write lists of integers."""
_ONE = Value(kind="int", text="1")


def sizes(signature: Signature) -> Parameter | None:
    """The list that is the only positional parameter beside `self`: it may be given one by one."""
    plain = [p for p in signature.parameters if not (p.keyword_only or p.variadic)]
    own = [p for p in plain if p.name != "self"]
    only = own[0] if len(own) == 1 else None
    return only if only is not None and _is_list(only.type) else None


def one_by_one(target: Api, parameter: Parameter, signature_sizes: Parameter | None) -> bool:
    """Whether a sibling takes the integers of a list one by one."""
    python = target.name.startswith("torch.") and target.kind is not ApiKind.OP
    return python and parameter is signature_sizes


def _as_lists(
    values: Sequence[SourceValue], parameters: Sequence[Parameter]
) -> list[SourceValue] | None:
    """Integers that are given one by one become a list: `torch.ones(2, 3)`."""
    if not any(wraps(_ONE, parameter.type) for parameter in parameters):
        return None
    lists: dict[str, SourceValue] = {}
    whole: list[SourceValue] = []
    for value in values:
        if value.value.kind != "int" or not _is_list(value.type):
            whole.append(value)
        elif value.name not in lists:
            lists[value.name] = replace(value, value=Value(kind="list", items=(value.value,)))
            whole.append(lists[value.name])
    return whole if lists else None


as_lists = Rule("convert/integers-to-list", _as_lists)


def _is_list(declared: str | None) -> bool:
    return (declared or "").startswith(LISTS)
