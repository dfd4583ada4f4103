//! One schema as all of its parts together say it.
//!
//! | module | owns |
//! |---|---|
//! | `collect` | references, `allOf`, `oneOf` and `anyOf` into one [`Schema`] |
//! | `codes` | enumerations: values, and the names that generators write beside them |
//!
//! A schema is resolved one level deep; its members and items are [`Node`]s, resolved when somebody asks. So a schema that
//! contains itself costs nothing, and whoever unfolds one bounds how deep.

mod codes;
mod collect;

use serde_json::Value;

pub(crate) use collect::resolve;

/// A schema that isn't resolved yet: all of these values hold of the same thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    parts: Vec<&'a Value>,
}

impl<'a> Node<'a> {
    pub(crate) fn of(value: &'a Value) -> Self {
        Self { parts: vec![value] }
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaKind {
    Text,
    Integer,
    Number,
    Boolean,
    List,
    Object,
}

/// A schema, one level deep.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema<'a> {
    /// The component schema's name, where it is one.
    pub name: Option<String>,
    /// None where the document doesn't say, or says several things that exclude each other.
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
    /// What a list is made of.
    pub items: Option<Node<'a>>,
    /// What a map's values are: an object with names that aren't known.
    pub values: Option<Node<'a>>,
    /// References into other documents: what they add isn't known.
    pub external: bool,
    /// The schema's own marks (`x-takt-…`), and its pattern.
    pub marks: Vec<(&'a str, &'a Value)>,
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code<'a> {
    /// The name that the generator wrote beside it.
    pub name: Option<String>,
    pub value: &'a Value,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    pub name: &'a str,
    pub required: bool,
    pub node: Node<'a>,
}

impl<'a> Schema<'a> {
    /// A member by its name, whatever the case of its letters.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member<'a>> {
        let same = self.members.iter().find(|member| member.name == name);
        same.or_else(|| self.members.iter().find(|member| member.name.eq_ignore_ascii_case(name)))
    }

    /// A mark by its name.
    #[must_use]
    pub fn mark(&self, name: &str) -> Option<&'a Value> {
        self.marks.iter().find(|(mark, _)| *mark == name).map(|(_, value)| *value)
    }

    /// Whether it is an object with members.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.kind == Some(SchemaKind::Object) && !self.members.is_empty()
    }
}
