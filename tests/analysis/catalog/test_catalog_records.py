"""From the records of the walk to APIs; needs no framework."""

from analysis.catalog.model import ApiKind, Provenance
from analysis.catalog.records import read_api, read_catalog

RECORD = {
    "n": "torch.f",
    "k": "function",
    "a": ["torch._C.f"],
    "s": [
        {
            "s": "inspect",
            "p": [
                ["input", "Tensor", None, ""],
                ["rest", None, None, "*"],
                ["dim", "int", "0", "k"],
                ["more", None, None, "**"],
            ],
        }
    ],
    "c": [],
    "d": True,
}


def test_a_record_becomes_an_api():
    api = read_api(RECORD)
    assert (api.name, api.kind, api.aliases) == ("torch.f", ApiKind.FUNCTION, ("torch._C.f",))
    (signature,) = api.signatures
    assert signature.provenance is Provenance.INSPECT
    given, rest, dim, more = signature.parameters
    assert given.required
    assert (rest.variadic, rest.required) == ("*", False)
    assert (dim.keyword_only, dim.default, dim.required) == (True, "0", False)
    assert (more.variadic, more.required) == ("**", False)


def test_the_first_of_two_records_of_one_name_counts():
    catalog = read_catalog([RECORD, {**RECORD, "a": []}])
    assert catalog.resolve("torch._C.f").name == "torch.f"
