"""A saved model (.keras) -> a network with its weights, as every backend loads it.

The file is a stranger's, and may do anything to the process that loads it (`inside/saved_keras`):
what comes back is checked here, and what runs later runs in new processes.
"""

from __future__ import annotations

import json
import keyword
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from analysis.target.fork_server import Event
from harvest.importers.folder import Unreadable
from harvest.sources.backends import Backends, Execution, Failure, joined
from harvest.sources.layers import FUNCTION
from harvest.sources.metrics import TOLERANCE, relative_error
from harvest.sources.model import Hit, HitKind
from harvest.sources.networks import Array, Layer, Network, Weights, make_inputs
from harvest.sources.seeds import BATCH
from harvest.sources.voting import Vote, vote

ENDING = ".keras"
MOST_BYTES = 44 << 20
"""Of a file. Its weights come back as text that is a third longer, within 64 MiB of events."""
MOST_NUMBERS = 1 << 22
"""What all inputs may hold."""
MOST_LAYERS = 2000
MOST_STATES = 10 << 20
"""How many numbers the layers may make of a batch: all of them come back."""
UNKNOWN = 16
"""A dimension that the model leaves open, but for the batch."""
SUBJECT = "keras.saving.load_model"
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading something else than we expect ends in."""
OURS = "NoNetwork"
"""The exception of `inside/saved_keras`, whose words say enough."""
NO_SCRIPT = "a script cannot hold the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A model as most backends load it; `loaded` is what it predicts there, `hits` who disagrees.

    The inputs come from a seed.
    """

    network: Network
    inputs: Mapping[str, Array]
    weights: Weights
    loaded: Mapping[str, Execution]
    hits: tuple[Hit, ...]


def model_files(folder: Path) -> list[Path]:
    """The saved models in a folder.

    Raises:
        CitadelError: when there are none, or no such folder.
    """
    if not folder.is_dir():
        raise CitadelError(f"{folder} is no folder", f"--models is for one with {ENDING} files")
    found = sorted(one for one in folder.glob(f"*{ENDING}") if one.is_file())
    if not found:
        raise CitadelError(f"there is no {ENDING} file in {folder}", "save models by model.save()")
    return found


def read_saved(backends: Backends, path: Path, seed: int) -> Saved:
    """Load a model on every backend, and predict with it; the processes are new ones afterwards.

    Raises:
        Unreadable: when no backend can load it, or it is no graph of layers of Keras.
    """
    try:
        return _loaded(backends, path, _contents(path), seed)
    finally:
        backends.renew()


def faithful(
    network: Network, executions: Mapping[str, Execution], loaded: Mapping[str, Execution]
) -> bool:
    """Whether on some backend the layers, one by one, come to what the loaded model predicts."""
    name = network.output.name
    both = [
        (executions[one].states[name], loaded[one].states[name])
        for one in loaded
        if name in executions[one].states and name in loaded[one].states
    ]
    return any(relative_error(own, other) <= TOLERANCE for own, other in both)


