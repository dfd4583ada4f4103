//! Assumptions about the service where the specification is silent, and a site's replacements for them.
//!
//! This module validates the values of assumptions. `contract` applies them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{ContractError, FieldKind, Operation, Provenance, form::ReplyForm, read_back::ListEffects};

/// The IDs of assumptions about every operation, or about the reply to an event.
pub(crate) const ABSENT_STATUSES: &str = "absent-statuses";
pub(crate) const REPEATABLE_OPERATIONS: &str = "repeat";
pub(crate) const VALIDATION_REPLY: &str = "validation-reply";
pub(crate) const SENT_LISTS: &str = "sent-lists";
/// The ID of the assumption about the delivery and signature of events.
const EVENT_DELIVERY: &str = "event-delivery";
/// The IDs of other assumptions whose values Takt uses, which are checked only by their type. Values of any other
/// assumption are documentation, so a site can't replace them.
const TYPE_CHECKED_ASSUMPTIONS: [&str; 3] = ["event-date-unset", "event-unanswered-check", "reserved-prefix"];
/// The member with the value for all operations that aren't named.
pub(crate) const ALL_OPERATIONS: &str = "*";

/// An assumption about the service (`x-takt-assumptions`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Assumption {
    /// For example `retry-after-unit`.
    pub id: String,
    /// The question that the specification leaves open.
    pub subject: String,
    /// The assumed answer as a sentence.
    pub decision: String,
    /// The assumed answer as data, if Takt uses it. A site may replace it.
    #[serde(default)]
    pub value: Option<Value>,
    pub provenance: Provenance,
}

/// The reason why a site can't replace an assumption with a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssumptionError {
    #[error("there is no assumption `{0}` with a value")]
    Unknown(String),
    #[error("`{0}`: Takt can't follow another value")]
    Fixed(String),
    #[error("`{id}`: {at} is of another type than {known}")]
    Type { id: String, at: String, known: String },
    #[error("`{id}`: there is no operation `{operation}`")]
    Operation { id: String, operation: String },
    #[error("`{id}`: `{operation}` sends no list `{list}`")]
    List { id: String, operation: String, list: String },
    #[error("`{id}`: {reason}")]
    Value { id: String, reason: String },
}

impl Assumption {
    /// Checks whether a site may replace the assumption with this value.
    ///
    /// # Errors
    /// Returns [`AssumptionError`] with the reason if it may not.
    pub(crate) fn check(&self, value: &Value, operations: &[Operation]) -> Result<(), AssumptionError> {
        let id = &self.id;
        let known = self.value.as_ref().ok_or_else(|| AssumptionError::Unknown(id.clone()))?;
        match id.as_str() {
            ABSENT_STATUSES => {
                parse_by_operation::<Vec<u16>>(id, value, operations)?.into_values().flatten().try_for_each(|status| {
                    let is_failure = (400..600).contains(&status);
                    let reason = || format!("{status} is no status of a failed request");
                    is_failure.then_some(()).ok_or_else(|| AssumptionError::Value { id: id.clone(), reason: reason() })
                })
            }
            REPEATABLE_OPERATIONS => parse_by_operation::<bool>(id, value, operations).map(drop),
            SENT_LISTS if !value.is_object() => {
                let reason = format!("{value}: an object is expected, such as {{\"*\": \"adds\"}}");
                Err(AssumptionError::Value { id: id.clone(), reason })
            }
            SENT_LISTS => {
                let effects =
                    parse_by_operation::<ListEffects>(id, value, operations).map_err(|error| match error {
                        // The error of the untagged enum isn't used, since it doesn't describe the two allowed shapes.
                        AssumptionError::Value { id, .. } => {
                            let reason = format!("{value}: a list either \"replaces\" or \"adds\"");
                            AssumptionError::Value { id, reason }
                        }
                        error => error,
                    })?;
                effects.iter().try_for_each(|(operation, effects)| check_sent_lists(id, operation, effects, operations))
            }
            VALIDATION_REPLY => parse_value::<ReplyForm>(id, value).map(drop),
            EVENT_DELIVERY => {
                check_types(id, known, value, "")?;
                header_names(value).try_for_each(|name| {
                    let reason = || format!("{name:?} can't be the name of a header");
                    is_header_name(name)
                        .then_some(())
                        .ok_or_else(|| AssumptionError::Value { id: id.clone(), reason: reason() })
                })
            }
            _ if TYPE_CHECKED_ASSUMPTIONS.contains(&id.as_str()) => check_types(id, known, value, ""),
            _ if value == known => Ok(()),
            _ => Err(AssumptionError::Fixed(id.clone())),
        }
    }
}

