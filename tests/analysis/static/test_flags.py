"""What of a checkout's own compiler flags libclang is given."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from analysis.static.flags import safe_flags

TAKEN = """
-Iinclude -I/usr/include/x -isystem/opt/x -DNDEBUG -DX="a=b" -UX -std=c++17 -std=gnu++2a -xc++ -O2
-fPIC -fno-exceptions -fopenmp -ftemplate-depth=900 -mavx2 -march=native -m64 -pthread -nostdinc++
"""
REFUSED = """
-Xclang -load -fplugin=/tmp/x.so -fpass-plugin=/tmp/x.so -fplugin-arg-x-y @file -I@file --config=x
-mllvm -mllvm=-load -mlink-builtin-bitcode -MFx -MD -o -c -ftime-trace -fsave-optimization-record
-fmodules -fmodules-cache-path=x -fmodule-file=x -fprofile-use=x -include-pch -ivfsoverlay
-isysroot -resource-dir=/tmp -B/tmp -specs=x -Wp,-MD,x -Wl,-plugin,x -xmodel -save-temps -x/tmp g++
-imacros /tmp/x.cpp -fuse-ld=/tmp/x -working-directory=/ -- -cc1 -includex
"""


@pytest.mark.parametrize("flag", TAKEN.split())
def test_taken(flag):
    assert safe_flags([flag], Path("/src"), Path("/src")) == (flag,)


@pytest.mark.parametrize("flag", REFUSED.split())
def test_refused(flag):
    assert safe_flags([flag], Path("/src"), Path("/src")) == ()


def test_values_in_the_next_word():
    words = ["g++", "-I", "a", "-x", "cuda", "-isystem", "b", "-D", "X", "-c", "f.cu", "-o", "f.o"]
    taken = ("-I", "a", "-x", "cuda", "-isystem", "b", "-D", "X")
    assert safe_flags(words, Path("/src"), Path("/src")) == taken


@pytest.mark.parametrize("value", ["-Xclang", "@file", ""])
@pytest.mark.parametrize("flag", ["-I", "-D", "-x", "-include", "-isystem"])
def test_no_flag_hides_as_a_value(flag, value):
    assert safe_flags([flag, value], Path("/src"), Path("/src")) == ()
    assert safe_flags([flag], Path("/src"), Path("/src")) == ()


def test_files_are_included_from_the_sources_only(tmp_path):
    (tmp_path / "out").symlink_to("/etc")
    for name, taken in [("a.h", True), ("../a.h", False), ("/etc/a.h", False), ("out/a.h", False)]:
        assert bool(safe_flags(["-include", name], tmp_path, tmp_path)) is taken


@pytest.mark.skipif(find_spec("clang") is None, reason="no libclang: extra `clang`")
def test_a_database_says_how_to_read_and_nothing_else(tree, quick, tmp_path):
    root = tree({"Ops.cpp": "#ifdef TOLD\nint f() { return g(); }\n#endif"})
    outside = tmp_path / "outside.h"
    outside.write_text("#undef TOLD")
    words = ["g++", "-DTOLD", "-include", str(outside), "-no-such", "-c"]
    entry = {"directory": str(root), "file": "Ops.cpp", "arguments": [*words, "Ops.cpp"]}
    (root / "compile_commands.json").write_text(json.dumps([entry]))
    sources = quick(root, precise=["Ops.cpp"])
    assert [record.name for record in sources.functions.values()] == ["f"]
