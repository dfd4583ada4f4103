//! References of fields to other things, and plausibility rules against the service's data.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// How the service treats an item that refers to an unknown thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum UnknownReference {
    /// The service refuses the item.
    Refused,
    /// The service stores the item unchanged.
    Kept,
}

/// A field of a thing, and the field of an item with the same value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldPair {
    /// The field of the thing, as its list returns it.
    pub theirs: String,
    /// The field of the item.
    pub own: String,
}

/// The thing that a field's value refers to (`x-takt-refers-to`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RefersTo {
    /// The read that lists such things. Absent if there is none.
    #[serde(default)]
    pub list: Option<String>,
    /// A read that returns one thing, for use without a list. Its status shows that there is no such thing
    /// ([`crate::Operation::absent`]). [`Self::field`] is its path parameter.
    #[serde(default)]
    pub single: Option<String>,
    /// The sync that creates such things. Absent if there is none.
    #[serde(default)]
    pub sync: Option<String>,
    /// The thing's field with the same value.
    pub field: String,
    /// Further fields that identify the thing. Empty if the value alone does.
    #[serde(default)]
    pub within: Vec<FieldPair>,
    pub unknown: UnknownReference,
    pub provenance: Provenance,
}

/// The row of a list for an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ListRow {
    /// A read that lists such rows.
    pub list: String,
    /// The fields that identify the row. A field that the item omits is ignored.
    pub key: Vec<FieldPair>,
}

/// The fields with the properties of a row in the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyFields {
    /// The row's list of properties. The others are fields of its parts.
    pub list: String,
    pub key: String,
    pub value: String,
    pub lock: String,
}

/// A plausibility rule for a value (`x-takt-sense`). Fields of the item are named by path, for example
/// `properties.key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "sense", rename_all = "camelCase")]
pub enum ReferenceCheck {
    /// The date must not be in the past.
    NotPast { provenance: Provenance },
    /// The number must not be less than the sum of these fields of the service's row.
    NotBelow { row: ListRow, fields: Vec<String>, provenance: Provenance },
    /// The date must be within the shifts of the work station in the field `station`. `intervals` is the path of the
    /// station's list of intervals, and the others are fields of an interval. Weekday 1 is Monday. An interval that
    /// ends at or before its begin lasts until the next day.
    InShifts { station: String, intervals: String, weekday: String, begin: String, end: String, provenance: Provenance },
    /// A locked property of the service's row must not get another value. `lock` is the item's field that can unlock
    /// it.
    NotLocked {
        row: ListRow,
        key: String,
        value: String,
        #[serde(default)]
        lock: Option<String>,
        properties: PropertyFields,
        provenance: Provenance,
    },
    /// The text must not start with the value of this assumption. An empty value forbids nothing.
    NotReserved { assumption: String, provenance: Provenance },
}
