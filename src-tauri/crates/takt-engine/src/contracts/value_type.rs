//! The types of values at a site, which combine the kind of a value and its form in requests.

use serde::{Deserialize, Serialize};
use takt_contract::{
    FieldKind,
    form::{DurationUnit, EpochUnit, ValueForm},
};

/// A type as used on the command line and in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ValueType {
    Text,
    Integer,
    Number,
    Boolean,
    DateTime,
    DateTimeOffset,
    DateTimeUtc,
    Date,
    EpochSeconds,
    EpochMilliseconds,
    Duration,
    DurationIso,
    DurationTicks,
    DurationMilliseconds,
    DurationSeconds,
    DurationMinutes,
    DurationHours,
    DurationDays,
    TimeSpan,
    QuotedNumber,
    QuotedBoolean,
}

impl ValueType {
    /// Returns the type with this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        serde_json::from_value(word.into()).ok()
    }

    /// Returns the value's kind in Takt, and its form in requests.
    pub(super) fn kind_and_form(self) -> (FieldKind, ValueForm) {
        use FieldKind::{Boolean, DateTime, Duration, Integer, Number, Text, TimeSpan};
        let duration_number = |unit| (Duration, ValueForm::DurationNumber { unit });
        match self {
            Self::Text => (Text, ValueForm::AsIs),
            Self::Integer => (Integer, ValueForm::AsIs),
            Self::Number => (Number, ValueForm::AsIs),
            Self::Boolean => (Boolean, ValueForm::AsIs),
            Self::DateTime => (DateTime, ValueForm::AsIs),
            Self::DateTimeOffset => (DateTime, ValueForm::OffsetDateTime),
            Self::DateTimeUtc => (DateTime, ValueForm::UtcDateTime),
            Self::Date => (DateTime, ValueForm::DateOnly),
            Self::EpochSeconds => (DateTime, ValueForm::Epoch { unit: EpochUnit::Seconds }),
            Self::EpochMilliseconds => (DateTime, ValueForm::Epoch { unit: EpochUnit::Milliseconds }),
            Self::Duration => (Duration, ValueForm::AsIs),
            Self::DurationIso => (Duration, ValueForm::DurationIso),
            Self::DurationTicks => duration_number(DurationUnit::Ticks),
            Self::DurationMilliseconds => duration_number(DurationUnit::Milliseconds),
            Self::DurationSeconds => duration_number(DurationUnit::Seconds),
            Self::DurationMinutes => duration_number(DurationUnit::Minutes),
            Self::DurationHours => duration_number(DurationUnit::Hours),
            Self::DurationDays => duration_number(DurationUnit::Days),
            Self::TimeSpan => (TimeSpan, ValueForm::AsIs),
            Self::QuotedNumber => (Number, ValueForm::Quoted),
            Self::QuotedBoolean => (Boolean, ValueForm::Quoted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_type() {
        let minutes = ValueType::parse("duration-minutes").unwrap().kind_and_form();
        assert_eq!(minutes, (FieldKind::Duration, ValueForm::DurationNumber { unit: DurationUnit::Minutes }));
        assert_eq!(ValueType::parse("datetime"), None);
    }
}
