"""Which build a report or an API is of: the framework, and the backend that code asks for.

What the user says about the framework counts first, then what the report's code imports. The
backend is the one that the code chooses before it imports the framework (`os.environ[...]`), else
the user's, else one that the report's text names, else the framework's usual one.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from analysis import parsing
from analysis.errors import CitadelError
from analysis.rules import Phrase, Registry
from analysis.target.frameworks import FRAMEWORKS, Framework, Late
from analysis.target.target import Interpreter, Target
from harvest.report.model import Need, Reading
from harvest.report.syntax import imported_roots

SHORT = {"tf": "tensorflow"}
"""Frameworks whose public names begin otherwise than the import."""
_BACKENDS = Phrase(
    "backend/other-backends",
    r"\b(?:other|different|between|across)\W+(?:the\W+)?backends?\b",
    finds=("results differ between backends", "works with other backends"),
    spares=("the backend is torch", "another backend"),
    meaning="The report compares backends and names none.",
)
_SAYS_BACKEND = Phrase(
    "backend/backend",
    r"\bbackends?\b",
    finds=("on the torch backend", "all backends"),
    spares=("back end", "backend_config"),
    meaning="The sentence is about a backend.",
)
_COMPARES = Phrase(
    "backend/compares",
    r"\b(?:differ\w*|inconsisten\w*|disagree\w*|(?:mis)?match\w*|same|others?|another|else"
    r"|unlike|than|whereas|while|instead|gives?|gets?|got|returns?|prints?|shows?|right"
    r"|correct|agree|not th(?:e|at)|accepts?|refuses?|rejects?|raises?|throws?"
    r"|runs?|works?|succeeds?|fine)\b",
    finds=("with jax it works fine", "the results differ"),
    spares=("set the backend to torch first", "unlikely"),
    meaning="The sentence compares what two backends do.",
)
_SENTENCE = re.compile(r"[.!?]\s|\n")
_SETTERS = frozenset(("setdefault", "putenv", "__setitem__"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the user asked for; None where nothing. `environment` has the user's variables."""

    framework: str | None = None
    backend: str | None = None
    environment: tuple[tuple[str, str], ...] = ()

    def on(self, framework: Framework) -> str | None:
        """The backend that the user wants a framework to run on."""
        return self.backend or dict(self.environment).get(framework.switch) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A framework by name, and its backend ("" where it has none to choose from).

    `beside` is the backend whose results the report compares with, if it does.
    """

    framework: str
    backend: str
    beside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """The report's own code asks for what the interpreter has not."""

    reason: str


def choose(
    reading: Reading, wish: Wish, frameworks: Sequence[str], installed: Collection[str]
) -> Choice | Unavailable:
    """The build that a report is about, of an interpreter with these frameworks and packages.

    Raises:
        CitadelError: when the user asks for a backend that is not there.
    """
    trees = [tree for tree in map(_parsed, reading.candidates) if tree is not None]
    name = wish.framework or _meant(trees, frameworks)
    framework = FRAMEWORKS[name]
    if wish.backend and not framework.backends:
        return Unavailable(reason=f"is about {name}, which has no --backend to choose")
    own = chosen_in(trees, framework.switch)
    asked = own or wish.on(framework) or _told(reading, framework, installed)
    try:
        backend = framework.backend(asked, installed)
    except CitadelError as problem:
        if own is None:
            raise
        return Unavailable(reason=f"needs another interpreter: {problem.message}")
    beside = compared_with(reading, framework, backend, installed)
    return Choice(framework=name, backend=backend, beside=beside)


def target_for(api: str, interpreter: Interpreter, wish: Wish) -> Target:
    """The build that has an API, by the first part of its name, else the usual one.

    A framework that does not work by itself (Keras 2) may be a part of another one that does.

    Raises:
        CitadelError: when the interpreter has no such framework, or it does not work.
    """
    own = wish.framework or framework_of(api) or interpreter.frameworks[0]
    whole = [name for name in interpreter.frameworks if own in FRAMEWORKS[name].brings]
    try:
        return interpreter.target(own, wish.on(FRAMEWORKS[own]))
    except CitadelError:
        if wish.framework or wish.backend or not whole:
            raise
        return interpreter.target(whole[0])


def framework_of(api: str) -> str | None:
    """The framework that an API's name begins with.

    >>> framework_of("tf.nn.relu"), framework_of("keras.ops.relu"), framework_of("nn.Conv2d")
    ('tensorflow', 'keras', None)
    """
    first = api.partition(".")[0]
    name = SHORT.get(first, first)
    return name if name in FRAMEWORKS else None


def with_installed(reading: Reading, installed: Collection[str]) -> Reading:
    """The reading without the need for packages that the interpreter has (`jax`)."""
    return replace(
        reading,
        candidates=tuple(
            replace(
                snippet,
                needs=tuple(
                    (need, detail)
                    for need, detail in snippet.needs
                    if need is not Need.PACKAGE or detail not in installed
                ),
            )
            for snippet in reading.candidates
        ),
    )


def chosen_in(trees: Sequence[ast.AST], switch: str) -> str | None:
    """The value that code gives an environment variable, the first one where there are several.

    >>> chosen_in([ast.parse('os.environ["KERAS_BACKEND"] = "jax"')], "KERAS_BACKEND")
    'jax'
    """
    if not switch:
        return None
    settings = (setting for tree in trees for setting in _settings(tree))
    return next((value for name, value, _ in settings if name == switch), None)


