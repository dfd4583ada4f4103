//! Compares sent values with stored ones by the field's kind: decimals as numbers, times in the site's zone, durations
//! by length, and lists part by part. The contract defines whether a sent list replaces or extends the stored one
//! (`sent-lists`).

use std::collections::HashSet;

use serde_json::Value;
use takt_contract::read_back::ListEffect;
use takt_contract::wire::duration::parse_ticks;
use takt_contract::{Field, FieldKind, LocalTime};
use takt_core::site_time::SiteTime;

use crate::read_back::definition::ReadBack;
use crate::read_back::scalar::{finite_number, key_text};

/// A field whose stored value differs from the sent one.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// For example `note`, `properties[COLOUR].value`, `rawMaterials[M-1].quantity`.
    pub field: String,
    /// Null if the service stores no value.
    pub service_value: Value,
    /// Null if sending would remove the value.
    pub sent: Value,
}

impl ReadBack {
    /// Returns the sent fields whose stored value differs, in the contract's order. Ignores fields that aren't sent,
    /// and fields that the service doesn't show.
    pub fn differences(&self, sent: &Value, stored: &Value) -> Vec<Difference> {
        self.compare_fields(sent, stored, |list| self.list_effects.effect_for_list(list))
    }

    /// Returns the differences between two stored states. Their lists are compared completely.
    pub fn state_differences(&self, one: &Value, other: &Value) -> Vec<Difference> {
        self.compare_fields(one, other, |_| ListEffect::Replaces)
    }

    fn compare_fields(&self, sent: &Value, stored: &Value, effect: impl Fn(&str) -> ListEffect) -> Vec<Difference> {
        let mut differences = Vec::new();
        for field in &self.sent.fields {
            let (Some(new), Some(old)) = (sent.get(&field.name), stored.get(&field.name)) else { continue };
            match (field.kind, new, old) {
                (FieldKind::List, Value::Array(new), old) => {
                    let old = old.as_array().map(Vec::as_slice).unwrap_or_default();
                    self.compare_parts(field, new, old, effect(&field.name), &mut differences);
                }
                // A null list adds nothing.
                (FieldKind::List, Value::Null, _) if effect(&field.name) == ListEffect::Adds => {}
                (FieldKind::Object, Value::Object(_), _) => {
                    self.compare_members(field, &field.name, new, old, &mut differences)
                }
                _ if self.is_equal(field, new, old) => {}
                _ => differences.push(Difference {
                    field: field.name.clone(),
                    service_value: old.clone(),
                    sent: new.clone(),
                }),
            }
        }
        differences
    }

    /// Compares the parts of a sent list with the stored ones. Parts with equal keys are matched in order. Parts
    /// without a key are matched in order if the list replaces the stored one, and by content if it adds to it.
    fn compare_parts(
        &self,
        field: &Field,
        new: &[Value],
        old: &[Value],
        effect: ListEffect,
        differences: &mut Vec<Difference>,
    ) {
        let list = self.declaration.lists.iter().find(|known| known.list == field.name);
        let key = |part: &Value, position: usize| match list {
            Some(list) => key_text(part.get(&list.key).unwrap_or(&Value::Null)),
            None => (position + 1).to_string(),
        };
        let is_same = |part: &Value, position: usize, stored: &Value, at: usize| match (list, effect) {
            (None, ListEffect::Adds) => {
                let mut differences = Vec::new();
                self.compare_members(field, &field.name, part, stored, &mut differences);
                differences.is_empty()
            }
            _ => key(stored, at) == key(part, position),
        };
        let mut matched = HashSet::new();
        let mut added = old.len();
        for (position, part) in new.iter().enumerate() {
            let mut stored = old.iter().enumerate();
            let other = stored.find(|(at, stored)| !matched.contains(at) && is_same(part, position, stored, *at));
            let part_key = match (list, effect, other) {
                (None, ListEffect::Adds, None) => {
                    added += 1;
                    added.to_string()
                }
                _ => key(part, position),
            };
            let path = format!("{}[{part_key}]", field.name);
            if let Some((at, _)) = other {
                matched.insert(at);
            }
            self.compare_members(field, &path, part, other.map_or(&Value::Null, |(_, stored)| stored), differences);
        }
        if effect == ListEffect::Adds {
            return;
        }
        for (at, part) in old.iter().enumerate().filter(|(at, _)| !matched.contains(at)) {
            let path = format!("{}[{}]", field.name, key(part, at));
            self.compare_members(field, &path, &Value::Null, part, differences);
        }
    }

