//! What is the same, by the field's kind: decimals as numbers, moments by the site's clocks, durations by their length,
//! lists part by part. What a list that is sent does to the one that is held is the contract's (`sent-lists`).

use std::collections::HashSet;
use takt_core::site_time::SiteTime;

use serde_json::Value;
use takt_contract::{Field, FieldKind, LocalTime, read_back::ListEffect, wire::duration::parse_ticks};

use super::ReadBack;

/// A field that isn't held as it would be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// For example `note`, `properties[COLOUR].value`, `rawMaterials[M-1].quantity`.
    pub field: String,
    /// Null where nothing is held.
    pub service_value: Value,
    /// Null where it would be gone.
    pub sent: Value,
}

impl ReadBack {
    /// The fields that are sent and not held like this, in the contract's order. What isn't sent stays as it is; of what the
    /// service doesn't show nothing is said.
    pub fn differences(&self, sent: &Value, held: &Value) -> Vec<Difference> {
        self.compared(sent, held, |list| self.list_effects.of(list))
    }

    /// The same of two things that are held, neither of which is sent: of a list both have every part.
    pub fn state_differences(&self, one: &Value, other: &Value) -> Vec<Difference> {
        self.compared(one, other, |_| ListEffect::Replaces)
    }

    fn compared(&self, sent: &Value, held: &Value, effect: impl Fn(&str) -> ListEffect) -> Vec<Difference> {
        let mut found = Vec::new();
        for field in &self.sent.fields {
            let (Some(new), Some(old)) = (sent.get(&field.name), held.get(&field.name)) else { continue };
            match (field.kind, new, old) {
                (FieldKind::List, Value::Array(new), old) => {
                    let old = old.as_array().map(Vec::as_slice).unwrap_or_default();
                    self.parts(field, new, old, effect(&field.name), &mut found);
                }
                // Nothing is added.
                (FieldKind::List, Value::Null, _) if effect(&field.name) == ListEffect::Adds => {}
                (FieldKind::Object, Value::Object(_), _) => self.members(field, &field.name, new, old, &mut found),
                _ if self.equal(field, new, old) => {}
                _ => {
                    found.push(Difference { field: field.name.clone(), service_value: old.clone(), sent: new.clone() })
                }
            }
        }
        found
    }

    /// The parts of a list that are sent beside those that are held. Equal keys are told apart by their order; parts without a
    /// key by their order, too, where the list takes the place of the one that is held, and by what they say where they are added.
    fn parts(&self, field: &Field, new: &[Value], old: &[Value], effect: ListEffect, found: &mut Vec<Difference>) {
        let list = self.declaration.lists.iter().find(|known| known.list == field.name);
        let key = |part: &Value, place: usize| match list {
            Some(list) => text(part.get(&list.key).unwrap_or(&Value::Null)),
            None => (place + 1).to_string(),
        };
        let is_same = |part: &Value, place: usize, held: &Value, at: usize| match (list, effect) {
            (None, ListEffect::Adds) => {
                let mut differences = Vec::new();
                self.members(field, &field.name, part, held, &mut differences);
                differences.is_empty()
            }
            _ => key(held, at) == key(part, place),
        };
        let mut taken = HashSet::new();
        let mut added = old.len();
        for (place, part) in new.iter().enumerate() {
            let mut held = old.iter().enumerate();
            let other = held.find(|(at, held)| !taken.contains(at) && is_same(part, place, held, *at));
            let own = match (list, effect, other) {
                (None, ListEffect::Adds, None) => {
                    added += 1;
                    added.to_string()
                }
                _ => key(part, place),
            };
            let path = format!("{}[{own}]", field.name);
            if let Some((at, _)) = other {
                taken.insert(at);
            }
            self.members(field, &path, part, other.map_or(&Value::Null, |(_, held)| held), found);
        }
        if effect == ListEffect::Adds {
            return;
        }
        for (at, part) in old.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
            let path = format!("{}[{}]", field.name, key(part, at));
            self.members(field, &path, &Value::Null, part, found);
        }
    }

    /// The lists with parts `now` that weren't there `then`, and to which a request can only add. Sending the earlier list doesn't
    /// remove those parts.
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
        let adding = lists.filter(|list| self.list_effects.of(list) == ListEffect::Adds);
        adding.filter(|list| has_more(list)).cloned().collect()
    }

    /// True if a request adds parts without a key to a list: sending an item twice adds them twice.
    pub fn adds_parts_without_key(&self) -> bool {
        let keyed = |field: &Field| self.declaration.lists.iter().any(|list| list.list == field.name);
        let mut lists = self.sent.fields.iter().filter(|field| field.kind == FieldKind::List);
        lists.any(|field| self.list_effects.of(&field.name) == ListEffect::Adds && !keyed(field))
    }

    /// One part beside the other; a null one isn't there at all.
    fn members(&self, field: &Field, path: &str, new: &Value, old: &Value, found: &mut Vec<Difference>) {
        let before = found.len();
        for member in &field.fields {
            let (new, old) = match (new.get(&member.name), old.get(&member.name)) {
                (Some(sent), Some(held)) => (sent, held),
                (Some(sent), None) if old.is_null() => (sent, &Value::Null),
                (None, Some(held)) if new.is_null() => (&Value::Null, held),
                _ => continue,
            };
            let key = self.declaration.lists.iter().any(|list| list.list == field.name && list.key == member.name);
            if !key && !self.equal(member, new, old) {
                let field = format!("{path}.{}", member.name);
                found.push(Difference { field, service_value: old.clone(), sent: new.clone() });
            }
        }
        // A part of nothing but its key is a part nonetheless.
        if found.len() == before && new.is_null() != old.is_null() {
            found.push(Difference { field: path.to_owned(), service_value: old.clone(), sent: new.clone() });
        }
    }

    /// Moments are compared as such. If the service shows only its clock, the clock decides.
    fn is_same_time(&self, field: &Field, sent: &str, held: &str) -> bool {
        let (Some(sent), Some(held)) = (SiteTime::read(sent), SiteTime::read(held)) else { return false };
        match (sent, held) {
            (SiteTime::Moment(sent), SiteTime::Moment(held)) => sent == held,
            // What was sent is a moment, so that a clock that shows the time twice doesn't make two moments equal.
            (SiteTime::Local(local), SiteTime::Moment(held)) if field.form.is_moment() => {
                LocalTime::of(local, &self.zone).and_then(LocalTime::moment) == Some(held)
            }
            _ => sent.local(&self.zone) == held.local(&self.zone),
        }
    }

    /// True if both values mean the same. `one` is sent, `other` is held by the service.
    pub fn equal(&self, field: &Field, one: &Value, other: &Value) -> bool {
        if one == other || (is_nothing(one) && is_nothing(other)) {
            return true;
        }
        match field.kind {
            FieldKind::Integer | FieldKind::Number => {
                number(one).is_some_and(|number_| number(other).is_some_and(|other| number_.total_cmp(&other).is_eq()))
            }
            FieldKind::DateTime => match (one, other) {
                (Value::String(sent), Value::String(held)) => self.is_same_time(field, sent, held),
                _ => false,
            },
            FieldKind::Duration | FieldKind::TimeSpan => match (one, other) {
                (Value::String(one), Value::String(other)) => {
                    parse_ticks(one).is_some_and(|one| parse_ticks(other) == Some(one))
                }
                _ => false,
            },
            FieldKind::Boolean => false,
            FieldKind::Text => !is_nothing(one) && text(one) == text(other),
            FieldKind::List | FieldKind::Object => false,
        }
    }
}

