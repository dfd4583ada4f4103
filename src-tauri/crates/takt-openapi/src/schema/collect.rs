//! Merges the parts of a schema: references, `allOf`, `oneOf` and `anyOf`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    codes::codes,
    resolved_schema::{Member, Node, Schema, SchemaKind},
};
use crate::{
    limits::{MAX_CODES, MAX_MEMBERS, MAX_NESTING, MAX_PARTS},
    reference::{Members, ReferenceTarget, component, find_target},
};

/// Resolves a schema one level deep.
pub(crate) fn resolve<'a>(document: &'a Value, node: &Node<'a>) -> Schema<'a> {
    let mut collector = Collector::new(document);
    for part in &node.parts {
        collector.add(part, Presence::Always, 0);
    }
    collector.finish()
}

/// Whether a part applies always, or as one of several alternatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    Sometimes,
}

struct Collector<'a> {
    document: &'a Value,
    schema: Schema<'a>,
    required: HashSet<&'a str>,
    /// The index of each member in [`Schema::members`].
    member_indexes: HashMap<&'a str, usize>,
    kinds: Vec<SchemaKind>,
    items: Vec<&'a Value>,
    references: HashSet<&'a str>,
    parts: usize,
}

impl<'a> Collector<'a> {
    fn new(document: &'a Value) -> Self {
        Self {
            document,
            schema: Schema::default(),
            required: HashSet::new(),
            member_indexes: HashMap::new(),
            kinds: Vec::new(),
            items: Vec::new(),
            references: HashSet::new(),
            parts: 0,
        }
    }

    /// Adds one schema, including the members next to its `$ref`.
    fn add(&mut self, value: &'a Value, presence: Presence, depth: usize) {
        let Some(members) = value.as_object() else { return };
        self.parts += 1;
        if depth > MAX_NESTING || self.parts > MAX_PARTS {
            return;
        }
        self.keywords(members);
        self.properties(members, presence);
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            self.reference(reference, presence, depth);
        }
        for part in list(members, "allOf") {
            self.add(part, presence, depth + 1);
        }
        for union in ["oneOf", "anyOf"] {
            self.union(list(members, union), presence, depth);
        }
    }

    fn reference(&mut self, reference: &'a str, presence: Presence, depth: usize) {
        if !self.references.insert(reference) {
            return;
        }
        match find_target(self.document, reference) {
            ReferenceTarget::Local(value) => {
                if self.schema.name.is_none() {
                    self.schema.name = component(reference);
                }
                self.add(value, presence, depth + 1);
            }
            ReferenceTarget::External => self.schema.external = true,
            ReferenceTarget::Dangling => {}
        }
    }

    /// Adds a union. Null and one other part make that part nullable. Several parts contribute all of their members,
    /// none of them required.
    fn union(&mut self, parts: &'a [Value], presence: Presence, depth: usize) {
        let (nulls, others): (Vec<&Value>, Vec<&Value>) = parts.iter().partition(|part| is_null(part));
        self.schema.nullable |= !nulls.is_empty();
        let presence = if others.len() > 1 { Presence::Sometimes } else { presence };
        for part in others {
            self.add(part, presence, depth + 1);
        }
    }

    /// Adds what isn't about members. The first part that has a keyword wins.
    fn keywords(&mut self, members: &'a Members) {
        let schema = &mut self.schema;
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        schema.format = schema.format.or_else(|| text("format"));
        schema.title = schema.title.or_else(|| text("title"));
        schema.description = schema.description.or_else(|| text("description"));
        schema.pattern = schema.pattern.or_else(|| text("pattern"));
        schema.example = schema.example.or_else(|| members.get("example")).or_else(|| members.get("examples")?.get(0));
        schema.default = schema.default.or_else(|| members.get("default"));
        schema.nullable |= ["nullable", "x-nullable"].iter().any(|name| members.get(*name) == Some(&Value::Bool(true)));
        bounds(schema, members);
        if schema.codes.is_empty() {
            schema.codes = codes(members, MAX_CODES);
        }
        schema.nullable |= list(members, "enum").contains(&Value::Null);
        let marks = members.iter().filter(|(name, _)| name.starts_with("x-takt-") || name.as_str() == "pattern");
        schema.marks.extend(marks.take(50).map(|(name, value)| (name.as_str(), value)));
        self.types(members);
    }

    fn types(&mut self, members: &Members) {
        let one = members.get("type").into_iter().filter(|kind| kind.is_string());
        for kind in one.chain(list(members, "type")).filter_map(Value::as_str) {
            match kind_of(kind) {
                Some(kind) if !self.kinds.contains(&kind) => self.kinds.push(kind),
                None if kind == "null" => self.schema.nullable = true,
                Some(_) | None => {}
            }
        }
    }

    fn properties(&mut self, members: &'a Members, presence: Presence) {
        if presence == Presence::Always {
            let names = list(members, "required").iter().filter_map(Value::as_str);
            self.required.extend(names.take(MAX_MEMBERS));
        }
        for (name, value) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.member(name, value);
        }
        if let Some(items) = members.get("items").filter(|_| self.items.len() < MAX_PARTS) {
            self.items.push(items);
        }
        if let Some(values) = members.get("additionalProperties").filter(|values| values.is_object()) {
            self.schema.values.get_or_insert_with(|| Node::new(values));
        }
    }

    fn member(&mut self, name: &'a str, value: &'a Value) {
        let members = &mut self.schema.members;
        match self.member_indexes.get(name).and_then(|index| members.get_mut(*index)) {
            Some(member) if member.node.parts.len() < MAX_PARTS => member.node.parts.push(value),
            Some(_) => {}
            None if self.member_indexes.len() < MAX_MEMBERS => {
                self.member_indexes.insert(name, members.len());
                members.push(Member { name, required: false, node: Node::new(value) });
            }
            None => {}
        }
    }

    fn finish(self) -> Schema<'a> {
        let Self { mut schema, required, kinds, items, .. } = self;
        for member in &mut schema.members {
            member.required = required.contains(member.name);
        }
        if !items.is_empty() {
            schema.items = Some(Node { parts: items });
        }
        schema.kind = kind(&schema, &kinds);
        schema
    }
}