    /// Returns the lists that have parts in `now` but not in `then`, and to which requests can only add. Sending the
    /// earlier list again doesn't remove these parts.
    pub fn irremovable_lists(&self, then: &Value, now: &Value) -> Vec<String> {
        let parts = |of: &Value, list: &str| of.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        let has_more = |list: &str| {
            let (then, now) = (parts(then, list), parts(now, list));
            let key = self.declaration.lists.iter().find(|known| known.list == list).map(|known| known.key.as_str());
            let is_new =
                |part: &Value| key.is_some_and(|key| !then.iter().any(|known| known.get(key) == part.get(key)));
            now.len() > then.len() || now.iter().any(is_new)
        };
        let lists = self.sent.fields.iter().filter(|field| field.kind == FieldKind::List).map(|field| &field.name);
        let adding = lists.filter(|list| self.list_effects.effect_for_list(list) == ListEffect::Adds);
        adding.filter(|list| has_more(list)).cloned().collect()
    }

    /// Returns true if a request adds parts without a key to a list, so that sending an item twice adds them twice.
    pub fn adds_parts_without_key(&self) -> bool {
        let keyed = |field: &Field| self.declaration.lists.iter().any(|list| list.list == field.name);
        let mut lists = self.sent.fields.iter().filter(|field| field.kind == FieldKind::List);
        lists.any(|field| self.list_effects.effect_for_list(&field.name) == ListEffect::Adds && !keyed(field))
    }

    /// Compares two parts. A null part doesn't exist.
    fn compare_members(&self, field: &Field, path: &str, new: &Value, old: &Value, differences: &mut Vec<Difference>) {
        let before = differences.len();
        for member in &field.fields {
            let (new, old) = match (new.get(&member.name), old.get(&member.name)) {
                (Some(sent), Some(stored)) => (sent, stored),
                (Some(sent), None) if old.is_null() => (sent, &Value::Null),
                (None, Some(stored)) if new.is_null() => (&Value::Null, stored),
                _ => continue,
            };
            let is_key = self.declaration.lists.iter().any(|list| list.list == field.name && list.key == member.name);
            if !is_key && !self.is_equal(member, new, old) {
                let field = format!("{path}.{}", member.name);
                differences.push(Difference { field, service_value: old.clone(), sent: new.clone() });
            }
        }
        // A part with only its key also differs from a missing part.
        if differences.len() == before && new.is_null() != old.is_null() {
            differences.push(Difference { field: path.to_owned(), service_value: old.clone(), sent: new.clone() });
        }
    }

    /// Compares times as instants. If the service shows only a local time, local times are compared.
    fn is_same_time(&self, field: &Field, sent: &str, stored: &str) -> bool {
        let (Some(sent), Some(stored)) = (SiteTime::parse(sent), SiteTime::parse(stored)) else { return false };
        match (sent, stored) {
            (SiteTime::Timestamp(sent), SiteTime::Timestamp(stored)) => sent == stored,
            // The sent local time is one instant, so a repeated hour doesn't make two instants equal.
            (SiteTime::Local(local), SiteTime::Timestamp(stored)) if field.form.needs_exact_time() => {
                LocalTime::resolve(local, &self.zone).and_then(LocalTime::timestamp) == Some(stored)
            }
            _ => sent.to_local(&self.zone) == stored.to_local(&self.zone),
        }
    }

    /// Returns true if the difference changes a locked property and the item doesn't unlock it.
    pub fn is_locked(&self, difference: &Difference, sent: &Value, locked: &[String]) -> bool {
        self.locks.as_ref().is_some_and(|locks| locks.is_locked(&difference.field, sent, locked))
    }

    /// Returns true if both values mean the same. `one` is sent, `other` is stored by the service.
    pub fn is_equal(&self, field: &Field, one: &Value, other: &Value) -> bool {
        if one == other || (is_empty_value(one) && is_empty_value(other)) {
            return true;
        }
        match field.kind {
            FieldKind::Integer | FieldKind::Number => {
                finite_number(one).zip(finite_number(other)).is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
            }
            FieldKind::DateTime => match (one, other) {
                (Value::String(sent), Value::String(stored)) => self.is_same_time(field, sent, stored),
                _ => false,
            },
            FieldKind::Duration | FieldKind::TimeSpan => match (one, other) {
                (Value::String(one), Value::String(other)) => {
                    parse_ticks(one).is_some_and(|one| parse_ticks(other) == Some(one))
                }
                _ => false,
            },
            FieldKind::Boolean => false,
            FieldKind::Text => !is_empty_value(one) && key_text(one) == key_text(other),
            FieldKind::List | FieldKind::Object => false,
        }
    }
}

