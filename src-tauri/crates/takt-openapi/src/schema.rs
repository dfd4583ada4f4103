//! A schema merged from all of its parts: references, `allOf`, `oneOf` and `anyOf`.
//!
//! A schema is resolved one level deep. Its members and items are [`Node`]s, which are resolved on request, so that
//! recursive schemas are possible. Callers that resolve nested schemas must bound the depth.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{
    limits::{MAX_CODES, MAX_MEMBERS, MAX_SCHEMA_NESTING, MAX_SCHEMA_PARTS},
    reference::{Members, ReferenceTarget, component_name, find_target, scalar_text},
};

/// Members that list the names of codes in the order of `enum`, as NSwag, openapi-generator and AutoRest write them.
const CODE_NAME_LISTS: [&str; 3] = ["x-enumNames", "x-enum-varnames", "x-enum-names"];

/// A schema that isn't resolved yet. All of its parts apply to the same value.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    parts: Vec<&'a Value>,
}

impl<'a> Node<'a> {
    pub(crate) fn new(value: &'a Value) -> Self {
        Self { parts: vec![value] }
    }
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaKind {
    Text,
    Integer,
    Number,
    Boolean,
    List,
    Object,
}

/// A schema, resolved one level deep.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema<'a> {
    /// The name of the component schema, if it is one.
    pub name: Option<String>,
    /// None if the document states no kind or contradictory kinds.
    pub kind: Option<SchemaKind>,
    pub format: Option<&'a str>,
    pub nullable: bool,
    pub title: Option<&'a str>,
    pub description: Option<&'a str>,
    pub pattern: Option<&'a str>,
    pub example: Option<&'a Value>,
    pub default: Option<&'a Value>,
    pub minimum: Option<f64>,
    pub exclusive_minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub max_length: Option<u32>,
    pub codes: Vec<Code<'a>>,
    /// An object's members, in the document's order.
    pub members: Vec<Member<'a>>,
    /// The schema of a list's items.
    pub items: Option<Node<'a>>,
    /// The schema of a map's values. A map is an object with arbitrary names.
    pub values: Option<Node<'a>>,
    /// Whether the schema refers to other documents, whose content is unknown.
    pub external: bool,
    /// The schema's marks (`x-takt-…`) and its pattern, by name.
    pub marks: Vec<(&'a str, &'a Value)>,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    pub name: &'a str,
    pub required: bool,
    pub node: Node<'a>,
}

impl<'a> Schema<'a> {
    /// Finds a member by its name, exactly or else ignoring case.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member<'a>> {
        let same = self.members.iter().find(|member| member.name == name);
        same.or_else(|| self.members.iter().find(|member| member.name.eq_ignore_ascii_case(name)))
    }

    /// Finds a mark by its name.
    #[must_use]
    pub fn mark(&self, name: &str) -> Option<&'a Value> {
        self.marks.iter().find(|(mark, _)| *mark == name).map(|(_, value)| *value)
    }

    /// Returns whether the schema is an object with members.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.kind == Some(SchemaKind::Object) && !self.members.is_empty()
    }
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code<'a> {
    /// The name that the generator wrote for the value.
    pub name: Option<String>,
    pub value: &'a Value,
}

/// Resolves a schema one level deep.
pub(crate) fn resolve<'a>(document: &'a Value, node: &Node<'a>) -> Schema<'a> {
    let mut collector = SchemaCollector::new(document);
    for part in &node.parts {
        collector.add(part, PartPresence::Always, 0);
    }
    collector.finish()
}

/// Whether a part applies always, or as one of several alternatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartPresence {
    Always,
    Sometimes,
}

struct SchemaCollector<'a> {
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

