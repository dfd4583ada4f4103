//! Forms of single values.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value of a code list, or one that says yes or no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(untagged)]
pub enum Scalar {
    Bool(bool),
    Number(i32),
    Text(String),
}

impl Scalar {
    /// The same as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        match self {
            Self::Bool(value) => Value::from(*value),
            Self::Number(value) => Value::from(*value),
            Self::Text(value) => Value::from(value.as_str()),
        }
    }

    /// Whether a value of an answer is this one. Text is compared letter by letter.
    #[must_use]
    pub fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(number), Value::Number(other)) => other.as_f64() == Some(f64::from(*number)),
            _ => self.json() == *value,
        }
    }
}

/// One value of a code list: what people read and write, and what travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CodeName {
    pub name: String,
    pub wire: Scalar,
}

/// What a number of a duration counts.
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

/// What a number of a moment counts since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum EpochUnit {
    Seconds,
    Milliseconds,
}

/// How a field's value travels. What can't be translated travels as it is, so that the service refuses it by its own word.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "form", rename_all = "kebab-case")]
pub enum ValueForm {
    /// As Takt's own contract has a value of its kind.
    #[default]
    AsIs,
    /// The time span object, where a duration is text inside Takt.
    TimeSpanObject,
    /// ISO 8601, for example `PT1H30M`.
    DurationIso,
    DurationNumber {
        unit: DurationUnit,
    },
    /// ISO 8601 with an offset. A moment without one is in the site's time zone.
    OffsetDateTime,
    /// The same in UTC, with a `Z`.
    UtcDateTime,
    /// ISO 8601 without a time of day. A moment that isn't midnight travels whole.
    DateOnly,
    Epoch {
        unit: EpochUnit,
    },
    /// People read names; what travels is a code.
    Codes {
        codes: Vec<CodeName>,
    },
    /// A number or a truth value travels as text.
    Quoted,
}

impl ValueForm {
    /// True if a local time is converted to a moment before it is sent.
    #[must_use]
    pub fn is_moment(&self) -> bool {
        matches!(self, Self::OffsetDateTime | Self::UtcDateTime | Self::Epoch { .. })
    }
}