fn list<'a>(members: &'a Members, name: &str) -> &'a [Value] {
    members.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_null(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "null",
        Some(Value::Array(kinds)) => kinds.iter().all(|kind| kind == "null"),
        _ => {
            schema.get("enum").and_then(Value::as_array).is_some_and(|values| values == &[Value::Null])
                || schema.get("const") == Some(&Value::Null)
        }
    }
}

fn kind_of(name: &str) -> Option<SchemaKind> {
    match name {
        "string" => Some(SchemaKind::Text),
        "integer" => Some(SchemaKind::Integer),
        "number" => Some(SchemaKind::Number),
        "boolean" => Some(SchemaKind::Boolean),
        "array" => Some(SchemaKind::List),
        "object" => Some(SchemaKind::Object),
        _ => None,
    }
}

/// Merges several kinds into one. A number that may be text is a number: .NET writes it so.
fn kind(schema: &Schema<'_>, kinds: &[SchemaKind]) -> Option<SchemaKind> {
    use SchemaKind::{Boolean, Integer, List, Number, Object, Text};
    let has_kind = |kind| kinds.contains(&kind);
    match kinds {
        [] => infer_kind(schema),
        [one] => Some(*one),
        _ if has_kind(List) || has_kind(Object) || has_kind(Boolean) => None,
        _ if has_kind(Number) => Some(Number),
        _ if has_kind(Integer) => Some(Integer),
        _ => Some(Text),
    }
}

/// Infers the kind of a schema without `type`.
fn infer_kind(schema: &Schema<'_>) -> Option<SchemaKind> {
    if !schema.members.is_empty() || schema.values.is_some() {
        return Some(SchemaKind::Object);
    }
    if schema.items.is_some() {
        return Some(SchemaKind::List);
    }
    match schema.format {
        Some("int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64") => {
            return Some(SchemaKind::Integer);
        }
        Some("float" | "double" | "decimal") => return Some(SchemaKind::Number),
        Some(_) => return Some(SchemaKind::Text),
        None => {}
    }
    match schema.codes.first()?.value {
        Value::String(_) => Some(SchemaKind::Text),
        Value::Number(number) if number.is_f64() => Some(SchemaKind::Number),
        Value::Number(_) => Some(SchemaKind::Integer),
        Value::Bool(_) => Some(SchemaKind::Boolean),
        _ => None,
    }
}

/// Adds the limits of a value. In 3.0 `exclusiveMinimum: true` makes `minimum` exclusive, in 3.1 it is a number.
fn bounds(schema: &mut Schema<'_>, members: &Members) {
    let number = |name: &str| members.get(name).and_then(Value::as_f64);
    match members.get("exclusiveMinimum") {
        Some(Value::Bool(true)) => schema.exclusive_minimum = schema.exclusive_minimum.or_else(|| number("minimum")),
        _ => {
            schema.exclusive_minimum = schema.exclusive_minimum.or_else(|| number("exclusiveMinimum"));
            schema.minimum = schema.minimum.or_else(|| number("minimum"));
        }
    }
    schema.maximum = schema.maximum.or_else(|| number("maximum"));
    let length = members.get("maxLength").and_then(Value::as_u64).and_then(|length| u32::try_from(length).ok());
    schema.max_length = schema.max_length.or(length);
}
