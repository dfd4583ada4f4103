//! References from fields to rows of other lists, and plausibility rules against the service's data.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// The service's treatment of an item that refers to a missing row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum UnknownReference {
    /// The service refuses the item.
    Refused,
    /// The service stores the item unchanged.
    Kept,
}

/// A field of the row that is referred to, and the item's field with the same value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldPair {
    /// The field of the row, as its list returns it.
    pub theirs: String,
    /// The field of the item.
    pub own: String,
}

/// The list of the rows that a field refers to (`x-takt-refers-to`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RefersTo {
    /// The operation that lists these rows. Absent if there is none.
    #[serde(default)]
    pub list: Option<String>,
    /// A read of a single row, used if there is no list. Its status shows whether the row exists
    /// ([`crate::Operation::absent`]). [`Self::field`] is its path parameter.
    #[serde(default)]
    pub single: Option<String>,
    /// The sync that creates such rows. Absent if there is none.
    #[serde(default)]
    pub sync: Option<String>,
    /// The field of the row with the same value.
    pub field: String,
    /// Further fields that identify the row. Empty if the value alone identifies it.
    #[serde(default)]
    pub within: Vec<FieldPair>,
    pub unknown: UnknownReference,
    pub provenance: Provenance,
}

/// The row of a list that a rule compares with an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ListRow {
    /// The operation that lists these rows.
    pub list: String,
    /// The fields that identify the row. Fields that the item omits are ignored.
    pub key: Vec<FieldPair>,
}

/// The fields of a row that contain its properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PropertyFields {
    /// The list of properties in the row. The other fields are those of its elements.
    pub list: String,
    pub key: String,
    pub value: String,
    pub lock: String,
}

/// A plausibility rule for a value (`x-takt-sense`). Fields of the item are paths, for example `properties.key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "sense", rename_all = "camelCase")]
pub enum ReferenceCheck {
    /// The date isn't in the past.
    NotPast { provenance: Provenance },
    /// The number isn't less than the sum of these fields in the service's row.
    NotBelow { row: ListRow, fields: Vec<String>, provenance: Provenance },
    /// The date is within the shifts of the work station in the field `station`. `intervals` is the path of the
    /// station's intervals, and the others are fields of an interval. Weekday 1 is Monday. If an interval's end isn't
    /// after its begin, it ends on the next day.
    InShifts { station: String, intervals: String, weekday: String, begin: String, end: String, provenance: Provenance },
    /// A locked property of the service's row isn't changed. `lock` is the item's field that can unlock it.
    NotLocked {
        row: ListRow,
        key: String,
        value: String,
        #[serde(default)]
        lock: Option<String>,
        properties: PropertyFields,
        provenance: Provenance,
    },
    /// The text doesn't start with the value of this assumption. An empty value allows any text.
    NotReserved { assumption: String, provenance: Provenance },
}
