"""Bug reports: files in, what can be read from them out. Nothing here runs a report's code.

`load` turns what the user named into `Report` and `BadInput` values; `understand` turns a report
into a `Reading`: snippets to run, recorded symptoms and the API names that the prose mentions.
"""

from harvest.report.inputs import load
from harvest.report.understand import understand

__all__ = ["load", "understand"]
