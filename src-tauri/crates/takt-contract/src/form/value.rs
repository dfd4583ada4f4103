//! The wire formats of single values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A code, or a value that means success or failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(untagged)]
pub enum Scalar {
    Bool(bool),
    Number(i32),
    Text(String),
}

impl Scalar {
    /// Returns the value in the form in which JSON contains it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Bool(value) => Value::from(*value),
            Self::Number(value) => Value::from(*value),
            Self::Text(value) => Value::from(value.as_str()),
        }
    }

    /// Returns whether a value of a response is equal. Texts are compared case-sensitively.
    #[must_use]
    pub fn equals(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(number), Value::Number(other)) => other.as_f64() == Some(f64::from(*number)),
            _ => self.to_json() == *value,
        }
    }
}

/// A code on the wire with its name in Takt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CodeName {
    pub name: String,
    pub wire: Scalar,
}

/// The unit of a duration that is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum DurationUnit {
    /// One tick is 100 ns.
    Ticks,
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
}

impl DurationUnit {
    /// Returns the number of ticks (100 ns) in one unit.
    #[must_use]
    pub fn ticks(self) -> i64 {
        match self {
            Self::Ticks => 1,
            Self::Milliseconds => 10_000,
            Self::Seconds => 10_000_000,
            Self::Minutes => 600_000_000,
            Self::Hours => 36_000_000_000,
            Self::Days => 864_000_000_000,
        }
    }
}

/// The unit of a date-time that is a number since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum EpochUnit {
    Seconds,
    Milliseconds,
}

/// The wire format of a field. A value that can't be translated is sent unchanged, so that the service refuses it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "form", rename_all = "kebab-case")]
pub enum ValueForm {
    /// The same format as in Takt.
    #[default]
    AsIs,
    /// The time span object, for a duration that is text in Takt.
    TimeSpanObject,
    /// ISO 8601, for example `PT1H30M`.
    DurationIso,
    DurationNumber {
        unit: DurationUnit,
    },
    /// ISO 8601 with an offset. A date-time without an offset is in the site's time zone.
    OffsetDateTime,
    /// ISO 8601 in UTC, with a `Z`.
    UtcDateTime,
    /// ISO 8601 without a time of day. A date-time that isn't at midnight is sent unchanged.
    DateOnly,
    Epoch {
        unit: EpochUnit,
    },
    /// Codes on the wire, for names in Takt.
    Codes {
        codes: Vec<CodeName>,
    },
    /// A number or boolean sent as text.
    Quoted,
}

impl ValueForm {
    /// Returns whether the format requires an exact time, so that local times are converted.
    #[must_use]
    pub fn needs_exact_time(&self) -> bool {
        matches!(self, Self::OffsetDateTime | Self::UtcDateTime | Self::Epoch { .. })
    }
}
