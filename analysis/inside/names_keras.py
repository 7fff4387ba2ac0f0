"""Which Keras API a callable object is; the clean parent imports it: no operation here.

What belongs to the backend (`torch.abs`, a method or an operator of its tensors) is none of
Keras's APIs: methods keep their own names, which no catalog has, and functions are foreign.
"""

import types

import backend_keras as backend
import keras
import public_keras as public
from handed import own_code
from identity import Known

TENSOR = "keras.Tensor"
"""Owner of the operators of tensors: no public class, since they are the backend's."""
LAYER = keras.Layer
"""The class of what models call."""
_NAMES = Known()
_METHODS = Known()
_CALLED = {}


def prepare():
    """Build the table from object to name; one walk, before any fork."""
    found = Known()
    for name, thing in public.everything():
        found.setdefault(thing, []).append(name)
    for thing, names in found.items():
        _NAMES[thing] = min(names, key=lambda name: public.preference(name, thing))
    for path in public.VALUES:
        for method, thing, _ in public.methods(getattr(keras, path)):
            _METHODS.setdefault(thing, "keras.{}.{}".format(path, method))


def coded():
    """`(public name, function)` of functions and layers: what calls run."""
    for thing, name in _NAMES.items():
        yield name, vars(thing).get("call") if isinstance(thing, type) else thing


def identify(function):
    """(public name, form, receiver) of a callable of Keras, or None for a foreign one."""
    owner = getattr(function, "__self__", None)
    name = _METHODS.get(getattr(function, "__func__", None))
    if owner is not None and name is not None:
        return (name, "function", None) if isinstance(owner, type) else (name, "method", owner)
    if isinstance(owner, backend.TENSOR):
        return "{}.{}".format(backend.NAME, function.__name__), "method", owner
    foreign = owner is None or isinstance(owner, (type, types.ModuleType))
    if not foreign and not own_code(function):
        inherited = _inherited(type(owner), getattr(function, "__name__", ""))
        if inherited is not None:
            return _of_instance(inherited, owner)
    if _is_callable_object(function):
        return _class_name(type(function)), "module", function
    name = _NAMES.get(function)
    if name is not None:
        return name, "class" if isinstance(function, type) else "function", None
    name = _METHODS.get(function)
    return (name, "unbound", None) if name is not None else _by_module(function)


def _of_instance(method, owner):
    """A method; `layer.call(x)` is a call of the layer."""
    name, _, leaf = method.rpartition(".")
    return (name, "module", owner) if leaf in ("call", "__call__") else (method, "method", owner)


def _inherited(kind, method):
    """The public name of a method, by the nearest public class that it is called on."""
    for base in kind.__mro__:
        if base in _NAMES and hasattr(base, method):
            return "{}.{}".format(_NAMES[base], method)
    return None


def _is_callable_object(thing):
    """Whether it is an instance of a class of Keras that is there to be called."""
    kind = type(thing)
    if kind not in _CALLED:
        _CALLED[kind] = any(
            (base.__module__ or "").startswith("keras.") and "__call__" in vars(base)
            for base in kind.__mro__
            if not issubclass(kind, type)
        )
    return _CALLED[kind]


def _class_name(kind):
    """The public name of a class; of a stranger's own class the one it was defined under."""
    return _NAMES.get(kind) or "{}.{}".format(kind.__module__, kind.__qualname__)


def _by_module(function):
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] != "keras":
        return None
    form = "class" if isinstance(function, type) else "function"
    return public.home(function), form, None


def layers(function):
    """The layers of a plain, built `Sequential`, else None.

    Keras builds a model on its first call, which going through its layers would leave out.
    """
    if type(function) is not keras.Sequential or not function.built:
        return None
    return list(function.layers)


def parts(function):
    """The layers of a model that calls them one after the other, built or not."""
    return list(function.layers) if type(function) is keras.Sequential else None


def interesting(value):
    """Whether the tracer follows this object: tensors, variables, layers, losses and the like."""
    known = (backend.TENSOR, keras.Variable, keras.KerasTensor)
    return isinstance(value, known) or _is_callable_object(value)


def compiled_from(function):
    """The Python function that something was compiled from, where that is known."""
    return backend.compiled_from(function)


def compiled(function):
    """Whether this makes graphs of a function."""
    return compiled_from(function) is not None


def operation(thing):
    """Whether a value is one of the framework's functions."""
    if isinstance(thing, type) or _is_callable_object(thing):
        return False
    return thing in _NAMES or thing in _METHODS


def layer(thing):
    """Whether a value is a layer or a class of layers."""
    return issubclass(thing if isinstance(thing, type) else type(thing), keras.Layer)
