"""Prose -> the API-like names in it: dotted, backticked, called, CamelCase, snake_case.

In: title and body without code. Out: `Mention`s with counts, most mentioned in the title first.
Which of them are APIs of the framework under test is for others to say.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterator

from analysis.rules import Phrase
from harvest.report.model import Mention

_URL = re.compile(r"https?://\S+|\b[\w.+-]{1,64}@[\w-]{1,64}\.\S+")
_TICKED = re.compile(r"``([^`\n]{1,500}+)``|`([^`\n]{1,500}+)`")
_TOKEN = re.compile(
    r"(?<![\w.@/\\$-])\.?(?P<name>[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+)(?:(?P<call>\()|(?![\w/\\@-]))"
)
_FILE = Phrase(
    "mention/file",
    r".*\.(?:py|pyc|ipynb|md|txt|json|ya?ml|cc?|cpp|cu|cuh|hpp?|so|whl|zip|html?|csv|pt|pth|onnx)",
    re.IGNORECASE,
    finds=("model.onnx", "a/test_a.py"),
    spares=("torch.add",),
)
_CAMEL = Phrase(
    "mention/camel-case",
    r"[A-Z][a-z0-9]+[A-Z0-9]\w*|[A-Z]{2,}[a-z]\w*|[A-Z][a-z]+\d\w*|[A-Z]+\d+d|[A-Z]{3,}Cell",
    finds=("MaxPool2d", "BatchNorm", "LSTMCell"),
    spares=("Linear",),
)
_SNAKE = Phrase(
    "mention/snake-case",
    r"_{0,2}[a-zA-Z][a-zA-Z0-9]*(?:_[a-zA-Z0-9]+)+_{0,2}|[a-z][a-z0-9]+_",
    finds=("max_pool2d", "add_"),
    spares=("add",),
)
_NUMBERED = Phrase(
    "mention/with-a-number",
    r"[a-z]{2,}\d+d?|[a-z]{2,}_?[123]d",
    finds=("conv2d", "log1p"),
    spares=("conv",),
)
_NO_API = frozenset(
    {
        "PyTorch",
        "TensorFlow",
        "NumPy",
        "SciPy",
        "GitHub",
        "OpenCV",
        "PyPI",
        "JavaScript",
        "MacOS",
        "macOS",
        "LLVM",
    }
    | {
        "OpenMP",
        "OneDNN",
        "CuDNN",
        "YouTube",
        "StackOverflow",
        "LibTorch",
        "Jupyter",
        "CPython",
        "IPython",
        "Py3",
    }
    | {
        "ChatGPT",
        "DeepSpeed",
        "HuggingFace",
        "WSL2",
        "Python3",
        "Python2",
        "Windows10",
        "Windows11",
        "NaNs",
        "GPUs",
    }
    | {
        "CPUs",
        "APIs",
        "OPs",
        "TypeScript",
        "cuda11",
        "cuda12",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
    }
    | {
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "complex64",
        "complex128",
        "fp16",
        "fp32",
        "fp64",
    }
    | {
        "bf16",
        "qint8",
        "utf8",
        "x86",
        "x64",
        "amd64",
        "arm64",
        "x86_64",
        "e.g",
        "i.e",
        "No_response",
        "sm80",
        "py3",
    }
    | {
        "print",
        "len",
        "range",
        "type",
        "str",
        "super",
        "repr",
        "isinstance",
        "python3",
        "python2",
        "win10",
        "tf2",
        "tf1",
        "gfx90a",
    }
)
_SINGLE = frozenset(
    {
        *keyword.kwlist,
        *keyword.softkwlist,
        "nan",
        "inf",
        "cpu",
        "cuda",
        "self",
        "x",
        "NaN",
        "Inf",
        "INF",
    }
)
_HAPPENS = Phrase(
    "mention/where-it-happens",
    r"\b(?:bad|invalid|inconsistent|wrong|malformed|corrupt\w*|mismatch\w*|out[- ]of[- ]\w+)\b.*?"
    r"\b(?:crash|segfault|abort|die|hang)\w*\b[^,;:]{0,40}?"
    r"\b(?:in|during|when calling|on calling)\s+`?([\w.]+)",
    re.IGNORECASE,
    finds=("malformed offsets segfault in to_dense()",),
    spares=("to_dense segfaults",),
)
"""Where a title says that a process dies of something bad that another call was given."""
MOST_TITLE = 500
_FIRST_WORD = Phrase(
    "mention/first-word-of-a-title",
    r"(?:\[[^\]]{0,60}\]|\W)*+([a-z][a-z0-9]{2,30}+)(?=[\s,:;(]|$)",
    finds=("[bug] addmm fails", "addmm: wrong result"),
    spares=("It",),
)
_ADJECTIVE = Phrase(
    "mention/adjective-of-a-title",
    r"\W*(?:half|double|float|int|long|short|bool|complex|empty|full|any|all|new|random|zero)\s+"
    r"(?!(?:is|are|does|do|returns?|gives?|fails?|raises?|crash\w*|produces?|accepts?|ignores?|with"
    r"|throws?|hangs?|segfault\w*|abort\w*|computes?|allocates?|creates?|outputs?|behaves?|reports?"
    r"|uses?|leaks?|works?|was|must|cannot|allows?|silently|always|never|wrong\w*|incorrect\w*"
    r"|without|of|on|for|in|from|and|or|when|if|not|should|can\w*|has|takes?|doesn|over\w*)\b)"
    r"[a-z]",
    finds=("empty tensors crash it",),
    spares=("empty crashes",),
)
"""A title that opens with a word that says what kind its second word is of."""

_PLAIN = Phrase(
    "mention/plain-word-of-a-title",
    r"(?<![\w.])[a-z][a-z0-9]{2,30}+(?![\w.]|-[a-z]+ed\b)",
    finds=("Derivative of pow",),
    spares=("Normal",),
)
"""A word of a title, which "normal-distributed" has not got."""
_COMMON = frozenset(
    {"all", "and", "any", "are", "array", "bool", "but", "can", "complex", "cpu", "cuda"}
    | {"default", "device", "does", "double", "dtype", "empty", "equal", "error", "extra"}
    | {"first", "float", "for", "from", "full", "get", "gives", "gpu", "gradient"}
    | {"gradients", "half", "has", "input", "inputs", "int", "integer", "into", "last"}
    | {"less", "like", "long", "map", "max", "min", "mode", "more", "multiple", "new"}
    | {"none", "not", "output", "outputs", "random", "range", "result", "results", "return"}
    | {"returns", "same", "set", "shape", "short", "single", "size", "some", "split"}
    | {"string", "sum", "tensor", "tensors", "than", "that", "the", "then", "there", "this"}
    | {"true", "type", "unique", "use", "using", "value", "values", "view", "when", "where"}
    | {"which", "with", "without", "wrong", "zero", "zeros", "ones", "one", "two"}
)
"""English words that are also names of APIs; as words of a title they say nothing."""
_SAID_OF = frozenset(
    ("gradient", "gradients", "derivative", "derivatives", "result", "results", "output", "outputs")
)


def find_mentions(title: str, prose: str) -> tuple[Mention, ...]:
    """Return the names that `title` and `prose` mention, those of the title first.

    A title that opens with a plain lower-case word may name an API by it ("addmm with a ..."), and
    one that holds no better name may do so anywhere ("derivative of pow with respect to ...");
    so may one that opens with an English word ("gradient of softshrink at NaN").
    What a title shows as an argument of a call counts as named in the text.
    """
    outer, inner = _outermost(title)
    in_title = Counter(_names(outer))
    first = _FIRST_WORD.match(title)
    named = first is not None and not _ADJECTIVE.match(title)
    # "gradient of softshrink at NaN" is about softshrink.
    named = named and not (
        first and first[1] in _SAID_OF and title[first.end() :].startswith(" of ")
    )
    if first and named and first[1] not in in_title and first[1] not in _SINGLE | _NO_API:
        in_title = Counter([first[1], *in_title.elements()])
    elif not in_title:
        in_title.update(word for word in _PLAIN.findall(title) if word not in _COMMON | _SINGLE)
    in_body = Counter([*inner, *_names(prose)])
    order = {name: at for at, name in enumerate([*in_title, *in_body])}
    happens = _HAPPENS.search(title[:MOST_TITLE])
    setting = None if happens is None else happens[1].rstrip(".")
    found = [
        Mention(
            name=name,
            title=in_title[name],
            body=in_body[name],
            place=order[name],
            setting=name == setting,
        )
        for name in order
    ]
    return tuple(sorted(found, key=lambda mention: (-mention.title, -mention.body)))


def _outermost(title: str) -> tuple[str, list[str]]:
    """The title without calls that make the arguments of a call of the same library; their names.

    "`a.f(a.g(1), a.h)`" is about `a.f`, and may be about `a.h`, which is handed over.
    """
    outer, inner = title, []
    root, end = "", 0
    for token in _TOKEN.finditer(title):
        first, dotted, _ = token["name"].partition(".")
        if token["call"] is None or not dotted:
            continue
        if token.start() < end and first == root:
            inner.append(token["name"])
            hidden = " " * len(token[0])
            outer = outer[: token.start()] + hidden + outer[token.end() :]
        elif token.start() >= end:
            root, end = first, _closed(title, token.end())
    return outer, inner


def _closed(text: str, start: int) -> int:
    """Where the bracket closes that was opened before `start`, or the end of the text."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)


