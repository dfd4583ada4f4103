//! Bodies of batches and their items: JSON, envelope, schema, rules between fields, and the key that a result repeats.

use axum::http::{StatusCode, header, request::Parts};
use jiff::tz::TimeZone;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use mime::APPLICATION_JSON;
use serde_json::{Map, Value, json};
use takt_contract::{Field, FieldKind, Rule, Shape, wire::duration::parse_ticks};

use crate::{
    PlantError,
    answer::Answer,
    form::{is_utf_8, media_type},
    interface::{
        numbers::{WholeNumbers, is_whole},
        reader::{self, ITEMS, Unread},
    },
    time_window::date_time,
};

/// An answer names so many of an item's errors: a person needs no more, and a hostile item has a million.
pub(crate) const MAX_REASONS: usize = 50;
/// Where there are more.
pub(crate) const MORE_ERRORS: &str = "There are more errors than these.";
/// What a sentence about an item as a whole begins with.
pub(crate) const THE_ITEM: &str = "The item";
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
/// How the contract's patterns of date-times begin, and those of durations don't.
const FOUR_DIGITS: &str = "^[0-9]{4}-";

/// A body that is no batch, as JSON.
pub(crate) fn json(parts: &Parts, bytes: &[u8]) -> Result<Value, Answer> {
    declared_json(parts)?;
    reader::value(bytes).map_err(unread)
}

