"""What this Keras build is, and the backend that it runs on."""

import importlib
import importlib.metadata


def about():
    """Yield one record: version, devices, what tells this build from another, "runs on"."""
    import keras

    if int(keras.__version__.partition(".")[0]) < 3:
        raise RuntimeError("Keras 2 is a part of TensorFlow: use --framework tensorflow")
    backend = keras.config.backend()
    below = below_jax() if backend == "jax" else next(of(backend).about())
    yield {
        "version": keras.__version__,
        "devices": below["devices"],
        "build": [backend, below["version"], below["build"], keras.config.floatx()],
        "runs on": "{} {}".format(backend, below["version"]),
    }


def of(backend):
    """The module that knows a backend which is a framework of its own."""
    return importlib.import_module("about_" + backend)


def below_jax():
    """The same of JAX."""
    import jax

    kinds = {device.platform for device in jax.devices()} - {"cpu"}
    return {
        "version": jax.__version__,
        "devices": ["cpu"]
        if not kinds
        else ["cpu", *map("cuda:{}".format, range(len(jax.devices())))],
        "build": [importlib.metadata.version("jaxlib")],
    }
