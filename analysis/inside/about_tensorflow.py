"""What this TensorFlow build is."""

import glob
import os
import sys


def about():
    """Yield one record: version, devices, and what tells this build from another."""
    import tensorflow as tf

    keras = getattr(sys.modules.get("keras"), "__version__", "")
    graphics = tf.config.list_physical_devices("GPU") if tf.test.is_built_with_cuda() else []
    folder = os.path.dirname(tf.__file__)
    libraries = sorted(glob.glob(os.path.join(folder, "libtensorflow_*.so*")))
    sizes = [os.path.getsize(path) for path in libraries]
    info = tf.sysconfig.get_build_info()
    yield {
        "version": tf.__version__.split("+")[0],
        "devices": ["cpu"] + ["cuda:%d" % number for number in range(len(graphics))],
        "build": [tf.version.GIT_VERSION, keras, sizes, sorted(map(str, info.items()))],
    }
