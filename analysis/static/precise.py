"""Named C++ files parsed with libclang instead of tree-sitter (extra `citadel-siblings[clang]`).

In: a file and compiler flags. Out: the same rows as `cpp` yields, with macros expanded, types
resolved and callees qualified by the declarations that they refer to. It costs seconds per file
and needs the headers of the very version, so it is for the few files that matter. Calls of
objects (`elu_stub(...)`) are named by the object; constructors, conversions and built-ins are no
callees.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from analysis.static.flags import safe_flags
from analysis.static.model import Kind, Row
from analysis.static.pool import Pool
from analysis.static.worker import Job, Parsed

FILE_SECONDS = 600
MAX_BYTES = 10_000_000
DATABASES = ("compile_commands.json", "build/compile_commands.json")


def parse_precisely(
    root: Path, names: Sequence[str], flags: Sequence[str], jobs: int
) -> dict[str, Parsed]:
    """What libclang finds in files below the root, by their names.

    Raises:
        CitadelError: without libclang, for a file that is not there, or one in which nothing is
            found (which missing headers cause).
    """
    if find_spec("clang") is None:
        hint = "pip install 'citadel-siblings[clang]', or do without --precise"
        raise CitadelError("precise parsing needs libclang, which is not installed", hint)
    known = _database(root)
    work = []
    for name in names:
        path = root / name
        if not path.is_file():
            raise CitadelError(f"no file {name} in {root}", "name files relative to the sources")
        chosen = known.get(path.resolve(), (*flags, "-x", "c++"))
        work.append(Job(str(path.resolve()), "clang", MAX_BYTES, (*chosen, *_builtin_headers())))
    found: dict[str, Parsed] = {}
    with Pool(min(jobs, len(work)), seconds=FILE_SECONDS) as pool:
        for position, parsed in pool.run(work):
            name = names[position]
            if parsed.skipped is not None or not parsed.rows:
                reason = parsed.skipped or f"{parsed.errors} errors, no functions"
                hint = "pass the compiler flags of the build: -I folders of the same version, -std"
                raise CitadelError(f"libclang finds nothing in {name}: {reason}", hint)
            found[name] = parsed
    return found


def _database(root: Path) -> dict[Path, tuple[str, ...]]:
    """Flags by file, from `compile_commands.json`."""
    place = next((root / name for name in DATABASES if (root / name).is_file()), None)
    if place is None:
        return {}
    try:
        listed = json.loads(place.read_bytes())
        return dict(_command(entry, root) for entry in listed)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        message = f"{place} is no compilation database ({problem})"
        raise CitadelError(message, "make it again, or remove it and pass flags") from problem


def _command(entry: dict[str, Any], root: Path) -> tuple[Path, tuple[str, ...]]:
    """A file and the flags for it, of which only safe ones are taken: the sources say them."""
    folder = Path(entry["directory"])
    words = list(entry["arguments"]) if "arguments" in entry else shlex.split(entry["command"])
    taken = safe_flags([str(word) for word in words[1:]], folder, root)
    return (folder / entry["file"]).resolve(), (*taken, f"-working-directory={folder}")


def _builtin_headers() -> tuple[str, ...]:
    """`stddef.h` and its like, which libclang's wheel lacks, from a compiler on the PATH."""
    for compiler, question in (
        ("clang", "-print-resource-dir"),
        ("gcc", "-print-file-name=include"),
    ):
        if shutil.which(compiler) is None:
            continue
        run = subprocess.run([compiler, question], capture_output=True, text=True, check=False)
        folder = Path(run.stdout.strip())
        folder = folder / "include" if compiler == "clang" else folder
        if run.returncode == 0 and folder.is_dir():
            return ("-isystem", str(folder))
    return ()


def extract(path: str, flags: Sequence[str]) -> tuple[list[Row], int]:
    """The functions defined in a file, and how many errors libclang reports in it."""
    from clang import cindex

    unit = cindex.Index.create().parse(path, args=[*flags, "-w"])
    problems = sum(
        problem.severity >= cindex.Diagnostic.Error
        and problem.location.file is not None
        and Path(problem.location.file.name).samefile(path)
        for problem in unit.diagnostics
    )
    text = Path(path).read_bytes()
    return [_row(cursor, text) for cursor in _definitions(unit.cursor, path)], problems


