//! The forms of values on the wire, with names for the language files.

use serde::Serialize;
use takt_contract::form::{DurationUnit, EpochUnit, ValueForm};

/// A form of a value, including its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    TimeSpanObject,
    DurationIso,
    DurationTicks,
    DurationMilliseconds,
    DurationSeconds,
    DurationMinutes,
    DurationHours,
    DurationDays,
    OffsetDateTime,
    UtcDateTime,
    DateOnly,
    EpochSeconds,
    EpochMilliseconds,
    Codes,
    Quoted,
}

impl FormName {
    /// Returns the name of a form. None if the wire form is the same as in Takt.
    pub(super) fn from_form(form: &ValueForm) -> Option<Self> {
        Some(match form {
            ValueForm::AsIs => return None,
            ValueForm::TimeSpanObject => Self::TimeSpanObject,
            ValueForm::DurationIso => Self::DurationIso,
            ValueForm::DurationNumber { unit } => match unit {
                DurationUnit::Ticks => Self::DurationTicks,
                DurationUnit::Milliseconds => Self::DurationMilliseconds,
                DurationUnit::Seconds => Self::DurationSeconds,
                DurationUnit::Minutes => Self::DurationMinutes,
                DurationUnit::Hours => Self::DurationHours,
                DurationUnit::Days => Self::DurationDays,
            },
            ValueForm::OffsetDateTime => Self::OffsetDateTime,
            ValueForm::UtcDateTime => Self::UtcDateTime,
            ValueForm::DateOnly => Self::DateOnly,
            ValueForm::Epoch { unit: EpochUnit::Seconds } => Self::EpochSeconds,
            ValueForm::Epoch { unit: EpochUnit::Milliseconds } => Self::EpochMilliseconds,
            ValueForm::Codes { .. } => Self::Codes,
            ValueForm::Quoted => Self::Quoted,
        })
    }
}
