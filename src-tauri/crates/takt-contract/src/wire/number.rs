//! Writes numbers without a superfluous fraction: `10` instead of `10.0`.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// The range within which `f64` represents every integer.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match exact_integer(*value) {
        Some(integer) => serializer.serialize_i64(integer),
        None => serializer.serialize_f64(*value),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    f64::deserialize(deserializer)
}

/// Deserializes an integer written as `5` or `5.0`, since the specification calls both a number.
pub(super) fn deserialize_integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    number
        .as_i64()
        .or_else(|| number.as_f64().and_then(exact_integer))
        .ok_or_else(|| D::Error::custom(format!("`{number}` is not a whole number in range")))
}

fn exact_integer(value: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    (value.fract() == 0.0 && value.abs() <= MAX_EXACT_INTEGER).then_some(value as i64)
}
