//! The evidence for observed properties of operations and fields.

use serde::Serialize;
use takt_contract::overlay::Overlay;

/// The overlay learned from responses, with its evidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observation {
    pub overlay: Overlay,
    pub evidence: Vec<Evidence>,
}

/// A finding in responses about an operation or a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub operation: String,
    /// The field's name in Takt, after the names of its enclosing fields. Empty for the whole operation.
    pub field: String,
    pub kind: EvidenceKind,
    /// A name at the site, a list of codes or another operation, depending on the kind.
    pub name: String,
    /// The number of occurrences among [`Self::of`], or an observed number.
    pub count: u32,
    pub of: u32,
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// The rows are a list under `name` with `count` rows. Empty if the response is the list.
    List,
    /// The member is called `name` in `count` of `of` rows.
    Member,
    /// `count` of `of` date-times have an offset.
    Offset,
    /// `count` of `of` values are ISO 8601 durations.
    IsoDuration,
    /// `count` of `of` values are durations as numbers, in the unit `name`.
    NumberOfTime,
    /// The values have another type, `name`.
    Type,
    /// The values `name` are integers that represent words.
    Codes,
    /// There are as many consecutive integers as the contract has words. They are assigned in that order: `name`.
    CodesInOrder,
    /// The parameter `name` with the number `count` requested a page, and that page was returned.
    PageParameter,
    /// The parameter `name` sets the rows per page.
    PageSizeParameter,
    /// A page has `count` rows by default.
    PageSize,
    /// The first page's number is `count`.
    FirstPage,
    /// `name` has the number of rows.
    Total,
    /// The pages are like those of the operation `name`.
    SamePages,
    /// `count` rows were returned for `of` requested rows.
    NoPages,
    /// A change's fields have the names of the list `name`, in which the change is read back.
    ReadSide,
    /// The results of the sent rows are under `name`. Empty if the response is the list.
    Results,
    /// `name` has the member that states whether a row was accepted, and its value for the first row.
    Success,
    /// The sent list is called `name`, with a capital like all of the site's members.
    Capital,
}

impl Evidence {
    /// Returns evidence about an operation as a whole.
    #[must_use]
    pub fn for_operation(operation: &str, kind: EvidenceKind, name: &str, count: u32, of: u32) -> Self {
        Self { operation: operation.to_owned(), field: String::new(), kind, name: name.to_owned(), count, of }
    }
}

/// Returns a count as `u32`, saturating.
pub(super) fn saturating_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
