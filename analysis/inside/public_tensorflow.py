"""The public namespaces of TensorFlow: every name that people write, and the object behind it.

`tf.compat.v2` and what `tf.compat.v1.compat` repeats are left out: they show the whole library
again. Nothing here runs an operation, so that the clean parent may import it.
"""

import inspect
import sys
import types

API = "tensorflow._api.v2"
REPEATED = ("tf.compat.v2", "tf.compat.v1.compat")
KERAS = "keras"
KERAS_HOMES = ("keras.", "keras_core.", "tf_keras.")
KERAS_INNER = frozenset("src api protobuf".split())
"""What the package `keras` has beside its public namespaces: its sources, and all of it again."""
TENSORS = ("Tensor", "Variable", "RaggedTensor", "SparseTensor", "IndexedSlices", "TensorArray")
"""The classes of `tf` that hold values: what they can do is found as their methods."""
DATA = ("data.Dataset",)
SPECIAL_METHODS = frozenset(
    "__%s%s__" % (prefix, name)
    for name in "add sub mul matmul truediv floordiv mod pow and or xor div".split()
    for prefix in ("", "r")
) | frozenset("__%s__" % name for name in "neg abs invert eq ne lt le gt ge getitem len".split())


def everything():
    """`(dotted name, object)` of everything public: below `tf`, then below the package `keras`."""
    for pair in names("tf", sys.modules["tensorflow"]):
        yield pair
    keras = sys.modules.get(KERAS)  # what `tf.keras` shows, unless that is another package
    for pair in names(KERAS, keras) if keras is not None else ():
        yield pair


def names(root, module):
    """`(dotted name, object)` of everything that can be called below a namespace."""
    for name in attributes(module):
        if name.startswith("_"):
            continue
        thing = attribute(module, name)
        full = root + "." + name
        if isinstance(thing, types.ModuleType):
            inner = offered(full, thing)
            if inner is not None:
                for pair in names(full, inner):
                    yield pair
        elif callable(thing):
            yield full, thing


def attributes(module):
    """Names of a module's attributes; lazy modules whose target is missing have none."""
    try:
        return sorted(set(dir(module)))
    except Exception:
        return []


def attribute(thing, name):
    """An attribute, None where there is none or where reading it fails."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def offered(full, module):
    """The module that a public namespace stands for; None where it is somebody else's."""
    if full in REPEATED:
        return None
    if full.startswith(KERAS + "."):
        own = attribute(module, "__name__") == full
        return module if own and full.rpartition(".")[2] not in KERAS_INNER else None
    home = attribute(module, "__name__")
    # The lazy loader of Keras has no name to read.
    of_keras = home is None or (home + ".").startswith(KERAS_HOMES)
    found = sys.modules.get(API + full[2:]) if full.startswith("tf.") else None
    # TensorFlow may have a nearly empty module of the same name beside what Keras offers there.
    if found is not None and not (of_keras and attributes(module)):
        return found
    return module if of_keras else None


def located(name):
    """`(parent object, attribute)` of a dotted name below `tf` or `keras`; None where missing."""
    parts = name.split(".")
    thing = sys.modules.get({"tf": "tensorflow"}.get(parts[0], parts[0]))
    for part in parts[1:-1]:
        thing = attribute(thing, part)
    return (thing, parts[-1]) if attribute(thing, parts[-1]) is not None else None


def preference(name, thing):
    """Sort key of the names of one object: the first one is what people write.

    Names below `tf` come before those of the package `keras`, current ones before those of version
    1, the namespace of Keras before its copies elsewhere, the name that the object was defined
    under before other spellings, short ones before long ones.
    """
    own = getattr(unwrapped(thing), "__name__", "")
    of_keras = (getattr(thing, "__module__", None) or "").startswith(KERAS_HOMES)
    return (
        name.startswith(KERAS + "."),
        name.startswith("tf.compat."),
        of_keras and not name.startswith(("tf.keras.", "keras.")),
        ".experimental" in name or ".legacy" in name,
        name.rpartition(".")[2] != own,
        name.count("."),
        len(name),
        name,
    )


def unwrapped(thing):
    """The function below decorators; anything else as it is."""
    try:
        return inspect.unwrap(thing) if callable(thing) else thing
    except ValueError:
        return thing


def home(thing):
    """The dotted name under which an object is defined."""
    inner = unwrapped(thing)
    name = getattr(inner, "__qualname__", None) or getattr(inner, "__name__", "")
    return "{}.{}".format(getattr(inner, "__module__", None), name)


def methods(kind):
    """`(name, function, whether it needs an instance)` of what a class of values can do."""
    for name in sorted(set(dir(kind)) - (set(dir(object)) - SPECIAL_METHODS)):
        if name.startswith("_") and name not in SPECIAL_METHODS:
            continue
        thing = inspect.getattr_static(kind, name, None)
        if inspect.isfunction(thing):
            yield name, thing, True
        elif isinstance(thing, (classmethod, staticmethod)):
            yield name, thing.__func__, False
