"""What goes into a sibling under the name that it has in the report."""

from __future__ import annotations

from citadel.judge.relations import near
from citadel.model import Channels
from citadel.plan.lexicon import same_name
from citadel.plan.model import Adaptation, Fill
from citadel.rewrite.given import takes
from citadel.verify.witness import Witness


def takes_by_name(source: Witness, plan: Adaptation, channels: Channels) -> bool:
    """Whether what is not finite goes by its name, which is no mere `input`, or a flag says what it
    is: zero times infinity is NaN of all that multiplies, whatever it tends to."""
    if any(one.operand for one in source.infinite) and not near(channels):
        return False
    slots = (*plan.new, *plan.call)
    taken = {one.key: slot.name for slot in slots for one in takes(slot.value)}
    flags = {slot.name for slot in slots if isinstance(slot.value, Fill)}
    return not taken or all(
        same_name(taken.get(one.key, ""), one.name) or f"from_{one.name}" in flags
        for one in source.infinite
    )
