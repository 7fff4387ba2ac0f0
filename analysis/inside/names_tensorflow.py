"""Which TensorFlow API a callable object is; the clean parent imports it: no operation here."""

import types

import public_tensorflow as public
import tensorflow as tf
from handed import own_code
from identity import Known

TENSOR = "tf.Tensor"
LAYER = tf.keras.layers.Layer
"""The class of what models call."""
_NAMES = Known()
_METHODS = Known()
_STATIC = Known()
_FOLLOWED = (
    tf.Tensor,
    tf.Variable,
    tf.Module,
    tf.RaggedTensor,
    tf.SparseTensor,
    tf.data.Dataset,
    tf.keras.layers.Layer,  # no tf.Module in Keras 3
)


def prepare():
    """Build the table from object to name; one walk, before any fork."""
    found = Known()
    for name, thing in public.everything():
        found.setdefault(thing, []).append(name)
    for thing, names in found.items():
        _NAMES[thing] = min(names, key=lambda name: public.preference(name, thing))
    for path in public.TENSORS + public.DATA:
        parent, name = public.located("tf." + path)
        for method, thing, of_instance in public.methods(getattr(parent, name)):
            _METHODS.setdefault(thing, "tf.{}.{}".format(path, method))
            if not of_instance:
                _STATIC[thing] = True


def coded():
    """`(public name, function)` of functions, layers and methods: what calls run."""
    for thing, name in _NAMES.items():
        yield name, vars(thing).get("call") if isinstance(thing, type) else thing


def identify(function):
    """(public name, form, receiver) of a callable of TensorFlow, or None for a foreign one."""
    owner = getattr(function, "__self__", None)
    name = _METHODS.get(getattr(function, "__func__", None))
    if owner is not None and name is not None:
        return (name, "function", None) if isinstance(owner, type) else (name, "method", owner)
    foreign = owner is None or isinstance(owner, (type, types.ModuleType))
    if not foreign and not own_code(function):
        inherited = _inherited(type(owner), getattr(function, "__name__", ""))
        if inherited is not None:
            return inherited, "method", owner
    if isinstance(function, tf.Module) or _is_layer(type(function)):
        return _class_name(type(function)), "module", function
    name = _NAMES.get(function)
    if name is not None:
        return name, "class" if isinstance(function, type) else "function", None
    name = _METHODS.get(function)
    if name is not None:
        return name, "function" if function in _STATIC else "unbound", None
    return _by_module(function)


def _inherited(kind, method):
    """The public name of a method, by the nearest public class that it is called on."""
    for base in kind.__mro__:
        if base in _NAMES and hasattr(base, method):
            return "{}.{}".format(_NAMES[base], method)
    return None


def _is_layer(kind):
    return any(base.__module__.startswith("keras.") for base in kind.__mro__ if base is not object)


def _class_name(kind):
    """The public name of a class; of a stranger's own class the one it was defined under."""
    return _NAMES.get(kind) or "{}.{}".format(kind.__module__, kind.__qualname__)


def _by_module(function):
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] not in ("tensorflow", "keras"):
        return None
    form = "class" if isinstance(function, type) else "function"
    return public.home(function), form, None


def layers(function):
    """The layers of a plain, built `Sequential`, else None.

    Keras builds a model on its first call, which going through its layers would leave out.
    """
    if type(function) is not tf.keras.Sequential or not function.built:
        return None
    return list(function.layers)


def parts(function):
    """The layers of a model that calls them one after the other, built or not."""
    return list(function.layers) if type(function) is tf.keras.Sequential else None


def interesting(value):
    """Whether the tracer follows this object: tensors, variables, datasets, layers and the like."""
    return isinstance(value, _FOLLOWED) or type(value).__name__.endswith("KerasTensor")


def compiled_from(function):
    """The Python function that a graph is made from: what AutoGraph makes of it is not traced."""
    if isinstance(function, tf.types.experimental.GenericFunction):
        return getattr(function, "python_function", None)
    return None


def compiled(function):
    """Whether this makes graphs of a function."""
    return compiled_from(function) is not None


def operation(thing):
    """Whether a value is one of the framework's functions."""
    if isinstance(thing, (type, tf.Module)):
        return False
    return thing in _NAMES or thing in _METHODS


def layer(thing):
    """Whether a value is a layer or a class of layers."""
    kind = thing if isinstance(thing, type) else type(thing)
    return issubclass(kind, tf.Module) or _is_layer(kind)