impl<'a> SchemaCollector<'a> {
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
    fn add(&mut self, value: &'a Value, presence: PartPresence, depth: usize) {
        let Some(members) = value.as_object() else { return };
        self.parts += 1;
        if depth > MAX_SCHEMA_NESTING || self.parts > MAX_SCHEMA_PARTS {
            return;
        }
        self.add_keywords(members);
        self.add_properties(members, presence);
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            self.add_reference(reference, presence, depth);
        }
        for part in list_member(members, "allOf") {
            self.add(part, presence, depth + 1);
        }
        for union in ["oneOf", "anyOf"] {
            self.add_union(list_member(members, union), presence, depth);
        }
    }

    fn add_reference(&mut self, reference: &'a str, presence: PartPresence, depth: usize) {
        if !self.references.insert(reference) {
            return;
        }
        match find_target(self.document, reference) {
            ReferenceTarget::Local(value) => {
                if self.schema.name.is_none() {
                    self.schema.name = component_name(reference);
                }
                self.add(value, presence, depth + 1);
            }
            ReferenceTarget::External => self.schema.external = true,
            ReferenceTarget::Dangling => {}
        }
    }

    /// Adds a union. Null and one other part make that part nullable. Several parts contribute all of their members,
    /// none of them required.
    fn add_union(&mut self, parts: &'a [Value], presence: PartPresence, depth: usize) {
        let (nulls, others): (Vec<&Value>, Vec<&Value>) = parts.iter().partition(|part| is_null(part));
        self.schema.nullable |= !nulls.is_empty();
        let presence = if others.len() > 1 { PartPresence::Sometimes } else { presence };
        for part in others {
            self.add(part, presence, depth + 1);
        }
    }

    /// Adds all keywords except those about members. A keyword of an earlier part takes precedence.
    fn add_keywords(&mut self, members: &'a Members) {
        let schema = &mut self.schema;
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        schema.format = schema.format.or_else(|| text("format"));
        schema.title = schema.title.or_else(|| text("title"));
        schema.description = schema.description.or_else(|| text("description"));
        schema.pattern = schema.pattern.or_else(|| text("pattern"));
        schema.example = schema.example.or_else(|| members.get("example")).or_else(|| members.get("examples")?.get(0));
        schema.default = schema.default.or_else(|| members.get("default"));
        schema.nullable |= ["nullable", "x-nullable"].iter().any(|name| members.get(*name) == Some(&Value::Bool(true)));
        add_bounds(schema, members);
        if schema.codes.is_empty() {
            schema.codes = read_codes(members, MAX_CODES);
        }
        schema.nullable |= list_member(members, "enum").contains(&Value::Null);
        let marks = members.iter().filter(|(name, _)| name.starts_with("x-takt-") || name.as_str() == "pattern");
        schema.marks.extend(marks.take(50).map(|(name, value)| (name.as_str(), value)));
        self.add_types(members);
    }

    fn add_types(&mut self, members: &Members) {
        let one = members.get("type").into_iter().filter(|kind| kind.is_string());
        for kind in one.chain(list_member(members, "type")).filter_map(Value::as_str) {
            match kind_by_name(kind) {
                Some(kind) if !self.kinds.contains(&kind) => self.kinds.push(kind),
                None if kind == "null" => self.schema.nullable = true,
                Some(_) | None => {}
            }
        }
    }

    fn add_properties(&mut self, members: &'a Members, presence: PartPresence) {
        if presence == PartPresence::Always {
            let names = list_member(members, "required").iter().filter_map(Value::as_str);
            self.required.extend(names.take(MAX_MEMBERS));
        }
        for (name, value) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.add_member(name, value);
        }
        if let Some(items) = members.get("items").filter(|_| self.items.len() < MAX_SCHEMA_PARTS) {
            self.items.push(items);
        }
        if let Some(values) = members.get("additionalProperties").filter(|values| values.is_object()) {
            self.schema.values.get_or_insert_with(|| Node::new(values));
        }
    }

    fn add_member(&mut self, name: &'a str, value: &'a Value) {
        let members = &mut self.schema.members;
        match self.member_indexes.get(name).and_then(|index| members.get_mut(*index)) {
            Some(member) if member.node.parts.len() < MAX_SCHEMA_PARTS => member.node.parts.push(value),
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
        schema.kind = merge_kinds(&schema, &kinds);
        schema
    }
}

fn list_member<'a>(members: &'a Members, name: &str) -> &'a [Value] {
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

fn kind_by_name(name: &str) -> Option<SchemaKind> {
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

/// Merges several kinds into one. A number that may be text is a number, because .NET writes numbers like this.
fn merge_kinds(schema: &Schema<'_>, kinds: &[SchemaKind]) -> Option<SchemaKind> {
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
fn add_bounds(schema: &mut Schema<'_>, members: &Members) {
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

/// Returns the values of `enum` or `const`, without null.
fn read_codes(members: &Members, max_count: usize) -> Vec<Code<'_>> {
    let single = members.get("const").map(std::slice::from_ref);
    let listed = members.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = listed.or(single).unwrap_or_default();
    let names = code_names(members, values);
    let codes = values.iter().enumerate().take(max_count).filter(|(_, value)| !value.is_null());
    codes.map(|(index, value)| Code { name: names.get(index).cloned().flatten(), value }).collect()
}

/// Returns the name of each value, in the order of the values.
fn code_names(members: &Members, values: &[Value]) -> Vec<Option<String>> {
    for list in CODE_NAME_LISTS {
        let names = members.get(list).and_then(Value::as_array);
        if let Some(names) = names.filter(|names| names.len() == values.len()) {
            return names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
        }
    }
    match members.get("x-ms-enum").and_then(|named| named.get("values")).and_then(Value::as_array) {
        Some(named) => values.iter().map(|value| microsoft_name(named, value)).collect(),
        None => Vec::new(),
    }
}

/// Returns the name of a value in `x-ms-enum`.
fn microsoft_name(named: &[Value], value: &Value) -> Option<String> {
    let same = |entry: &&Value| entry.get("value").is_some_and(|other| scalar_text(other) == scalar_text(value));
    named.iter().take(1_000).find(same)?.get("name")?.as_str().map(str::to_owned)
}
