//! Translates names and values of rows and items between a site's wire format and Takt, by the fields of a [`Shape`].
//!
//! Members without a field and values that their form can't read pass unchanged. Nothing is dropped or guessed. A
//! service that simulates a site translates the other way: requests with [`Shape::received`], responses with
//! [`Shape::answered`].

mod date_time;
mod value;

use std::borrow::Cow;

use jiff::tz::TimeZone;
use serde_json::value::RawValue;

use crate::{
    EventKind, Field, FieldKind, Parameter, RowSchema,
    form::ValueForm,
    raw_members::{RawMembers, raw_at},
    wire::EVENT_NUMBER,
};

/// The suffix for an unknown member that has the same name as one of Takt's fields.
const CLASH_SUFFIX: &str = "_";

/// The direction of a translation.
#[derive(Clone, Copy)]
enum Direction<'a> {
    /// From the wire into Takt.
    Decode,
    /// To the wire. The zone is that of date-times without an offset.
    Encode(&'a TimeZone),
    /// From the wire into a service that simulates a site.
    Receive,
    /// From such a service to the wire.
    Answer(&'a TimeZone),
}

impl RowSchema {
    /// Returns whether rows and items look different on the wire.
    #[must_use]
    pub fn is_translated(&self) -> bool {
        self.fields.iter().any(Field::is_translated)
    }

    /// Decodes a row from the wire into Takt's names and forms.
    #[must_use]
    pub fn decode_row(&self, row: &str) -> String {
        translate_object(row, &self.fields, Direction::Decode)
    }

    /// Encodes an item for the wire.
    #[must_use]
    pub fn encode_item(&self, item: &str, zone: &TimeZone) -> String {
        translate_object(item, &self.fields, Direction::Encode(zone))
    }

    /// Decodes an item for a service that simulates the site.
    #[must_use]
    pub fn decode_item_for_service(&self, item: &str) -> String {
        translate_object(item, &self.fields, Direction::Receive)
    }

    /// Encodes a row as the site would return it, without members that have no field.
    #[must_use]
    pub fn encode_row_for_service(&self, row: &str, zone: &TimeZone) -> String {
        translate_object(row, &self.fields, Direction::Answer(zone))
    }

    /// Decodes the items in the body of a request. Returns None if the body has no such list.
    #[must_use]
    pub fn items(&self, body: &str) -> Option<Vec<String>> {
        let list: Vec<&RawValue> = serde_json::from_str(raw_at(body, &self.member)?).ok()?;
        Some(list.into_iter().map(|item| self.decode_item_for_service(item.get())).collect())
    }

    /// Decodes a single member. Returns None if it has no field.
    #[must_use]
    pub(crate) fn decoded_member<'a>(&'a self, name: &str, value: &'a str) -> Option<(&'a str, Cow<'a, str>)> {
        let field = self.fields.iter().find(|field| field.wire_name() == name)?;
        let value = match field.is_translated() {
            true => Cow::Owned(translate_value(value, field, Direction::Decode)),
            false => Cow::Borrowed(value),
        };
        Some((&field.name, value))
    }

    /// Returns the body of a request with these items, each as JSON in Takt's names.
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

    /// Returns whether a body is an event of this kind, by its event number.
    pub(crate) fn is_kind_of(&self, body: &str) -> bool {
        let number = self.fields.iter().find(|field| field.name == EVENT_NUMBER);
        let Some(value) = number.and_then(|field| raw_at(body, field.wire_name())) else { return false };
        number.is_some_and(|field| translate_value(value, field, Direction::Decode) == self.id.to_string())
    }

    pub(crate) fn decoded(&self, body: &str) -> String {
        translate_object(body, &self.fields, Direction::Decode)
    }
}

impl Field {
    /// Returns the member's name on the wire.
    #[must_use]
    pub fn wire_name(&self) -> &str {
        self.wire.as_deref().unwrap_or(&self.name)
    }

    fn is_translated(&self) -> bool {
        self.wire.is_some() || self.form != ValueForm::AsIs || self.fields.iter().any(Self::is_translated)
    }
}

