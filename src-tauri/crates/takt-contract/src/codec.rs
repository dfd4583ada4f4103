//! Translates rows and items between the names and formats on the wire and in Takt, by the fields of a [`RowSchema`].
//!
//! Members without a field, and values that don't match their form, aren't changed. A service that simulates a site
//! translates the other way, with [`RowSchema::decode_item_for_service`] and [`RowSchema::encode_row_for_service`].

mod date_time;
mod value;

use std::borrow::Cow;

use jiff::tz::TimeZone;
use serde_json::value::RawValue;

use crate::{
    EventKind, Field, FieldKind, Parameter, RowSchema,
    form::ValueForm,
    raw_members::{RawMembers, raw_value_at},
    wire::EVENT_NUMBER,
};

/// The suffix of an unknown member whose name would clash with one of Takt's fields.
const CLASH_SUFFIX: &str = "_";

/// The direction of a translation.
#[derive(Clone, Copy)]
enum Direction<'a> {
    /// Decodes a service's response in Takt.
    Decode,
    /// Encodes a request of Takt. The zone applies to date-times without an offset.
    Encode(&'a TimeZone),
    /// Decodes a request in a service that simulates a site.
    DecodeForService,
    /// Encodes a response of such a service. The zone applies to date-times without an offset.
    EncodeForService(&'a TimeZone),
}

impl RowSchema {
    /// Returns whether the wire format differs from Takt's for any field.
    #[must_use]
    pub fn is_translated(&self) -> bool {
        self.fields.iter().any(Field::is_translated)
    }

    /// Decodes a row to the names and formats that Takt uses.
    #[must_use]
    pub fn decode_row(&self, row: &str) -> String {
        translate_object(row, &self.fields, Direction::Decode)
    }

    /// Encodes an item with the names and formats on the wire.
    #[must_use]
    pub fn encode_item(&self, item: &str, zone: &TimeZone) -> String {
        translate_object(item, &self.fields, Direction::Encode(zone))
    }

    /// Decodes an item in a service that simulates the site.
    #[must_use]
    pub fn decode_item_for_service(&self, item: &str) -> String {
        translate_object(item, &self.fields, Direction::DecodeForService)
    }

    /// Encodes a row in a service that simulates the site. Members without a field are omitted.
    #[must_use]
    pub fn encode_row_for_service(&self, row: &str, zone: &TimeZone) -> String {
        translate_object(row, &self.fields, Direction::EncodeForService(zone))
    }

    /// Decodes the items in the body of a request. None if the body doesn't contain the list.
    #[must_use]
    pub fn decode_items(&self, body: &str) -> Option<Vec<String>> {
        let list: Vec<&RawValue> = serde_json::from_str(raw_value_at(body, &self.member)?).ok()?;
        Some(list.into_iter().map(|item| self.decode_item_for_service(item.get())).collect())
    }

    /// Decodes a single member. None if there is no field with this name on the wire.
    #[must_use]
    pub(crate) fn decode_member<'a>(&'a self, name: &str, value: &'a str) -> Option<(&'a str, Cow<'a, str>)> {
        let field = self.fields.iter().find(|field| field.wire_name() == name)?;
        let value = match field.is_translated() {
            true => Cow::Owned(translate_value(value, field, Direction::Decode)),
            false => Cow::Borrowed(value),
        };
        Some((&field.name, value))
    }

    /// Returns the body of a request with these items, which are JSON texts with Takt's names.
    pub fn encode_body<'a>(&self, items: impl Iterator<Item = &'a str>, zone: &TimeZone) -> String {
        let translated = self.is_translated();
        let member = |name: &str| format!("{{{}:", serde_json::Value::from(name));
        let wraps = if self.member.is_empty() { 0 } else { self.member.split('.').count() };
        let mut list: String = self.member.split('.').take(wraps).map(member).collect();
        list.push('[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                list.push(',');
            }
            if translated { list.push_str(&self.encode_item(item, zone)) } else { list.push_str(item) }
        }
        list.push(']');
        list.extend(std::iter::repeat_n('}', wraps));
        list
    }
}

impl EventKind {
    pub(crate) fn is_translated(&self) -> bool {
        self.fields.iter().any(Field::is_translated)
    }

    /// Returns whether the event number in a body is that of this event.
    pub(crate) fn matches_event_number(&self, body: &str) -> bool {
        let number = self.fields.iter().find(|field| field.name == EVENT_NUMBER);
        let Some(value) = number.and_then(|field| raw_value_at(body, field.wire_name())) else { return false };
        number.is_some_and(|field| translate_value(value, field, Direction::Decode) == self.id.to_string())
    }

    /// Decodes an event's body to the names and formats that Takt uses.
    pub(crate) fn decode_body(&self, body: &str) -> String {
        translate_object(body, &self.fields, Direction::Decode)
    }
}

impl Field {
    /// Returns the name on the wire, which is Takt's name unless [`Self::wire`] is set.
    #[must_use]
    pub fn wire_name(&self) -> &str {
        self.wire.as_deref().unwrap_or(&self.name)
    }

    fn is_translated(&self) -> bool {
        self.wire.is_some() || self.form != ValueForm::AsIs || self.fields.iter().any(Self::is_translated)
    }
}

