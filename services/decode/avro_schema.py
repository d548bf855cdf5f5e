"""What a writer's Avro schema means here: which records are ours, and how to read them safely.

Records are read by a *wire schema*: other types, the same bytes, nothing that can be misread or
blown up.

- An enum is read as `int`, its index: fastavro would take index -1 for the last symbol.
- A boolean is read as `int`: 0 for false, -1 for true, anything else is no boolean.
- A map is read as an array of pairs: a key that is there twice shows.
- Logical types are dropped: plain numbers are read twice as fast, and a decimal of 200 kB in bytes
  would take seconds.
- A union gets more branches than the writer has: fastavro counts negative indices from the end,
  where these stand.
- Recursive schemas (they crash the interpreter) and arrays of items without bytes (six bytes of
  input fill the memory) are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import fastavro

from services.decode.records import FieldSpec, RecordSpec, specs
from services.schemas import JsonSchema

_PRIMITIVES: Final = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
_NODES_MAX: Final = 20_000  # the union of all our records has some 300
_DEPTH_MAX: Final = 32
PADDING_OF_FILES: Final = 2
"""-1 is what a failed look-up gives; lower indices nothing but malice writes. 64 branches more
would cost files a third of their speed."""
PADDING_OF_MESSAGES: Final = 64
"""Messages come from anyone, one by one, and have the time."""

_TEXT: Final = {"type": "string"}

Node = dict[str, Any]
"""A resolved type: `type`, and by type `name`, `logical`, `symbols`, `size`, `items`, `fields` or
`branches`."""


class UnsafeSchemaError(ValueError):
    """A schema that is malformed, or that must not be read with; the message says why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One record that the writer may write."""

    number: int
    """Its index in the writer's union."""
    name: str
    """The writer's full name."""
    node: Node
    spec: RecordSpec | None
    """The record of ours, or None."""
    trouble: str | None
    """Why no record of this branch can be an event, whatever its values."""
    symbols: dict[str, tuple[str, ...]]
    """Enum fields whose symbols are not ours in our order -> the writer's symbols."""

    @property
    def wire_name(self) -> str:
        """The record's name in the wire schema: that of ours, or one that none of ours has."""
        return self.spec.name if self.spec else f"other_{self.number}"

    @property
    def maps(self) -> tuple[str, ...]:
        """Fields that are maps, which the wire schema reads as pairs."""
        fields = self.spec.fields.values() if self.spec else ()
        return tuple(field.name for field in fields if field.form == "map")


@dataclass(frozen=True, slots=True)
class WriterSchema:
    """A writer's schema, understood."""

    branches: tuple[Branch, ...]
    is_union: bool
    parsed: Any
    """Wire schema of many records: a record whose only field, `records`, is an array of them.

    Those of a union bear their branches' wire names.
    """

    @property
    def has_ours(self) -> bool:
        """Whether any record is one of the contract, by its name."""
        return any(branch.spec for branch in self.branches)


def understand(schema: JsonSchema, padding: int = PADDING_OF_FILES) -> WriterSchema:
    """Analyse a writer's schema: a record, or a union of records. Raises `UnsafeSchemaError`."""
    resolved = _Resolver().resolve(schema, "", 0)
    is_union = resolved["type"] == "union"
    nodes = resolved["branches"] if is_union else [resolved]
    branches: list[Branch] = []
    taken: set[str] = set()
    for number, node in enumerate(nodes):
        branches.append(_branch(number, node, taken))
    wires = _Wires(padding)
    wire: Any = [wires.record(branch.node, branch.wire_name) for branch in branches]
    wire = wire + ["null"] * padding if is_union else wire[0]
    if not is_union and bytes_min(resolved) == 0:
        raise UnsafeSchemaError("its records take no bytes")
    try:
        parsed = fastavro.parse_schema(_whole_block(wire))
    except Exception as error:  # whatever fastavro finds in a schema of someone else's
        raise UnsafeSchemaError(f"it is no Avro schema: {error}") from error
    return WriterSchema(tuple(branches), is_union, parsed)


def _whole_block(wire: JsonSchema) -> JsonSchema:
    """An array of records within a record, since fastavro parses anything else at every call."""
    array = {"type": "array", "items": wire}
    return {"type": "record", "name": "block", "fields": [{"name": "records", "type": array}]}


def bytes_min(node: Node) -> int:
    """The fewest bytes that a value can take."""
    if node["type"] == "record":
        return sum(bytes_min(field) for _, field in node["fields"])
    if node["type"] == "fixed":
        return int(node["size"])
    return 0 if node["type"] == "null" else 1


