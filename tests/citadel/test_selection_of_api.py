"""Which framework of an interpreter an API's name means, and what `doctor` says of all of them."""

from pathlib import Path

import pytest
from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.target import Interpreter
from citadel.commands import doctor
from citadel.selection import Wish, framework_of, target_for

TARGETS = Path(__file__).parents[2] / ".targets"


class Installed:
    """An interpreter with frameworks of which some do not start."""

    def __init__(self, *frameworks, broken=()):
        self.frameworks = frameworks
        self.broken = broken

    def target(self, framework, backend=None):
        if framework not in self.frameworks or framework in self.broken:
            raise CitadelError(f"no {framework}")
        return framework, backend


@pytest.mark.parametrize(
    ("api", "framework"),
    [
        ("torch.nn.Conv2d", "torch"),
        ("tf.nn.conv2d", "tensorflow"),
        ("tensorflow.nn.conv2d", "tensorflow"),
        ("keras.layers.Dense", "keras"),
        ("nn.Conv2d", None),
        ("tfa.x", None),
        ("", None),
    ],
)
def test_the_first_part_of_a_name(api, framework):
    assert framework_of(api) == framework


@pytest.mark.parametrize(
    ("api", "found"),
    [("keras.ops.relu", "keras"), ("tf.nn.relu", "tensorflow"), ("conv2d", "torch")],
)
def test_an_api_is_looked_for_where_its_name_says(api, found):
    everything = Installed("torch", "tensorflow", "keras")
    assert target_for(api, everything, Wish()) == (found, None)
    asked = Wish(framework="keras", backend="jax")
    assert target_for(api, everything, asked) == ("keras", "jax")


def test_what_the_interpreter_lacks_is_refused():
    with pytest.raises(CitadelError, match="no tensorflow"):
        target_for("tf.nn.relu", Installed("torch"), Wish())


def test_keras_2_is_a_part_of_tensorflow():
    old = Installed("tensorflow", "keras", broken=("keras",))
    assert target_for("keras.layers.Dense", old, Wish()) == ("tensorflow", None)
    with pytest.raises(CitadelError, match="no keras"):
        target_for("keras.layers.Dense", old, Wish(framework="keras"))


@pytest.fixture
def examined(tmp_path):
    def run(python):
        with (tmp_path / "out").open("w") as file:
            doctor.examine(str(python), Console(file=file, width=40))
        return (tmp_path / "out").read_text().splitlines()

    return run


@pytest.mark.slow
@pytest.mark.keras
def test_doctor_names_every_framework_on_every_backend(examined):
    python = TARGETS / "keras" / "bin" / "python"
    lines = examined(python)
    assert f"{python}:" in lines
    installed = Interpreter(str(python)).installed
    for name in ("torch", "tensorflow"):
        assert any(line.startswith(f"  {name} ") and ": works (" in line for line in lines)
    for name in installed & {"tensorflow", "jax", "torch"}:
        assert any(line.startswith("  keras 3") and f" on {name} " in line for line in lines)
    assert lines[-1] == doctor.CHOICE


def test_doctor_refuses_as_every_command_does(examined, tmp_path):
    with pytest.raises(CitadelError, match="not a usable Python interpreter"):
        examined(tmp_path / "python")
