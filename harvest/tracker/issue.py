"""An issue of a tracker that a finding may be known by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue that may be about a finding; `place` is `owner/repo#N`, or its address.

    `likeness` is 1 where an umbrella covers the API, as `note` says then; else a half if the title
    names the API, a quarter if only the text does, and up to a half for the words of the symptom.
    """

    place: str
    title: str
    state: str
    likeness: float
    note: str = ""

    def to_json(self) -> dict[str, str | float]:
        """For the JSON document."""
        return {
            "place": self.place,
            "title": self.title,
            "state": self.state,
            "likeness": self.likeness,
            "note": self.note,
        }

    def __str__(self) -> str:
        """As people are told: "pytorch/pytorch#7 (open)", "... (umbrella)"."""
        said = self.note or self.state
        return f"{self.place} ({said})" if said else self.place
