"""Each format: what becomes a case, how it is told, and what is left out for which reason."""

import ast
from dataclasses import fields

import pytest

from analysis.errors import CitadelError
from harvest.importers import table
from harvest.importers.folder import Folder
from harvest.importers.model import Importer
from harvest.report.model import ClaimKind, Report
from harvest.report.understand import understand
from tests.harvest.importers.layouts import LAYOUTS, write

PICKLED = ("docter", "nnsmith")


def reading(case):
    return understand(Report(source="x", title=case.title, body=case.body, code=case.code))


def claims(case):
    return {(claim.kind, claim.signal) for claim in reading(case).claims}


def test_every_format_has_a_layout_and_is_told_from_the_others(tmp_path):
    assert set(LAYOUTS) == set(table.IMPORTERS)
    for name, make in LAYOUTS.items():
        folder = Folder(make(tmp_path / name))
        assert table.guess(folder) == name
        assert table.find(name).signs(folder)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name not in PICKLED])
def test_every_file_is_a_case_or_has_a_reason(name, tmp_path, imported):
    root = LAYOUTS[name](tmp_path)
    found = imported(name, root)
    files = [path for path in Folder(root).files() if path != "runcrash.txt"]
    assert set(files) <= set(found.order)
    assert len(found.order) == len(set(found.order))
    assert all(found.reasons.values())
    for case in found.cases.values():
        ast.parse(case.code)
        assert reading(case).candidates, case.code


def test_freefuzz(tmp_path, imported):
    found = imported("freefuzz", LAYOUTS["freefuzz"](tmp_path))
    crash = found.cases["crash-oracle/potential-bug/torch.diagonal_scatter/1.py"]
    assert crash.title == "torch.diagonal_scatter crashes"
    assert claims(crash) == {(ClaimKind.CRASHES, None)}
    devices = found.cases["cuda-oracle/potential-bug/torch.abs/3.py"]
    assert claims(devices) == {(ClaimKind.VALUE, None)}
    assert "except" not in devices.code
    assert 'assert_close(\n    results["res_gpu"], results["res_cpu"]' in devices.code
    precision = found.cases["precision-oracle/potential-bug/torch.matmul/4.py"]
    assert claims(precision) == {(ClaimKind.PERFORMANCE, None)}
    assert precision.code.endswith('print(results["time_low"] / results["time_high"])\n')
    assert "temp.py" in found.cases
    assert found.reasons["crash-oracle/success/torch.abs/1.py"].startswith("success")
    kept_nothing = "an API that crashed the process; the fuzzer kept no input of it"
    assert found.reasons["runcrash.txt:1"] == found.reasons["runcrash.txt:3"] == kept_nothing
    assert "runcrash.txt:2" not in found.reasons


def test_deeprel(tmp_path, imported):
    found = imported("deeprel", LAYOUTS["deeprel"](tmp_path))
    values = found.cases["output-0/torch.linalg.norm+torch.norm+1/neq/2.py"]
    assert values.title == "torch.linalg.norm and torch.norm give different results"
    assert claims(values) == {(ClaimKind.VALUE, None)}
    assert 'assert_close(\n    results["res_1"], results["res_2"]' in values.code
    status = found.cases["output-0/torch.diagonal_scatter+torch.select_scatter+rel+0/neq/7.py"]
    assert "try" not in status.code
    assert "assert_close" not in status.code
    assert ClaimKind.RAISES in {kind for kind, _ in claims(status)}
    assert "output-0/bug/9.py" in found.cases
    assert found.reasons["output-0/error/3.py"].startswith("error")
    assert "--match" in found.reasons["output-0/test-confirmed-1.txt"]


