"""Under which of its names the API of a case is shown: the one that the report uses.

In: a finished triage, whose case has the name that the catalog goes by. Out: the triage with the
name that the title has, else the code (`tf.nn.silu`, where the catalog says `tf.nn.swish`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from citadel.model import Triage

_KERNELS = "torch._C._nn."


def is_public(name: str) -> bool:
    """Whether people may write a name: not where the framework defines the object.

    PyTorch's kernels of layers have no other namespace in Python than a private one.

    >>> is_public("torch._C._nn.gelu"), is_public("torch._C._add"), is_public("torch.nn._x.gelu")
    (True, False, False)
    """
    name = name.replace(_KERNELS, "torch.", 1) if name.startswith(_KERNELS) else name
    private = name.startswith(("tensorflow.", "keras.src.", "torch._"))
    return not private and "._" not in name


def as_reported(triage: Triage) -> Triage:
    """The triage with the case's API named as in the report; all other names are aliases."""
    case = triage.case
    if case is None:
        return triage
    names = [case.api, *filter(is_public, case.aliases)]
    for text in (triage.title, case.code):
        spelled = [_parts(name, text) for name in names]
        member = names[1:2] and names[1].startswith(f"{case.api}.") and spelled[1] > spelled[0]
        if spelled[0] and not member:
            return triage
        if any(spelled):
            told = [
                (n, _parts(name, case.code), -len(name))
                for n, name in zip(spelled, names, strict=True)
            ]
            name = names[told.index(max(told))]
            others = tuple(alias for alias in (case.api, *case.aliases) if alias != name)
            return replace(triage, case=replace(case, api=name, aliases=others))
    return triage


def _parts(name: str, text: str) -> int:
    """How many parts of a name, from its end, a text has in a row: 2 of `a.b.c` in "`b.c` fails".

    >>> _parts("tf.nn.silu", "nn.silu(-inf) is nan"), _parts("tf.nn.swish", "tf.nn.silu is nan")
    (2, 0)
    """
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if re.search(rf"(?<!\w){re.escape('.'.join(parts[-count:]))}(?!\w)", text):
            return count
    return 0
