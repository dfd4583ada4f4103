//! Compares events with the interface description and describes the differences.
//!
//! The checks of each kind of event are made from the contract in force. `takt-contract` defines the members of each
//! kind.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{Timestamp, civil::DateTime};
use jsonschema::{ValidationError, Validator, error::TypeKind, error::ValidationErrorKind};
use serde_json::Value;
use takt_contract::{Contract, DATE_TIME_FORMAT, DURATION_FORMAT, EventKind, Field, wire::duration::parse_ticks};
use takt_core::words::Words;

/// The maximum number of differences that are listed for one event.
const MAX_DIFFERENCES: usize = 10;
/// The number of entries of each list that are searched for differences.
const MAX_ENTRIES: usize = 20;
/// The maximum length of a shown value, in characters.
const MAX_VALUE_LENGTH: usize = 60;
/// The maximum length of a date-time, in bytes.
const MAX_DATE_TIME_LENGTH: usize = 40;

/// The checks for each kind of event of a contract.
#[derive(Debug, Default)]
pub struct EventChecks(HashMap<i64, Validator>);

impl EventChecks {
    /// Creates the checks from a site's contract in force. A kind whose schema is invalid isn't checked.
    #[must_use]
    pub fn from_contract(contract: &Contract) -> Self {
        let check = |(id, schema): (i32, Value)| {
            let checked = jsonschema::options()
                .should_validate_formats(true)
                .with_format(DATE_TIME_FORMAT, is_date_time)
                .with_format(DURATION_FORMAT, |text: &str| parse_ticks(text).is_some())
                .build(&schema);
            match checked {
                Ok(check) => Some((i64::from(id), check)),
                Err(error) => {
                    tracing::error!(%error, event = id, "events of this kind aren't checked");
                    None
                }
            }
        };
        Self(contract.event_schemas().into_iter().filter_map(check).collect())
    }

    /// Returns whether a decoded event conforms to the contract's schema for its kind. A kind without a check conforms.
    #[must_use]
    pub fn conforms(&self, kind: i64, event: &Value) -> bool {
        self.0.get(&kind).is_none_or(|check| check.is_valid(event))
    }

    /// Describes the differences, each with its member, the missing members last. Lists at most [`MAX_DIFFERENCES`].
    pub(crate) fn describe_differences(&self, kind: &EventKind, event: &Value, words: &Words) -> Vec<String> {
        let Some(check) = self.0.get(&i64::from(kind.id)) else { return Vec::new() };
        // Searches only the first entries, because each entry of a long list may differ in each of its members.
        let shortened_event = first_entries(event);
        let (mut wrong, mut missing, mut members) = (Vec::new(), Vec::new(), HashSet::new());
        let first = check.validate(event).err();
        for error in check.iter_errors(&shortened_event).chain(first) {
            let (member, sentence) = describe_difference(&error, &kind.fields, words);
            // A value that breaks several rules is listed once.
            if !members.insert(member) {
                continue;
            }
            match error.kind() {
                ValidationErrorKind::Required { .. } => missing.push(sentence),
                _ => wrong.push(sentence),
            }
            if wrong.len() > MAX_DIFFERENCES {
                break;
            }
        }
        // Many missing members mustn't hide wrong values.
        let mut sentences = wrong;
        sentences.append(&mut missing);
        if sentences.len() > MAX_DIFFERENCES {
            sentences.truncate(MAX_DIFFERENCES);
            sentences.push(words.text(&["event-difference", "more"], &BTreeMap::new()));
        }
        sentences
    }
}

/// Returns whether a text is an ISO 8601 date-time, with an offset or without.
fn is_date_time(text: &str) -> bool {
    let Some((_, time)) = text.split_once(['T', 't', ' ']).filter(|_| text.len() <= MAX_DATE_TIME_LENGTH) else {
        return false;
    };
    match time.contains(['Z', 'z', '+', '-', '[']) {
        true => text.parse::<Timestamp>().is_ok(),
        false => text.parse::<DateTime>().is_ok(),
    }
}

/// Returns the event with only the first entries of each list.
fn first_entries(value: &Value) -> Value {
    match value {
        Value::Array(entries) => entries.iter().take(MAX_ENTRIES).map(first_entries).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), first_entries(member))).collect(),
        other => other.clone(),
    }
}

