//! The intended mistakes in samples, which tests compare with the errors that Takt and the practice plant find.

use serde::Serialize;

/// An intended mistake, as the list of samples contains it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mistake {
    /// The 1-based rows as in Excel. Two rows if they contradict each other.
    pub(crate) rows: Vec<u32>,
    /// The wrong field. If a whole key is wrong, its first field.
    pub(crate) field: &'static str,
    pub(crate) kind: MistakeKind,
    pub(crate) found_by: FoundBy,
}

/// The kind of a mistake. Only the service can find kinds from `UnknownOrder` on.
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
    /// Returns whether the file's reader or the service finds the mistake.
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

/// The part of the system that finds a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FoundBy {
    /// Takt's check of the file. The row isn't sent.
    File,
    /// The service. The row is sent, and the service rejects it.
    Service,
}
