//! What a field means in the plan: the thing that it names, and what makes sense of it beside what the service holds.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// What becomes of an item that names a thing which the service doesn't hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// The service refuses the item.
    Refused,
    /// The service keeps the item as it is.
    Kept,
}

/// A thing's field, and the field of an item that holds the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldPair {
    /// A field of the thing, as its list answers it.
    pub theirs: String,
    /// A field of the item.
    pub own: String,
}

/// The thing that a field's value names (`x-takt-refers-to`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RefersTo {
    /// The read that lists such things. Absent where the service lists none.
    #[serde(default)]
    pub list: Option<String>,
    /// Where there is no list: the read that says by its status ([`crate::Operation::absent`]) that there is no such thing; [`Self::field`] is its path parameter.
    #[serde(default)]
    pub single: Option<String>,
    /// The synchronization that makes such things. Absent where there is none.
    #[serde(default)]
    pub sync: Option<String>,
    /// The thing's field that holds the same value.
    pub field: String,
    /// What else names the thing. Empty where the value alone does.
    #[serde(default)]
    pub within: Vec<FieldPair>,
    pub unknown: Unknown,
    pub provenance: Provenance,
}

/// The row of a list that an item is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ListRow {
    /// A read that lists such rows.
    pub list: String,
    /// How the row is found. A field that the item leaves out doesn't narrow it.
    pub key: Vec<FieldPair>,
}

/// Where a held row carries its properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyFields {
    /// The row's list of them; the others are fields of its parts.
    pub list: String,
    pub key: String,
    pub value: String,
    pub lock: String,
}

/// What makes sense of a value (`x-takt-sense`). Fields of the item are named by path, as in `properties.key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "sense", rename_all = "camelCase")]
pub enum Sense {
    /// A date that hasn't passed.
    NotPast { provenance: Provenance },
    /// Not less than what these fields of the held row add up to.
    NotBelow { row: ListRow, fields: Vec<String>, provenance: Provenance },
    /// Lies within the shifts of the work station that the field `station` names. `intervals` is the path of the station's
    /// list of them; the others are fields of an interval: 1 is Monday; one that ends at or before its begin lasts until the
    /// next day.
    InShifts { station: String, intervals: String, weekday: String, begin: String, end: String, provenance: Provenance },
    /// No property of the held row that is locked gets another value. `lock` is the item's field that can open the lock.
    NotLocked {
        row: ListRow,
        key: String,
        value: String,
        #[serde(default)]
        lock: Option<String>,
        properties: PropertyFields,
        provenance: Provenance,
    },
    /// Doesn't begin with the text that this assumption holds; an empty one forbids nothing.
    NotReserved { assumption: String, provenance: Provenance },
}
