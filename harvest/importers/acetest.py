"""ACETest: `<api>/{crash,timeout,...}/<mode>_<index>_<sub>.py` and `crash/crash_summary.csv`.

The table's rows (`api, mode, file, exitcode`) say which signal ended a script. A script of two
parts, one per device, has a line `# ====CPU_GPU_DIFF====` between them; their results are compared.
"""

from __future__ import annotations

import ast
import csv
import re
from pathlib import PurePath

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Case, Found, Importer, Lead, Unpickle
from harvest.importers.recorded import Unparsable, with_check
from harvest.importers.sorting import HIDDEN, NO_SCRIPT, is_script
from harvest.importers.texts import crashed, signal_of_exit
from harvest.report.syntax import Refusal, parse

VERDICTS = ("crash", "timeout", "samples", "invalid", "non_crash")
SUMMARY = "crash_summary.csv"
_SPLIT = re.compile(r"^#\s*=+\s*CPU_GPU_DIFF\s*=+\s*$", re.MULTILINE)


def _find(folder: Folder) -> Found:
    codes: dict[str, str] = {}
    for path in folder.files():
        if PurePath(path).name == SUMMARY:
            codes |= _exit_codes(folder, path)
    for path in folder.files():
        found = _sort(path, codes)
        yield Unreadable(path, found) if isinstance(found, str) else found


def _exit_codes(folder: Folder, path: str) -> dict[str, str]:
    """Path of a script beside the table -> its exit code."""
    try:
        rows = list(csv.reader(folder.read_text(path).splitlines()))
    except (Unreadable, csv.Error):
        return {}
    beside = PurePath(path).parent
    return {
        str(beside / PurePath(row[2].strip()).name): row[3].strip() for row in rows if len(row) > 3
    }


def _sort(path: str, codes: dict[str, str]) -> Lead | str:
    parts = PurePath(path).parts
    if any(part.startswith(".") for part in parts):
        return HIDDEN
    if not is_script(path):
        return "the fuzzer's table" if path.endswith(".csv") else NO_SCRIPT
    verdict = parts[-2] if len(parts) > 1 else ""
    if len(parts) < 3 or verdict not in VERDICTS:
        return "not under API/{" + ",".join(VERDICTS) + "}/"
    if verdict not in ("crash", "timeout"):
        return f"{verdict}: not a bug by the fuzzer's oracle"
    return Lead(path=path, verdict=verdict, detail=codes.get(path, ""))


def _read(folder: Folder, lead: Lead, _unpickle: Unpickle) -> Case:
    code = folder.read_text(lead.path)
    api = PurePath(lead.path).parts[-3]
    if lead.verdict == "timeout":
        return Case(title=f"{api} hangs", code=code)
    name = signal_of_exit(int(lead.detail)) if re.fullmatch(r"-?\d{1,3}", lead.detail) else None
    if name is None and _SPLIT.search(code):
        return Case(title=f"{api} gives different results on CPU and GPU", code=_joined(lead, code))
    return Case(title=f"{api} crashes", code=code, body=crashed(name))


def _joined(lead: Lead, code: str) -> str:
    """Both parts, with their last results under names of their own, and a comparison of those."""
    parts = _SPLIT.split(code, maxsplit=1)
    texts = []
    for part, kept in zip(parts, ("on_cpu", "on_gpu"), strict=True):
        last = _last_name(part)
        if last is None:
            raise Unreadable(lead.path, "two parts that assign no results to compare")
        texts.append(f"{part.strip()}\n{kept} = {last}\n")
    try:
        return with_check("\n".join(texts), "on_gpu", "on_cpu")
    except Unparsable as problem:
        raise Unreadable(lead.path, f"does not parse: {problem}") from None


def _last_name(part: str) -> str | None:
    tree = parse(part)
    if isinstance(tree, Refusal):
        return None
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            line = (node.lineno, node.targets[0].id)
            found = line if found is None else max(found, line)
    return None if found is None else found[1]


def _signs(folder: Folder) -> bool:
    return any(
        is_script(path) and PurePath(path).parts[-2] in ("non_crash", "invalid", "timeout")
        for path in folder.sample
        if len(PurePath(path).parts) > 2
    ) or any(PurePath(path).name == SUMMARY for path in folder.sample)


ACETEST = Importer(
    name="acetest",
    layout="API/{crash,timeout}/MODE_INDEX_SUB.py and crash/crash_summary.csv (ACETest)",
    signs=_signs,
    find=_find,
    read=_read,
)
