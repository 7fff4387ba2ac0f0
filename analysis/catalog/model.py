"""What Citadel knows about one public API: its names, its kind, how it may be called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

OFTEN = 0.05
"""Share of a build's APIs that call their first parameter by one name: `input`, `x`, `self`."""


class ApiKind(StrEnum):
    """How an API is reached."""

    FUNCTION = "function"
    METHOD = "method"  # of the tensor class; the receiver is the first parameter
    MODULE = "module"  # a layer class: constructed, then called
    CLASS = "class"
    OP = "op"  # torch.ops.aten.*, tf.raw_ops.*

    @property
    def is_class(self) -> bool:
        """Whether it is constructed."""
        return self in (ApiKind.MODULE, ApiKind.CLASS)


class Provenance(StrEnum):
    """Where a signature comes from, in order of trust."""

    SCHEMA = "schema"
    INSPECT = "inspect"
    DOC = "doc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter. `type` is the schema's or annotation's text, None where unknown."""

    name: str
    type: str | None = None
    default: str | None = None
    """Source text of the default; None means that the argument is required."""
    keyword_only: bool = False
    variadic: str = ""
    """"*" or "**" for collecting parameters."""

    @property
    def required(self) -> bool:
        """Whether a call must supply it."""
        return self.default is None and not self.variadic


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One overload. For methods the receiver (`self`) is the first parameter."""

    parameters: tuple[Parameter, ...]
    provenance: Provenance

    def names(self) -> tuple[str, ...]:
        """Parameter names in order."""
        return tuple(parameter.name for parameter in self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One public API (one object of the framework), under its canonical name.

    `signatures` are all overloads, best first; of a layer class those of its constructor, while
    `call_signatures` are those of its call (`forward`, without `self`). `operators` are the base
    names of the framework's operators behind it, `out` tells whether it takes `out=`. `words` are
    those of its documentation, each once, with a blank between them.
    """

    name: str
    kind: ApiKind
    aliases: tuple[str, ...] = ()
    signatures: tuple[Signature, ...] = ()
    call_signatures: tuple[Signature, ...] = ()
    documented: bool = True
    words: str = ""
    operators: tuple[str, ...] = ()
    out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All public APIs of one build, by canonical name.

    `runs` are the operators that an API was seen to run, by their canonical names.
    """

    apis: dict[str, Api]
    runs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _by_alias: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for api in self.apis.values():
            for alias in api.aliases:
                self._by_alias.setdefault(alias, api.name)

    def resolve(self, name: str) -> Api | None:
        """The API behind a canonical name or an alias."""
        return self.apis.get(name) or self.apis.get(self._by_alias.get(name, ""))

    def operands(self) -> frozenset[str]:
        """The names that APIs have for whatever they work on, which say nothing of what that must
        be: those by which many call their first parameter."""
        first = [
            {
                one.parameters[0].name
                for one in api.call_signatures or api.signatures
                if one.parameters
            }
            for api in self.apis.values()
        ]
        times = Counter(name for names in first for name in names)
        return frozenset(name for name, n in times.items() if n >= OFTEN * len(self.apis))
