//! Whether an event is as the interface description has it, and where it isn't.
//!
//! Owns the checks of each kind, made from the contract in force, and the sentences about what differs. Leaves to takt-contract what an event
//! of a kind carries.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{Timestamp, civil::DateTime};
use jsonschema::{ValidationError, Validator, error::TypeKind, error::ValidationErrorKind};
use serde_json::Value;
use takt_contract::{Contract, DATE_TIME_FORMAT, DURATION_FORMAT, EventKind, Field, wire::duration::parse_ticks};
use takt_core::words::Words;

/// Differences that are told of one event.
const MAX_DIFFERENCES: usize = 10;
/// Of a list only so many entries are looked through for what to tell.
const MAX_ENTRIES: usize = 20;
/// Characters of a value that are told.
const MAX_VALUE_LENGTH: usize = 60;
/// Characters of a date-time; a longer one is none.
const MAX_DATE_TIME_LENGTH: usize = 40;

/// The checks of each kind of event that a contract knows.
#[derive(Debug, Default)]
pub struct EventChecks(HashMap<i64, Validator>);

impl EventChecks {
    /// By the contract in force at a site. A kind whose schema can't be used isn't checked.
    #[must_use]
    pub fn of(contract: &Contract) -> Self {
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

    /// Whether an event in Takt's names and forms is as the contract has its kind.
    #[must_use]
    pub fn conforms(&self, kind: i64, event: &Value) -> bool {
        self.0.get(&kind).is_none_or(|check| check.is_valid(event))
    }

    /// What differs, in sentences, each with its place, what is missing last; the first ones where it is much.
    pub(crate) fn differences(&self, kind: &EventKind, event: &Value, words: &Words) -> Vec<String> {
        let Some(check) = self.0.get(&i64::from(kind.id)) else { return Vec::new() };
        // Each entry of a long list may differ in each of its members.
        let beginning = beginning(event);
        let (mut wrong, mut missing, mut places) = (Vec::new(), Vec::new(), HashSet::new());
        let first = check.validate(event).err();
        for error in check.iter_errors(&beginning).chain(first) {
            let (place, sentence) = difference(&error, &kind.fields, words);
            // A value that breaks several rules is told once.
            if !places.insert(place) {
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
        // Who sends little lacks much: that mustn't hide what is wrong.
        let mut told = wrong;
        told.append(&mut missing);
        if told.len() > MAX_DIFFERENCES {
            told.truncate(MAX_DIFFERENCES);
            told.push(words.text(&["event-difference", "more"], &BTreeMap::new()));
        }
        told
    }
}

/// ISO 8601, with an offset or without.
fn is_date_time(text: &str) -> bool {
    let Some((_, time)) = text.split_once(['T', 't', ' ']).filter(|_| text.len() <= MAX_DATE_TIME_LENGTH) else {
        return false;
    };
    match time.contains(['Z', 'z', '+', '-', '[']) {
        true => text.parse::<Timestamp>().is_ok(),
        false => text.parse::<DateTime>().is_ok(),
    }
}

/// An event with the first entries of each list.
fn beginning(value: &Value) -> Value {
    match value {
        Value::Array(entries) => entries.iter().take(MAX_ENTRIES).map(beginning).collect(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), beginning(member))).collect(),
        other => other.clone(),
    }
}

/// The place of a difference, as the site names it, and a sentence about it.
fn difference(error: &ValidationError<'_>, fields: &[Field], words: &Words) -> (String, String) {
    let place = place(error, fields);
    let said = |key: &str, member: String, others: &[(&str, String)]| {
        let mut parameters: BTreeMap<String, String> =
            others.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        parameters.insert("member".to_owned(), member.clone());
        (member, words.text(&["event-difference", key], &parameters))
    };
    let found = ("found", shortened(error.instance()));
    match error.kind() {
        ValidationErrorKind::Required { property } => said("missing", place.member(property.as_str()), &[]),
        ValidationErrorKind::Type { kind } => {
            said("type", place.whole(), &[("expected", type_words(kind, words)), found])
        }
        ValidationErrorKind::MinItems { .. } => said("empty", place.whole(), &[]),
        ValidationErrorKind::Format { format } if format == DATE_TIME_FORMAT => {
            said("date-time", place.whole(), &[found])
        }
        ValidationErrorKind::Format { format } if format == DURATION_FORMAT => {
            said("duration", place.whole(), &[found])
        }
        ValidationErrorKind::Not { schema } => {
            let member = schema.get("required").and_then(|required| required.get(0)).and_then(Value::as_str);
            said("unexpected", place.member(member), &[])
        }
        other => said("other", place.whole(), &[("rule", format!("{} ({})", other.keyword(), error.masked())), found]),
    }
}

/// Where something is in an event.
struct Place<'a> {
    parts: Vec<String>,
    /// The fields of what is there.
    fields: &'a [Field],
}

impl Place<'_> {
    fn whole(&self) -> String {
        self.parts.join(".")
    }

    fn member(&self, name: Option<&str>) -> String {
        let name = name.unwrap_or_default();
        let name = self.fields.iter().find(|field| field.name == name).map_or(name, Field::wire_name);
        self.parts.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
    }
}

fn place<'a>(error: &ValidationError<'_>, fields: &'a [Field]) -> Place<'a> {
    let mut place = Place { parts: Vec::new(), fields };
    let path = error.instance_path().to_string();
    for part in path.split('/').skip(1) {
        match place.fields.iter().find(|field| field.name == part) {
            Some(field) => {
                place.parts.push(field.wire_name().to_owned());
                place.fields = &field.fields;
            }
            // The number of an entry, or a member that the contract doesn't know.
            None => place.parts.push(part.to_owned()),
        }
    }
    place
}

fn type_words(kind: &TypeKind, words: &Words) -> String {
    let word = |name: String| words.text(&["event-difference", "types", &name], &BTreeMap::new());
    let all: Vec<String> = match kind {
        TypeKind::Single(kind) => vec![word(kind.to_string())],
        TypeKind::Multiple(kinds) => kinds.iter().map(|kind| word(kind.to_string())).collect(),
    };
    all.join(" / ")
}

fn shortened(value: &Value) -> String {
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
        let checks = EventChecks::of(&contract);
        let kind = contract.events().iter().find(|kind| kind.id == 2).unwrap();
        let event = json!({ "WorkOrders": [{ "BeginReal": null, "Shift": "late", "Code": 7 }] });
        let told = checks.differences(kind, &event, &Words::load(Language::En));
        let told = |place: &str| told.iter().any(|sentence| sentence.starts_with(&format!("{place} ")));
        assert!(told("orders.0.Shift") && told("orders.0.Code") && told("WorkStation"), "{event}");
        assert!(!told("orders.0.started") && !told("orders.0.EndReal") && !told("Description"), "{event}");
        assert!(!checks.conforms(2, &event) && checks.conforms(99, &event));
    }
}
