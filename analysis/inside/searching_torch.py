"""What every process of a search imports, once, before it is forked.

PyTorch's own tests, from which samples come, forbid to set the flags of backends and set variables
of the environment. Cases that the same server runs later may set and read them, so it does neither.
"""

import os
from contextlib import suppress
from unittest.mock import patch

import eagle_run  # noqa: F401
import eagle_torch  # noqa: F401
import torch

allowed = patch.object(torch.backends, "disable_global_flags", lambda: None)
with suppress(ImportError), patch.dict(os.environ), allowed:  # a build may lack its tests
    import torch.testing._internal.common_methods_invocations
