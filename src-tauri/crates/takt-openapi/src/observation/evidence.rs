//! By what in the answers a proposal is known.

use serde::Serialize;

/// Something that was seen in answers, and of which operation and field it tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub operation: String,
    /// Takt's name of the field, with the carrier of a part before it; empty where it tells of the whole operation.
    pub field: String,
    pub kind: EvidenceKind,
    /// A name at the site, a list of codes, or another operation: what the kind is about.
    pub name: String,
    /// In how many of [`Self::of`], or a number that was seen.
    pub count: u32,
    pub of: u32,
}

/// What was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// The rows are a list under `name`, of `count` rows; empty where the answer is the list.
    List,
    /// The member is called `name` in `count` of `of` rows.
    Member,
    /// `count` of `of` date-times carry an offset.
    Offset,
    /// `count` of `of` values are durations as ISO 8601.
    IsoDuration,
    /// `count` of `of` values are numbers of time; `name` is the unit.
    NumberOfTime,
    /// Values are of another type, which is `name`.
    Type,
    /// The values `name` are whole numbers where people read words.
    Codes,
    /// There are as many whole numbers without a gap as the contract knows words, and they are taken in that order: `name`.
    CodesInOrder,
    /// A page was asked for by the parameter `name` with the number `count`, and that page came.
    PageParameter,
    /// Rows per page are asked for by `name`.
    PageSizeParameter,
    /// A page has `count` rows where nothing else is asked.
    PageSize,
    /// The first page's number is `count`.
    FirstPage,
    /// How many rows there are is said in `name`.
    Total,
    /// The pages are as those of the operation `name`.
    SamePages,
    /// `count` rows came where `of` were asked for.
    NoPages,
    /// A change's fields are called as those of the list `name`, in which it is seen again.
    ReadSide,
    /// What became of each row that was sent stands under `name`; empty where the answer is the list.
    Results,
    /// A member says whether a row was accepted: `name`, with what it said of the first.
    Success,
    /// The name of the list that is sent begins like all of the site's members: it is `name`.
    Capital,
}

impl Evidence {
    /// Of an operation as a whole.
    #[must_use]
    pub fn of_operation(operation: &str, kind: EvidenceKind, name: &str, (count, of): (u32, u32)) -> Self {
        Self { operation: operation.to_owned(), field: String::new(), kind, name: name.to_owned(), count, of }
    }
}

/// A count as it is told.
pub(super) fn told(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
