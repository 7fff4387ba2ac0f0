"""DocTer: `<lib>/conform_constr/<api>.yaml_workdir/` with scripts, pickled arguments, and records.

`<Signal>_record` and `<Signal>_script_record` name the inputs that ended the process by a signal,
`timeout_record` those that did not end. Paths in them are those of the machine that fuzzed: what
counts is the last part. The arguments are written into the script (`literals`); where only the
pickle is left, the folder's name says what to call.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.literals import with_literals
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.texts import crashed, log, signal_of_word

WORKDIR = ".yaml_workdir"
_RECORD = re.compile(r"(?P<what>\w+?)(?P<script>_script)?_record")
_INPUT = re.compile(r"(?P<stem>[0-9a-f]{40}(?:_[0-9a-f]{40})?)\.(?:py|p)\b")
_WHAT = frozenset(
    {
        *("Abort", "Bus_Error", "Floating_Point_Exception", "Illegal_instruction", "Kill"),
        *("Broken_Pipe", "Segmentation_Fault", "Nan", "Division_By_Zero", "System_Exit"),
        "timeout",
    }
)
_LIBRARIES = {"tf": "import tensorflow as tf", "torch": "import torch"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One API's folder: the stems of the scripts in it, and what is recorded of which input."""

    scripts: frozenset[str]
    recorded: Mapping[str, str]

    def what(self, stem: str) -> str | None:
        """What is recorded of a script; a layer's is named after its two inputs."""
        return self.recorded.get(stem) or self.recorded.get(stem.partition("_")[0])

    def has_script(self, stem: str) -> bool:
        """Whether an input has a script, of its own or with a second one."""
        return any(stem in (one, *one.split("_")) for one in self.scripts)


def _find(folder: Folder) -> Found:
    folders: dict[PurePath, _Place] = {}
    for path in folder.files():
        parent = PurePath(path).parent
        if not parent.name.endswith(WORKDIR):
            yield Unreadable(path, f"not in a folder API{WORKDIR}")
            continue
        if parent not in folders:
            folders = {parent: _place(folder, parent)}
            yield from _lost(folder, parent, folders[parent])
        yield _sort(path, folders[parent])


def _place(folder: Folder, parent: PurePath) -> _Place:
    names = sorted(one.name for one in (folder.root / parent).iterdir())
    found: dict[str, str] = {}
    for name in names:
        record = _RECORD.fullmatch(name)
        if record is not None and record["what"] in _WHAT:
            with contextlib.suppress(Unreadable):  # it gets a row of its own
                text = folder.read_text(str(parent / name))
                found.update({one["stem"]: record["what"] for one in _INPUT.finditer(text)})
    stems = (_INPUT.fullmatch(name) for name in names if name.endswith(".py"))
    return _Place(scripts=frozenset(one["stem"] for one in stems if one), recorded=found)


def _sort(path: str, place: _Place) -> Lead | Unreadable:
    found = _INPUT.fullmatch(PurePath(path).name)
    if found is None:
        return Unreadable(path, "a record of the fuzzer, or an unknown file")
    what = place.what(found["stem"])
    if not path.endswith(".py") and place.has_script(found["stem"]):
        return Unreadable(path, "pickled arguments, read with their script")
    if what is None:
        return Unreadable(path, "no signal or time-out is recorded for it")
    return Lead(path=path, verdict=what)


def _lost(folder: Folder, parent: PurePath, place: _Place) -> Iterator[Unreadable]:
    """Inputs that are recorded, but of which nothing is left."""
    for stem in place.recorded:
        if not place.has_script(stem) and not folder.has(str(parent / f"{stem}.p")):
            yield Unreadable(str(parent / stem), "recorded, but neither script nor pickle is there")


def _read(folder: Folder, lead: Lead, unpickle: Unpickle) -> Case:
    api = PurePath(lead.path).parts[-2].removesuffix(WORKDIR)
    scripted = lead.path.endswith(".py")
    code = folder.read_text(lead.path) if scripted else _script(api, lead.path)
    text = with_literals(code, lead.path, folder, unpickle)
    name = signal_of_word(lead.verdict)
    match lead.verdict:
        case "timeout":
            return Case(title=f"{api} hangs", code=text)
        case "Nan":
            return Case(title=f"{api} returns nan", code=text)
        case "Division_By_Zero":
            body = log("ZeroDivisionError: division by zero")
            return Case(title=f"{api} divides by zero", code=text, body=body)
        case _:
            return Case(title=f"{api} crashes", code=text, body=crashed(name))


def _script(api: str, path: str) -> str:
    """A script for arguments that have none; the API is public under its dotted name."""
    root = api.partition(".")[0]
    if root not in _LIBRARIES or not re.fullmatch(r"\w+(?:\.\w+)+", api):
        raise Unreadable(path, f"no script, and {api} is no API of " + " or ".join(_LIBRARIES))
    name = PurePath(path).name
    line = _LIBRARIES[root]
    return f'{line}\nimport pickle\ndata = pickle.load(open("{name}", "rb"))\n{api}(**data)\n'


def _signs(folder: Folder) -> bool:
    return any(
        part.endswith(WORKDIR) for path in folder.sample for part in PurePath(path).parts[:-1]
    )


DOCTER = Importer(
    name="docter",
    layout="LIB/conform_constr/API.yaml_workdir/ with records and pickles (DocTer, Ddoctor)",
    signs=_signs,
    find=_find,
    read=_read,
)
