"""FreeFuzz, and Orion, which shares its layout: `<oracle>/<verdict>/<api>/<N>.py`.

The oracle's folder says what kind of bug it is: `crash-oracle` (an internal assertion),
`cuda-oracle` (CPU and GPU differ), `precision-oracle` (low precision is the slower one). Of a hard
crash FreeFuzz keeps the API's name only, in `runcrash.txt`, and the last script, `temp.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.recorded import Unparsable, compared, timed
from harvest.importers.sorting import NO_SCRIPT, is_script, sorted_files

VERDICTS = ("success", "potential-bug", "fail", "compare-bug")
BUGS = ("potential-bug", "compare-bug")
LISTS = {
    "timeout.txt": "ran out of time",
    "runerror.txt": "could not be run",
    "runcrash.txt": "crashed the process",
}
LAST = "temp.py"


def _sort(path: str, parts: tuple[str, ...]) -> Lead | str:
    if parts[-1] == LAST:
        return Lead(path=path, verdict=LAST)
    if not is_script(path):
        return NO_SCRIPT
    if len(parts) < 4 or parts[-3] not in VERDICTS:
        return "not under ORACLE/VERDICT/API/"
    oracle, verdict, api, _ = parts[-4:]
    if verdict not in BUGS:
        return f"{verdict}: not a bug by the fuzzer's {oracle}"
    return Lead(path=path, verdict=oracle, detail=api)


def _find(folder: Folder) -> Found:
    for found in sorted_files(folder, _sort):
        if isinstance(found, Unreadable) and PurePath(found.path).name in LISTS:
            yield from _listed(folder, found.path)
        else:
            yield found


def _listed(folder: Folder, path: str) -> Iterator[Unreadable]:
    """One reason per API of a list: the fuzzer kept no input of what it did with it."""
    try:
        names = folder.read_text(path).split("\n")
    except Unreadable as problem:
        yield problem
        return
    what = LISTS[PurePath(path).name]
    for number, name in enumerate(names, 1):
        if name.strip():
            yield Unreadable(
                f"{path}:{number}", f"an API that {what}; the fuzzer kept no input of it"
            )


def _read(folder: Folder, lead: Lead, _unpickle: Unpickle) -> Case:
    code = folder.read_text(lead.path)
    api = lead.detail
    try:
        match lead.verdict:
            case "cuda-oracle":
                text = compared(code, "res_gpu", "res_cpu")
                return Case(title=f"{api} gives different results on CPU and GPU", code=text)
            case "precision-oracle":
                text = timed(code, "time_low", "time_high")
                title = f"{api} is slower in low precision than in high precision"
                return Case(title=title, code=text)
            case "temp.py":
                return Case(title="The last script that the fuzzer ran", code=code)
            case _:
                return Case(title=f"{api} crashes", code=code)
    except Unparsable as problem:
        raise Unreadable(lead.path, f"does not parse: {problem}") from None


def _signs(folder: Folder) -> bool:
    return any(
        PurePath(path).parts[-3:-2] in [(one,) for one in VERDICTS] for path in folder.sample
    )


FREEFUZZ = Importer(
    name="freefuzz",
    layout="ORACLE/{potential-bug,compare-bug}/API/N.py (FreeFuzz, Orion)",
    signs=_signs,
    find=_find,
    read=_read,
)