fn declared_json(parts: &Parts) -> Result<(), Answer> {
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

fn unread(reason: Unread) -> Answer {
    let too_large = |text: &str| Answer::error(StatusCode::PAYLOAD_TOO_LARGE, text);
    match reason {
        Unread::NoJson(error) => Answer::bad_request(format!("The body is not valid JSON: {error}.")),
        Unread::Items(most) => too_large(&format!("The batch has more than {most} items.")),
        Unread::Item(most) => too_large(&format!("An item of the batch has more than {most} values.")),
        Unread::Values(most) => too_large(&format!("The body has more than {most} values.")),
    }
}

/// The items of a batch, at most `most` of them.
pub(crate) fn items(parts: &Parts, bytes: &[u8], most: usize) -> Result<Vec<Value>, Answer> {
    declared_json(parts)?;
    let Value::Object(mut body) = reader::batch(bytes, most).map_err(unread)? else {
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

/// Whether items of one operation are valid by themselves, and what identifies them.
#[derive(Debug)]
pub(crate) struct ItemCheck {
    schema: Validator,
    rules: Vec<Rule>,
    key: Vec<Field>,
    numbers: WholeNumbers,
    /// As the site has the items that the plant takes, where it follows a site's contract.
    of_site: Vec<Field>,
    zone: TimeZone,
}

impl ItemCheck {
    /// `schemas` is what [`bare_schemas`] made of the contract.
    pub(crate) fn new(schemas: &Value, shape: &Shape, key: &[String], zone: &TimeZone) -> Result<Self, PlantError> {
        let name = format!("#/components/schemas/{}", shape.schema);
        let root = json!({ "$ref": name, "components": { "schemas": schemas } });
        let place = zone.clone();
        let schema = jsonschema::options()
            .should_validate_formats(true)
            .with_format("iso-date-time", move |text: &str| date_time(text, &place).is_some())
            .with_format("duration-hms", |text: &str| parse_ticks(text).is_some())
            .build(&root)
            .map_err(|error| PlantError::Schema { schema: shape.schema.clone(), reason: error.to_string() })?;
        let field = |name: &String| shape.fields.iter().find(|field| field.name == *name).cloned();
        let key: Option<Vec<Field>> = key.iter().map(field).collect();
        let key =
            key.ok_or_else(|| PlantError::Schema { schema: shape.schema.clone(), reason: "no key".to_owned() })?;
        let numbers = WholeNumbers::of(&shape.fields);
        Ok(Self { schema, rules: shape.rules.clone(), key, numbers, of_site: Vec::new(), zone: zone.clone() })
    }

    /// The same, which also asks for what a site needs.
    pub(crate) fn with_site(self, shape: Option<&Shape>) -> Self {
        Self { of_site: shape.map(|shape| shape.fields.clone()).unwrap_or_default(), ..self }
    }

    /// One string per violated rule; none where the item is valid. Of an item that is nothing but errors, the first ones.
    /// Whole numbers are written as such.
    pub(crate) fn violations(&self, item: &mut Value) -> Vec<String> {
        let mut violations = self.numbers.straighten(item);
        let item = &*item;
        if !self.schema.is_valid(item) {
            violations.extend(self.broken(item));
        }
        missing(&self.of_site, item, "", &mut violations);
        for Rule::Before { first, second, .. } in &self.rules {
            let moment = |name: &str| item.get(name)?.as_str().and_then(|text| date_time(text, &self.zone));
            if let (Some(begin), Some(end)) = (moment(first), moment(second))
                && begin >= end
            {
                violations.push(format!("{first} must be before {second}."));
            }
        }
        violations
    }

    fn broken(&self, item: &Value) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        for error in self.schema.iter_errors(item) {
            if sentences.len() == MAX_REASONS {
                sentences.push(MORE_ERRORS.to_owned());
                break;
            }
            let sentence = sentence(&error);
            // A value that breaks both its pattern and its format breaks one rule for a person.
            if sentences.last() != Some(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences
    }

    /// The key members as a result repeats them. What can't be repeated as the contract wants it stands there blank.
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

/// Tells of the fields that are required and aren't there.
fn missing(fields: &[Field], item: &Value, front: &str, violations: &mut Vec<String>) {
    for field in fields {
        let (path, value) = (format!("{front}{}", field.name), item.get(&field.name));
        if field.required && value.is_none_or(|value| value.is_null() && !field.nullable) {
            let sentence = format!("{path} is required.");
            if violations.len() < MAX_REASONS && !violations.contains(&sentence) {
                violations.push(sentence);
            }
        }
        match value {
            Some(Value::Array(parts)) if !field.fields.is_empty() => {
                for (place, part) in parts.iter().enumerate().filter(|(_, part)| part.is_object()) {
                    missing(&field.fields, part, &format!("{path}.{place}."), violations);
                }
            }
            Some(part @ Value::Object(_)) => missing(&field.fields, part, &format!("{path}."), violations),
            _ => {}
        }
    }
}

/// The contract's schemas without what only people read: compiling them is the longest part of a plant's start.
pub(crate) fn bare_schemas(document: &Value) -> Value {
    let mut schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    bare(&mut schemas, true);
    schemas
}

/// `names` tells whether the members are names of schemas, which may be called anything.
fn bare(value: &mut Value, names: bool) {
    match value {
        Value::Object(members) => {
            if !names {
                // What lies beyond 64 bits is found before, and said by itself.
                let beyond = |value: &Value| value.as_f64().is_some_and(|bound| bound.abs() >= TWO_TO_63);
                let is_end = |name: &str, value: &Value| matches!(name, "minimum" | "maximum") && beyond(value);
                members.retain(|name, value| {
                    !name.starts_with("x-takt-") && name != "description" && !is_end(name, value)
                });
            }
            for (name, member) in members.iter_mut() {
                bare(member, !names && name == "properties");
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| bare(value, false)),
        _ => {}
    }
}

/// A violated rule as a person would say it.
fn sentence(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let path = path.trim_start_matches('/').replace('/', ".");
    let subject = if path.is_empty() { THE_ITEM } else { path.as_str() };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            if path.is_empty() { format!("{name} is required.") } else { format!("{path}.{name} is required.") }
        }
        ValidationErrorKind::MinLength { limit: 1 } => format!("{subject} is required."),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("{subject} must be above {}.", plain(limit)),
        ValidationErrorKind::Minimum { limit } => format!("{subject} must be at least {}.", plain(limit)),
        ValidationErrorKind::Maximum { limit } => format!("{subject} must be at most {}.", plain(limit)),
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

fn plain(limit: &Value) -> String {
    limit.as_f64().map_or_else(|| limit.to_string(), |number| number.to_string())
}

fn type_name(kind: &jsonschema::error::TypeKind) -> String {
    use jsonschema::error::TypeKind;
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(_) => "of another type".to_owned(),
    }
}
