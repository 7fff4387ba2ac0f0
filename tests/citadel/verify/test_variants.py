import pytest

from analysis.catalog.model import ApiKind
from analysis.target.session import Limits
from citadel.verify.reports import verify
from citadel.verify.variants import (
    eager,
    of_version_1,
    with_imports,
    with_new_names,
    without_psutil,
    without_reference,
)
from citadel.verify.verified import Verified

GRAPH = """
    import tensorflow as tf
    x = tf.placeholder(tf.int32)
    tf.gather([1, 2, 3], x)
"""
MODERN = "import tensorflow as tf\ntf.gather([1, 2, 3], tf.no_such_thing)\n"
MISSING = "AttributeError: module 'tensorflow' has no attribute 'placeholder'"


@pytest.fixture
def known(catalog, api):
    return catalog(api("tf.gather", "params, indices"), api("tf.compat.v1.placeholder", "dtype"))


def first(reading):
    return reading.candidates[0]


def test_what_only_version_1_has_makes_code_of_version_1(read, known):
    reading = read("gather fails", GRAPH, text="InvalidArgumentError: indices[0] = 9")
    older = of_version_1(first(reading), known, reading.claims)
    assert older.code.startswith(
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nx = tf.placeholder"
    )
    assert older.repairs == ("tensorflow 1",)


def test_names_that_no_version_has_change_nothing(read, known):
    reading = read("gather fails", MODERN)
    assert of_version_1(first(reading), known, reading.claims) is None


def test_a_report_that_a_name_is_missing_is_about_version_2(read, known):
    reading = read("placeholder is gone", GRAPH, text=MISSING)
    assert of_version_1(first(reading), known, reading.claims) is None


def test_functions_run_eagerly(read):
    changed = eager(first(read("gather fails", MODERN)))
    assert "\ntf.config.run_functions_eagerly(True)\n" in changed.code
    assert changed.repairs == ("functions run eagerly",)
    assert eager(first(read("a + b", "import torch\ntorch.add(1, 2)"))) is None


@pytest.mark.parametrize(
    ("code", "imports"),
    [
        ("print(Gamma(x))", ["from torch.distributions import Gamma"]),
        ("print(Gamma(Linear(2)))", None),  # two have that name
        ("print(Gamma(nothing))", None),
        ("print(gamma(1))", None),
    ],
)
def test_classes_of_the_framework_that_are_not_imported(read, api, catalog, code, imports):
    names = ("torch.distributions.Gamma", "torch.nn.Linear", "torch.nn.quantized.Linear")
    known = catalog(*(api(name, kind=ApiKind.CLASS) for name in names))
    code = f"import torch\nx = torch.ones(1)\n{code}\n"
    changed = with_imports(first(read("Gamma is wrong", code)), known)
    assert (changed and changed.code) == (imports and "\n".join([*imports, code]))


def test_imports_come_behind_those_of_the_future_and_name_packages(read, api, catalog):
    known = catalog(api("tf.keras.layers.Dense", kind=ApiKind.CLASS), api("tf.gather", "params"))
    head = '"""Why?"""\nfrom __future__ import annotations\n'
    code = "import tensorflow as tf\nprint(Dense(3)(tf.ones((2, 2))))\n"
    changed = with_imports(first(read("Dense is wrong", head + code)), known)
    assert changed.code == f"{head}from tensorflow.keras.layers import Dense\n{code}"


def test_a_library_that_is_compared_with_is_left_out(read):
    code = "import scipy\nimport torch\nprint(torch.erf(x))\nprint(scipy.special.erf(x))\n"
    changed = without_reference(first(read("erf is wrong", code)), "scipy")
    assert changed.code == "import torch\nprint(torch.erf(x))\n"
    assert changed.repairs == ("reference left out",)


def test_names_that_numpy_once_had(read):
    code = "import numpy as np\nimport torch\nprint(torch.neg(torch.tensor(np.PINF)))\n"
    changed = with_new_names(first(read("neg is wrong", code)))
    assert "torch.tensor(np.inf)" in changed.code
    assert changed.repairs == ("older numpy",)


def test_memory_that_psutil_would_tell_is_read_without_it(read):
    code = "import psutil\nimport torch\ntorch.ones(3)\nprint(psutil.Process().memory_info().rss)\n"
    snippet = first(read("ones leaks memory", code))
    changed = without_psutil(snippet, "psutil")
    assert changed.code.endswith("print(resident_bytes())\n")
    assert changed.repairs == ("memory without psutil",)
    assert without_psutil(snippet, "scipy") is None


@pytest.mark.slow
@pytest.mark.torch
def test_a_report_needs_no_library_that_only_shows_what_is_right(bench, read):
    code = """
        import torch
        import mpmath
        print(torch.hypot(torch.tensor(3.0), torch.tensor(4.0)))  # gives 5
        print(mpmath.hypot(3, 4))  # should be 6
    """
    found = verify(
        read("torch.hypot returns a wrong value", code, text="It gives 5, but should be 6."),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
        runs=2,
        limits=Limits(wall=20.0),
    )
    assert isinstance(found, Verified), found
    assert found.case.api == "torch.hypot"
    assert found.case.reproduces
    assert "mpmath" not in found.case.code


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("old", ["np.float", "np.float_"])
def test_a_name_that_numpy_has_no_more_keeps_nothing_from_being_shown(bench, read, old):
    code = f"""
        import numpy as np
        import torch
        print(torch.hypot(torch.tensor({old}(3.0)), torch.tensor(4.0)))  # gives 5
    """
    found = verify(
        read("torch.hypot returns a wrong value", code, text="It gives 5, but should be 6."),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
        runs=2,
        limits=Limits(wall=20.0),
    )
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.reproduces) == ("torch.hypot", True)
