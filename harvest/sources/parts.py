"""A layer -> what it consists of: its activation, the layer that it wraps; each a suspect alone.

A bug of an activation shows in every layer that has it. The case, its key and its siblings are
those of the activation then, not of whichever layer was met first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from harvest.sources.backends import Backends
from harvest.sources.given import Given
from harvest.sources.suspects import Confirmed, Suspect, alike, confirm

_ACTIVATIONS = ("activation", "recurrent_activation")


def narrowed(backends: Backends, found: Confirmed) -> Confirmed:
    """A part that shows the same alone, where the layer is right without it; else the layer."""
    if not found.judgement.vote.odd:
        return found
    for parameter in _ACTIVATIONS:
        part = _activation(found.suspect, parameter)
        if part is None:
            continue
        without = replace(found.suspect, config={**found.suspect.config, parameter: None})
        if confirm(backends, without, given=found.given) is not None:
            continue
        given = _passed(backends, without, found) if found.given is not None else None
        if given is not None:
            part = replace(part, shapes=(given.inputs[0].shape,))
        told = confirm(backends, part, given=given)
        if told is not None and _same(told, found):
            return told
    for part in _wrapped(found.suspect):
        told = confirm(backends, part)
        if told is not None and _same(told, found) and alike(told.judgement, found.judgement):
            return narrowed(backends, told)
    return found


def _activation(found: Suspect, parameter: str) -> Suspect | None:
    name = found.config.get(parameter)
    if found.kind == "Activation" or not isinstance(name, str) or name == "linear":
        return None
    config = {"activation": name}
    return Suspect(kind="Activation", config=config, shapes=found.shapes[:1], seed=found.seed)


def _wrapped(found: Suspect) -> Iterator[Suspect]:
    """The layer in a `Bidirectional`, the way that it goes and the other one, or in another."""
    told = found.config.get("layer")
    if not isinstance(told, Mapping):
        return
    kind, config = str(told["class"]), dict(told["config"])
    shapes = found.shapes
    if found.kind == "TimeDistributed":
        shapes = tuple((shape[0], *shape[2:]) for shape in shapes)
    one = Suspect(kind=kind, config=config, shapes=shapes, domain=found.domain, seed=found.seed)
    if found.kind == "Bidirectional":
        turned = not config.get("go_backwards", False)
        yield replace(one, config={**config, "go_backwards": turned})
    yield one


def _passed(backends: Backends, without: Suspect, found: Confirmed) -> Given | None:
    """What the layer hands to its activation, on a backend of the majority."""
    assert found.given is not None  # noqa: S101 - the caller looked
    network, name = without.network, found.judgement.vote.majority[0]
    inputs = dict(zip(network.inputs, found.given.inputs, strict=True))
    done = backends.run(network, {"layer": found.given.weights}, inputs, only=(name,))[name]
    state = done.states.get("layer")
    return None if state is None else Given(inputs=(state,), weights=())


def _same(one: Confirmed, other: Confirmed) -> bool:
    """Whether the same backend is voted out, by the same oracle."""
    return (one.judgement.kind, one.judgement.vote.odd) == (
        other.judgement.kind,
        other.judgement.vote.odd,
    )
