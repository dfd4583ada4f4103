//! Parses and validates the bodies of batches: JSON, content type, schema and rules between fields. Returns the keys
//! for results.
//!
//! Each violated rule becomes a sentence for users. An integer may be written as `5.0`. Numbers beyond 64 bits are
//! rejected before they lose digits.

use axum::http::{StatusCode, header, request::Parts};
use jiff::tz::TimeZone;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use mime::APPLICATION_JSON;
use serde_json::{Map, Value, json};
use takt_contract::{Field, FieldKind, RowSchema, Rule, wire::duration::parse_ticks};

use super::limited_json::{self, ITEMS, ParseError};
use crate::{
    PlantError,
    answer::Answer,
    form::{is_utf_8, media_type},
    time_window::parse_date_time,
};

/// The maximum number of errors reported per item. A hostile item could have a million.
pub(crate) const MAX_REASONS: usize = 50;
/// The last error if more errors were found.
pub(crate) const MORE_ERRORS: &str = "There are more errors than these.";
/// The start of sentences about a whole item.
pub(crate) const THE_ITEM: &str = "The item";
/// The start of the contract's patterns for date-times, which patterns for durations don't have.
const FOUR_DIGITS: &str = "^[0-9]{4}-";
/// The range within which `f64` represents every integer.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Parses a body that isn't a batch.
pub(crate) fn parse_body(parts: &Parts, bytes: &[u8]) -> Result<Value, Answer> {
    check_content_type(parts)?;
    limited_json::parse_value(bytes).map_err(parse_error_answer)
}

fn check_content_type(parts: &Parts) -> Result<(), Answer> {
    let declared = |name| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if declared(header::CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return Err(Answer::bad_request("The body must not be compressed."));
    }
    let Some(kind) = media_type(&parts.headers).filter(|kind| kind.essence_str() == APPLICATION_JSON.essence_str())
    else {
        return Err(Answer::bad_request("The content type must be application/json."));
    };
    if !is_utf_8(&kind) {
        return Err(Answer::bad_request("The charset must be utf-8."));
    }
    Ok(())
}

fn parse_error_answer(reason: ParseError) -> Answer {
    let too_large = |text: &str| Answer::error(StatusCode::PAYLOAD_TOO_LARGE, text);
    match reason {
        ParseError::NoJson(error) => Answer::bad_request(format!("The body is not valid JSON: {error}.")),
        ParseError::Items(limit) => too_large(&format!("The batch has more than {limit} items.")),
        ParseError::Item(limit) => too_large(&format!("An item of the batch has more than {limit} values.")),
        ParseError::Values(limit) => too_large(&format!("The body has more than {limit} values.")),
    }
}

/// Parses the items of a batch. Rejects more than `limit` items.
pub(crate) fn parse_items(parts: &Parts, bytes: &[u8], limit: usize) -> Result<Vec<Value>, Answer> {
    check_content_type(parts)?;
    let Value::Object(mut body) = limited_json::parse_batch(bytes, limit).map_err(parse_error_answer)? else {
        return Err(Answer::bad_request("The body must be an object."));
    };
    match body.remove(ITEMS) {
        Some(Value::Array(items)) if items.is_empty() => {
            let text = "items must not be empty.".to_owned();
            Err(Answer::errors(StatusCode::PRECONDITION_FAILED, vec![text]))
        }
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Answer::bad_request("items must be an array.")),
        None => Err(Answer::bad_request("items is required.")),
    }
}

/// Validates the items of an operation and returns their keys.
#[derive(Debug)]
pub(crate) struct ItemCheck {
    schema: Validator,
    rules: Vec<Rule>,
    key: Vec<Field>,
    numbers: WholeNumbers,
    /// The fields in a site's contract. Empty without such a contract.
    site_fields: Vec<Field>,
    zone: TimeZone,
}

impl ItemCheck {
    /// Compiles the validation. `schemas` is the result of [`stripped_schemas`].
    pub(crate) fn new(schemas: &Value, shape: &RowSchema, key: &[String], zone: &TimeZone) -> Result<Self, PlantError> {
        let name = format!("#/components/schemas/{}", shape.schema);
        let root = json!({ "$ref": name, "components": { "schemas": schemas } });
        let format_zone = zone.clone();
        let schema = jsonschema::options()
            .should_validate_formats(true)
            .with_format("iso-date-time", move |text: &str| parse_date_time(text, &format_zone).is_some())
            .with_format("duration-hms", |text: &str| parse_ticks(text).is_some())
            .build(&root)
            .map_err(|error| PlantError::Schema { schema: shape.schema.clone(), reason: error.to_string() })?;
        let field = |name: &String| shape.fields.iter().find(|field| field.name == *name).cloned();
        let key: Option<Vec<Field>> = key.iter().map(field).collect();
        let key =
            key.ok_or_else(|| PlantError::Schema { schema: shape.schema.clone(), reason: "no key".to_owned() })?;
        let numbers = WholeNumbers::from_fields(&shape.fields);
        Ok(Self { schema, rules: shape.rules.clone(), key, numbers, site_fields: Vec::new(), zone: zone.clone() })
    }

