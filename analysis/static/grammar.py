"""The C++ and CUDA grammars: a parser and the numbers of the node kinds and fields that matter.

In: a language (cpp or cuda). Out: its `Grammar`. Comparing numbers spares a string per node, and
asking for a field by number a search through the names of all fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import tree_sitter
import tree_sitter_cpp
import tree_sitter_cuda

LANGUAGES: dict[str, Callable[[], object]] = {
    "cpp": tree_sitter_cpp.language,
    "cuda": tree_sitter_cuda.language,
}

_SCOPES = ("namespace_definition", "class_specifier", "struct_specifier", "union_specifier")
_CALLED = ("identifier", "qualified_identifier", "template_function")
_DECLARATORS = ("function_declarator", "operator_cast")
_PARAMETERS = (
    "parameter_declaration",
    "optional_parameter_declaration",
    "variadic_parameter_declaration",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Numbers of node kinds. `called` are those of a called name that is no method."""

    function: int
    lambda_: int
    call: int
    try_: int
    namespace: int
    field_expression: int
    function_declarator: int
    operator_cast: int
    parenthesized: int
    trailing_return: int
    scopes: frozenset[int]
    called: frozenset[int]
    declarators: frozenset[int]
    parameters: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Numbers of the fields of nodes."""

    arguments: int
    body: int
    declarator: int
    default_value: int
    field: int
    function: int
    name: int
    parameters: int
    type: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A language's parser with its numbers.

    `names` are those of calls by what is written before the arguments, with the number of bytes
    between where they start and the arguments.
    """

    parser: tree_sitter.Parser
    kinds: Kinds
    fields: Fields
    names: dict[bytes, tuple[int, str]] = field(default_factory=dict)


@cache
def grammar(language: str) -> Grammar:
    """The grammar of a language, made once per process."""
    found = tree_sitter.Language(LANGUAGES[language]())

    def kind(name: str) -> int:
        number = found.id_for_node_kind(name, True)
        if number is None:
            raise LookupError(f"the grammar of {language} has no {name}")
        return number

    def part(name: str) -> int:
        number = found.field_id_for_name(name)
        if number is None:
            raise LookupError(f"the grammar of {language} has no field {name}")
        return number

    kinds = Kinds(
        function=kind("function_definition"),
        lambda_=kind("lambda_expression"),
        call=kind("call_expression"),
        try_=kind("try_statement"),
        namespace=kind("namespace_definition"),
        field_expression=kind("field_expression"),
        function_declarator=kind("function_declarator"),
        operator_cast=kind("operator_cast"),
        parenthesized=kind("parenthesized_declarator"),
        trailing_return=kind("trailing_return_type"),
        scopes=frozenset(map(kind, _SCOPES)),
        called=frozenset(map(kind, _CALLED)),
        declarators=frozenset(map(kind, _DECLARATORS)),
        parameters=frozenset(map(kind, _PARAMETERS)),
    )
    fields = Fields(**{name: part(name) for name in Fields.__slots__})
    return Grammar(parser=tree_sitter.Parser(found), kinds=kinds, fields=fields)
