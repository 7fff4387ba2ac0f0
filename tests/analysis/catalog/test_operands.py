"""The names that APIs have for whatever they work on."""

from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Provenance, Signature


def test_names_of_many_first_parameters():
    def api(name: str, *parameters: str) -> Api:
        made = tuple(Parameter(name=one) for one in parameters)
        signature = Signature(parameters=made, provenance=Provenance.DOC)
        return Api(name=name, kind=ApiKind.FUNCTION, signatures=(signature, signature))

    apis = [api(f"f{n}", "x", "axis") for n in range(5)]
    apis += [api(f"g{n}", f"y{n}", "axis") for n in range(94)]
    apis.append(api("h"))
    catalog = Catalog(apis={one.name: one for one in apis})
    assert catalog.operands() == {"x"}
