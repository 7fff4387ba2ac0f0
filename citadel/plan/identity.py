"""The plan that makes the source's own call: every value goes where it came from."""

from __future__ import annotations

from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Form, Slot, SourceValue, Take

_FORMS = {"method": Form.METHOD, "operator": Form.METHOD, "reflected": Form.METHOD}


def identity(source: Invocation) -> Adaptation:
    """The source's call, whatever its signature says."""
    named = {value.key: value for value in source.values}
    layer = source.call.form in ("module", "inner")
    form = Form.MODULE if layer else _FORMS.get(source.call.form, Form.FUNCTION)
    return Adaptation(
        target=source.api.name,
        form=Form.CONSTRUCTOR if source.constructing else form,
        receiver=Take(key="recv") if "recv" in named else None,
        new=tuple(_slot(v) for v in source.values if v.key.startswith("new")),
        call=tuple(_slot(v) for v in source.values if v.key.startswith(("arg:", "kw:"))),
        edits=(),
        plausibility=1.0,
    )


def _slot(value: SourceValue) -> Slot:
    prefix, _, name = value.key.partition(":")
    keyword = prefix in ("kw", "newkw")
    return Slot(name=name if keyword else value.name, keyword=keyword, value=Take(key=value.key))
