"""What a compiler fails on, where the title names it."""

from analysis.catalog.model import ApiKind
from citadel.verify.culprit import culprit

from .test_identify import BAD, mention, raised


def test_what_a_compiler_fails_on_is_to_blame_if_the_title_names_it(api, catalog, call):
    pools = [api(f"torch.nn.{name}", kind=ApiKind.MODULE, call="x") for name in ("Pool", "Conv")]
    known = catalog(*pools, api("torch.jit.script"))
    made = [call(f"torch.nn.{one}", form="class", number=n, result={(2,)})
            for n, one in enumerate(("Conv", "Pool"), 1)]  # fmt: skip
    run = raised(*made, call("torch.jit.script", number=3, raised=BAD))
    words = {
        "torch.nn.Pool": ["torch.jit.script", "nn.Pool"],
        "torch.jit.script": ["torch.jit.script"],
    }
    for blamed, title in words.items():
        found = culprit(run, known, [mention(name, title=1) for name in title])
        assert found is not None
        assert found[1].name == blamed
    given = raised(
        call("torch.zeros", number=1, result={(2,)}), call("torch.jit.script", number=2, raised=BAD)
    )
    found = culprit(
        given,
        catalog(api("torch.zeros"), api("torch.jit.script")),
        [mention("torch.zeros", title=1)],
    )
    assert found is not None
    assert found[1].name == "torch.jit.script"  # its input is no layer
    both = [mention(name, title=1) for name in ("torch.jit.script", "nn.Pool", "nn.Conv")]
    found = culprit(run, known, both)
    assert found is not None
    assert found[1].name == "torch.jit.script"  # nothing tells which of the two it is