def network_of(text: str, name: str) -> Network:
    """The network that a worker tells of.

    Raises:
        Exception: one of `MALFORMED`, when it is none.
    """
    told = json.loads(text)
    batch = min(BATCH, max(1, MOST_STATES // max(1, int(told["states"]))))
    inputs = {str(one["name"]): _shape(one["shape"], batch) for one in told["inputs"]}
    known, layers = set(inputs), []
    for one in told["layers"]:
        layer = Layer(
            name=str(one["name"]),
            kind=str(one["class"]),
            config=dict(one["config"]),
            inputs=tuple(str(each) for each in one["inputs"]),
        )
        # These become names in scripts.
        if not all(
            str(each).isidentifier() and not keyword.iskeyword(str(each))
            for each in (layer.kind.removeprefix(FUNCTION), *layer.config)
        ):
            raise ValueError("a name of it is no name")
        if not known.issuperset(layer.inputs) or layer.name in known:
            raise ValueError("its layers are not in order")
        known.add(layer.name)
        layers.append(layer)
    if not 0 < len(layers) <= MOST_LAYERS:
        raise ValueError(f"it has {len(layers)} layers")
    if sum(map(math.prod, inputs.values())) > MOST_NUMBERS:
        raise ValueError("its inputs are too large")
    whole = [str(one["dtype"]).startswith(("int", "uint")) for one in told["inputs"]]
    domain = _domain(layers, tuple(inputs), any(whole))
    return Network(name=name, inputs=inputs, layers=tuple(layers), domain=domain)


def _contents(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Unreadable(path.name, f"is larger than {MOST_BYTES >> 20} MiB")
        return path.read_bytes()
    except OSError as problem:
        raise Unreadable(path.name, f"{problem.strerror}") from problem


def _loaded(backends: Backends, path: Path, data: bytes, seed: int) -> Saved:
    try:
        told = backends.open_saved(data)
        failures = {name: one for name, one in told.items() if isinstance(one, Failure)}
        read = {
            name: _parsed(records, path.name)
            for name, records in told.items()
            if not isinstance(records, Failure)
        }
    except MALFORMED as problem:
        raise Unreadable(path.name, f"is no network: {problem}") from problem
    if not read:
        failure = next(iter(failures.values()))
        said = "" if failure.label == OURS else f"{failure.label}: "
        raise Unreadable(path.name, f"{said}{failure.message}")
    heard = {name: one for name, one in failures.items() if not one.ours}
    crashed = vote({**read, **heard}, lambda one, other: type(one) is type(other))
    voted = vote(read, _equal)
    name = next(iter(voted.majority or read))
    network, weights = read[name]
    inputs = make_inputs(network, seed)
    try:
        loaded = backends.predict_saved(data, network, inputs, only=tuple(read))
        for one in loaded.values():
            check(one.states.get(network.output.name))
    except MALFORMED as problem:
        raise Unreadable(path.name, f"predicts nothing: {problem}") from problem
    hits = []
    if heard:
        labels = " and ".join(sorted({one.label for one in heard.values()}))
        does = "raises" if set(crashed.odd) <= heard.keys() else "loads what others refuse,"
        hits.append(_hit(HitKind.CRASH, crashed, path, f"{does} {labels}"))
    if len(read) > 1 and not voted.unanimous:
        hits.append(_hit(HitKind.INCONSISTENCY, voted, path, "loads other layers or weights"))
    return Saved(network=network, inputs=inputs, weights=weights, loaded=loaded, hits=tuple(hits))


def _parsed(records: tuple[Event, ...], name: str) -> tuple[Network, Weights]:
    network = network_of(str(records[0]["network"]), name)
    arrays = joined(records[1:], lambda one: (str(one["weights"]), int(one["number"])))
    weights: dict[str, tuple[Array, ...]] = {layer.name: () for layer in network.layers}
    for (layer, _), array in sorted(arrays.items(), key=lambda item: item[0][1]):
        if array.dtype.kind not in "biuf":
            raise ValueError(f"a weight is {array.dtype}")
        weights[layer] += (array,)
    return network, weights


def check(output: Array | None) -> None:
    """See that an output, if there is one, is rows of numbers.

    Raises:
        ValueError: if it is not.
    """
    if output is not None and not (output.dtype.kind in "biuf" and output.ndim and output.size):
        raise ValueError(f"an output is {output.dtype} of shape {output.shape}")


def _shape(told: Any, batch: int) -> tuple[int, ...]:
    """The shape of an input, with sizes for those that the model leaves open."""
    first, *sizes = told
    shape = tuple(int(size) for size in (first or batch, *(size or UNKNOWN for size in sizes)))
    if min(shape) < 1 or math.prod(shape) > MOST_NUMBERS:
        raise ValueError(f"an input has the shape {shape}")
    return shape


def _domain(layers: list[Layer], inputs: tuple[str, ...], whole: bool) -> str | int:  # noqa: FBT001
    """What inputs stand for: indices, if all go into embeddings."""
    takes = [layer for layer in layers if set(layer.inputs) & set(inputs)]
    sizes = [int(one.config["input_dim"]) for one in takes if one.kind == "Embedding"]
    if not sizes and not whole:
        return "real"
    if len(sizes) < len(takes) or min(sizes) < 1:
        raise ValueError("not all of its inputs are indices of embeddings, and not all are numbers")
    return min(sizes)


def _equal(one: tuple[Network, Weights], other: tuple[Network, Weights]) -> bool:
    """Whether two backends have loaded the same, bit by bit."""
    texts = [
        (network.to_json(), [(n, [a.tobytes() for a in own]) for n, own in weights.items()])
        for network, weights in (one, other)
    ]
    return texts[0] == texts[1]


def _hit(kind: HitKind, voted: Vote, path: Path, what: str) -> Hit:
    odd = "+".join(voted.odd) or "unknown"
    return Hit(
        key=f"{kind}:load_model:{odd}:{what}",
        kind=kind,
        subject=SUBJECT,
        title=f"{odd} {what} (against {' and '.join(voted.majority) or 'nobody'})",
        origin=f"cradle, model {path.name}",
        no_case=NO_SCRIPT,
    )
