"""A whole triage of a report about Keras on PyTorch, by the command that users run."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citadel.cli.app import app

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".targets/keras/bin/python"
REPORT = ROOT / "examples/average_pooling_integers.md"

pytestmark = [
    pytest.mark.keras,
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .targets/keras: make keras"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keras")
    given = ["triage", str(REPORT), "--python", str(PYTHON), "--siblings", "150", "--budget", "90"]
    told = ["--json", str(folder / "found.json"), "--out", str(folder)]
    done = CliRunner().invoke(app, [*given, *told])
    assert done.exit_code == 0, done.output
    return json.loads((folder / "found.json").read_text()), folder


def test_the_layer_is_blamed_on_the_backend_of_the_report(found):
    document, _ = found
    (report,) = document["reports"]
    assert document["target"]["framework"] == "keras"
    assert "torch" in document["target"]["version"]
    assert report["case"]["api"] == "keras.layers.AveragePooling2D"
    assert report["case"]["reproduces"]
    assert report["case"]["symptom"]["exception"] == "NotImplementedError"


def test_functions_and_layers_of_other_dimensions_share_the_bug(found):
    document, _ = found
    verdicts = {one["api"]: one["verdict"] for one in document["reports"][0]["siblings"]}
    shared = ("keras.layers.AveragePooling1D", "keras.ops.average_pool")
    assert {verdicts[name] for name in shared} == {"bug"}
    assert verdicts["keras.layers.GlobalMaxPooling2D"] == "clean"


def test_cases_choose_the_backend_before_they_import_keras(found):
    _, folder = found
    (case,) = folder.glob("keras/*/keras.layers.AveragePooling1D.py")
    code = case.read_text()
    assert code.index('"KERAS_BACKEND"') < code.index("import keras")
    assert "keras.layers.AveragePooling1D(pool_size=2)" in code
