//! Fields of items and rows, and rules between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Provenance, ReferenceCheck, RefersTo, form::ValueForm};

/// A name in each of Takt's languages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Names {
    pub en: String,
    pub de: String,
    pub es: String,
    pub pt: String,
}

/// The nouns for one thing and for several: `order`, `orders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Nouns {
    pub one: Names,
    pub other: Names,
}

/// The kind of a field's values. It decides how a cell is read, without guessing from the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FieldKind {
    Text,
    Integer,
    /// A decimal number.
    Number,
    Boolean,
    /// An ISO 8601 date-time. Without an offset it is in the site's time zone.
    DateTime,
    /// A duration sent as `hh:mm:ss[.fffffff]`.
    Duration,
    /// A duration returned as the time span object (ticks of 100 ns and ten derived members).
    TimeSpan,
    /// A list of parts. The part's fields are in [`Field::fields`].
    List,
    /// One nested part. Its fields are in [`Field::fields`].
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
    /// The document's pattern for a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "specta", specta(skip))]
    pub pattern: Option<String>,
    /// The allowed values. Empty if any value is allowed.
    pub values: Vec<String>,
}

/// One member of an item or of a response's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Takt's name. It is also the name on the wire unless [`Self::wire`] differs.
    pub name: String,
    /// The site's name on the wire, if it differs.
    #[serde(default)]
    pub wire: Option<String>,
    /// The form of the value on the wire.
    #[serde(default)]
    pub form: ValueForm,
    pub kind: FieldKind,
    pub required: bool,
    pub nullable: bool,
    pub names: Names,
    /// Further column headings for it, in any language.
    pub synonyms: Vec<String>,
    pub limits: Limits,
    /// Labels for values that are codes, by the value's text (`x-takt-labels`).
    #[serde(default)]
    pub labels: BTreeMap<String, Names>,
    /// A plausible value as typed into a cell, if the document has one.
    pub example: Option<String>,
    pub provenance: Provenance,
    /// Keywords that are assumed even if the field isn't, each with the reason (`x-takt-assumed`).
    #[serde(default)]
    pub assumed: BTreeMap<String, String>,
    /// The thing that the value refers to. Only for request fields.
    pub refers_to: Option<RefersTo>,
    /// The plausibility rules for the value. Empty in responses.
    /// Stored and printed as `sense`.
    #[serde(rename = "sense")]
    pub reference_checks: Vec<ReferenceCheck>,
    /// The fields of a [`FieldKind::List`]'s part or of a [`FieldKind::Object`]. Otherwise empty.
    #[expect(clippy::use_self, reason = "the TypeScript derive can't see `Self` here")]
    pub fields: Vec<Field>,
}

/// A rule between fields of one item. Bounds on a single field are in [`Limits`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "rule", rename_all = "camelCase")]
pub enum Rule {
    /// `first` must be before `second` if both are given.
    Before { first: String, second: String, provenance: Provenance },
}

impl Rule {
    /// The fields that the rule compares.
    #[must_use]
    pub fn fields(&self) -> [&str; 2] {
        match self {
            Self::Before { first, second, .. } => [first, second],
        }
    }
}
