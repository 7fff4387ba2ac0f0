"""What every process of a search imports, once, before it is forked."""

import eagle_run  # noqa: F401
import eagle_tensorflow  # noqa: F401
