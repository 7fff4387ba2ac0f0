"""Describe a live value in a few JSON fields, without touching tensor data.

Only metadata is read: a result may point outside its storage (that can be the very bug), so
looking at its elements here could crash and blame the wrong call. The reading side is
`analysis.values.Value`.
"""

import sys

MAX_ITEMS = 64
MAX_TEXT = 200


def describe(value, depth=4):
    """Return `{"k": kind, ...}` for any object; never raises."""
    try:
        return _describe(value, depth)
    except Exception as problem:  # a hostile __class__ or a lazy proxy
        return {"k": "other", "v": type(problem).__name__}


def _describe(value, depth):
    if value is None or value is Ellipsis:
        return {"k": "none" if value is None else "ellipsis", "v": repr(value)}
    kind = type(value)
    if kind is bool:
        return {"k": "bool", "v": repr(value)}
    if kind is int:
        # Huge integers are printed in hexadecimal: Python refuses the decimal text of some.
        return cut("int", repr(value) if abs(value) < 1 << 128 else hex(value))
    if kind is float or kind is complex:
        return {"k": kind.__name__, "v": repr(value)}
    if kind is str or kind is bytes:
        record = {"k": kind.__name__, "v": repr(value[:MAX_TEXT])}
        return record if len(value) <= MAX_TEXT else dict(record, len=len(value))
    if kind is slice:
        return cut("slice", repr(value))
    if isinstance(value, (list, tuple)):
        return _sequence(value, depth)
    if kind is dict:
        return _mapping(value, depth)
    return _foreign(value, kind)


def cut(kind, text):
    """A record of a text; of one that is too long, its beginning and its length."""
    if len(text) <= MAX_TEXT:
        return {"k": kind, "v": text}
    return {"k": kind, "v": text[:MAX_TEXT], "len": len(text)}


def _sequence(value, depth):
    name = "list" if isinstance(value, list) else "tuple"
    if depth == 0 or len(value) > MAX_ITEMS:
        return {"k": name, "len": len(value)}
    return {"k": name, "items": [describe(item, depth - 1) for item in value]}


def _mapping(value, depth):
    if depth == 0 or len(value) > MAX_ITEMS:
        return {"k": "dict", "len": len(value)}
    pairs = [(str(key)[:MAX_TEXT], describe(item, depth - 1)) for key, item in value.items()]
    return {"k": "dict", "keys": [k for k, _ in pairs], "items": [v for _, v in pairs]}


def _foreign(value, kind):
    module = (kind.__module__ or "").split(".")[0]
    if "tensorflow" in sys.modules and not isinstance(value, type):
        found = _of_tensorflow(value, kind, sys.modules["tensorflow"])
        if found is not None:
            return found
    if "keras" in sys.modules and not isinstance(value, type):
        found = _of_keras(value, kind)
        if found is not None:
            return found
    if module in ("jax", "jaxlib") and hasattr(value, "aval"):
        return _tensor(value, kind, "strided")
    if isinstance(value, type):  # `numpy.float64` has a shape and a dtype, too
        return {"k": "class", "v": _qualified(value)}
    if any(_qualified(base) == "numpy.dtype" for base in kind.__mro__):
        plain = value.isnative and value.fields is None
        return {"k": "dtype", "v": "numpy." + (value.name if plain else str(value))}
    if _has(value, "shape") and _has(value, "dtype"):
        return _array(value, kind, module)
    if module == "torch" and kind.__name__ in ("dtype", "layout", "memory_format", "device"):
        text = repr(str(value)) if kind.__name__ == "device" else str(value)
        return {"k": kind.__name__, "v": text}
    if hasattr(value, "forward") and hasattr(value, "named_parameters"):
        state = {**getattr(value, "_parameters", {}), **getattr(value, "_buffers", {})}
        own = [(name, held) for name, held in state.items() if held is not None]
        own.append(("training", bool(getattr(value, "training", True))))
        return {
            "k": "module",
            "v": _qualified(kind),
            "keys": [name for name, _ in own],
            "items": [describe(held, 0) for _, held in own],
        }
    if callable(value):
        return {"k": "function", "v": _qualified(value)}
    return {"k": "other", "v": _qualified(kind)}


