//! A schema, resolved one level deep, and its parts.

use serde_json::Value;

use super::codes::Code;

/// A schema that isn't resolved yet. All of its parts apply to the same value.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    pub(super) parts: Vec<&'a Value>,
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
    /// None if the document states no kind, or kinds that exclude each other.
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
    /// Whether it refers to other documents, whose content is unknown.
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

    /// Returns whether it is an object with members.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.kind == Some(SchemaKind::Object) && !self.members.is_empty()
    }
}
