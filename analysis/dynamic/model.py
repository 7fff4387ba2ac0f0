"""What executing sample inputs taught about an API: operators that ran, calls that worked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from analysis.values import Value


class Provider(StrEnum):
    """Where a sample call comes from, in order of trust."""

    OPINFO = "opinfo"  # the framework's own samples for its operators
    MODULEINFO = "moduleinfo"  # ... and for its layers
    EXAMPLE = "example"  # an example in the documentation
    SYNTHESIS = "synthesis"  # made up from the signature


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSets:
    """Names that ran under the samples of one API, as the profiler gives them.

    `forward`, `backward` and `constructor` hold operators (and on CUDA builds kernels and runtime
    calls), `frames` the Python functions of the framework that were entered.
    """

    provider: Provider
    forward: frozenset[str] = frozenset()
    backward: frozenset[str] = frozenset()
    constructor: frozenset[str] = frozenset()
    frames: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallValues:
    """The arguments of one call. Of a method call the receiver is the first argument."""

    arguments: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One call that worked; of a layer also its constructor, `call` being that of the instance,
    and `state` its parameters and buffers by name."""

    provider: Provider
    call: CallValues
    constructor: CallValues | None = None
    state: dict[str, Value] = field(default_factory=dict)

    @classmethod
    def from_json(cls, provider: str, record: dict[str, Any]) -> Sample:
        """Read a sample as the code in `analysis/inside` describes it."""
        built, state = record.get("c"), record.get("p")
        return cls(
            provider=Provider(provider),
            call=_values(record),
            constructor=None if built is None else _values(built),
            state=_named(state) if isinstance(state, dict) else {},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashCandidate:
    """A sample that killed its process or did not return: worth a look, though not triaged.

    `sample` is the provider's key of the call, e.g. "torch.lstm#2"; `how` is "hang" or e.g.
    "crash SIGSEGV". `alone` tells whether the call does the same alone in a fresh process, None
    where that could not be tried; `call` is what it was called with, where known.
    """

    api: str
    sample: str
    how: str
    alone: bool | None = None
    call: Sample | None = None

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> CrashCandidate:
        """Read one record of `analysis.dynamic.confirm`."""
        call = record["call"]
        return cls(
            api=record["api"],
            sample=record["sample"],
            how=record["how"],
            alone=record["alone"],
            call=None if call is None else Sample.from_json(Provider.SYNTHESIS, call),
        )


def _values(record: dict[str, Any]) -> CallValues:
    return CallValues(
        arguments=tuple(Value.from_json(item) for item in record["a"]),
        keywords=_named(record["k"]),
    )


def _named(record: dict[str, Any]) -> dict[str, Value]:
    return {key: Value.from_json(item) for key, item in record.items()}
