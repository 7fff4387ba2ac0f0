"""Each source that runs networks, from its start to its first finding in a backend with bugs."""

from contextlib import closing

import pytest

from harvest.sources.audee.source import Audee
from harvest.sources.cradle.source import Cradle
from harvest.sources.lemon.source import Lemon
from harvest.sources.model import Search, Tally
from tests.harvest.sources import planted

pytestmark = [pytest.mark.keras, pytest.mark.slow]


@pytest.mark.parametrize("source", [Cradle, Lemon, Audee])
def test_a_source_finds_bugs_that_are_planted_and_tells_what_it_did(source, keras_interpreter):
    tally, told = Tally(), []
    search = Search(
        interpreter=keras_interpreter,
        budget=90,
        seed=0,
        tally=tally,
        progress=lambda: told.append(tally.executed),
    )
    with closing(source(patches={"tensorflow": planted.ALL}).generate(search)) as hits:
        hit = next(one for one in hits if ":tensorflow" in one.key and not one.limit)
    assert hit.subject.startswith("keras.layers.")
    assert told[0] == 0  # the clock starts when the workers have
    assert tally.executed >= 1
    assert tally.apis
