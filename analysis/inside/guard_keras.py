"""APIs of Keras that change settings, or reach out of the process: they are not run for samples."""

import re

SETTINGS = re.compile(
    r"(?:enable|disable|reset|register|unregister|initialize|set|clear|get_file|load|save|plot)"
    r"(?:_|$)|.*_from_directory$|print_summary$"
)
OUTSIDE = re.compile(
    r"\.(?:datasets|distribution|config|saving|callbacks|tree|export|wrappers|legacy|preprocessing"
    r"|quantizers|applications|remat)\."
)
"""Namespaces about files, devices, processes, or whole models, which fetch their weights."""
MODELS = re.compile(r"\.(?:Model|Sequential|Input|InputSpec|Function|RematScope|StatelessScope)$")


def configures(name):
    """Whether an API changes the process or its surroundings instead of computing.

    >>> configures("keras.config.set_floatx"), configures("keras.utils.load_img")
    (True, True)
    >>> configures("keras.ops.segment_sum"), configures("keras.layers.Dense")
    (False, False)
    """
    last = name.rpartition(".")[2]
    return bool(SETTINGS.match(last) or OUTSIDE.search(name) or MODELS.search(name))