def _definitions(cursor: Any, path: str) -> Iterator[Any]:
    """Function definitions that stand in the file, at any depth of namespaces and classes."""
    for child in cursor.get_children():
        kind = child.kind.name
        if kind in _SCOPES:
            yield from _definitions(child, path)
        elif kind in _FUNCTIONS and child.is_definition() and _is_in(child, path):
            yield child


def _is_in(cursor: Any, path: str) -> bool:
    file = cursor.location.file
    return file is not None and file.name == path and not cursor.is_default_method()


_SCOPES = (
    "NAMESPACE",
    "CLASS_DECL",
    "STRUCT_DECL",
    "CLASS_TEMPLATE",
    "LINKAGE_SPEC",
    "UNEXPOSED_DECL",
)
_FUNCTIONS = (
    "FUNCTION_DECL",
    "CXX_METHOD",
    "CONSTRUCTOR",
    "FUNCTION_TEMPLATE",
    "CONVERSION_FUNCTION",
)
_NO_CALLEES = ("CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION")


def _row(cursor: Any, text: bytes) -> Row:
    callees: list[str] = []
    lambdas = 0
    for inner in cursor.walk_preorder():
        kind = inner.kind.name
        if kind == "CALL_EXPR":
            name = _callee(inner)
            callees += [name] if name else []
        lambdas += kind == "LAMBDA_EXPR"
    parameters = [
        [argument.type.spelling, argument.spelling] for argument in cursor.get_arguments()
    ]
    if cursor.kind.name == "FUNCTION_TEMPLATE":
        inside = cursor.get_children()
        found = [child for child in inside if child.kind.name == "PARM_DECL"]
        parameters = [[child.type.spelling, child.spelling] for child in found]
    name = _qualified(cursor)
    kind = _kind(cursor, name)
    returns = "" if kind is Kind.CONSTRUCTOR else cursor.result_type.spelling
    if returns == "void" and kind in (Kind.STRUCTURED, Kind.META):
        returns = ""  # as tree-sitter sees it, whose macro is not expanded
    extent = cursor.extent
    body = hashlib.sha256(text[extent.start.offset : extent.end.offset]).hexdigest()[:16]
    lines = extent.start.line, extent.end.line
    return [name, kind.value, *lines, parameters, returns, callees, lambdas, body, 0]


def _kind(cursor: Any, name: str) -> Kind:
    if cursor.kind.name == "CONSTRUCTOR":
        return Kind.CONSTRUCTOR
    if "::structured_" in name and name.endswith("::impl"):
        return Kind.STRUCTURED
    if "::structured_" in name and name.endswith("::meta"):
        return Kind.META
    return Kind.METHOD if cursor.kind.name == "CXX_METHOD" else Kind.FUNCTION


def _callee(call: Any) -> str:
    """The qualified name of what is called, `.name` for methods of objects, "" for none."""
    target = call.referenced
    first = next(iter(call.get_children()), None)
    if target is None:
        return _written(first)
    if target.kind.name in _NO_CALLEES or target.spelling.startswith("__builtin_"):
        return ""
    if target.spelling.startswith("operator"):
        if target.spelling == "operator()" and first is not None:
            return str(first.spelling)
        return ""
    if first is not None and first.kind.name == "MEMBER_REF_EXPR" and list(first.get_children()):
        return "." + str(target.spelling)
    return _qualified(target)


def _written(called: Any) -> str:
    """The name as written, where what is called depends on the parameters of a template."""
    node = called
    while node is not None and not node.spelling:
        node = next(iter(node.get_children()), None)
    if node is None:
        return ""
    return ("." if node.kind.name == "MEMBER_REF_EXPR" else "") + str(node.spelling)


def _qualified(cursor: Any) -> str:
    """`at::native::conv2d`; anonymous and inline namespaces add nothing."""
    parts = [cursor.spelling.partition("<")[0]]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.spelling and "(" not in parent.spelling:
            parts.append(parent.spelling)
        parent = parent.semantic_parent
    return "::".join(reversed(parts))
