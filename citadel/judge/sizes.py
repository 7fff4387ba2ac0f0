"""Sizes of results, which tell little of what computes them: `len(values)` of most functions is
that of their input."""

from __future__ import annotations

import re

from analysis.values import Value
from citadel.oracle.value import Values
from citadel.verify.witness import Witness

_SIZE = re.compile(
    r"len\(.*\)"
    r"|.*\.(?:shape|ndim|rank|size|numel|nelement|dim|get_shape|num_elements|as_list)(?:\(\))?"
    r"(?:\[[^\[\]]*\])?"
    r"|(?:tuple|list)\(.*\.shape\)",
    re.DOTALL,
)


def of_sizes(source: Witness) -> bool:
    """Whether all that a report shows of its API's results are their sizes."""
    texts = {point.number: point.text for point in source.watched.points}
    spots = zip(source.oracle.spots, source.own, strict=True)
    own = [texts.get(spot.point, "") for spot, depends in spots if depends is not False]
    return bool(own) and all(_SIZE.fullmatch(text.strip()) for text in own)


def tells_of_them(source: Witness, values: Values) -> bool:
    """Whether the sibling tells whole numbers of its inputs (`x.stride()`) where the report's API
    gives tensors: these may well be others for another layout."""
    spots = [spot for spot in source.oracle.spots if spot in source.values and spot in values]
    made = bool(spots) and all(source.values[spot].is_tensor for spot in spots)
    return made and all(_of_whole_numbers(values[spot]) for spot in spots)


def _of_whole_numbers(value: Value) -> bool:
    items = value.items if value.kind in ("tuple", "list") else (value,)
    return bool(items) and all(one.kind == "int" for one in items or ())