class _Wires:
    """Makes the Avro schemas that read the same bytes without surprises."""

    def __init__(self, padding: int) -> None:
        self.padding = padding
        self.count = 0

    def record(self, node: Node, name: str) -> JsonSchema:
        """The wire schema of a branch; of a record of ours the fields keep their names."""
        if node["type"] != "record":
            return self.of(node)
        fields = [{"name": field, "type": self.of(part)} for field, part in node["fields"]]
        return {"type": "record", "name": name, "fields": fields}

    def of(self, node: Node) -> JsonSchema:
        """The wire schema of a type."""
        kind = node["type"]
        if kind in {"enum", "boolean"}:
            return "int"
        if kind == "record":
            return self.record(node, self._new_name())
        if kind == "fixed":
            return {"type": "fixed", "name": self._new_name(), "size": node["size"]}
        if kind == "array":
            return {"type": "array", "items": self.of(node["items"])}
        if kind == "map":
            pair: Node = {"type": "record", "fields": [("key", _TEXT), ("value", node["items"])]}
            return {"type": "array", "items": self.of(pair)}
        if kind == "union":
            return [self.of(part) for part in node["branches"]] + ["bytes"] * self.padding
        return kind

    def _new_name(self) -> str:
        """Every use of a named type gets a name, so that none is defined twice."""
        self.count += 1
        return f"type_{self.count}"


def _branch(number: int, node: Node, taken: set[str]) -> Branch:
    """What a branch of the writer's union is to us; `taken`: the records that we have already."""
    if node["type"] != "record":
        return Branch(
            number, node["type"], node, None, f"{node['type']} is no record of the contract", {}
        )
    full = node["name"]
    spec = specs().get(full.rpartition(".")[2])
    if spec is None:
        unknown = f"type: {full[:60]!r} is no record of the contract; allowed: one of "
        return Branch(number, full, node, None, unknown + ", ".join(specs()), {})
    if spec.name in taken:
        return Branch(
            number, full, node, None, f"type: {full[:60]!r} is the second of its name", {}
        )
    taken.add(spec.name)
    fields = dict(node["fields"])
    trouble = _trouble(spec, fields)
    symbols: dict[str, tuple[str, ...]] = {}
    for name, part in fields.items():
        enum = _enum_of(part) if trouble is None else None
        if enum is not None and enum["symbols"] != ["UNKNOWN", *spec.fields[name].codes]:
            symbols[name] = tuple(enum["symbols"])
    return Branch(number, full, node, spec, trouble, symbols)


def _trouble(spec: RecordSpec, fields: dict[str, Node]) -> str | None:
    """Why records with these fields cannot be events, or None."""
    for name, node in fields.items():
        field = spec.fields.get(name)
        if field is None:
            allowed = ", ".join(spec.fields)
            return f"{spec.name}: unknown field {name[:60]!r}; allowed: {allowed}"
        if not _fits(field, node):
            written = _words(node)
            return f"{spec.name}.{name}: written as {written}; allowed: {field.allowed()}"
    for name, field in spec.fields.items():
        if field.required and name not in fields:
            return f"{spec.name}.{name}: missing; allowed: {field.allowed()}"
    return None


def _fits(field: FieldSpec, node: Node) -> bool:
    """Whether a writer's type can hold the field, its values aside."""
    kind, logical = node["type"], node.get("logical")
    if kind == "union":
        parts = [part for part in node["branches"] if part["type"] != "null"]
        return len(parts) == 1 and _fits(field, parts[0])
    if field.form == "enums":
        return bool(kind == "array" and node["items"]["type"] == "enum")
    if field.form in {"strings", "map"}:
        outer = "array" if field.form == "strings" else "map"
        return bool(kind == outer and node["items"]["type"] == "string")
    if field.form == "time":  # milliseconds, or a local time, would be read as something else
        return kind == "long" and logical in {None, "timestamp-micros"}
    if field.form == "date":
        return kind == "int" and logical in {None, "date"}
    if field.form in {"int", "long"}:
        return kind in {"int", "long"} and logical is None
    return bool(kind == {"uuid": "string"}.get(field.form, field.form))


def _enum_of(node: Node) -> Node | None:
    """The enum that a field holds, by itself, in a list or where it may be null."""
    if node["type"] == "array":
        return _enum_of(node["items"])
    if node["type"] == "union":
        return next((part for part in node["branches"] if part["type"] == "enum"), None)
    return node if node["type"] == "enum" else None


