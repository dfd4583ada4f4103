//! The intended mistakes in samples.

use serde::Serialize;

/// An intended mistake.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mistake {
    /// The 1-based rows as in Excel. Two if rows contradict each other.
    pub(crate) rows: Vec<u32>,
    /// The wrong field, or the first part of a key.
    pub(crate) field: &'static str,
    pub(crate) kind: MistakeKind,
    pub(crate) found_by: FoundBy,
}

/// The kind of a mistake. Those from `UnknownOrder` on can only be found by the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MistakeKind {
    Required,
    NotANumber,
    NotAnInteger,
    NotADate,
    NotADuration,
    NotABoolean,
    NotAbove,
    BelowMinimum,
    NotBefore,
    TooManyDigits,
    CellError,
    DuplicateKey,
    GroupDisagrees,
    UnknownOrder,
    UnknownOperation,
    UnknownMaterial,
    UnknownWorkStation,
    UnknownProcess,
    UnknownInspection,
    UnknownLink,
    LockedProperty,
    NoInspections,
}

impl MistakeKind {
    /// Returns the part that finds the mistake.
    pub(super) fn found_by(self) -> FoundBy {
        match self {
            Self::Required
            | Self::NotANumber
            | Self::NotAnInteger
            | Self::NotADate
            | Self::NotADuration
            | Self::NotABoolean
            | Self::NotAbove
            | Self::BelowMinimum
            | Self::NotBefore
            | Self::TooManyDigits
            | Self::CellError
            | Self::DuplicateKey
            | Self::GroupDisagrees => FoundBy::File,
            Self::UnknownOrder
            | Self::UnknownOperation
            | Self::UnknownMaterial
            | Self::UnknownWorkStation
            | Self::UnknownProcess
            | Self::UnknownInspection
            | Self::UnknownLink
            | Self::LockedProperty
            | Self::NoInspections => FoundBy::Service,
        }
    }
}

/// The part that finds a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FoundBy {
    /// The reader of the file. The row isn't sent.
    File,
    /// The service. The row is sent and rejected.
    Service,
}
