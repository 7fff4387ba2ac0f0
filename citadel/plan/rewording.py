"""The same plan with other modes: what is filled of them comes of one valid call, and may not suit.

In: a plan that hands on all that the report's call has, and valid calls of the sibling. Out: plans
that differ in what is filled, where that is modes alone (`reduce="sum"`, an interpolation by its
number): which of them the report's own call works in, nobody says. An optional mode is given where
the report's API is called after it: `floor_divide` is `div` with `rounding_mode="floor"`; other
ones are given as valid calls have them. A word of the report's that no valid call of the sibling
has may be one that it has not got; a flag may say that an argument is what the report's API calls
it (`from_logits`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.catalog.model import Api
from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.assign import FACTORY
from citadel.plan.model import NOTHING, Adaptation, Fill, Form, Slot, SourceValue, Take
from citadel.plan.places import keyword_name

_MODES = ("str", "bool")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
"""A part of an API's name."""
_NUMBERS = frozenset(map(str, range(10)))
"""Modes that are numbers; larger ones are sizes and the like."""


def reworded(plan: Adaptation, samples: Sequence[dict[str, Value]]) -> Iterator[Adaptation]:
    """Plans like this one with the modes of other valid calls, each combination once."""
    fills = {slot.name: slot.value for slot in _slots(plan) if isinstance(slot.value, Fill)}
    # What the report's API has by default is its mode, but None is none.
    filled = {n: one.text for n, one in fills.items() if one == NOTHING or not one.implied}
    told = [edit for name in filled if (edit := f"filled {name}") not in plan.edits]
    if not filled or plan.drops or plan.invented or isinstance(plan.receiver, Fill):
        return
    tried = {tuple(filled.values())}
    for sample in samples:
        words = {name: _mode(sample.get(name)) for name in filled}
        found = tuple(filter(None, words.values()))
        if len(found) == len(filled) and found not in tried:
            tried.add(found)
            yield replace(
                plan,
                new=_with(plan.new, words),
                call=_with(plan.call, words),
                edits=(*plan.edits, *told),
            )


def named(
    plan: Adaptation, source: str, target: Api, samples: Sequence[dict[str, Value]]
) -> Iterator[Adaptation]:
    """Plans that set an optional mode of the target to a word of the source's name."""
    words = {word.lower() for word in _WORD.findall(source.rpartition(".")[2])}
    for name, texts in _optional(plan, samples).items():
        said = next((text for text in texts if text.strip("'\"").lower() in words), None)
        if said is not None:
            yield from _set(plan, target, name, said, " by the name of the report's API")


def _read_as(plan: Adaptation, values: Sequence[SourceValue], target: Api) -> Adaptation | None:
    """A flag says what an argument is, where the source's parameter has that name: `logits` are the
    target's `y_pred` with `from_logits=True`."""
    names = {value.key: value.name for value in values}
    renamed = {
        names[slot.value.key]
        for slot in _slots(plan)
        if isinstance(slot.value, Take) and slot.value.key in names
        if names[slot.value.key] != slot.name
    }
    given = {slot.name for slot in _slots(plan)}
    signatures = (*target.signatures, *target.call_signatures)
    off = {p.name for one in signatures for p in one.parameters if p.default == "False"}
    made = plan
    for name in sorted(f"from_{name}" for name in renamed):
        if name in off - given:
            made = next(_set(made, target, name, "True", ""), made)
    return None if made is plan else made


read_as = Rule("variant/flag-of-argument", _read_as)


def in_other_modes(
    plan: Adaptation, target: Api, samples: Sequence[dict[str, Value]]
) -> Iterator[Adaptation]:
    """Plans that set an optional mode of the target as a valid call does: `div` divides by zero
    where `rounding_mode` is set."""
    usual = {p.name: p.default or "" for s in target.signatures for p in s.parameters}
    for name, texts in _optional(plan, samples).items():
        default = usual.get(name, "")
        a_word = default[:1] in ("'", '"') and default[1:-1].isidentifier()
        chosen = len(texts) > 1 or a_word  # else it may be any name
        for text in texts if chosen else ():
            if text != default:
                yield from _set(plan, target, name, text, f" to {text}")


def _optional(plan: Adaptation, samples: Sequence[dict[str, Value]]) -> dict[str, list[str]]:
    """The words that valid calls have for what the plan leaves out, by parameter."""
    given = {slot.name for slot in _slots(plan)}
    found: dict[str, list[str]] = {}
    for name, value in ((name, value) for sample in samples for name, value in sample.items()):
        word = value.literal() if value.kind == "str" else None
        if word is None or name in given or name in FACTORY or not word[1:-1].isidentifier():
            continue
        words = found.setdefault(name, [])
        words += [word] if word not in words else []
    return found


def _set(plan: Adaptation, target: Api, name: str, text: str, how: str) -> Iterator[Adaptation]:
    built = any(name in signature.names() for signature in target.signatures)
    built = built and plan.form in (Form.MODULE, Form.CONSTRUCTOR)
    if plan.form is Form.CONSTRUCTOR and not built:
        return
    slot = Slot(name=name, keyword=True, value=Fill(text=text))
    yield replace(
        plan,
        new=(*plan.new, slot) if built else plan.new,
        call=plan.call if built else (*plan.call, slot),
        edits=(*plan.edits, f"set {name}{how}"),
    )


def unsaid(
    plan: Adaptation,
    values: Sequence[SourceValue],
    target: Api,
    samples: Sequence[dict[str, Value]],
) -> Iterator[Adaptation]:
    """A plan without the words that the target does without and no valid call of it has:
    `ord="euclidean"` is what `norm` does in libraries that have no such word."""
    said = {value.key: value for value in values if value.value.kind == "str"}
    signatures = (*target.signatures, *target.call_signatures)
    declared = [parameter for one in signatures for parameter in one.parameters]
    needed = {keyword_name(one, target) for one in declared if one.required}
    optional = {one.name for one in declared if not one.required} - needed

    def foreign(slot: Slot) -> bool:
        taken = slot.value if isinstance(slot.value, Take) and not slot.value.steps else None
        word = None if taken is None else said.get(taken.key)
        known = {sample[slot.name].text for sample in samples if slot.name in sample}
        return word is not None and slot.name in optional and word.value.text not in known

    left = tuple(slot for slot in plan.call if not (slot.keyword and foreign(slot)))
    names = [slot.name for slot in plan.call if slot not in left]
    if names:
        yield replace(plan, call=left, edits=(*plan.edits, *(f"dropped {name}" for name in names)))


def _slots(plan: Adaptation) -> tuple[Slot, ...]:
    return (*plan.new, *plan.call)


def _mode(value: Value | None) -> str | None:
    """How a mode is written, if it is one."""
    text = value.literal() if value is not None else None
    if value is None or text is None:
        return None
    return text if value.kind in _MODES or (value.kind == "int" and text in _NUMBERS) else None


def _with(slots: Sequence[Slot], words: dict[str, str | None]) -> tuple[Slot, ...]:
    return tuple(
        replace(slot, value=Fill(text=text)) if (text := words.get(slot.name)) else slot
        for slot in slots
    )