    /// Also requires the fields that a site's contract requires.
    pub(crate) fn with_site(self, shape: Option<&RowSchema>) -> Self {
        Self { site_fields: shape.map(|shape| shape.fields.clone()).unwrap_or_default(), ..self }
    }

    /// Returns a sentence for each violated rule, up to a limit. Empty if the item is valid. Rewrites integers such as
    /// `5.0`.
    pub(crate) fn violations(&self, item: &mut Value) -> Vec<String> {
        let mut violations = self.numbers.normalize(item);
        let item = &*item;
        if !self.schema.is_valid(item) {
            violations.extend(self.schema_errors(item));
        }
        report_missing(&self.site_fields, item, "", &mut violations);
        for Rule::Before { first, second, .. } in &self.rules {
            let time_member = |name: &str| item.get(name)?.as_str().and_then(|text| parse_date_time(text, &self.zone));
            if let (Some(begin), Some(end)) = (time_member(first), time_member(second))
                && begin >= end
            {
                violations.push(format!("{first} must be before {second}."));
            }
        }
        violations
    }

    fn schema_errors(&self, item: &Value) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        for error in self.schema.iter_errors(item) {
            if sentences.len() == MAX_REASONS {
                sentences.push(MORE_ERRORS.to_owned());
                break;
            }
            let sentence = describe_violation(&error);
            // For users, a value that violates its pattern and its format violates one rule.
            if sentences.last() != Some(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences
    }

    /// Returns the key for the item's result. Invalid values become blank, or are omitted if the member is optional.
    pub(crate) fn result_key(&self, item: &Value) -> Map<String, Value> {
        let member = |field: &Field| {
            let value = match (item.get(&field.name), field.kind) {
                (Some(value @ Value::String(_)), FieldKind::Text) => value.clone(),
                (Some(value @ (Value::Number(_) | Value::Bool(_))), FieldKind::Text) => json!(value.to_string()),
                (Some(value), FieldKind::Integer) if is_integer(value) => value.clone(),
                (_, FieldKind::Text) if field.required => json!(""),
                (_, FieldKind::Integer) if field.required => json!(0),
                _ => return None,
            };
            Some((field.name.clone(), value))
        };
        self.key.iter().filter_map(member).collect()
    }
}

/// Reports missing required fields.
fn report_missing(fields: &[Field], item: &Value, prefix: &str, violations: &mut Vec<String>) {
    for field in fields {
        let (path, value) = (format!("{prefix}{}", field.name), item.get(&field.name));
        if field.required && value.is_none_or(|value| value.is_null() && !field.nullable) {
            let sentence = format!("{path} is required.");
            if violations.len() < MAX_REASONS && !violations.contains(&sentence) {
                violations.push(sentence);
            }
        }
        match value {
            Some(Value::Array(parts)) if !field.fields.is_empty() => {
                for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.is_object()) {
                    report_missing(&field.fields, part, &format!("{path}.{index}."), violations);
                }
            }
            Some(part @ Value::Object(_)) => report_missing(&field.fields, part, &format!("{path}."), violations),
            _ => {}
        }
    }
}

/// Returns the contract's schemas without descriptions, since compiling them takes most of a plant's startup time.
pub(crate) fn stripped_schemas(document: &Value) -> Value {
    let mut schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    strip_descriptions(&mut schemas, true);
    schemas
}

