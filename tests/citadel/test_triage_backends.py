"""A report that compares two backends of Keras, whose code shows one result alone."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citadel.cli.app import app

PYTHON = Path(__file__).parents[2] / ".targets/keras/bin/python"

pytestmark = [
    pytest.mark.keras,
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .targets/keras: make keras"),
]

SETUP = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
x = np.arange(16, dtype="float32").reshape(1, 4, 4, 1)
"""
POOLS = """
y = keras.layers.AveragePooling2D(pool_size=3, strides=2, padding="same")(x)
print(keras.ops.convert_to_numpy(y).ravel())
"""
DRAWS = """
keras.utils.set_random_seed(0)
print(keras.ops.convert_to_numpy(keras.layers.Dense(2)(x)).ravel())
"""
SAME = """
print(keras.config.backend(), keras.ops.relu(x).dtype)
print(keras.ops.convert_to_numpy(keras.ops.relu(x)))
print(keras.ops.convert_to_numpy(keras.ops.exp(x)))
"""
BODY = """The result is not the one of the tensorflow backend.

```python
{}
```
"""


@pytest.fixture
def triaged(tmp_path):
    def run(title, code, body=BODY):
        report = tmp_path / "report.md"
        report.write_text(f"# {title}\n\n{body.format(SETUP + code)}")
        given = ["--python", str(PYTHON), "--siblings", "30", "--budget", "40"]
        told = ["--json", str(tmp_path / "found.json"), "--out", str(tmp_path)]
        done = CliRunner().invoke(app, ["triage", str(report), *given, *told])
        assert done.exit_code in (0, 3), done.output
        (row,) = json.loads((tmp_path / "found.json").read_text())["reports"]
        return row

    return run


def test_another_result_on_another_backend_is_the_symptom(triaged):
    row = triaged("AveragePooling2D is wrong at the borders on the torch backend", POOLS)
    assert row["case"]["api"] == "keras.layers.AveragePooling2D"
    assert row["case"]["reproduces"]
    assert row["case"]["symptom"]["expected"].endswith("(as on the tensorflow backend)")
    verdicts = {one["api"]: one["verdict"] for one in row["siblings"]}
    assert verdicts["keras.layers.AveragePooling1D"] == "bug"
    assert verdicts["keras.layers.AveragePooling3D"] == "bug"
    assert verdicts["keras.layers.MaxPooling2D"] == "clean"


def test_what_each_backend_draws_for_itself_is_no_symptom(triaged):
    row = triaged("Dense returns something else on the torch backend", DRAWS)
    assert row["skipped"] == "runs, and what it shows is no other on the tensorflow backend"


def test_two_results_of_one_backend_are_not_compared_with_each_other(triaged):
    row = triaged("relu is different on the torch backend", SAME)
    assert row["skipped"] == "runs, and what it shows is no other on the tensorflow backend"


def test_a_hunt_compares_them_as_well(tmp_path):
    title = "AveragePooling2D is wrong at the borders on the torch backend"
    (tmp_path / "report.md").write_text(f"# {title}\n\n{BODY.format(SETUP + POOLS)}")
    given = [str(tmp_path / "report.md"), "--store", str(tmp_path / "citadel.db")]
    given += ["--python", str(PYTHON), "--siblings", "30", "--per-report", "40"]
    done = CliRunner().invoke(app, ["hunt", *given, "--out", str(tmp_path / "cases")])
    assert done.exit_code == 0, done.output
    cases = [path.stem for path in (tmp_path / "cases").rglob("keras*.py")]
    assert "keras.layers.AveragePooling1D" in cases


TURNED = """
y, z = (keras.ops.average_pool(v, 3, strides=3, padding="same") for v in (x, np.flip(x, axis=1)))
assert np.allclose(keras.ops.reshape(y, x.shape[:1]), keras.ops.reshape(z, x.shape[:1]))
"""


def test_a_function_of_any_dimensions_has_layers_of_one_two_and_three_as_siblings(triaged):
    code = TURNED.replace("(x, ", "(x[:, :2, :2], ").replace("flip(x,", "flip(x[:, :2, :2],")
    row = triaged(
        "average_pool gives another result for a turned window", code, "```python\n{}\n```"
    )
    assert row["case"]["api"] == "keras.ops.average_pool"
    verdicts = {one["api"]: one["verdict"] for one in row["siblings"]}
    layers = [f"keras.layers.AveragePooling{n}D" for n in (1, 2, 3)]
    assert [verdicts[name] for name in layers] == ["bug"] * 3
    assert verdicts["keras.layers.MaxPooling2D"] == "clean"


SILENT = """It should raise an error: it raises one on the tensorflow and jax backends (ValueError).

```python
{}
```
"""


@pytest.mark.parametrize(
    ("api", "call", "sibling", "verdict", "why"),
    [
        ("squeeze", "axis=2", "flip", "expected", "accepted on the tensorflow backend as well"),
        ("max_pool", '2, padding="a"', "average_pool", "bug", None),
    ],
)
def test_what_is_accepted_is_refused_by_the_other_backend(
    triaged, api, call, sibling, verdict, why
):
    title = f"keras.ops.{api} with {call} is accepted silently on the torch backend"
    row = triaged(title, f"print(keras.ops.{api}(x, {call}))\n", SILENT)
    assert row["case"]["reproduces"]
    assert row["case"]["symptom"]["kind"] == "accepts"
    (found,) = (one for one in row["siblings"] if one["api"] == f"keras.ops.{sibling}")
    assert (found["verdict"], found["reason"]) == (verdict, why)


FAILS = """It fails. It runs on the tensorflow backend.

```python
{}
```
"""
NORMALISES = """
keras.layers.LayerNormalization(axis=1)(x[:, :, :2, 0])
"""
ATTENDS = """
keras.layers.MultiHeadAttention(num_heads=2, key_dim=3, value_dim=2)(x[:, 0], x[:, 0])
"""


def test_an_error_of_one_backend_is_looked_for_where_the_other_runs(triaged):
    row = triaged("LayerNormalization with axis=1 fails on torch", NORMALISES, FAILS)
    assert row["case"]["kind"] == "status"
    (bug,) = (one for one in row["siblings"] if one["verdict"] == "bug" and not one["alias_of"])
    assert bug["api"] == "keras.ops.layer_normalization"
    assert "the tensorflow backend runs it" in bug["guards"]


def test_an_error_of_both_backends_is_no_difference(tmp_path):
    code = SETUP.replace('"torch"', '"jax"') + ATTENDS
    report = tmp_path / "report.md"
    report.write_text(f"# MultiHeadAttention with value_dim fails on jax\n\n{FAILS.format(code)}")
    told = ["--json", str(tmp_path / "found.json"), "--out", str(tmp_path), "--budget", "60"]
    done = CliRunner().invoke(app, ["triage", str(report), "--python", str(PYTHON), *told])
    assert done.exit_code in (0, 3), done.output
    (row,) = json.loads((tmp_path / "found.json").read_text())["reports"]
    assert row["case"]["api"] == "keras.layers.MultiHeadAttention"
    bugs = {one["api"] for one in row["siblings"] if one["verdict"] == "bug"}
    assert {name.removeprefix("tf.") for name in bugs} <= {"keras.layers.MultiHeadAttention"}
    reasons = {one["api"]: one["reason"] for one in row["siblings"]}
    assert reasons["keras.ops.reshape"] == "refused on the tensorflow backend as well"