def _has(value, name):
    """Whether a value has an attribute, be it one that cannot be read (of a nested tensor)."""
    try:
        return hasattr(value, name)
    except Exception:
        return True


def _array(value, kind, module):
    try:
        shape = [int(size) for size in value.shape]
    except Exception:  # symbolic, nested or uninitialised
        shape = None
    record = {
        "k": "tensor" if module == "torch" else "array",
        "v": _qualified(kind),
        "shape": shape,
        "dtype": str(value.dtype).rsplit(".", 1)[-1],
    }
    if module == "torch":
        record["layout"] = str(value.layout).rsplit(".", 1)[-1].lstrip("_")
        record["device"] = str(value.device.type)
        record["grad"] = bool(value.requires_grad)
        if value.is_quantized:
            record["layout"] = "quantized"
        elif getattr(value, "is_nested", False):
            record["layout"] = "nested"
    return record


def _of_tensorflow(value, kind, tf):
    """What TensorFlow has; None for all else."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return _tensor(value, kind, "strided")
    if isinstance(value, tf.SparseTensor):
        return _tensor(value, kind, "sparse_coo")
    if isinstance(value, tf.RaggedTensor):
        return _tensor(value, kind, "ragged")
    if isinstance(value, tf.DType):
        return {"k": "dtype", "v": "tf." + value.name}
    if isinstance(value, (tf.TensorShape, tf.TensorSpec)):
        return {"k": "shape" if isinstance(value, tf.TensorShape) else "spec", "v": "tf.%r" % value}
    if isinstance(value, tf.data.Dataset):  # each method makes a private class of its own
        return {"k": "other", "v": "tensorflow.data.Dataset"}
    return _layer(value, kind) if isinstance(value, tf.Module) else None


def _of_keras(value, kind):
    """Variables, placeholders and layers of Keras, of every version and backend; else None."""
    bases = _bases(kind)
    if bases & {"keras.Variable", "keras.KerasVariable"}:
        return _tensor(value, kind, "strided")
    if "keras.KerasTensor" in bases:
        return _placeholder(value, kind)
    return _layer(value, kind) if "keras.Layer" in bases else None


def _placeholder(value, kind):
    """What stands for a tensor while a model is put together; a size that is left open is 1."""
    record = _tensor(value, kind, "strided")
    if record["shape"] is None and getattr(value.shape, "rank", 0) is not None:
        record["shape"] = [1 if size is None else int(size) for size in value.shape]
    return record


def _bases(kind):
    """Package and name of each base of a class."""
    return {base.__module__.split(".")[0] + "." + base.__name__ for base in kind.__mro__}


def _layer(value, kind):
    """A layer and its own trainable variables."""
    weights = getattr(value, "_trainable_variables", None) or ()
    return {
        "k": "module",
        "v": _qualified(kind),
        "keys": [str(getattr(weight, "name", "")) for weight in weights],
        "items": [describe(weight, 0) for weight in weights],
    }


def _tensor(value, kind, layout):
    """A tensor of TensorFlow, JAX or Keras: a handle has dtype `resource` or `variant`."""
    try:
        shape = [None if size is None else int(size) for size in value.shape]
        shape = None if None in shape else shape
    except Exception:  # of unknown rank
        shape = None
    name = str(getattr(value.dtype, "name", value.dtype))
    return {
        "k": "tensor",
        "v": _qualified(kind),
        "shape": shape,
        "dtype": name.replace("_ref", ""),
        "layout": layout,
        "device": _device(value),
        "grad": bool(getattr(value, "trainable", False)),
    }


def _device(value):
    """Where a tensor lies; one that is being compiled lies nowhere yet."""
    try:
        return "gpu" if "gpu" in str(value.device).lower() or "cuda" in str(value.device) else "cpu"
    except Exception:
        return "cpu"


def _qualified(thing):
    module = getattr(thing, "__module__", None) or "builtins"
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    return "{}.{}".format(module, name or type(thing).__name__)[:MAX_TEXT]
