"""Opens a pickle of a stranger and yields what it holds as a Python expression.

To load a pickle is to run its author's program: this happens in a child of the sandbox only, and
what comes out is text. Values are written by their type; what has no literal is refused.
"""

import base64
import io
import math
import pickle

MOST_ELEMENTS = 4096
MOST_CHARACTERS = 100000
DEPTH = 20


class NoLiteral(Exception):
    """A value that cannot be written down."""


def expression(data):
    """Yield `{"text": expression}`, or `{"error": why}`, for a pickle in base64."""
    try:
        thing = pickle.Unpickler(io.BytesIO(base64.b64decode(data))).load()
        text = literal(thing)
    except NoLiteral as problem:
        yield {"error": str(problem)}
    except RecursionError:
        yield {"error": "nested too deeply"}
    except Exception as problem:
        yield {"error": "%s: %s" % (type(problem).__name__, str(problem)[:300])}
    else:
        if len(text) > MOST_CHARACTERS:
            yield {"error": "%d characters are too many for a script" % len(text)}
        else:
            yield {"text": text}


def literal(thing, depth=0):
    """The expression of a value; by exact type, as subclasses may say anything of themselves."""
    if depth > DEPTH:
        raise NoLiteral("nested too deeply")
    kind = type(thing)
    if thing is None or kind in (bool, int, str, bytes):
        return repr(thing)
    if kind is float:
        return repr(thing) if math.isfinite(thing) else 'float("%s")' % thing
    if kind is complex:
        return "complex(%s, %s)" % (literal(thing.real), literal(thing.imag))
    if kind in (list, tuple, set, frozenset, dict):
        return _container(thing, kind, depth + 1)
    if kind is slice:
        return "slice(%s, %s, %s)" % tuple(
            literal(part, depth + 1) for part in (thing.start, thing.stop, thing.step)
        )
    root = (kind.__module__ or "").partition(".")[0]
    if root == "numpy":
        return _numpy(thing)
    if root == "torch":
        return _torch(thing)
    if root == "tensorflow":
        return _tensorflow(thing)
    raise NoLiteral("a value of type %s has no literal" % kind.__name__)


def _container(thing, kind, depth):
    if kind is dict:
        pairs = ["%s: %s" % (literal(k, depth), literal(v, depth)) for k, v in thing.items()]
        return "{%s}" % ", ".join(pairs)
    parts = [literal(part, depth) for part in thing]
    if kind is list:
        return "[%s]" % ", ".join(parts)
    if kind is tuple:
        return "(%s%s)" % (", ".join(parts), "," if len(parts) == 1 else "")
    if kind is set and parts:
        return "{%s}" % ", ".join(sorted(parts))
    return "%s([%s])" % (kind.__name__, ", ".join(sorted(parts)))


def _numpy(thing):
    import numpy as np

    if isinstance(thing, np.dtype):
        return 'np.dtype("%s")' % _dtype(thing)
    if isinstance(thing, np.generic):
        return "np.array(%s, dtype=%r)[()]" % (_elements(thing.tolist()), _dtype(thing.dtype))
    if type(thing) is not np.ndarray:
        raise NoLiteral("a value of type %s has no literal" % type(thing).__name__)
    return _array(
        thing,
        "np.array(%%s, dtype=%r)" % _dtype(thing.dtype),
        "np.full(%%s, %%s, dtype=%r)" % _dtype(thing.dtype),
    )


def _dtype(dtype):
    if dtype.kind not in "biufcSU":
        raise NoLiteral("an array of %s has no literal" % dtype)
    return dtype.str.lstrip("<=|") if dtype.kind in "SU" else dtype.name


def _array(array, form, full):
    """An array in a form for its elements; one that is the same all over is told shorter."""
    first = array.flat[0] if array.size else None
    if array.size == 0:
        return full % (tuple(array.shape), 0)
    # Bytes, not values: NaN is unlike itself.
    same = array.tobytes() == first.tobytes() * array.size
    if same and array.size > 8:
        return full % (tuple(array.shape), _elements(first.tolist()))
    if array.size > MOST_ELEMENTS:
        raise NoLiteral("an array of %d elements is too large for a script" % array.size)
    return form % _elements(array.tolist())


def _elements(value):
    """Nested lists of numbers, with NaN and infinities as Python can read them."""
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(_elements, value))
    return literal(value)


def _torch(thing):
    import torch

    if isinstance(thing, (torch.dtype, torch.layout, torch.memory_format)):
        return str(thing)
    if isinstance(thing, torch.device):
        return "torch.device(%r)" % str(thing)
    if type(thing) is torch.Size:
        return "torch.Size(%s)" % (tuple(thing),)
    if type(thing) not in (torch.Tensor, torch.nn.Parameter):
        raise NoLiteral("a value of type %s has no literal" % type(thing).__name__)
    if thing.layout != torch.strided or thing.is_quantized:
        raise NoLiteral("a tensor of layout %s has no literal" % thing.layout)
    plain = thing.detach().cpu().resolve_conj().resolve_neg()
    wide = plain.float() if plain.dtype in (torch.bfloat16, torch.float16) else plain
    form = "torch.tensor(%%s, dtype=%s)" % thing.dtype
    text = _array(wide.numpy(), form, "torch.full(%%s, %%s, dtype=%s)" % thing.dtype)
    return text + ".requires_grad_()" if thing.requires_grad else text


def _tensorflow(thing):
    import tensorflow as tf

    if isinstance(thing, tf.dtypes.DType):
        return "tf." + thing.name
    if isinstance(thing, tf.TensorShape):
        return "tf.TensorShape(%r)" % (thing.as_list(),)
    if not (tf.is_tensor(thing) and hasattr(thing, "numpy")):
        raise NoLiteral("a value of type %s has no literal" % type(thing).__name__)
    if thing.dtype.name in ("bfloat16", "half"):
        array = tf.cast(thing, tf.float32).numpy()
    else:
        array = thing.numpy()
    if thing.dtype == tf.string:
        return "tf.constant(%s)" % literal(array if isinstance(array, bytes) else array.tolist())
    if not hasattr(array, "dtype") or array.dtype.kind not in "biufc":
        raise NoLiteral("a tensor of %s has no literal" % thing.dtype.name)
    form = "tf.constant(%%s, dtype=tf.%s)" % thing.dtype.name
    return _array(array, form, "tf.fill(%%s, tf.constant(%%s, dtype=tf.%s))" % thing.dtype.name)