/// Returns the names of the delivery's headers. An empty name means that the site doesn't send the header.
fn header_names(delivery: &Value) -> impl Iterator<Item = &str> {
    let headers = delivery.get("headers").and_then(Value::as_object);
    let names = headers.into_iter().flat_map(|headers| headers.values()).filter_map(Value::as_str);
    names.filter(|name| !name.is_empty())
}

/// Returns whether a text is a valid header name (RFC 9110, 5.6.2).
fn is_header_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Parses a value with a member per operation, and `*` for all others.
fn parse_by_operation<T: DeserializeOwned>(
    id: &str,
    value: &Value,
    operations: &[Operation],
) -> Result<BTreeMap<String, T>, AssumptionError> {
    let members: BTreeMap<String, Value> = parse_value(id, value)?;
    let parse_entry = |(name, value): (String, Value)| {
        if name != ALL_OPERATIONS && !operations.iter().any(|operation| operation.id == name) {
            return Err(AssumptionError::Operation { id: id.to_owned(), operation: name });
        }
        let deserialized = T::deserialize(&value);
        let reason = |cause| AssumptionError::Value { id: id.to_owned(), reason: format!("{name}: {value}: {cause}") };
        deserialized.map(|deserialized| (name.clone(), deserialized)).map_err(reason)
    };
    members.into_iter().map(parse_entry).collect()
}

/// Checks that the operation sends each named list.
fn check_sent_lists(
    id: &str,
    operation: &str,
    effects: &ListEffects,
    operations: &[Operation],
) -> Result<(), AssumptionError> {
    let matching = || operations.iter().filter(|known| operation == ALL_OPERATIONS || known.id == operation);
    let fields = || matching().filter_map(|known| known.request.as_ref()).flat_map(|shape| &shape.fields);
    let unknown =
        effects.list_names().find(|list| !fields().any(|field| field.kind == FieldKind::List && field.name == **list));
    let Some(list) = unknown else { return Ok(()) };
    let operation = operation.to_owned();
    Err(AssumptionError::List { id: id.to_owned(), operation, list: list.to_owned() })
}

fn parse_value<T: DeserializeOwned>(id: &str, value: &Value) -> Result<T, AssumptionError> {
    T::deserialize(value)
        .map_err(|cause| AssumptionError::Value { id: id.to_owned(), reason: format!("{value}: {cause}") })
}

/// Checks that a new value has the JSON types of the contract's value. Members may be omitted.
fn check_types(id: &str, known: &Value, value: &Value, at: &str) -> Result<(), AssumptionError> {
    match (known, value) {
        (Value::Object(known), Value::Object(members)) => members.iter().try_for_each(|(name, value)| {
            known.get(name).map_or(Ok(()), |known| check_types(id, known, value, &format!("{at}/{name}")))
        }),
        (Value::Array(known), Value::Array(parts)) => {
            let first = known.first();
            parts.iter().enumerate().try_for_each(|(index, part)| {
                first.map_or(Ok(()), |known| check_types(id, known, part, &format!("{at}/{index}")))
            })
        }
        _ if std::mem::discriminant(known) == std::mem::discriminant(value) => Ok(()),
        _ => {
            let at = if at.is_empty() { value.to_string() } else { format!("{at} ({value})") };
            Err(AssumptionError::Type { id: id.to_owned(), at, known: known.to_string() })
        }
    }
}

pub(crate) fn read_assumptions(document: &Value, operations: &[Operation]) -> Result<Vec<Assumption>, ContractError> {
    let unusable = |reason| ContractError::Unusable {
        at: "the document".to_owned(),
        member: "x-takt-assumptions".to_owned(),
        reason,
    };
    let Some(listed) = document.get("x-takt-assumptions") else { return Ok(Vec::new()) };
    let listed: Vec<Assumption> = Vec::deserialize(listed).map_err(|cause| unusable(cause.to_string()))?;
    for assumption in &listed {
        let Some(value) = &assumption.value else { continue };
        match assumption.check(value, operations) {
            // A site's document may lack operations that the value names.
            Ok(()) | Err(AssumptionError::Operation { .. } | AssumptionError::List { .. }) => {}
            Err(cause) => return Err(unusable(cause.to_string())),
        }
    }
    Ok(listed)
}
