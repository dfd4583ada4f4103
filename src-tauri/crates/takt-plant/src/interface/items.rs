//! Bodies of batches and their items: JSON, envelope, schema, rules between fields, and the key that a result repeats.

use axum::http::{StatusCode, header, request::Parts};
use jiff::tz::TimeZone;
use jsonschema::Validator;
use mime::APPLICATION_JSON;
use serde_json::{Map, Value, json};
use takt_contract::{Field, FieldKind, Rule, Shape, wire::duration::parse_ticks};

use crate::{
    PlantError,
    answer::Answer,
    form::{is_utf_8, media_type},
    interface::{
        numbers::{WholeNumbers, is_whole},
        reader::{self, ITEMS, ParseError},
        violation::{MAX_REASONS, MORE_ERRORS, describe},
    },
    time_window::date_time,
};

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Parses a body that isn't a batch.
pub(crate) fn parse_body(parts: &Parts, bytes: &[u8]) -> Result<Value, Answer> {
    check_content_type(parts)?;
    reader::value(bytes).map_err(parse_error_answer)
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

/// Parses the items of a batch, at most `limit`.
pub(crate) fn parse_items(parts: &Parts, bytes: &[u8], limit: usize) -> Result<Vec<Value>, Answer> {
    check_content_type(parts)?;
    let Value::Object(mut body) = reader::batch(bytes, limit).map_err(parse_error_answer)? else {
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

/// Validates the items of one operation, and returns their keys.
#[derive(Debug)]
pub(crate) struct ItemCheck {
    schema: Validator,
    rules: Vec<Rule>,
    key: Vec<Field>,
    numbers: WholeNumbers,
    /// The fields of a site's contract. Empty without one.
    of_site: Vec<Field>,
    zone: TimeZone,
}

impl ItemCheck {
    /// Compiles the check. `schemas` comes from [`stripped_schemas`].
    pub(crate) fn new(schemas: &Value, shape: &Shape, key: &[String], zone: &TimeZone) -> Result<Self, PlantError> {
        let name = format!("#/components/schemas/{}", shape.schema);
        let root = json!({ "$ref": name, "components": { "schemas": schemas } });
        let format_zone = zone.clone();
        let schema = jsonschema::options()
            .should_validate_formats(true)
            .with_format("iso-date-time", move |text: &str| date_time(text, &format_zone).is_some())
            .with_format("duration-hms", |text: &str| parse_ticks(text).is_some())
            .build(&root)
            .map_err(|error| PlantError::Schema { schema: shape.schema.clone(), reason: error.to_string() })?;
        let field = |name: &String| shape.fields.iter().find(|field| field.name == *name).cloned();
        let key: Option<Vec<Field>> = key.iter().map(field).collect();
        let key =
            key.ok_or_else(|| PlantError::Schema { schema: shape.schema.clone(), reason: "no key".to_owned() })?;
        let numbers = WholeNumbers::from_fields(&shape.fields);
        Ok(Self { schema, rules: shape.rules.clone(), key, numbers, of_site: Vec::new(), zone: zone.clone() })
    }

    /// Extends the check by the fields that a site's contract requires.
    pub(crate) fn with_site(self, shape: Option<&Shape>) -> Self {
        Self { of_site: shape.map(|shape| shape.fields.clone()).unwrap_or_default(), ..self }
    }

    /// Returns one sentence per violated rule, up to a limit. Empty if the item is valid. Rewrites whole numbers
    /// without a fraction.
    pub(crate) fn violations(&self, item: &mut Value) -> Vec<String> {
        let mut violations = self.numbers.normalize(item);
        let item = &*item;
        if !self.schema.is_valid(item) {
            violations.extend(self.schema_errors(item));
        }
        report_missing(&self.of_site, item, "", &mut violations);
        for Rule::Before { first, second, .. } in &self.rules {
            let time_member = |name: &str| item.get(name)?.as_str().and_then(|text| date_time(text, &self.zone));
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
            let sentence = describe(&error);
            // A value that violates both its pattern and its format violates one rule for a person.
            if sentences.last() != Some(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences
    }

    /// Returns the key members for a result. Invalid values become blank, or are left out if optional.
    pub(crate) fn key(&self, item: &Value) -> Map<String, Value> {
        let member = |field: &Field| {
            let value = match (item.get(&field.name), field.kind) {
                (Some(value @ Value::String(_)), FieldKind::Text) => value.clone(),
                (Some(value @ (Value::Number(_) | Value::Bool(_))), FieldKind::Text) => json!(value.to_string()),
                (Some(value), FieldKind::Integer) if is_whole(value) => value.clone(),
                (_, FieldKind::Text) if field.required => json!(""),
                (_, FieldKind::Integer) if field.required => json!(0),
                _ => return None,
            };
            Some((field.name.clone(), value))
        };
        self.key.iter().filter_map(member).collect()
    }
}

/// Reports required fields that are missing.
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

/// Returns the contract's schemas without texts for people. Compiling them is the longest part of a plant's start.
pub(crate) fn stripped_schemas(document: &Value) -> Value {
    let mut schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    strip_texts(&mut schemas, true);
    schemas
}

/// Strips a value. `names` is set if its members are names of schemas, which can be any text.
fn strip_texts(value: &mut Value, names: bool) {
    match value {
        Value::Object(members) => {
            if !names {
                // Values beyond 64 bits are reported by [`WholeNumbers`].
                let beyond = |value: &Value| value.as_f64().is_some_and(|bound| bound.abs() >= TWO_TO_63);
                let is_end = |name: &str, value: &Value| matches!(name, "minimum" | "maximum") && beyond(value);
                members.retain(|name, value| {
                    !name.starts_with("x-takt-") && name != "description" && !is_end(name, value)
                });
            }
            for (name, member) in members.iter_mut() {
                strip_texts(member, !names && name == "properties");
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| strip_texts(value, false)),
        _ => {}
    }
}