/// Removes descriptions from a value. With `names`, its members are named schemas or properties, so none is removed.
fn strip_descriptions(value: &mut Value, names: bool) {
    match value {
        Value::Object(members) => {
            if !names {
                // Values beyond 64 bits are reported by [`WholeNumbers`] instead.
                let beyond = |value: &Value| value.as_f64().is_some_and(|bound| bound.abs() >= TWO_TO_63);
                let is_end = |name: &str, value: &Value| matches!(name, "minimum" | "maximum") && beyond(value);
                members.retain(|name, value| {
                    !name.starts_with("x-takt-") && name != "description" && !is_end(name, value)
                });
            }
            for (name, member) in members.iter_mut() {
                strip_descriptions(member, !names && name == "properties");
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| strip_descriptions(value, false)),
        _ => {}
    }
}

fn describe_violation(error: &ValidationError<'_>) -> String {
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
        ValidationErrorKind::Format { format } if format == "iso-date-time" => date_time_violation(subject),
        ValidationErrorKind::Pattern { pattern } if pattern.starts_with(FOUR_DIGITS) => date_time_violation(subject),
        ValidationErrorKind::Format { .. } | ValidationErrorKind::Pattern { .. } => {
            format!("{subject} must have the form hh:mm:ss.")
        }
        _ => format!("{subject}: {}.", error.masked()),
    }
}

fn date_time_violation(subject: &str) -> String {
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

/// The paths of integers in the items of an operation.
#[derive(Debug, Clone, Default)]
struct WholeNumbers(Vec<Vec<String>>);

impl WholeNumbers {
    fn from_fields(fields: &[Field]) -> Self {
        let mut paths = Vec::new();
        collect_integer_paths(fields, &[], &mut paths);
        Self(paths)
    }

    /// Rewrites integers such as `5.0`. Returns a sentence for each number that is out of range.
    fn normalize(&self, item: &mut Value) -> Vec<String> {
        let mut refused = Vec::new();
        for path in &self.0 {
            normalize_at(item, path, "", &mut refused);
        }
        refused
    }
}

/// Returns whether JSON Schema accepts the value as an integer.
fn is_integer(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn collect_integer_paths(fields: &[Field], prefix: &[String], paths: &mut Vec<Vec<String>>) {
    for field in fields {
        let path: Vec<String> = prefix.iter().chain([&field.name]).cloned().collect();
        if field.kind == FieldKind::Integer {
            paths.push(path);
        } else {
            collect_integer_paths(&field.fields, &path, paths);
        }
    }
}

fn normalize_at(value: &mut Value, path: &[String], at: &str, refused: &mut Vec<String>) {
    match (value, path.split_first()) {
        (Value::Array(parts), Some(_)) => {
            for (index, part) in parts.iter_mut().enumerate() {
                normalize_at(part, path, &format!("{at}.{index}"), refused);
            }
        }
        (Value::Object(members), Some((name, rest))) => {
            if let Some(member) = members.get_mut(name) {
                normalize_at(member, rest, &format!("{at}.{name}"), refused);
            }
        }
        (value @ Value::Number(_), None) if !value.is_i64() && is_integer(value) => match to_exact_integer(value) {
            Some(integer) => *value = json!(integer),
            None if refused.len() < MAX_REASONS => {
                refused.push(format!("{} must lie within 64 bits.", at.trim_start_matches('.')));
            }
            None => {}
        },
        _ => {}
    }
}

fn to_exact_integer(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|number| number.abs() <= MAX_EXACT_INTEGER && !value.is_u64())?;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    Some(number as i64)
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;

    use super::*;

    #[test]
    fn a_fraction_of_nothing_goes_and_what_is_too_large_is_said() {
        let contract = Contract::builtin().unwrap();
        let shape = contract.operation("work-orders.sync").unwrap().request.as_ref().unwrap();
        let numbers = WholeNumbers::from_fields(&shape.fields);
        let mut item: Value = serde_json::from_str(
            r#"{"templateId": 5.0, "requestedQuantity": 5.0, "rawMaterials": [{"sequence": 2.0}, {"sequence": 1e30}, {"sequence": 1.5}, 7]}"#,
        )
        .unwrap();
        assert_eq!(numbers.normalize(&mut item), ["rawMaterials.1.sequence must lie within 64 bits."]);
        assert_eq!((item["templateId"].as_i64(), item["rawMaterials"][0]["sequence"].as_i64()), (Some(5), Some(2)));
        assert_eq!(
            (item["requestedQuantity"].as_i64(), item["rawMaterials"][2]["sequence"].as_f64()),
            (None, Some(1.5))
        );
        for text in ["9223372036854775807", "-9223372036854775808"] {
            let mut item = json!({ "templateId": serde_json::from_str::<Value>(text).unwrap() });
            assert_eq!(numbers.normalize(&mut item), Vec::<String>::new());
            assert_eq!(item["templateId"].to_string(), text);
        }
        let mut item: Value = serde_json::from_str(r#"{"templateId": 9223372036854775808}"#).unwrap();
        assert_eq!(numbers.normalize(&mut item), ["templateId must lie within 64 bits."]);
    }
}
