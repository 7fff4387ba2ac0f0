"""GitHub's published GraphQL schema, cut down to the types that the harvest's query touches.

Parsing all 1,636 types takes seconds: what is cut down lies beside the package, named by the digest
of both. `test_query.py` checks the query against the whole of it.
"""

import hashlib
from pathlib import Path

import pytest
from graphql import (
    FieldNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_ast_schema,
    build_schema,
    get_named_type,
    parse,
    print_ast,
    visit,
)
from graphql.language import ast

from harvest.tracker.query import QUERY

FOLDER = Path(__file__).parents[3] / ".targets/github-schema"
PUBLISHED = FOLDER / "node_modules/@octokit/graphql-schema/schema.graphql"


def published():
    """The text of the schema; tests that need it are skipped where npm could not bring it."""
    if not PUBLISHED.exists():
        pytest.skip("no schema of GitHub's API: `make github-schema` gets it, where npm is")
    return PUBLISHED.read_text()


def whole_schema():
    return build_ast_schema(parse(published(), no_location=True), assume_valid=True)


def query_schema():
    """The schema of what the query touches."""
    text = published()
    digest = hashlib.sha256((text + QUERY + Path(__file__).read_text()).encode()).hexdigest()[:16]
    kept = FOLDER / f"query-{digest}.graphql"
    if not kept.exists():
        beside = kept.with_suffix(".new")
        beside.write_text(_cut(text))
        beside.replace(kept)
    return build_schema(kept.read_text(), assume_valid=True)


def _cut(text):
    document = parse(text, no_location=True)
    names = _touched(build_ast_schema(document, assume_valid=True))
    kept = [
        _without(node, names)
        for node in document.definitions
        if getattr(node, "name", None) and node.name.value in names
    ]
    return "\n\n".join(print_ast(node) for node in kept)


def _touched(schema):
    names = {"Query", "String", "Int", "Boolean", "ID", "Float"}

    class Types(Visitor):
        def enter(self, _node, *_):
            for kind in (info.get_type(), info.get_parent_type(), info.get_input_type()):
                if kind is not None:
                    names.add(get_named_type(kind).name)
            if isinstance(_node, FieldNode) and info.get_field_def():
                for argument in info.get_field_def().args.values():
                    names.add(get_named_type(argument.type).name)

    info = TypeInfo(schema)
    visit(parse(QUERY), TypeInfoVisitor(info, Types()))
    for name in list(names):  # what a filter may be made of
        for field in getattr(schema.type_map[name], "fields", {}).values():
            if isinstance(schema.type_map[name].ast_node, ast.InputObjectTypeDefinitionNode):
                names.add(get_named_type(field.type).name)
    names.add("User")
    return names


def _name_of(kind):
    while not isinstance(kind, ast.NamedTypeNode):
        kind = kind.type
    return kind.name.value


def _without(node, names):
    """A definition without descriptions, and without what points at types that are not kept."""
    changed = {}
    for key in node.keys:
        value = getattr(node, key)
        if key in ("description", "directives"):
            value = None if key == "description" else ()
        elif isinstance(value, tuple):
            value = tuple(
                _without(one, names) if hasattr(one, "description") else one
                for one in value
                if _is_kept(one, names)
            )
        changed[key] = value
    return type(node)(**changed)


def _is_kept(node, names):
    if isinstance(node, ast.NamedTypeNode):
        return node.name.value in names
    kind = getattr(node, "type", None)
    return kind is None or _name_of(kind) in names
