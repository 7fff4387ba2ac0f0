"""Opens a saved Keras model of a stranger: its layers as a network has them, weights, outputs.

To load a model is to run what its author wrote, safe mode or not: this happens in a child of the
sandbox only. Models inside a model are taken apart, too, and a layer that is called twice becomes
two of equal weights. What a network of layers cannot say is refused.
"""

import base64
import inspect
import json
import math
import os
import re
import tempfile
import zipfile

import keras
import network_keras

PAIRED = ("kernel_size", "strides", "pool_size", "dilation_rate", "size")
"""Parameters that are told for each dimension, also where one number was meant for all."""
MADE = ("_initializer", "_regularizer", "_constraint")
"""The ends of parameters that do not matter to a layer that has its weights."""
WORDS = re.compile("(?<=[a-z0-9])(?=[A-Z])")
"""Where the name of a class gets an underscore as the name of a function."""
OPEN = 16
"""What a dimension counts as that the model leaves open."""
INNER = ("layer", "backward_layer", "cell")


class NoNetwork(Exception):
    """A model that is more than layers behind each other."""


def opened(data):
    """The model of a .keras file in base64."""
    handle, path = tempfile.mkstemp(suffix=".keras")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(base64.b64decode(data))
        if not zipfile.is_zipfile(path):
            raise NoNetwork("it is no archive, as .keras files are")
        model = keras.saving.load_model(path, compile=False, safe_mode=True)
    finally:
        os.unlink(path)
    return graph(model)


def graph(model):
    """What a model is as a graph of layers; subclasses of `Model` are programs."""
    model = getattr(model, "_functional", None) or model
    if type(model).__name__ != "Functional":
        raise NoNetwork("%s is no graph of layers" % type(model).__name__)
    return model


def described(model):
    """Events: the network, then the arrays of each layer's weights."""
    found = Taken()
    inputs = [
        {"name": found.named(each.name), "shape": list(each.shape), "dtype": str(each.dtype)}
        for each in model.inputs
    ]
    after = found.walk(model, [one["name"] for one in inputs])
    found.end(after[found.last(after)])
    layers = [told for told, _ in found.layers]
    told = {"inputs": inputs, "layers": layers, "states": found.states}
    yield {"network": json.dumps(told)}
    for told, weights in found.layers:
        for number, array in enumerate(weights):
            for event in network_keras.contents(array):
                yield dict(event, weights=told["name"], number=number)


def outputs(model, inputs):
    """The model's output, compiled, as events; `inputs` are arrays by name, in their order.

    Of several it is the one whose layer comes last.
    """
    found = Taken()
    place = found.last(found.walk(model, [found.named(each.name) for each in model.inputs]))
    model = keras.Model(model.inputs, model.outputs[place])
    model.compile(jit_compile=False)
    given = list(inputs.values())
    return network_keras.contents(model.predict_on_batch(given[0] if len(given) == 1 else given))


