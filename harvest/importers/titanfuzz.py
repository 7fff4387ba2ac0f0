"""TitanFuzz: `Results/{torch,tf}/<verdict>/<api>_<n>.py`, and `trace.txt` of its oracle.

Scripts stand there without their imports; those of `crash` and `exception` begin with the message
as a docstring. The oracle's lines (`TitanFuzzTestcase ID API LABEL STATE SEED DETAIL`) are joined
by the label. Where CPU and GPU disagreed, the script holds one of the two executions only: its
inputs are drawn anew on each device, so that no second one can be put beside it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from analysis.rules import Phrase
from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.sorting import HIDDEN, NO_SCRIPT, is_script
from harvest.importers.texts import crashed, log
from harvest.report.snippets import FRAMEWORKS
from harvest.report.syntax import Refusal, imported_roots, parse

VERDICTS = ("seed", "valid", "exception", "crash", "hangs", "flaky", "notarget")
TRACE = "trace.txt"
MAX_TRACE = 256 * 1024 * 1024
_LINE = re.compile(r"TitanFuzzTestcase\s+\S+\s+(\S+)\s+(\S+)\s+([A-Za-z]+)\s+\S*\s*(.*)")
_OURS = ("CpuCrashCatch", "FrameworkCrashCatch", "TimeoutFail")
_OF_DEVICES = (
    "GpuCrashCatch",
    "ExceptMsgCatch",
    "ExecStateCatch",
    "VarTypeConflictCatch",
    "VarInconsistentCatch",
)
_INTERNAL = Phrase(
    "fuzzer/internal-error",
    r"internal assert|please report (?:a|this) bug|check failed",
    re.IGNORECASE,
    finds=("INTERNAL ASSERT FAILED", "Please report a bug to us"),
    spares=("ValueError: no",),
)
_NUMBERED = re.compile(r"(?P<api>.+)_\d+")
_IMPORTS = {
    "torch": "import numpy as np\nimport torch\n",
    "tf": "import numpy as np\nimport tensorflow as tf\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """What the oracle wrote about one script."""

    name: str
    detail: str


def _find(folder: Folder) -> Found:
    states = _states(folder)
    for path in folder.files():
        found = _sort(folder, path, states)
        yield Unreadable(path, found) if isinstance(found, str) else found


def _sort(folder: Folder, path: str, states: Mapping[str, _State]) -> Lead | str:
    parts = PurePath(path).parts
    if any(part.startswith(".") for part in parts):
        return HIDDEN
    if not is_script(path):
        return "the oracle's log" if parts[-1] in (TRACE, "catches.log") else NO_SCRIPT
    verdict = parts[-2] if len(parts) > 1 else ""
    state = states.get(_label(path))
    if verdict not in VERDICTS:
        return "not under " + ", ".join(VERDICTS)
    if state is not None and state.name in _OURS:
        return Lead(path=path, verdict=state.name, detail=state.detail)
    if verdict in ("crash", "hangs"):
        return Lead(path=path, verdict=verdict)
    if state is not None and state.name in _OF_DEVICES:
        return f"{state.name}: CPU and GPU disagree, and the script is one side of it"
    if verdict == "exception" and _is_internal(folder, path):
        return Lead(path=path, verdict=verdict)
    return f"{verdict}: not a bug by the fuzzer's oracle"


def _is_internal(folder: Folder, path: str) -> bool:
    """Whether an exception is the framework's own complaint about itself."""
    try:
        return bool(_INTERNAL.search(folder.read_text(path)))
    except Unreadable:
        return False


def _states(folder: Folder) -> dict[str, _State]:
    """Label -> what the oracle saw, of all its logs; later lines count."""
    found: dict[str, _State] = {}
    for path in folder.files():
        if PurePath(path).name != TRACE:
            continue
        try:
            lines = folder.read_text(path, limit=MAX_TRACE).split("\n")
        except Unreadable:
            continue
        for line in filter(None, map(_LINE.match, lines)):
            found[_label(line[2])] = _State(name=line[3], detail=line[4].strip())
    return found


def _label(path: str) -> str:
    """What a script and its line share: the name without folders and ending."""
    return PurePath(path).name.removesuffix(".py")


def _read(folder: Folder, lead: Lead, _unpickle: Unpickle) -> Case:
    message, code = _without_docstring(lead.path, folder.read_text(lead.path))
    numbered = _NUMBERED.fullmatch(_label(lead.path))
    api = numbered["api"] if numbered else _label(lead.path)
    told = message or lead.detail
    body = log(told) if told else ""
    match lead.verdict:
        case "hangs" | "TimeoutFail":
            title = f"{api} hangs"
        case "exception":
            title = f"{api} fails"
        case _:
            title, body = f"{api} crashes", body or crashed(None)
    return Case(title=title, code=_with_imports(lead.path, code), body=body)


def _without_docstring(path: str, code: str) -> tuple[str, str]:
    """The message that stands in front of a script, and the script."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        raise Unreadable(path, f"does not parse: {tree.message} (line {tree.line})")
    told = ast.get_docstring(tree)
    if not told:
        return "", code
    end = tree.body[0].end_lineno or 0
    return told, "\n".join(code.split("\n")[end:]).lstrip("\n")


def _with_imports(path: str, code: str) -> str:
    tree = parse(code)
    if not isinstance(tree, Refusal) and imported_roots(tree) & FRAMEWORKS:
        return code
    library = next((part for part in PurePath(path).parts if part in _IMPORTS), None)
    if library is None:
        library = "tf" if re.search(r"\btf\.", code) else "torch"
    return _IMPORTS[library] + code


def _signs(folder: Folder) -> bool:
    wanted = set(VERDICTS) - {"crash"}
    return any(
        PurePath(path).parts[-2:-1] == (one,) and is_script(path)
        for path in folder.sample
        for one in wanted
    )


TITANFUZZ = Importer(
    name="titanfuzz",
    layout="Results/{torch,tf}/{crash,hangs,exception,...}/API_N.py and trace.txt (TitanFuzz)",
    signs=_signs,
    find=_find,
    read=_read,
)
