"""Sizes of results, which tell little of what computes them: `len(values)` of most functions is
that of their input."""

from __future__ import annotations

import re

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