class Taken:
    """The layers of a model as they are met: what is told of each, and its weights.

    `states` counts the numbers that they make of one instance.
    """

    def __init__(self):
        self.layers = []
        self.names = set()
        self.states = 0

    def named(self, name):
        """A name that nothing has yet."""
        while name in self.names:
            name += "_again"
        self.names.add(name)
        return name

    def walk(self, model, given):
        """Take in the layers of a model that gets these inputs; the names of its outputs."""
        names = {id(each): name for each, name in zip(model.inputs, given)}
        depths = sorted(model._nodes_by_depth, reverse=True)
        for node in (one for depth in depths for one in model._nodes_by_depth[depth]):
            made = node.operation
            if isinstance(made, keras.layers.InputLayer):
                continue
            tensors, numbers = arguments(node)
            before = [names[id(each)] for each in tensors]
            if isinstance(made, keras.Model):
                after = self.walk(graph(made), before)
            else:
                after = [self.taken(made, before, numbers)]
                self.states += math.prod(size or OPEN for size in node.outputs[0].shape[1:])
            if len(after) != len(node.outputs):
                raise NoNetwork("the layer %s has %d outputs" % (made.name, len(node.outputs)))
            names.update((id(each), name) for each, name in zip(node.outputs, after))
        return [names[id(each)] for each in model.outputs]

    def last(self, outputs):
        """Which of the outputs, by the names of their layers, comes last."""
        order = {told["name"]: place for place, (told, _) in enumerate(self.layers)}
        return max(range(len(outputs)), key=lambda place: order.get(outputs[place], -1))

    def end(self, name):
        """Leave out what comes behind a layer: it is of no output."""
        while self.layers and self.layers[-1][0]["name"] != name:
            self.layers.pop()

    def taken(self, layer, before, numbers):
        """Take in a layer, or a function of `keras.ops`, that gets these tensors, and numbers by
        the names of its parameters; its name."""
        kind = type(layer).__name__
        function = WORDS.sub("_", kind).lower()
        if getattr(keras.layers, kind, None) is type(layer):
            config = plain(layer)
        elif not isinstance(layer, keras.layers.Layer) and hasattr(keras.ops, function):
            kind, config = "ops." + function, dict(layer.get_config(), **numbers)
            del config["name"]
        else:
            raise NoNetwork("%s is no layer of Keras" % kind)
        name = self.named(layer.name)
        told = {"name": name, "class": kind, "config": config, "inputs": before}
        self.layers.append((told, getattr(layer, "get_weights", list)()))
        return name


def arguments(node):
    """The tensors that a layer is called with, and the numbers, by the names of parameters, that a
    function is called with beside them; nothing else may be among them."""
    given, operation = node.arguments, node.operation
    if isinstance(operation, keras.layers.Layer):
        others = [each for each in given.kwargs.values() if each is not None and each is not False]
        flat, numbers = keras.tree.flatten(given.args), {}
    else:
        bound = inspect.signature(operation.call).bind(*given.args, **given.kwargs).arguments
        numbers = {name: each for name, each in bound.items() if type(each) in (bool, int, float)}
        left = [each for name, each in bound.items() if name not in numbers]
        others, flat = [], keras.tree.flatten(left)
    if others or any(not isinstance(each, keras.KerasTensor) for each in flat):
        raise NoNetwork("the layer %s is called with more than tensors" % operation.name)
    return flat, numbers


def plain(layer):
    """The configuration of a layer without what it has anyway."""
    config = layer.get_config()
    dtype = config.get("dtype")
    policy = dtype.get("config", {}).get("name") if isinstance(dtype, dict) else dtype
    if policy not in ("float32", None):
        raise NoNetwork("the layer %s computes in %s" % (layer.name, policy))
    return shortened(type(layer), config)


def shortened(kind, config):
    """Parameters that are not as usual, and that matter."""
    usual = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
    kept = {}
    for name, value in config.items():
        if name in ("name", "trainable", "dtype") or name.endswith(MADE):
            continue
        if name in INNER and isinstance(value, dict) and "class_name" in value:
            value = inner(value)
        elif name in PAIRED:
            value = single(value)
        default = usual.get(name, inspect.Parameter.empty)
        by_default = ("linear", keras.config.image_data_format()) if default is None else ()
        if value != single(default) and value not in by_default:
            kept[name] = value
    first, second = kept.get("layer"), kept.get("backward_layer")
    if second is not None and turned(second) == turned(first):
        del kept["backward_layer"]
    return kept


def single(value):
    """One number where all dimensions have the same."""
    several = isinstance(value, (list, tuple)) and len(set(map(str, value))) == 1
    return value[0] if several else value


def inner(told):
    """A layer that another one holds, as a network tells of it."""
    kind = getattr(keras.layers, str(told["class_name"]), None)
    if kind is None:
        raise NoNetwork("%s is no layer of Keras" % told["class_name"])
    return {"class": kind.__name__, "config": shortened(kind, told["config"])}


def turned(told):
    """A layer whichever way it goes."""
    config = {name: value for name, value in told["config"].items() if name != "go_backwards"}
    return dict(told, config=config)
