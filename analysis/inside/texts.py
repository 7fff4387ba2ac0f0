"""Texts cut short: what frameworks wrap around a message comes first, and what counts last."""

HEAD, TAIL = 1000, 3000
WHERE_MADE = "\n\nOriginal stack trace for "
"""What sessions of TensorFlow put behind the message, at length."""


def shortened(text):
    """A text of at most so many characters: its beginning and its end."""
    if len(text) <= HEAD + TAIL:
        return text
    return text[:HEAD] + "\n[...]\n" + text[-TAIL:]


def of(problem):
    """The text of an exception; a hostile `__str__` does not stop us."""
    try:
        return shortened(str(problem).partition(WHERE_MADE)[0])
    except BaseException:
        return "<exception without text>"
