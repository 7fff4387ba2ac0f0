"""The words that a docstring uses, each once: what tells which APIs are about the same.

Out: one string, the words in the order of the alphabet, with a blank between them. Lines of code
in examples and signatures are left out; names of classes count as the words that they are made of.
"""

import re

SHORTEST = 3
_CODE = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: .*)?$", re.MULTILINE)
_SIGNATURE = re.compile(r"^[ \t]*[\w.]+\(.*\) *->.*$|\A\s*[\w.]+\(.*\)$", re.MULTILINE)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z]{%d,}" % SHORTEST)


def of(thing):
    """The words of what is written of an object itself; "" where nothing is.

    >>> of(type("Layer", (), {"__doc__": "An average, see the `AvgPool2d` of x."}))
    'average avg pool see the'
    """
    doc = getattr(thing, "__doc__", None)
    if isinstance(thing, type) and not doc:
        doc = getattr(thing.__init__, "__doc__", None)
        doc = None if doc == object.__init__.__doc__ else doc
    if not isinstance(doc, str):
        return ""
    text = _HUMP.sub(" ", _SIGNATURE.sub("", _CODE.sub("", doc))).lower()
    return " ".join(sorted(set(_WORD.findall(text))))
