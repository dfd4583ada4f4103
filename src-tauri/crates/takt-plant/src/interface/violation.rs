//! Sentences about the violated rules of an item, and their number.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

/// The most errors reported per item. More don't help a person, and a hostile item has a million.
pub(crate) const MAX_REASONS: usize = 50;
/// The last error if there are more.
pub(crate) const MORE_ERRORS: &str = "There are more errors than these.";
/// The beginning of a sentence about an item as a whole.
pub(crate) const THE_ITEM: &str = "The item";
/// The start of the contract's patterns of date-times. Those of durations start differently.
const FOUR_DIGITS: &str = "^[0-9]{4}-";

/// Describes a violated rule in a sentence.
pub(super) fn describe(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let path = path.trim_start_matches('/').replace('/', ".");
    let subject = if path.is_empty() { THE_ITEM } else { path.as_str() };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            if path.is_empty() { format!("{name} is required.") } else { format!("{path}.{name} is required.") }
        }
        ValidationErrorKind::MinLength { limit: 1 } => format!("{subject} is required."),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("{subject} must be above {}.", format_bound(limit)),
        ValidationErrorKind::Minimum { limit } => format!("{subject} must be at least {}.", format_bound(limit)),
        ValidationErrorKind::Maximum { limit } => format!("{subject} must be at most {}.", format_bound(limit)),
        ValidationErrorKind::MaxLength { limit } => format!("{subject} must have at most {limit} characters."),
        ValidationErrorKind::Type { kind } => format!("{subject} must be {}.", type_name(kind)),
        ValidationErrorKind::Enum { options } => format!("{subject} must be one of {options}."),
        ValidationErrorKind::Format { format } if format == "iso-date-time" => not_a_date_time(subject),
        ValidationErrorKind::Pattern { pattern } if pattern.starts_with(FOUR_DIGITS) => not_a_date_time(subject),
        ValidationErrorKind::Format { .. } | ValidationErrorKind::Pattern { .. } => {
            format!("{subject} must have the form hh:mm:ss.")
        }
        _ => format!("{subject}: {}.", error.masked()),
    }
}

fn not_a_date_time(subject: &str) -> String {
    format!("{subject} must be an ISO 8601 date-time.")
}

fn format_bound(limit: &Value) -> String {
    limit.as_f64().map_or_else(|| limit.to_string(), |number| number.to_string())
}

fn type_name(kind: &jsonschema::error::TypeKind) -> String {
    use jsonschema::error::TypeKind;
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(_) => "of another type".to_owned(),
    }
}