def test_titanfuzz(tmp_path, imported):
    found = imported("titanfuzz", LAYOUTS["titanfuzz"](tmp_path))
    crash = found.cases["Results/torch/crash/torch.Tensor.as_strided__4.py"]
    assert crash.title == "torch.Tensor.as_strided_ crashes"
    assert (ClaimKind.CRASHES, "SIGSEGV") in claims(crash)
    assert crash.code.startswith("import numpy as np\nimport torch\nx = ")
    internal = found.cases["Results/torch/exception/torch.diagonal_scatter_5.py"]
    assert '"""' not in internal.code
    assert "INTERNAL ASSERT" in internal.body
    slow = found.cases["Results/torch/valid/torch.cumsum_1.py"]
    assert (ClaimKind.HANGS, None) in claims(slow)
    assert "one side" in found.reasons["Results/torch/valid/torch.abs_2.py"]
    assert set(found.reasons) == {
        "Results/torch/exception/torch.abs_9.py",
        "Results/torch/valid/torch.abs_1.py",
        "Results/torch/valid/torch.abs_2.py",
        "Results/trace.txt",
    }


def test_acetest(tmp_path, imported):
    found = imported("acetest", LAYOUTS["acetest"](tmp_path))
    crash = found.cases["out/torch.Tensor.as_strided_/crash/cpu_0_1.py"]
    assert (ClaimKind.CRASHES, "SIGSEGV") in claims(crash)
    assert claims(found.cases["out/torch.exp/timeout/cpu_2_0.py"]) == {(ClaimKind.HANGS, None)}
    devices = found.cases["out/torch.exp/crash/diff_1_0.py"]
    assert claims(devices) == {(ClaimKind.VALUE, None)}
    assert "on_cpu = y" in devices.code
    assert devices.code.index("on_cpu = y") < devices.code.index("cuda")
    assert "on_gpu, on_cpu" in devices.code


def test_docter_asks_for_its_pickles(tmp_path, imported):
    asked = []

    def unpickle(data, framework):
        asked.append((data, framework))
        return "{'x': np.array([1, 2])}"

    found = imported("docter", LAYOUTS["docter"](tmp_path), unpickle)
    assert {framework for _, framework in asked} == {"tensorflow"}
    titles = {case.title: case for case in found.cases.values()}
    assert set(titles) == {
        "tf.quantization.fake_quant_with_min_max_vars_per_channel crashes",
        "tf.math.abs hangs",
    }
    crash = titles["tf.quantization.fake_quant_with_min_max_vars_per_channel crashes"]
    assert (ClaimKind.CRASHES, "SIGABRT") in claims(crash)
    assert crash.code.splitlines() == [
        "import numpy as np",
        "import tensorflow as tf",
        "",
        "tf.quantization.fake_quant_with_min_max_vars_per_channel(x=np.array([1, 2]))",
    ]
    (left_out,) = [path for path in found.reasons if "tf.exp" in path and path.endswith(".py")]
    assert found.reasons[left_out].startswith("no signal")


def test_scripts(tmp_path, imported):
    found = imported("scripts", LAYOUTS["scripts"](tmp_path))
    assert (ClaimKind.CRASHES, "SIGSEGV") in claims(found.cases["all/sigsegv/one.py"])
    told = found.cases["two.py"]
    assert told.title == "torch.diagonal_scatter fails an internal assert"
    assert found.reasons == {"notes.txt": "no Python script"}


def test_a_format_that_a_package_registers(tmp_path, monkeypatch):
    package = {
        "other.py": "from dataclasses import replace\n"
        "from harvest.importers.scripts import SCRIPTS\n"
        "OTHER = replace(SCRIPTS, name='other')\nWRONG = 3\n",
        "other-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 1\n",
        "other-1.dist-info/entry_points.txt": "[citadel.importers]\nother = other:OTHER\n",
    }
    write(tmp_path, package)
    monkeypatch.syspath_prepend(tmp_path)
    assert table.find("other").name == "other"
    with pytest.raises(CitadelError, match="no format nonsense"):
        table.find("nonsense")
    points = tmp_path / "other-1.dist-info/entry_points.txt"
    points.write_text("[citadel.importers]\nother = other:WRONG\n")
    with pytest.raises(CitadelError, match="no importer other"):
        table.known()


def test_names_are_keys():
    assert all(one.name == name for name, one in table.IMPORTERS.items())
    assert {field.name for field in fields(Importer)} >= {"find", "read", "signs"}