/// Nothing is held as null or as a blank text.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// Zero has no sign here.
pub fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite()).map(|number| number + 0.0)
}

/// A value as a key has it; empty where there is none.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;
    use takt_contract::{Contract, overlay::Overlay};

    use super::*;

    /// True if an order's begin is held as it was sent, at a site that wants it in this form.
    fn is_held(form: &str, sent: &str, held: &str) -> bool {
        let provenance = json!({ "level": "site", "source": "test" });
        let field = json!({ "name": "beginPlanned", "form": { "form": form }, "provenance": provenance });
        let overlay: Overlay = serde_json::from_value(json!({ "operations": [
            { "id": "work-orders.sync", "provenance": provenance, "request": { "fields": [field] } },
        ] }))
        .unwrap();
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let contract = Contract::builtin().unwrap().with_overlay(&overlay, &zone);
        let back = ReadBack::of(&contract, "work-orders.sync").unwrap().at("Europe/Berlin");
        back.differences(&json!({ "beginPlanned": sent }), &json!({ "beginPlanned": held })).is_empty()
    }

    /// The read-back of orders at a site whose lists do this.
    fn orders(effects: &Value) -> ReadBack {
        let assumption =
            json!({ "id": "sent-lists", "value": effects, "provenance": { "level": "site", "source": "test" } });
        let overlay: Overlay = serde_json::from_value(json!({ "assumptions": [assumption] })).unwrap();
        let contract = Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC);
        ReadBack::of(&contract, "work-orders.sync").unwrap()
    }

    fn property(key: &str, value: &str) -> Value {
        json!({ "key": key, "value": value })
    }

    #[test]
    fn what_a_sent_list_does_is_the_contracts() {
        let held = json!({ "properties": [property("COLOR", "red"), property("SIZE", "4")] });
        let sent = json!({ "properties": [property("COLOR", "blue"), property("WIDTH", "2")] });
        let changed = |effects: Value, sent: &Value| -> Vec<String> {
            orders(&effects).differences(sent, &held).into_iter().map(|one| one.field).collect()
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
        assert!(adding.same(&one, &both) && adding.state_differences(&one, &both).len() == 1);
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
            assert!(is_held(form, "2026-10-25T02:10:00", first), "{form}");
            assert!(!is_held(form, "2026-10-25T02:10:00", second), "{form}");
            assert!(is_held(form, "2026-10-25T02:10:00+01:00", second), "{form}");
            assert!(!is_held(form, "2026-10-25T02:10:00+01:00", first), "{form}");
            // The service shows its clock only, and that shows what was sent.
            assert!(is_held(form, "2026-10-25T02:10:00+01:00", "2026-10-25T02:10:00"), "{form}");
            assert!(is_held(form, "2026-07-01T08:00:00", "2026-07-01T06:00:00Z"), "{form}");
            // A time that doesn't exist isn't another one.
            assert!(!is_held(form, "2026-03-29T02:10:00", "2026-03-29T01:10:00Z"), "{form}");
        }
        // Sent without an offset, the service chose the moment.
        assert!(is_held("as-is", "2026-10-25T02:10:00", first) && is_held("as-is", "2026-10-25T02:10:00", second));
    }
}