/// Returns the name of the differing member at the site, and a sentence about the difference.
fn describe_difference(error: &ValidationError<'_>, fields: &[Field], words: &Words) -> (String, String) {
    let path = member_path(error, fields);
    let sentence = |key: &str, member: String, values: &[(&str, String)]| {
        let mut parameters: BTreeMap<String, String> =
            values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        parameters.insert("member".to_owned(), member.clone());
        (member, words.text(&["event-difference", key], &parameters))
    };
    let found = ("found", shorten(error.instance()));
    match error.kind() {
        ValidationErrorKind::Required { property } => sentence("missing", path.member_text(property.as_str()), &[]),
        ValidationErrorKind::Type { kind } => {
            sentence("type", path.to_text(), &[("expected", type_text(kind, words)), found])
        }
        ValidationErrorKind::MinItems { .. } => sentence("empty", path.to_text(), &[]),
        ValidationErrorKind::Format { format } if format == DATE_TIME_FORMAT => {
            sentence("date-time", path.to_text(), &[found])
        }
        ValidationErrorKind::Format { format } if format == DURATION_FORMAT => {
            sentence("duration", path.to_text(), &[found])
        }
        ValidationErrorKind::Not { schema } => {
            let member = schema.get("required").and_then(|required| required.get(0)).and_then(Value::as_str);
            sentence("unexpected", path.member_text(member), &[])
        }
        other => {
            sentence("other", path.to_text(), &[("rule", format!("{} ({})", other.keyword(), error.masked())), found])
        }
    }
}

/// The path of a member in an event.
struct MemberPath<'a> {
    parts: Vec<String>,
    /// The fields of the value at this path.
    fields: &'a [Field],
}

impl MemberPath<'_> {
    fn to_text(&self) -> String {
        self.parts.join(".")
    }

    fn member_text(&self, name: Option<&str>) -> String {
        let name = name.unwrap_or_default();
        let name = self.fields.iter().find(|field| field.name == name).map_or(name, Field::wire_name);
        self.parts.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
    }
}

fn member_path<'a>(error: &ValidationError<'_>, fields: &'a [Field]) -> MemberPath<'a> {
    let mut path = MemberPath { parts: Vec::new(), fields };
    let pointer = error.instance_path().to_string();
    for part in pointer.split('/').skip(1) {
        match path.fields.iter().find(|field| field.name == part) {
            Some(field) => {
                path.parts.push(field.wire_name().to_owned());
                path.fields = &field.fields;
            }
            // The index of an entry, or a member that the contract doesn't have.
            None => path.parts.push(part.to_owned()),
        }
    }
    path
}

fn type_text(kind: &TypeKind, words: &Words) -> String {
    let word = |name: String| words.text(&["event-difference", "types", &name], &BTreeMap::new());
    let all: Vec<String> = match kind {
        TypeKind::Single(kind) => vec![word(kind.to_string())],
        TypeKind::Multiple(kinds) => kinds.iter().map(|kind| word(kind.to_string())).collect(),
    };
    all.join(" / ")
}

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(MAX_VALUE_LENGTH).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;
    use takt_contract::overlay::Overlay;
    use takt_core::words::Language;

    use super::*;

    #[test]
    fn what_a_site_has_otherwise_is_no_difference_and_places_have_the_names_of_the_site() {
        let provenance = json!({ "level": "site", "source": "its document" });
        let field = |name: &str, more: Value| {
            let mut field = json!({ "name": name, "provenance": provenance });
            field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            field
        };
        let orders = [
            field("BeginReal", json!({ "wire": "started", "nullable": true })),
            field("EndReal", json!({ "gone": true })),
            field("Shift", json!({ "kind": "integer", "required": true })),
        ];
        let fields = [
            field("Description", json!({ "required": false })),
            field("WorkOrders", json!({ "wire": "orders", "fields": orders })),
        ];
        let events = json!([{ "id": 2, "provenance": provenance, "fields": fields }]);
        let overlay: Overlay =
            serde_json::from_value(json!({ "operations": [], "events": events, "errors": null, "reply": null }))
                .unwrap();
        let contract = Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC);
        let checks = EventChecks::from_contract(&contract);
        let kind = contract.events().iter().find(|kind| kind.id == 2).unwrap();
        let event = json!({ "WorkOrders": [{ "BeginReal": null, "Shift": "late", "Code": 7 }] });
        let sentences = checks.describe_differences(kind, &event, &Words::load(Language::En));
        let is_listed = |path: &str| sentences.iter().any(|sentence| sentence.starts_with(&format!("{path} ")));
        assert!(is_listed("orders.0.Shift") && is_listed("orders.0.Code") && is_listed("WorkStation"), "{event}");
        assert!(
            !is_listed("orders.0.started") && !is_listed("orders.0.EndReal") && !is_listed("Description"),
            "{event}"
        );
        assert!(!checks.conforms(2, &event) && checks.conforms(99, &event));
    }
}
