"""What this PyTorch build is."""

import os
import sys


def about():
    """Yield one record: version, devices, and what tells this build from another."""
    import torch

    devices = ["cpu"]
    if torch.cuda.is_available():
        devices += ["cuda:%d" % index for index in range(torch.cuda.device_count())]
    library = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
    size = os.path.getsize(library) if os.path.exists(library) else 0
    numpy = getattr(sys.modules.get("numpy"), "__version__", "")  # its samples need it
    yield {
        "version": torch.__version__.split("+")[0],
        "devices": devices,
        "build": [torch.__config__.show(), torch.version.git_version, size, numpy],
    }
