//! Fields of items and answers, and the rules that hold between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Provenance, RefersTo, Sense, form::ValueForm};

/// A thing's name in each language that Takt speaks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Names {
    pub en: String,
    pub de: String,
    pub es: String,
    pub pt: String,
}

/// What one thing of a kind is called, and what several are: `order`, `orders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Nouns {
    pub one: Names,
    pub other: Names,
}

/// What a field holds. It decides how a cell is read: never a guess over the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FieldKind {
    Text,
    Integer,
    /// A decimal number.
    Number,
    Boolean,
    /// ISO 8601 date-time; without an offset it is in the site's time zone.
    DateTime,
    /// A duration sent as `hh:mm:ss[.fffffff]`.
    Duration,
    /// A duration answered as the time span object (ticks of 100 ns and ten derived members).
    TimeSpan,
    /// A list of parts; the part's fields are in [`Field::fields`].
    List,
    /// One nested part; its fields are in [`Field::fields`].
    Object,
}

/// Bounds on one value, as JSON Schema states them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    pub minimum: Option<f64>,
    pub exclusive_minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub max_length: Option<u32>,
    /// The pattern of a text, as the document has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "specta", specta(skip))]
    pub pattern: Option<String>,
    /// The allowed values; empty where any is.
    pub values: Vec<String>,
}

/// One member of an item or of an answer's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// By which Takt knows it; the member's name on the wire unless [`Self::wire`] says otherwise.
    pub name: String,
    /// The member's name on the wire, where a site calls it otherwise.
    #[serde(default)]
    pub wire: Option<String>,
    /// How its value travels.
    #[serde(default)]
    pub form: ValueForm,
    pub kind: FieldKind,
    pub required: bool,
    pub nullable: bool,
    pub names: Names,
    /// Further headings by which planners call it, in any language.
    pub synonyms: Vec<String>,
    pub limits: Limits,
    /// Words for its values where they are codes, by the value's text (`x-takt-labels`).
    #[serde(default)]
    pub labels: BTreeMap<String, Names>,
    /// A believable value as it would be typed into a cell, where the document has one.
    pub example: Option<String>,
    pub provenance: Provenance,
    /// Keywords that are assumed though the field itself isn't, each with why (`x-takt-assumed`).
    #[serde(default)]
    pub assumed: BTreeMap<String, String>,
    /// The thing that its value names. Said of what is sent; absent in answers.
    pub refers_to: Option<RefersTo>,
    /// What makes sense of its value. Said of what is sent; empty in answers.
    pub sense: Vec<Sense>,
    /// The fields of a [`FieldKind::List`]'s part or of a [`FieldKind::Object`]; else empty.
    #[expect(clippy::use_self, reason = "the TypeScript derive can't see `Self` here")]
    pub fields: Vec<Field>,
}

/// A rule between fields of one item. Bounds on a single field are in [`Limits`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "rule", rename_all = "camelCase")]
pub enum Rule {
    /// `first` must lie before `second` where both are given.
    Before { first: String, second: String, provenance: Provenance },
}

impl Rule {
    /// The fields that it is about.
    #[must_use]
    pub fn fields(&self) -> [&str; 2] {
        match self {
            Self::Before { first, second, .. } => [first, second],
        }
    }
}
