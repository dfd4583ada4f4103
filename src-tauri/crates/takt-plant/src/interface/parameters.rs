//! Parameters of an address, held against the contract's schemas: numbers and moments.

use jiff::tz::TimeZone;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{
    PlantError,
    form::Parameters,
    time_window::{is_moment, not_a_moment},
};

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// The parameters of one operation that aren't any text.
#[derive(Debug, Default)]
pub(crate) struct ParameterChecks(Vec<ParameterCheck>);

#[derive(Debug)]
struct ParameterCheck {
    name: String,
    schema: Validator,
    is_number: bool,
    /// What is said of a value that the schema refuses.
    rule: String,
}

impl ParameterChecks {
    /// Those of an operation of the contract document.
    pub(crate) fn of(document: &Value, path: &str, method: &str, zone: &TimeZone) -> Result<Self, PlantError> {
        let operation = document.get("paths").and_then(|paths| paths.get(path)?.get(method.to_lowercase()));
        let listed = operation.and_then(|operation| operation.get("parameters")).and_then(Value::as_array);
        let checks = listed.into_iter().flatten().filter_map(|node| ParameterCheck::of(document, node, zone));
        checks.collect::<Result<_, _>>().map(Self)
    }

    /// One sentence for each parameter whose value the contract refuses. `is_asked` tells which ones are looked at.
    pub(crate) fn violations(&self, parameters: &Parameters, is_asked: impl Fn(&str) -> bool) -> Vec<String> {
        let asked = self.0.iter().filter(|check| is_asked(&check.name));
        let refused = asked.filter(|check| parameters.get(&check.name).is_some_and(|value| !check.takes(value)));
        refused.map(|check| check.rule.clone()).collect()
    }

    /// What is wrong with the value of one parameter, if anything.
    pub(crate) fn violation(&self, name: &str, value: &str) -> Option<&str> {
        let check = self.0.iter().find(|check| check.name == name)?;
        (!check.takes(value)).then_some(check.rule.as_str())
    }
}

impl ParameterCheck {
    /// Nothing for a parameter that may be any text.
    fn of(document: &Value, node: &Value, zone: &TimeZone) -> Option<Result<Self, PlantError>> {
        let reference = node.get("$ref").and_then(Value::as_str);
        let node = reference.map_or(Some(node), |at| document.pointer(at.trim_start_matches('#')))?;
        let (name, schema) = (node.get("name")?.as_str()?, node.get("schema")?);
        let is_number = schema.get("type") == Some(&json!("integer"));
        if !is_number && schema.get("format").is_none() {
            return None;
        }
        let place = zone.clone();
        let compiled = jsonschema::options()
            .should_validate_formats(true)
            .with_format("iso-date-time", move |text: &str| is_moment(text, &place))
            .build(schema)
            .map_err(|error| PlantError::Schema { schema: name.to_owned(), reason: error.to_string() });
        let rule = if is_number { not_a_number(name, schema) } else { not_a_moment(name) };
        Some(compiled.map(|schema| Self { name: name.to_owned(), schema, is_number, rule }))
    }

    fn takes(&self, value: &str) -> bool {
        if !self.is_number {
            return self.schema.is_valid(&json!(value));
        }
        let digits = value.strip_prefix('-').unwrap_or(value);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_whole && value.parse::<i64>().is_ok_and(|number| self.schema.is_valid(&json!(number)))
    }
}

/// The ends of 64 bits say how a number is held, and nothing to a person.
fn not_a_number(name: &str, schema: &Value) -> String {
    let bound = |name: &str| schema.get(name).filter(|bound| bound.as_f64().is_some_and(|end| end.abs() < TWO_TO_63));
    let least = bound("minimum").map(|least| format!(" from {least}")).unwrap_or_default();
    let most = bound("maximum").map(|most| format!(" to {most}")).unwrap_or_default();
    format!("{name} must be a whole number{least}{most}.")
}
