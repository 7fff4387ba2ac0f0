"""The repair steps, in the order in which they are tried on top of each other."""

from harvest.report.steps import brackets, layout, output, python2, sessions
from harvest.report.steps.step import Step, id_of

STEPS: tuple[Step, ...] = (
    layout.TYPOGRAPHY,
    layout.ENTITIES,
    layout.HEADER_LINE,
    layout.LINE_NUMBERS,
    sessions.HERE_DOCUMENT,
    sessions.DASH_C,
    sessions.MARKED,
    sessions.PROMPTS,
    sessions.SHELL_LINES,
    sessions.MAGICS,
    python2.PYTHON_2,
    layout.PLACEHOLDERS,
    layout.DEDENT,
    layout.MISSING_COMMAS,
    output.SHOWN_RESULTS,
    output.TRACEBACKS,
    output.FOREIGN_LINES,
    output.TRAILING_TEXT,
    brackets.CLOSERS,
)

__all__ = ["STEPS", "Step", "id_of"]
