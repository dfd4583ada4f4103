//! Forms of single values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value of a code list, or a value that means success or failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(untagged)]
pub enum Scalar {
    Bool(bool),
    Number(i32),
    Text(String),
}

impl Scalar {
    /// Returns the value as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        match self {
            Self::Bool(value) => Value::from(*value),
            Self::Number(value) => Value::from(*value),
            Self::Text(value) => Value::from(value.as_str()),
        }
    }

    /// Compares with a value of a response. Text is case-sensitive.
    #[must_use]
    pub fn equals(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(number), Value::Number(other)) => other.as_f64() == Some(f64::from(*number)),
            _ => self.json() == *value,
        }
    }
}

/// One value of a code list: the name in Takt, and the code on the wire.
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
    /// 100 ns.
    Ticks,
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
}

impl DurationUnit {
    /// Ticks of 100 ns in one unit.
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

/// The unit of a date-time that is a number since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum EpochUnit {
    Seconds,
    Milliseconds,
}

/// The form of a field's value on the wire. A value that can't be translated is sent unchanged, so that the service
/// refuses it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "form", rename_all = "kebab-case")]
pub enum ValueForm {
    /// The same form as in Takt's contract.
    #[default]
    AsIs,
    /// The time span object, for a duration that is text inside Takt.
    TimeSpanObject,
    /// ISO 8601, for example `PT1H30M`.
    DurationIso,
    DurationNumber {
        unit: DurationUnit,
    },
    /// ISO 8601 with an offset. A date-time without one is in the site's time zone.
    OffsetDateTime,
    /// ISO 8601 in UTC, with a `Z`.
    UtcDateTime,
    /// ISO 8601 without a time of day. A date-time other than midnight is sent unchanged.
    DateOnly,
    Epoch {
        unit: EpochUnit,
    },
    /// Codes on the wire for names that people read.
    Codes {
        codes: Vec<CodeName>,
    },
    /// A number or boolean sent as text.
    Quoted,
}

impl ValueForm {
    /// Returns whether a local time is converted to a moment before it is sent.
    #[must_use]
    pub fn is_moment(&self) -> bool {
        matches!(self, Self::OffsetDateTime | Self::UtcDateTime | Self::Epoch { .. })
    }
}
