//! Fields of items and rows, and rules between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Provenance, ReferenceCheck, RefersTo, form::ValueForm};

/// A name in each language of the user interface.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Names {
    pub en: String,
    pub de: String,
    pub es: String,
    pub pt: String,
}

/// The singular and plural noun for an item: `order`, `orders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Nouns {
    pub one: Names,
    pub other: Names,
}

/// The kind of a field's values. It determines how cells are parsed, independently of other cells in the column.
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
    /// A duration returned as the time span object, with ticks of 100 ns and ten derived members.
    TimeSpan,
    /// A list of objects. Their fields are in [`Field::fields`].
    List,
    /// A nested object. Its fields are in [`Field::fields`].
    Object,
}

/// The bounds of a value, as in JSON Schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    pub minimum: Option<f64>,
    pub exclusive_minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub max_length: Option<u32>,
    /// A regular expression from the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "specta", specta(skip))]
    pub pattern: Option<String>,
    /// The allowed texts. Empty if all texts are allowed.
    pub values: Vec<String>,
}

/// A member of an item or of a response's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Takt's name, which is also used on the wire unless [`Self::wire`] is set.
    pub name: String,
    /// The site's name on the wire, if it differs from Takt's.
    #[serde(default)]
    pub wire: Option<String>,
    #[serde(default)]
    pub form: ValueForm,
    pub kind: FieldKind,
    pub required: bool,
    pub nullable: bool,
    pub names: Names,
    /// Further column headings that match the field, in any language.
    pub synonyms: Vec<String>,
    pub limits: Limits,
    /// Labels for coded values, by the value's text (`x-takt-labels`).
    #[serde(default)]
    pub labels: BTreeMap<String, Names>,
    /// A plausible value as a user would type it. Absent if the document has none.
    pub example: Option<String>,
    pub provenance: Provenance,
    /// The assumed keywords of a specified field, each with the reason (`x-takt-assumed`).
    #[serde(default)]
    pub assumed: BTreeMap<String, String>,
    /// The list that the value refers to. Only set in requests.
    pub refers_to: Option<RefersTo>,
    /// The plausibility rules for the value, named `sense` in JSON. Empty in responses.
    #[serde(rename = "sense")]
    pub reference_checks: Vec<ReferenceCheck>,
    /// The nested fields of a [`FieldKind::List`] or a [`FieldKind::Object`]. Otherwise empty.
    #[expect(clippy::use_self, reason = "the TypeScript derive can't see `Self` here")]
    pub fields: Vec<Field>,
}

/// A rule between fields of one item. Bounds on a single field are in [`Limits`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "rule", rename_all = "camelCase")]
pub enum Rule {
    /// If both are set, `first` is before `second`.
    Before { first: String, second: String, provenance: Provenance },
}

impl Rule {
    /// Returns the two fields that the rule compares.
    #[must_use]
    pub fn fields(&self) -> [&str; 2] {
        match self {
            Self::Before { first, second, .. } => [first, second],
        }
    }
}
