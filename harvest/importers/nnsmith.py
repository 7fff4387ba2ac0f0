"""NNSmith: `bug-<Symptom>-<Stage>-<k>/` with `meta.json`, the pickled graph, weights and inputs.

The graph is made of NNSmith's own objects, so the interpreter under test needs NNSmith to open it
(in the sandbox). Out comes the model as plain PyTorch: a function of the calls that it makes, which
runs as it is and by the compiler that the bug was found with, and a comparison of the two.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import PurePath
from typing import Any

from analysis import parsing
from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.pickles import is_literal
from harvest.importers.texts import log

META = "meta.json"
FILES = ("gir.pkl", "model.pth", "oracle.pkl")
LOG = "err.log"
ENTRY = "program_torch:program"
_COMPILERS = (
    ("torchjit", "torch.jit.trace(model, ({arguments},))"),
    ("pt2", "torch.compile(model)"),
)
_FUNCTION = re.compile(r"torch(?:\.[A-Za-z_]\w*)+")
_USED = re.compile(r"\bv\d+\b")
_NAME = re.compile(r"v\d+")


def _find(folder: Folder) -> Found:
    for path in folder.files():
        place = PurePath(path)
        if place.name == META:
            yield Lead(path=path)
        elif folder.has(str(place.parent / META)):
            yield Unreadable(path, f"read with its {META}")
        else:
            yield Unreadable(path, f"no {META} beside it")


def _read(folder: Folder, lead: Lead, unpickle: Unpickle) -> Case:
    place = PurePath(lead.path).parent
    meta = _meta(folder, lead.path)
    system, symptom = (str(meta.get(key, "")) for key in ("system", "symptom"))
    compiler = next((form for name, form in _COMPILERS if name in system), None)
    if compiler is None:
        names = " or ".join(name for name, _ in _COMPILERS)
        raise Unreadable(lead.path, f"found with {system or 'nothing'}, which is not {names}")
    files = {name: folder.read_bytes(str(place / name)) for name in FILES}
    given = {name: base64.b64encode(data).decode() for name, data in files.items()}
    try:
        text = unpickle(json.dumps(given).encode(), "torch", ENTRY)
        code = _code(text, compiler)
    except Unreadable as problem:
        raise Unreadable(lead.path, problem.reason) from None
    return Case(title=_title(symptom, system), code=code, body=_log(folder, str(place / LOG)))


def _meta(folder: Folder, path: str) -> dict[str, Any]:
    try:
        found = json.loads(folder.read_text(path))
    except (ValueError, RecursionError) as problem:
        raise Unreadable(path, f"not valid JSON: {problem}") from None
    if not isinstance(found, dict):
        raise Unreadable(path, "JSON, but no record of a bug")
    return found


def _title(symptom: str, system: str) -> str:
    match symptom.lower():
        case "inconsistency":
            return f"Eager and compiled give different results ({system})"
        case "segfault":
            return f"The compiled model crashes with SIGSEGV ({system})"
        case "timeout":
            return f"The compiled model hangs ({system})"
        case _:
            return f"The compiled model fails ({system})"


def _log(folder: Folder, path: str) -> str:
    try:
        return log(folder.read_text(path))
    except Unreadable:
        return ""


def _code(text: str, compiler: str) -> str:
    """The program as a script; each piece is checked to be no more than it says."""
    try:
        program = parsing.literal(text)
        inputs = [(_checked_name(name), _checked(value)) for name, value in program["inputs"]]
        outputs = ", ".join(map(_checked, program["outputs"]))
        body = [_step(*step) for step in _needed(program["steps"], outputs)]
    except (
        ValueError,
        TypeError,
        KeyError,
        SyntaxError,
        AttributeError,
        RecursionError,
    ) as problem:
        raise Unreadable("", f"its model came back as no program: {problem}") from None
    arguments = ", ".join(name for name, _ in inputs)
    lines = [
        "import numpy as np" if "np." in text else "",
        "import torch",
        "",
        *(f"{name} = {value}" for name, value in inputs),
        "",
        "",
        f"def model({arguments}):",
        *(f"    {line}" for line in body),
        f"    return ({outputs},)",
        "",
        "",
        f"eager = model({arguments})",
        f"compiled = {compiler.format(arguments=arguments)}({arguments})",
        "torch.testing.assert_close(compiled, eager, equal_nan=True)",
    ]
    return "\n".join(lines).lstrip("\n") + "\n"


def _needed(steps: list[Any], outputs: str) -> list[Any]:
    """The steps that outputs depend on, or that change a tensor in place: NNSmith's own checks of
    what it computes (`isnan`, `any`) are none of the model."""
    wanted = set(_USED.findall(outputs))
    kept = []
    for step in reversed(steps):
        names, function, args, kwargs = step
        if wanted & set(names) or function.endswith("_"):
            wanted.update(_USED.findall(" ".join([*args, *kwargs.values()])))
            kept.append(step)
    return kept[::-1]


def _step(names: list[str], function: str, args: list[str], kwargs: dict[str, str]) -> str:
    targets = ", ".join(_checked_name(name) for name in names if name)
    if "" in names:
        targets += ","
    given = [_checked(one) for one in args]
    if function == "getattr":
        return f"{targets} = {given[0]}.{_identifier(parsing.literal(given[1]))}"
    if not _FUNCTION.fullmatch(function):
        raise ValueError(f"no function of PyTorch: {function}")
    given += [f"{_identifier(key)}={_checked(one)}" for key, one in kwargs.items()]
    method = function.removeprefix("torch.Tensor.")
    if method != function and "." not in method and not method.startswith("__"):
        return f"{targets} = {given[0]}.{method}({', '.join(given[1:])})"
    return f"{targets} = {function}({', '.join(given)})"


def _checked(text: str) -> str:
    if not is_literal(text, names=_NAME):
        raise ValueError(f"no literal: {text[:80]}")
    return text


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name: {name[:80]}")
    return name


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ValueError(f"no name: {name[:80]}")
    return name


def _signs(folder: Folder) -> bool:
    return any(PurePath(path).name == "gir.pkl" for path in folder.sample)


NNSMITH = Importer(
    name="nnsmith",
    layout="bug-SYMPTOM-STAGE-N/ with meta.json, gir.pkl, model.pth, oracle.pkl (NNSmith)",
    signs=_signs,
    find=_find,
    read=_read,
)