def variables(reading: Reading, framework: Framework) -> dict[str, str]:
    """Environment variables that a report's code sets before it imports the framework.

    Only those count that the framework reads when it is imported, and that do no harm.
    """
    trees = [tree for tree in map(_parsed, reading.candidates) if tree is not None]
    found: dict[str, str] = {}
    for tree in trees:
        imported = _first_import(tree, framework)
        for name, value, line in _settings(tree):
            if name in framework.variables and line < imported and _plain(value):
                found.setdefault(name, value)
    return found


def used_late(reading: Reading, framework: Framework) -> tuple[Late, ...]:
    """The parts of a framework that a report's code uses, of those that are imported late."""
    codes = [snippet.code for snippet in reading.candidates]
    return tuple(one for one in framework.late if any(re.search(one.used, code) for code in codes))


def _plain(value: str) -> bool:
    return value.isascii() and value.isprintable()


def _first_import(tree: ast.AST, framework: Framework) -> float:
    """The line of the first import of a framework, or of what belongs to its build."""
    imports = (n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom))
    lines = (n.lineno for n in imports if imported_roots(n) & set(framework.packages))
    return min(lines, default=math.inf)


def _settings(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Environment variables that a tree sets: name, value, line; in the order of the text."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=str(name)))],
                value=ast.Constant(value=str(value)),
            ):
                yield name, value, node.lineno
            case ast.Call(
                func=ast.Attribute(attr=method),
                args=[ast.Constant(value=str(name)), ast.Constant(value=str(value))],
            ) if method in _SETTERS:
                yield name, value, node.lineno
            case ast.Dict(keys=keys, values=values):
                yield from (
                    (key.value, value.value, node.lineno)
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant)
                    and isinstance(key.value, str)
                    and isinstance(value, ast.Constant)
                    and isinstance(value.value, str)
                )
            case ast.keyword(arg=str(name), value=ast.Constant(value=str(value))):
                yield name, value, node.lineno


def _meant(trees: Sequence[ast.AST], frameworks: Sequence[str]) -> str:
    """The framework that code is about: what it chooses a backend for, or what it imports.

    Of two that it imports, the one that runs on the other. The usual framework also serves what it
    brings: reports about `tf.keras` import `keras`.
    """
    usual = FRAMEWORKS[frameworks[0]]
    roots = frozenset(root for tree in trees for root in imported_roots(tree))
    for name in frameworks:
        framework = FRAMEWORKS[name]
        own = chosen_in(trees, framework.switch)
        if own is None and name not in roots:
            continue
        if name in usual.brings and own in (None, usual.name):
            return usual.name
        if framework.backends and not _brought(framework, roots):
            return name
    return next((name for name in frameworks if name in roots), usual.name)


def _brought(framework: Framework, roots: Collection[str]) -> bool:
    """Whether code imports another framework of which this one is a part."""
    return any(framework.name in FRAMEWORKS[root].brings for root in roots if root in FRAMEWORKS)


def _told(reading: Reading, framework: Framework, installed: Collection[str]) -> str | None:
    """The backend that the report's text names: `KERAS_BACKEND=torch`."""
    if not framework.switch:
        return None
    told = Told(
        switch=re.escape(framework.switch),
        names="|".join(map(re.escape, framework.backends)),
        title=reading.report.title.lower(),
        text=f"{reading.report.title}\n{reading.report.body}",
    )
    for named in TELLS.each(told):
        known = [found for found in named if found in installed]
        if known:
            return known[0]
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A report's title and text, and patterns for what may be named there.

    `switch` is the variable that chooses the backend, `names` are all backends.
    """

    switch: str
    names: str
    title: str
    text: str


TELLS: Registry[[Told], list[str]] = Registry("backend")
"""Places of a report that name a backend, the surest one first."""


@TELLS.rule("variable", examples=["KERAS_BACKEND=torch"])
def _by_variable(told: Told) -> list[str] | None:
    """The variable that chooses the backend."""
    return _found(rf"\b{told.switch}\W{{1,6}}({told.names})\b", told.text)


@TELLS.rule("title", examples=["Wrong sum on the torch backend"])
def _in_title(told: Told) -> list[str] | None:
    """The title."""
    return _found(rf"\b({told.names})\W+backend\b", told.title)


@TELLS.rule("line", examples=["Keras backend: torch"])
def _on_a_line(told: Told) -> list[str] | None:
    """A line that begins with the word."""
    pattern = rf"(?im)^[^\w\n]*+(?:keras[^\w\n]++)?backend\W{{1,6}}({told.names})\b"
    return _found(pattern, told.text)


def _found(pattern: str, text: str) -> list[str] | None:
    return [found.lower() for found in re.findall(pattern, text)] or None


def compared_with(
    reading: Reading, framework: Framework, backend: str, installed: Collection[str]
) -> str:
    """The installed backend that a report compares with: one that it names, else the usual one."""
    others = [one for one in framework.backends if one != backend and one in installed]
    text = f"{reading.report.title}\n{reading.prose}".lower()
    if not backend or not others:
        return ""
    for sentence in _SENTENCE.split(text):
        said = _SAYS_BACKEND.search(sentence) and _COMPARES.search(sentence)
        named = [one for one in others if re.search(rf"\b{one}\b", sentence)]
        if said and named:
            return named[0]
    return others[0] if _BACKENDS.search(text) else ""


def _parsed(snippet: object) -> ast.AST | None:
    try:
        return parsing.module(getattr(snippet, "code", ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
