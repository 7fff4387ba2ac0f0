"""Opens a model of NNSmith and yields the plain PyTorch calls that it makes.

The graph, its weights and its inputs are pickles of a stranger's, and the graph's classes are
NNSmith's own: it has to be installed beside the framework. The model runs once on the inputs while
a function mode notes each public call with its arguments; what comes out is text.
"""

import base64
import io
import json
import pickle

import torch
import unpickle
from torch.overrides import TorchFunctionMode, resolve_name

MOST_STEPS = 500
GETTER = ".__get__"


class NoProgram(Exception):
    """A model that cannot be written as straight-line code."""


def program(data):
    """Yield `{"text": expression}` or `{"error": why}`.

    The expression is a dictionary of inputs (name, expression), steps (names, function, arguments,
    keywords) and outputs; arguments and outputs are expressions in which names may stand.
    """
    try:
        yield {"text": repr(_program(json.loads(base64.b64decode(data))))}
    except (NoProgram, unpickle.NoLiteral) as problem:
        yield {"error": str(problem)}
    except Exception as problem:
        yield {"error": "%s: %s" % (type(problem).__name__, str(problem)[:300])}


def _program(files):
    from nnsmith.materialize.torch.symbolnet import SymbolNet

    opened = {name: io.BytesIO(base64.b64decode(text)) for name, text in files.items()}
    net = SymbolNet(pickle.load(opened["gir.pkl"]))
    net.load_state_dict(torch.load(opened["model.pth"], weights_only=True))
    net.eval()
    given = pickle.load(opened["oracle.pkl"])["input"]
    inputs = {name: torch.from_numpy(array.copy()) for name, array in given.items()}
    recorder = Recorder()
    known = [(recorder.bind(tensor), unpickle.literal(tensor)) for tensor in inputs.values()]
    with torch.no_grad():
        try:
            with recorder:
                outputs = _flat(net.forward(**inputs))
            names = [recorder.render(value) for value in outputs]
        except Exception:
            if recorder.pending is None:
                raise
            # The bug is in this very call: the program ends with it.
            names = ["v%d" % len(recorder.kept)]
            recorder.steps.append((names, *recorder.pending))
    return {"inputs": known, "steps": recorder.steps, "outputs": names}


class Recorder(TorchFunctionMode):
    """Notes the calls of the outermost public functions that give tensors."""

    def __init__(self):
        super().__init__()
        self.steps = []
        self.names = {}
        self.kept = []  # so that no identity is used twice
        self.pending = None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.pending = self._step(resolve_name(func) or "", args, kwargs)
        result = func(*args, **kwargs)
        pending, self.pending = self.pending, None
        values = _flat(result)
        tensors = [one for one in values if isinstance(one, torch.Tensor)]
        if tensors:
            if not pending[0] or len(tensors) != len(values):
                raise NoProgram("a step of it has no public name: %s" % func)
            if len(self.steps) >= MOST_STEPS:
                raise NoProgram("more than %d steps" % MOST_STEPS)
            names = [self.bind(tensor) for tensor in tensors]
            if isinstance(result, (list, tuple)) and len(names) == 1:
                names.append("")  # unpacked from a sequence of one
            self.steps.append((names, *pending))
        return result

    def _step(self, name, args, kwargs):
        """Function, arguments and keywords as text; a property is `getattr`."""
        given = [self.render(value) for value in args]
        if name.endswith(GETTER):
            return "getattr", [given[0], repr(name[: -len(GETTER)].rpartition(".")[2])], {}
        return name, given, {key: self.render(value) for key, value in kwargs.items()}

    def bind(self, tensor):
        """A name for a tensor; an in-place result gets a new one."""
        name = "v%d" % len(self.kept)
        self.kept.append(tensor)
        self.names[id(tensor)] = name
        return name

    def render(self, value):
        """An argument as text."""
        if isinstance(value, torch.Tensor) and id(value) in self.names:
            return self.names[id(value)]
        if type(value) is torch.nn.Parameter:
            return unpickle.literal(value.detach())
        if type(value) in (list, tuple):
            parts = ", ".join(self.render(part) for part in value)
            if type(value) is list:
                return "[%s]" % parts
            return "(%s%s)" % (parts, "," if len(value) == 1 else "")
        return unpickle.literal(value)


def _flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else [value]
