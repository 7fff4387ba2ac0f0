"""DeepREL: pairs of APIs that should agree, and the calls on which they do not.

Layout: `output-<i>/<api1>+<api2>+<0|1>/<verdict>/<N>.py` (with `+rel` before the number in
the second phase), and for all pairs `output-<i>/{bug,error}/<N>.py`. 1 is a pair of equal values,
0 one of equal status. Each script calls both and records results or exceptions; it is turned into
one that compares them (`recorded`). Which pairs there are is read by `pairs`.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.pairs import PAIR, STATUS
from harvest.importers.recorded import RESULTS, Unparsable, compared, unguarded
from harvest.importers.sorting import NO_SCRIPT, is_script, sorted_files

BUGS = ("neq", "bug")
_LISTS = re.compile(r"test-\w+-[01]\.txt|new_api\.txt")


def _sort(path: str, parts: tuple[str, ...]) -> Lead | str:
    if _LISTS.fullmatch(parts[-1]) or parts[-2:-1] == ("torch-candidate",):
        return "a list of pairs, which --match reads"
    if not is_script(path):
        return NO_SCRIPT
    verdict = parts[-2] if len(parts) > 1 else ""
    pair = PAIR.fullmatch(parts[-3]) if len(parts) > 2 else None
    if pair is None and not (verdict in ("bug", "error") and _is_round(parts)):
        return "not under output-N/PAIR/VERDICT/ or output-N/bug/"
    if verdict not in BUGS:
        return f"{verdict}: not a bug by the fuzzer's oracle"
    return Lead(path=path, verdict=pair["kind"] if pair else "", detail=pair[0] if pair else "")


def _is_round(parts: tuple[str, ...]) -> bool:
    return len(parts) < 3 or parts[-3].startswith("output-")


def _find(folder: Folder) -> Found:
    return sorted_files(folder, _sort)


def _read(folder: Folder, lead: Lead, _unpickle: Unpickle) -> Case:
    code = folder.read_text(lead.path)
    pair = PAIR.fullmatch(lead.detail)
    try:
        if pair is not None and lead.verdict == STATUS:
            text = unguarded(code)
            title = f"{pair['one']} fails where {pair['other']} does not, or the other way round"
        elif f'{RESULTS}["res_2"]' in code.replace("'", '"'):
            text = compared(code, "res_1", "res_2")
            names = f"{pair['one']} and {pair['other']}" if pair else "Two APIs"
            title = f"{names} give different results"
        else:
            text, title = unguarded(code), f"Fails: {PurePath(lead.path).name}"
    except Unparsable as problem:
        raise Unreadable(lead.path, f"does not parse: {problem}") from None
    return Case(title=title, code=text)


def _signs(folder: Folder) -> bool:
    return any(PAIR.fullmatch(part) for path in folder.sample for part in PurePath(path).parts[:-1])


DEEPREL = Importer(
    name="deeprel",
    layout="output-N/API1+API2+{0,1}/neq/N.py and output-N/bug/N.py (DeepREL)",
    signs=_signs,
    find=_find,
    read=_read,
)
