//! Checks parameters that are numbers or date-times against the contract's schemas.

use jiff::tz::TimeZone;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{
    PlantError,
    form::Parameters,
    time_window::{date_error, is_date_or_time},
};

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// The checks of an operation's parameters. Parameters that accept any text have no check.
#[derive(Debug, Default)]
pub(crate) struct ParameterChecks(Vec<ParameterCheck>);

#[derive(Debug)]
struct ParameterCheck {
    name: String,
    schema: Validator,
    is_number: bool,
    /// The sentence to return if the value is invalid.
    rule: String,
}

impl ParameterChecks {
    /// Compiles the checks for an operation in the contract document.
    pub(crate) fn from_operation(
        document: &Value,
        path: &str,
        method: &str,
        zone: &TimeZone,
    ) -> Result<Self, PlantError> {
        let operation = document.get("paths").and_then(|paths| paths.get(path)?.get(method.to_lowercase()));
        let listed = operation.and_then(|operation| operation.get("parameters")).and_then(Value::as_array);
        let checks = listed.into_iter().flatten().filter_map(|node| ParameterCheck::from_node(document, node, zone));
        checks.collect::<Result<_, _>>().map(Self)
    }

    /// Returns a sentence for each invalid parameter. Parameters for which `is_asked` returns false aren't checked.
    pub(crate) fn violations(&self, parameters: &Parameters, is_asked: impl Fn(&str) -> bool) -> Vec<String> {
        let checked = self.0.iter().filter(|check| is_asked(&check.name));
        let refused = checked.filter(|check| parameters.get(&check.name).is_some_and(|value| !check.accepts(value)));
        refused.map(|check| check.rule.clone()).collect()
    }

    /// Returns the sentence for an invalid value of a parameter. None if the value is valid.
    pub(crate) fn violation(&self, name: &str, value: &str) -> Option<&str> {
        let check = self.0.iter().find(|check| check.name == name)?;
        (!check.accepts(value)).then_some(check.rule.as_str())
    }
}

impl ParameterCheck {
    /// Compiles the check of a parameter. None if any text is valid.
    fn from_node(document: &Value, node: &Value, zone: &TimeZone) -> Option<Result<Self, PlantError>> {
        let reference = node.get("$ref").and_then(Value::as_str);
        let node = reference.map_or(Some(node), |at| document.pointer(at.trim_start_matches('#')))?;
        let (name, schema) = (node.get("name")?.as_str()?, node.get("schema")?);
        let is_number = schema.get("type") == Some(&json!("integer"));
        if !is_number && schema.get("format").is_none() {
            return None;
        }
        let format_zone = zone.clone();
        let compiled = jsonschema::options()
            .should_validate_formats(true)
            .with_format("iso-date-time", move |text: &str| is_date_or_time(text, &format_zone))
            .build(schema)
            .map_err(|error| PlantError::Schema { schema: name.to_owned(), reason: error.to_string() });
        let rule = if is_number { number_rule(name, schema) } else { date_error(name) };
        Some(compiled.map(|schema| Self { name: name.to_owned(), schema, is_number, rule }))
    }

    fn accepts(&self, value: &str) -> bool {
        if !self.is_number {
            return self.schema.is_valid(&json!(value));
        }
        let digits = value.strip_prefix('-').unwrap_or(value);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_whole && value.parse::<i64>().is_ok_and(|number| self.schema.is_valid(&json!(number)))
    }
}

/// Describes the valid numbers. Bounds at the end of the 64-bit range only reflect the number's format, so they are
/// omitted.
fn number_rule(name: &str, schema: &Value) -> String {
    let bound = |name: &str| schema.get(name).filter(|bound| bound.as_f64().is_some_and(|end| end.abs() < TWO_TO_63));
    let minimum = bound("minimum").map(|minimum| format!(" from {minimum}")).unwrap_or_default();
    let maximum = bound("maximum").map(|maximum| format!(" to {maximum}")).unwrap_or_default();
    format!("{name} must be a whole number{minimum}{maximum}.")
}