/// Returns true for a null, an empty text and an empty list: all mean that there is no value.
fn is_empty_value(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;
    use takt_contract::{Contract, overlay::Overlay};

    use super::*;

    /// Returns true if an order's begin was stored as sent, at a site with this time form.
    fn is_as_sent(form: &str, sent: &str, stored: &str) -> bool {
        let provenance = json!({ "level": "site", "source": "test" });
        let field = json!({ "name": "beginPlanned", "form": { "form": form }, "provenance": provenance });
        let overlay: Overlay = serde_json::from_value(json!({ "operations": [
            { "id": "work-orders.sync", "provenance": provenance, "request": { "fields": [field] } },
        ] }))
        .unwrap();
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let contract = Contract::builtin().unwrap().with_overlay(&overlay, &zone);
        let read_back = ReadBack::for_operation(&contract, "work-orders.sync").unwrap().with_time_zone("Europe/Berlin");
        read_back.differences(&json!({ "beginPlanned": sent }), &json!({ "beginPlanned": stored })).is_empty()
    }

    /// Returns the read-back of orders at a site whose sent lists have these effects.
    fn orders(effects: &Value) -> ReadBack {
        let assumption =
            json!({ "id": "sent-lists", "value": effects, "provenance": { "level": "site", "source": "test" } });
        let overlay: Overlay = serde_json::from_value(json!({ "assumptions": [assumption] })).unwrap();
        let contract = Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC);
        ReadBack::for_operation(&contract, "work-orders.sync").unwrap()
    }

    fn property(key: &str, value: &str) -> Value {
        json!({ "key": key, "value": value })
    }

    #[test]
    fn what_a_sent_list_does_is_the_contracts() {
        let stored = json!({ "properties": [property("COLOR", "red"), property("SIZE", "4")] });
        let sent = json!({ "properties": [property("COLOR", "blue"), property("WIDTH", "2")] });
        let changed = |effects: Value, sent: &Value| -> Vec<String> {
            orders(&effects).differences(sent, &stored).into_iter().map(|one| one.field).collect()
        };
        let (color, width, size) = ("properties[COLOR].value", "properties[WIDTH].value", "properties[SIZE].value");
        assert_eq!(changed(json!({ "*": "replaces" }), &sent), [color, width, size]);
        assert_eq!(changed(json!({ "*": "adds" }), &sent), [color, width]);
        assert_eq!(changed(json!({ "*": "replaces", "work-orders.sync": "adds" }), &sent), [color, width]);
        assert_eq!(changed(json!({ "work-orders.sync": { "properties": "adds" } }), &sent), [color, width]);
        assert_eq!(changed(json!({ "work-orders.sync": { "rawMaterials": "adds" } }), &sent), [color, width, size]);
        assert_eq!(changed(json!({ "work-orders.sync": "replaces", "*": "adds" }), &sent), [color, width, size]);
        for nothing in [json!({ "properties": [] }), json!({ "properties": null }), json!({})] {
            assert_eq!(changed(json!({ "*": "adds" }), &nothing), Vec::<String>::new(), "{nothing}");
        }
        assert!(changed(json!({ "*": "replaces" }), &json!({ "properties": [] })).len() > 1);
    }

    #[test]
    fn what_is_held_is_compared_as_a_whole_whatever_a_sent_list_does() {
        let one = json!({ "properties": [property("COLOR", "red")] });
        let both = json!({ "properties": [property("COLOR", "red"), property("SIZE", "4")] });
        let adding = orders(&json!({ "*": "adds" }));
        assert!(adding.matches_stored(&one, &both) && adding.state_differences(&one, &both).len() == 1);
        assert_eq!(adding.irremovable_lists(&one, &both), ["properties"]);
        assert_eq!(adding.irremovable_lists(&both, &one), Vec::<String>::new());
        let other = json!({ "properties": [property("SIZE", "4")] });
        assert_eq!(adding.irremovable_lists(&one, &other), ["properties"], "as many parts, but another one");
        let changed = json!({ "properties": [property("COLOR", "blue")] });
        assert_eq!(adding.irremovable_lists(&one, &changed), Vec::<String>::new());
        assert_eq!(orders(&json!({ "*": "replaces" })).irremovable_lists(&one, &both), Vec::<String>::new());
    }

    #[test]
    fn a_repeated_time_is_the_moment_that_was_sent() {
        let (first, second) = ("2026-10-25T00:10:00Z", "2026-10-25T01:10:00Z");
        for form in ["utc-date-time", "offset-date-time"] {
            assert!(is_as_sent(form, "2026-10-25T02:10:00", first), "{form}");
            assert!(!is_as_sent(form, "2026-10-25T02:10:00", second), "{form}");
            assert!(is_as_sent(form, "2026-10-25T02:10:00+01:00", second), "{form}");
            assert!(!is_as_sent(form, "2026-10-25T02:10:00+01:00", first), "{form}");
            // The service shows only local time, which equals the sent local time.
            assert!(is_as_sent(form, "2026-10-25T02:10:00+01:00", "2026-10-25T02:10:00"), "{form}");
            assert!(is_as_sent(form, "2026-07-01T08:00:00", "2026-07-01T06:00:00Z"), "{form}");
            // A local time that doesn't exist doesn't equal another one.
            assert!(!is_as_sent(form, "2026-03-29T02:10:00", "2026-03-29T01:10:00Z"), "{form}");
        }
        // Without an offset, the service chose the instant.
        assert!(
            is_as_sent("as-is", "2026-10-25T02:10:00", first) && is_as_sent("as-is", "2026-10-25T02:10:00", second)
        );
    }
}