def _words(node: Node) -> str:
    """A writer's type in words."""
    if node["type"] == "union":
        return " or ".join(_words(part) for part in node["branches"])
    if node["type"] in {"array", "map"}:
        return f"{node['type']} of {_words(node['items'])}"
    return str(node["type"]) + (f" ({node['logical']})" if node.get("logical") else "")


class _Resolver:
    """Replaces names by what they stand for, and refuses what must not be read with."""

    def __init__(self) -> None:
        self.defined: dict[str, Node | None] = {}
        """Full name -> type; None while it is being defined."""
        self.count = 0

    def resolve(self, schema: JsonSchema, namespace: str, depth: int) -> Node:
        self.count += 1
        if self.count > _NODES_MAX or depth > _DEPTH_MAX:
            raise UnsafeSchemaError("it is too large or too deep")
        if isinstance(schema, list):
            parts = [self.resolve(part, namespace, depth + 1) for part in schema]
            if not parts or any(part["type"] == "union" for part in parts):
                raise UnsafeSchemaError("a union is empty or holds a union")
            return {"type": "union", "branches": parts}
        if isinstance(schema, str):
            return {"type": schema} if schema in _PRIMITIVES else self._named(schema, namespace)
        if not isinstance(schema, dict) or "type" not in schema:
            raise UnsafeSchemaError(f"{str(schema)[:60]!r} is no type")
        kind = schema["type"]
        if not isinstance(kind, str):  # a type around a type, as writers nest them
            return self.resolve(kind, namespace, depth + 1)
        if kind in {"record", "error", "enum", "fixed"}:
            return self._definition(schema, namespace, depth)
        if kind in {"array", "map"}:
            key = "items" if kind == "array" else "values"
            items = self.resolve(schema.get(key), namespace, depth + 1)
            if kind == "array" and bytes_min(items) == 0:
                raise UnsafeSchemaError("an array holds items that take no bytes")
            return {"type": kind, "items": items}
        node = self.resolve(kind, namespace, depth + 1)
        logical = schema.get("logicalType")
        return node | {"logical": logical} if isinstance(logical, str) else node

    def _named(self, name: str, namespace: str) -> Node:
        """A type defined before."""
        for full in (name,) if "." in name or not namespace else (f"{namespace}.{name}", name):
            if full in self.defined:
                node = self.defined[full]
                if node is None:
                    raise UnsafeSchemaError(f"{full[:60]!r} holds itself")
                self.count += _size(node)
                return node
        raise UnsafeSchemaError(f"{name[:60]!r} is not defined")

    def _definition(self, schema: dict[str, Any], namespace: str, depth: int) -> Node:
        """A record, an enum or a fixed."""
        name = schema.get("name")
        if not isinstance(name, str) or not name:
            raise UnsafeSchemaError("a named type has no name")
        space = schema.get("namespace", namespace)
        full = name if "." in name or not space else f"{space}.{name}"
        if full in self.defined:
            raise UnsafeSchemaError(f"{full[:60]!r} is defined twice")
        self.defined[full] = None
        node: Node = {"type": schema["type"], "name": full}
        if node["type"] == "enum":
            node["symbols"] = _texts(schema.get("symbols"))
        elif node["type"] == "fixed":
            node["size"] = schema.get("size")
            if not isinstance(node["size"], int) or not 0 <= node["size"] < 1 << 20:
                raise UnsafeSchemaError(f"{full[:60]!r} has no possible size")
        else:
            node["type"] = "record"
            fields = schema.get("fields")
            if not isinstance(fields, list) or not all(isinstance(part, dict) for part in fields):
                raise UnsafeSchemaError(f"{full[:60]!r} has no fields")
            names = _texts([part.get("name") for part in fields])
            inner = full.rpartition(".")[0]
            node["fields"] = [
                (name, self.resolve(part.get("type"), inner, depth + 1))
                for name, part in zip(names, fields, strict=True)
            ]
        self.defined[full] = node
        return node


def _texts(values: Any) -> list[str]:
    """A list of distinct texts."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnsafeSchemaError("names are missing")
    if len(set(values)) != len(values):
        raise UnsafeSchemaError("a name is there twice")
    return values


def _size(node: Node) -> int:
    """How many types a type consists of: naming it again costs as much."""
    inner = [part for _, part in node.get("fields", ())] + node.get("branches", [])
    if "items" in node:
        inner.append(node["items"])
    return 1 + sum(map(_size, inner))
