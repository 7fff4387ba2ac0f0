"""What executing sample inputs taught about an API: operators that ran, calls that worked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class CallValues:
    """The arguments of one call. Of a method call the receiver is the first argument."""

    arguments: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One call that worked; of a layer also its constructor, `call` being that of the instance."""

    call: CallValues
    constructor: CallValues | None = None

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Sample:
        """Read a sample as `analysis/inside/samples_torch.py` describes it."""
        built = record.get("c")
        return cls(call=_values(record), constructor=None if built is None else _values(built))


def _values(record: dict[str, Any]) -> CallValues:
    return CallValues(
        arguments=tuple(Value.from_json(item) for item in record["a"]),
        keywords={key: Value.from_json(item) for key, item in record["k"].items()},
    )
