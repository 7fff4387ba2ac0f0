"""The one exception that users see.

Raised for what a user can mend (a wrong path, an unusable interpreter); the command line prints it
as an `error:` and a `hint:` line. Anything else that escapes is a bug in Citadel.
"""


class CitadelError(Exception):
    """A user's error: one line that says what is wrong and one that says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