def _names(text: str) -> Iterator[str]:
    """Yield the names in the order of the text, each occurrence once."""
    text = _URL.sub(" ", text)
    at = 0
    for ticked in _TICKED.finditer(text):
        yield from _plain_names(text[at : ticked.start()])
        yield from _ticked_names((ticked[1] or ticked[2]).strip())
        at = ticked.end()
    yield from _plain_names(text[at:])


def _plain_names(text: str) -> Iterator[str]:
    for token in _TOKEN.finditer(text):
        name = token["name"]
        if _is_name(name, called=token["call"] is not None):
            yield name


def _ticked_names(text: str) -> Iterator[str]:
    """Yield the names in backticks: the whole of it, or the API-like parts of an expression."""
    whole = text.removesuffix("()").lstrip(".")
    if re.fullmatch(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+", whole):
        if whole not in _SINGLE and whole not in _NO_API and not _FILE.fullmatch(whole):
            yield whole
        return
    yield from _plain_names(text)


def _is_name(name: str, *, called: bool) -> bool:
    if name in _NO_API or name in _SINGLE or len(name) > 200:
        return False
    if "." in name:
        return not _FILE.fullmatch(name) and max(map(len, name.split("."))) > 1
    if name.endswith(("Error", "Exception", "Warning")):
        return False
    return (called and len(name) > 1) or bool(
        _CAMEL.fullmatch(name) or _SNAKE.fullmatch(name) or _NUMBERED.fullmatch(name)
    )