impl Parameter {
    /// Encodes a value for the query or path of a request.
    #[must_use]
    pub fn encode_for_address(&self, value: &str, zone: &TimeZone) -> String {
        let value = self.with_offset_if_ambiguous(value, zone);
        let Some(encoded) = value::encode(&serde_json::Value::from(value.as_ref()).to_string(), &self.form, zone)
        else {
            return value.into_owned();
        };
        serde_json::from_str::<String>(&encoded).unwrap_or(encoded)
    }

    /// Encodes a value for the body of a request. Numbers and booleans become JSON values. So do lists and objects if
    /// the text is valid JSON.
    #[must_use]
    pub fn encode_for_body(&self, value: &str, zone: &TimeZone) -> serde_json::Value {
        let value = self.with_offset_if_ambiguous(value, zone);
        let value = value.as_ref();
        let text = serde_json::Value::from(value);
        let encoded = value::encode(&text.to_string(), &self.form, zone);
        let plain = || match self.kind {
            FieldKind::Integer | FieldKind::Number | FieldKind::Boolean if self.form == ValueForm::AsIs => {
                serde_json::from_str(value).ok()
            }
            FieldKind::List | FieldKind::Object => serde_json::from_str(value).ok(),
            _ => None,
        };
        encoded.and_then(|encoded| serde_json::from_str(&encoded).ok()).or_else(plain).unwrap_or(text)
    }

    /// Adds the offset to a local time that the clock skips or repeats, if the form requires an exact time.
    fn with_offset_if_ambiguous<'v>(&self, value: &'v str, zone: &TimeZone) -> Cow<'v, str> {
        let bound = if self.form.needs_exact_time() { date_time::span_bound(value, zone, self.span) } else { None };
        bound.map_or(Cow::Borrowed(value), Cow::Owned)
    }

    /// Decodes a value that [`Parameter::encode_for_address`] encoded. Values that don't match the form are returned
    /// unchanged.
    #[must_use]
    pub fn decode_address_value(&self, value: &str) -> String {
        let number = matches!(self.form, ValueForm::Epoch { .. } | ValueForm::DurationNumber { .. });
        let numeric = number && serde_json::from_str::<serde_json::Number>(value).is_ok();
        let text = if numeric { value.to_owned() } else { serde_json::Value::from(value).to_string() };
        let decoded = value::decode_by(&text, &self.form, self.kind).or_else(|| {
            // A code may be a JSON number, but it is text in an address.
            value::decode_by(value, &self.form, self.kind)
        });
        let Some(decoded) = decoded else { return value.to_owned() };
        serde_json::from_str::<String>(&decoded).unwrap_or(decoded)
    }
}

/// Translates an object. Other JSON texts are returned unchanged.
fn translate_object(text: &str, fields: &[Field], direction: Direction<'_>) -> String {
    let Some(members) = RawMembers::parse(text) else { return text.to_owned() };
    let mut object = String::with_capacity(text.len() + 16);
    object.push('{');
    for (name, value) in members.iter() {
        let Some((name, value)) = translate_member(name, value, fields, direction) else { continue };
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(&serde_json::Value::from(name).to_string());
        object.push(':');
        object.push_str(&value);
    }
    object.push('}');
    object
}

/// Selects the name in Takt or on the wire.
type FieldName = fn(&Field) -> &str;

/// Translates a member. Returns None if the member must be omitted.
fn translate_member(name: &str, value: &str, fields: &[Field], direction: Direction<'_>) -> Option<(String, String)> {
    let (own, other): (FieldName, FieldName) = match direction {
        Direction::Decode | Direction::DecodeForService => (Field::wire_name, |field| &field.name),
        Direction::Encode(_) | Direction::EncodeForService(_) => (|field| &field.name, Field::wire_name),
    };
    if let Some(field) = fields.iter().find(|field| own(field) == name) {
        return Some((other(field).to_owned(), translate_value(value, field, direction)));
    }
    if matches!(direction, Direction::EncodeForService(_)) {
        return None;
    }
    let is_taken = fields.iter().any(|field| other(field) == name);
    Some((if is_taken { format!("{name}{CLASH_SUFFIX}") } else { name.to_owned() }, value.to_owned()))
}

fn translate_value(value: &str, field: &Field, direction: Direction<'_>) -> String {
    let omits_members = matches!(direction, Direction::EncodeForService(_)) && !field.fields.is_empty();
    if omits_members || field.fields.iter().any(Field::is_translated) {
        return translate_parts(value, &field.fields, direction);
    }
    let converted = match direction {
        Direction::Decode => value::decode(value, field),
        Direction::Encode(zone) => value::encode(value, &field.form, zone),
        Direction::DecodeForService => value::decode_for_service(value, field),
        Direction::EncodeForService(zone) => value::encode_for_service(value, &field.form, zone),
    };
    converted.unwrap_or_else(|| value.to_owned())
}

/// Translates an object, or each object in a list.
fn translate_parts(value: &str, fields: &[Field], direction: Direction<'_>) -> String {
    match serde_json::from_str::<Vec<&RawValue>>(value) {
        Ok(list) => {
            let parts: Vec<String> = list.iter().map(|part| translate_object(part.get(), fields, direction)).collect();
            format!("[{}]", parts.join(","))
        }
        Err(_) => translate_object(value, fields, direction),
    }
}
