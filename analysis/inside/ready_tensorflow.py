"""Tables about operators that every process of a phase needs, made once, before it is forked.

Importing this runs no operation: it reads definitions and which kernels are registered.
"""

import examples_tensorflow  # noqa: F401
import handles_tensorflow
import opdefs_tensorflow
import synthesis_tensorflow  # noqa: F401

opdefs_tensorflow.by_code()
handles_tensorflow.makers()
