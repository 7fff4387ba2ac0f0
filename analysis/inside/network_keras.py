"""Runs networks of Keras layers on the backend of this process, layer by layer, eagerly.

Layers are kept by their configuration and the shapes that they were built for, so that a network
that differs from an earlier one in its weights, or in one layer, costs little. Sessions are never
cleared: that throws away what the backend has compiled; the process is replaced now and then.
"""

import base64
import collections
import inspect
import json
import re

import backend_keras as backend
import conversation
import keras
import network_operations_keras
import numpy as np

PIECE = 1 << 19
"""Longer texts than this do not go through the pipe of events at once."""
KEPT = 3000
COLOURS = re.compile("\x1b\\[[0-9;]*m")
SEVERAL = ("MultiHeadAttention", "GroupQueryAttention", "Operation")
"""Layers that take their inputs as arguments, not as a list."""


def serve(patch=""):
    """Answer questions about networks; `patch` is run first (a test plants its bug by it)."""
    exec(patch, {"__name__": "patch"})
    yield from conversation.answers(Runner().answer)


class Runner:
    """The layers of this process, by what they are."""

    def __init__(self):
        self.layers = collections.OrderedDict()

    def answer(self, question):
        """Run a network: its layers' outputs as they come, then what stopped it, if anything did.

        With `describe` the weights of each layer are told instead, with `predict` the compiled
        model runs, and only its output is told. A `script` of ours is run as it is. What functions
        there are is told for `operations`. A `saved` model is taken apart, or run with inputs.
        """
        if "operations" in question:
            yield from guarded("", network_operations_keras.told)
            yield {"reply": {}}
            return
        if "script" in question:
            yield from guarded("", lambda: script(question["script"]))
            yield {"reply": {}}
            return
        if "saved" in question:
            yield from guarded("", lambda: self.saved(question["saved"], question.get("inputs")))
            yield {"reply": {}}
            return
        values = {name: decoded(told) for name, told in question["inputs"].items()}
        layers, weights = question["layers"], question.get("weights", {})
        if question.get("predict"):
            yield from guarded("", lambda: self.predict(layers, weights, values))
            return
        values = {name: keras.ops.convert_to_tensor(value) for name, value in values.items()}
        for told in layers:
            given = [values[name] for name in told["inputs"]]
            place = []

            def run(told=told, given=given, place=place):
                layer = self.layer(told, given)
                place.append(layer)
                load(layer, weights.get(told["name"]))
                values[told["name"]] = call(layer, given)
                if question.get("describe"):
                    return described(layer, values[told["name"]])
                return contents(values[told["name"]])

            failed = False
            for event in guarded(told["name"], run):
                failed = failed or "reply" in event
                yield event
            if failed:
                return
        yield {"reply": {}}

    def saved(self, data, inputs):
        """What a saved model is, or what comes out of it."""
        import saved_keras

        model = saved_keras.opened(data)
        if inputs is None:
            return saved_keras.described(model)
        return saved_keras.outputs(model, {name: decoded(told) for name, told in inputs.items()})

    def layer(self, told, given):
        """The layer of a configuration, built for these inputs."""
        shapes = [(tuple(each.shape), str(each.dtype)) for each in given]
        key = json.dumps([told["name"], told["class"], told["config"], shapes])
        layer = self.layers.get(key)
        if layer is None:
            layer = made(told)
            with ungraded():
                call(layer, given)
            self.layers[key] = layer
            if len(self.layers) > KEPT:
                self.layers.popitem(last=False)
        self.layers.move_to_end(key)
        return layer

    def predict(self, layers, weights, values):
        """The output of the last layer when the whole is run as a compiled model."""
        nodes = {
            name: keras.Input(value.shape[1:], value.shape[0], dtype=str(value.dtype))
            for name, value in values.items()
        }
        inputs = list(nodes.values())
        for told in layers:
            layer = made(told)
            nodes[told["name"]] = call(layer, [nodes[name] for name in told["inputs"]])
            load(layer, weights.get(told["name"]))
        model = keras.Model(inputs, nodes[layers[-1]["name"]])
        model.compile(jit_compile=False)
        given = list(values.values())
        found = model.predict_on_batch(given[0] if len(given) == 1 else given)
        return contents(found)


def made(told):
    """A new layer; its own initial values are zeros, which are quickly made: it gets others.

    Where it does not, because a later layer is refused, it computes the same on all backends.
    The class "ops.NAME" is a function of `keras.ops`.
    """
    if told["class"].startswith("ops."):
        return network_operations_keras.Operation(told["class"][len("ops.") :], told["config"])
    layer = getattr(keras.layers, told["class"])
    accepted = inspect.signature(layer).parameters
    config = {name: "zeros" for name in accepted if name.endswith("_initializer")}
    for key, value in told["config"].items():
        config[key] = "zeros" if key.endswith("_initializer") and value else value
    for inner in ("layer", "backward_layer", "cell"):
        if isinstance(config.get(inner), dict):
            config[inner] = made(config[inner])
    return layer(name=told.get("name"), **config)


def call(layer, given):
    with ungraded():
        if type(layer).__name__ in SEVERAL:
            return layer(*given)
        return layer(given[0] if len(given) == 1 else given)


def ungraded():
    """No gradients are wanted."""
    if backend.KIND != "torch":
        return keras.name_scope("run")
    import torch

    return torch.no_grad()


def load(layer, told):
    """Give a layer its weights, unless it has these already: zeros, where none are told."""
    if getattr(layer, "_citadel_loaded", None) == told:
        return
    if told is None:  # what it keeps of an earlier network others may not have
        layer.set_weights([np.zeros_like(each) for each in layer.get_weights()])
    else:
        layer.set_weights([decoded(each) for each in told])
    layer._citadel_loaded = told


def described(layer, value):
    """The weights of a layer by name and shape, and the shape of its output."""
    weights = [[each.path.rpartition("/")[2], list(each.shape)] for each in layer.weights]
    return [{"weights": weights, "shape": list(flat(value)[0].shape)}]


def script(code):
    """Run a script that stands alone, but for the framework, which is there."""
    exec(compile(code, "case.py", "exec"), {"__name__": "__main__"})
    return ()


def contents(value):
    """Events that hold the arrays of an output."""
    for number, each in enumerate(flat(value)):
        array = np.asarray(keras.ops.convert_to_numpy(each))
        if array.dtype.name == "bfloat16":
            array = array.astype("float32")
        data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        head = {"output": number, "dtype": array.dtype.name, "shape": list(array.shape)}
        for start in range(0, max(len(data), 1), PIECE):
            yield dict(head, data=data[start : start + PIECE])


def flat(value):
    return keras.tree.flatten(value)


def decoded(told):
    data = base64.b64decode(told["data"])
    return np.frombuffer(data, told["dtype"]).reshape(told["shape"])


def guarded(name, run):
    """The events of a step, with the layer's name; its exception is a reply."""
    try:
        with ungraded():
            for event in run():
                yield dict(event, layer=name)
    except Exception as problem:
        types = [each.__name__ for each in type(problem).__mro__ if each is not object]
        message = COLOURS.sub("", str(problem))[:2000]
        yield {"reply": {"failed": name, "types": types, "message": message}}
