"""How siblings are chosen, apart from `rank` so that the command line starts without NumPy."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """How siblings are chosen."""

    RANKED = "ranked"  # all APIs, ordered by all channels
    PAPER = "paper"  # those whose context similarity is above the paper's threshold
