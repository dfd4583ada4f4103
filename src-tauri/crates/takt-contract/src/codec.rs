//! Between what travels and what Takt works with: names and forms of the members of rows and items.
//!
//! Owns the translation of JSON texts by the fields of a [`Shape`]. What no field describes passes as it came, and so does a
//! value that its form can't read: nothing is dropped, and nothing is guessed.

mod moment;
mod value;

use jiff::tz::TimeZone;
use serde_json::value::RawValue;

use crate::{Field, Parameter, Shape, form::ValueForm, raw_members::RawMembers};

/// Marks a member that no field describes and that would stand in for one that a field does.
const OTHER: &str = "_";

/// Which way a text goes.
#[derive(Clone, Copy)]
enum Direction<'a> {
    /// From the wire into Takt.
    Decode,
    /// To the wire; a moment without an offset is in this zone.
    Encode(&'a TimeZone),
}

impl Shape {
    /// Whether rows and items look different on the wire.
    #[must_use]
    pub fn is_translated(&self) -> bool {
        self.fields.iter().any(Field::is_translated)
    }

    /// A row as it came, in Takt's names and forms.
    #[must_use]
    pub fn decoded(&self, row: &str) -> String {
        object(row, &self.fields, Direction::Decode)
    }

    /// An item as it travels.
    #[must_use]
    pub fn encoded(&self, item: &str, zone: &TimeZone) -> String {
        object(item, &self.fields, Direction::Encode(zone))
    }

    /// A single member as it came, in Takt's name and form. Nothing where no field describes it.
    #[must_use]
    pub fn decoded_member(&self, name: &str, value: &str) -> Option<(String, String)> {
        let field = self.fields.iter().find(|field| field.wire_name() == name)?;
        Some((field.name.clone(), converted(value, field, Direction::Decode)))
    }

    /// The body of a request that carries these items, each its JSON in Takt's names.
    pub fn body<'a>(&self, items: impl Iterator<Item = &'a str>, zone: &TimeZone) -> String {
        let translated = self.is_translated();
        let mut list = String::from("[");
        for (place, item) in items.enumerate() {
            if place > 0 {
                list.push(',');
            }
            if translated { list.push_str(&self.encoded(item, zone)) } else { list.push_str(item) }
        }
        list.push(']');
        if self.member.is_empty() {
            return list;
        }
        let wrap = |inner: String, name: &str| format!("{{{}:{inner}}}", serde_json::Value::from(name));
        self.member.rsplit('.').fold(list, wrap)
    }
}

impl Field {
    /// The member's name as it travels.
    #[must_use]
    pub fn wire_name(&self) -> &str {
        self.wire.as_deref().unwrap_or(&self.name)
    }

    fn is_translated(&self) -> bool {
        self.wire.is_some() || self.form != ValueForm::AsIs || self.fields.iter().any(Self::is_translated)
    }
}

impl Parameter {
    /// Its value as it travels.
    #[must_use]
    pub fn encoded(&self, value: &str, zone: &TimeZone) -> String {
        let Some(encoded) = value::encoded(&serde_json::Value::from(value).to_string(), &self.form, zone) else {
            return value.to_owned();
        };
        serde_json::from_str::<String>(&encoded).unwrap_or(encoded)
    }
}

/// A text that is no object passes as it is.
fn object(text: &str, fields: &[Field], direction: Direction<'_>) -> String {
    let Some(members) = RawMembers::of(text) else { return text.to_owned() };
    let mut object = String::with_capacity(text.len() + 16);
    object.push('{');
    for (place, (name, value)) in members.iter().enumerate() {
        if place > 0 {
            object.push(',');
        }
        let (name, value) = member(name, value, fields, direction);
        object.push_str(&serde_json::Value::from(name).to_string());
        object.push(':');
        object.push_str(&value);
    }
    object.push('}');
    object
}

/// One of the two names of a field.
type FieldName = fn(&Field) -> &str;

fn member(name: &str, value: &str, fields: &[Field], direction: Direction<'_>) -> (String, String) {
    let (own, other): (FieldName, FieldName) = match direction {
        Direction::Decode => (Field::wire_name, |field| &field.name),
        Direction::Encode(_) => (|field| &field.name, Field::wire_name),
    };
    if let Some(field) = fields.iter().find(|field| own(field) == name) {
        return (other(field).to_owned(), converted(value, field, direction));
    }
    let is_taken = fields.iter().any(|field| other(field) == name);
    (if is_taken { format!("{name}{OTHER}") } else { name.to_owned() }, value.to_owned())
}

fn converted(value: &str, field: &Field, direction: Direction<'_>) -> String {
    if field.fields.iter().any(Field::is_translated) {
        return parts(value, &field.fields, direction);
    }
    let converted = match direction {
        Direction::Decode => value::decoded(value, field),
        Direction::Encode(zone) => value::encoded(value, &field.form, zone),
    };
    converted.unwrap_or_else(|| value.to_owned())
}

/// A nested object, or each object of a list.
fn parts(value: &str, fields: &[Field], direction: Direction<'_>) -> String {
    match serde_json::from_str::<Vec<&RawValue>>(value) {
        Ok(list) => {
            let parts: Vec<String> = list.iter().map(|part| object(part.get(), fields, direction)).collect();
            format!("[{}]", parts.join(","))
        }
        Err(_) => object(value, fields, direction),
    }
}
