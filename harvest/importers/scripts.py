"""Plain scripts, one case each: synthesised proofs, minimised repros, anybody's folder of them.

What goes wrong is in the script's docstring or first comment; a folder may say it, too, where it is
named after a signal (`sigsegv/`), a crash or a hang, as fuzzers sort what they have found.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from analysis.rules import Phrase
from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.sorting import NO_SCRIPT, is_script, sorted_files
from harvest.importers.texts import crashed, signal_of_exit, signal_of_word
from harvest.report.inputs import from_bytes
from harvest.report.model import Report

_HANGS = Phrase(
    "fuzzer/folder-of-hangs",
    r"hangs?|time_?outs?",
    re.IGNORECASE,
    finds=("hangs", "timeout"),
    spares=("valid",),
)
_CRASHES = Phrase(
    "fuzzer/folder-of-crashes",
    r"crash(?:es)?",
    re.IGNORECASE,
    finds=("crashes",),
    spares=("valid",),
)
_EXIT = re.compile(r"(?:exit[-_ ]?)?(-?\d{1,3})")


def script_case(path: str, code: str) -> Case:
    """A script as a case, titled by its own words."""
    (found,) = from_bytes(code.encode("utf-8", "replace"), source=path, form="python")
    if not isinstance(found, Report) or found.code is None:
        raise Unreadable(path, getattr(found, "error", "no Python script"))
    return Case(title=found.title, code=found.code, body=found.body)


def _sort(path: str, _parts: tuple[str, ...]) -> Lead | str:
    return Lead(path=path) if is_script(path) else NO_SCRIPT


def _find(folder: Folder) -> Found:
    return sorted_files(folder, _sort)


def _read(folder: Folder, lead: Lead, _unpickle: Unpickle) -> Case:
    case = script_case(lead.path, folder.read_text(lead.path))
    told = _of_folders(PurePath(lead.path).parts[:-1])
    return Case(title=case.title, code=case.code, body=f"{case.body}\n\n{told}".strip())


def _of_folders(parts: tuple[str, ...]) -> str:
    """What the names of the folders say, the innermost first."""
    for part in reversed(parts):
        exit_code = _EXIT.fullmatch(part)
        name = signal_of_exit(int(exit_code[1])) if exit_code else signal_of_word(part)
        if name or _CRASHES.fullmatch(part):
            return crashed(name)
        if _HANGS.fullmatch(part):
            return "The call hangs."
    return ""


def _signs(folder: Folder) -> bool:
    return any(map(is_script, folder.sample))


SCRIPTS = Importer(
    name="scripts",
    layout="any folder of Python scripts, one case each (IvySyn, MirrorFuzz, TorchFuzz, ...)",
    signs=_signs,
    find=_find,
    read=_read,
)