impl Parameter {
    /// Encodes a value for the address of a request.
    #[must_use]
    pub fn encoded(&self, value: &str, zone: &TimeZone) -> String {
        let value = self.with_offset_if_ambiguous(value, zone);
        let Some(encoded) = value::encode(&serde_json::Value::from(value.as_ref()).to_string(), &self.form, zone)
        else {
            return value.into_owned();
        };
        serde_json::from_str::<String>(&encoded).unwrap_or(encoded)
    }

    /// Encodes a value for the body of a request. Numbers and booleans become JSON values, as do lists and objects if
    /// the text is one.
    #[must_use]
    pub fn json(&self, value: &str, zone: &TimeZone) -> serde_json::Value {
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

    /// Adds the offset to a local time that the clock skips or repeats, if the form needs a moment.
    fn with_offset_if_ambiguous<'v>(&self, value: &'v str, zone: &TimeZone) -> Cow<'v, str> {
        let bound = if self.form.is_moment() { date_time::span_bound(value, zone, self.span) } else { None };
        bound.map_or(Cow::Borrowed(value), Cow::Owned)
    }

    /// Decodes a value that [`Parameter::encoded`] encoded.
    #[must_use]
    pub fn received(&self, value: &str) -> String {
        let number = matches!(self.form, ValueForm::Epoch { .. } | ValueForm::DurationNumber { .. });
        let numeric = number && serde_json::from_str::<serde_json::Number>(value).is_ok();
        let text = if numeric { value.to_owned() } else { serde_json::Value::from(value).to_string() };
        let decoded = value::decode_by(&text, &self.form, self.kind).or_else(|| {
            // A code may be a JSON number, but an address contains it as text.
            value::decode_by(value, &self.form, self.kind)
        });
        let Some(decoded) = decoded else { return value.to_owned() };
        serde_json::from_str::<String>(&decoded).unwrap_or(decoded)
    }
}

/// Translates an object. Any other text passes unchanged.
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

/// Returns one of the two names of a field.
type FieldName = fn(&Field) -> &str;

/// Translates a member. Returns None if it must be omitted.
fn translate_member(name: &str, value: &str, fields: &[Field], direction: Direction<'_>) -> Option<(String, String)> {
    let (own, other): (FieldName, FieldName) = match direction {
        Direction::Decode | Direction::Receive => (Field::wire_name, |field| &field.name),
        Direction::Encode(_) | Direction::Answer(_) => (|field| &field.name, Field::wire_name),
    };
    if let Some(field) = fields.iter().find(|field| own(field) == name) {
        return Some((other(field).to_owned(), translate_value(value, field, direction)));
    }
    if matches!(direction, Direction::Answer(_)) {
        return None;
    }
    let is_taken = fields.iter().any(|field| other(field) == name);
    Some((if is_taken { format!("{name}{CLASH_SUFFIX}") } else { name.to_owned() }, value.to_owned()))
}

fn translate_value(value: &str, field: &Field, direction: Direction<'_>) -> String {
    let drops = matches!(direction, Direction::Answer(_)) && !field.fields.is_empty();
    if drops || field.fields.iter().any(Field::is_translated) {
        return translate_parts(value, &field.fields, direction);
    }
    let converted = match direction {
        Direction::Decode => value::decode(value, field),
        Direction::Encode(zone) => value::encode(value, &field.form, zone),
        Direction::Receive => value::decode_for_service(value, field),
        Direction::Answer(zone) => value::encode_for_service(value, &field.form, zone),
    };
    converted.unwrap_or_else(|| value.to_owned())
}

/// Translates a nested object, or each object of a list.
fn translate_parts(value: &str, fields: &[Field], direction: Direction<'_>) -> String {
    match serde_json::from_str::<Vec<&RawValue>>(value) {
        Ok(list) => {
            let parts: Vec<String> = list.iter().map(|part| translate_object(part.get(), fields, direction)).collect();
            format!("[{}]", parts.join(","))
        }
        Err(_) => translate_object(value, fields, direction),
    }
}
