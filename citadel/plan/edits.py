"""What an adaptation tells people of the arguments that it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.catalog.model import Api
from citadel.plan.model import NUMBER, Expression, Gather, SourceValue, Take
from citadel.plan.places import Place, is_receiver
from citadel.plan.quantised import QUANTIZE


def renames(named: Sequence[Place], chosen: Mapping[int, SourceValue]) -> list[str]:
    """Keywords that the sibling calls otherwise."""
    renamed = []
    for number, value in chosen.items():
        name = named[number].parameter.name
        if value.key.startswith(("kw:", "newkw:")) and name != value.name:
            renamed.append(f"{value.name} -> {name}")
    return renamed


def changes(
    named: Sequence[Place],
    given: Mapping[int, Expression],
    target: Api,
    names: Mapping[str, str],
) -> list[str]:
    """Words that are spelled otherwise, numbers that become tensors or the other way round, tensors
    that are quantised or in one list.

    `names`: key of one of the source's values -> its parameter.
    """
    found = []
    for number, one in given.items():
        items = one.items if isinstance(one, Gather) and not one.made else ()
        together = list(dict.fromkeys(names.get(item.key, item.key) for item in items))
        if len(together) > 1:
            found.append(f"{', '.join(together[:-1])} and {together[-1]} in one list")
        for step in one.steps if isinstance(one, Take) else ():
            if step.name == "say":
                found.append(f"{named[number].parameter.name} as {step.text}")
            elif step.name == QUANTIZE:
                found.append(f"{named[number].parameter.name} quantised")
            elif step.name == "last":
                found.append(f"the last {step.amount} of {named[number].parameter.name}")
            elif step.name == NUMBER:
                found.append(f"{named[number].parameter.name} as a number")
            elif step.name == "tensor" and not is_receiver(named[number], target):
                found.append(f"{named[number].parameter.name} as a tensor")
    return found
