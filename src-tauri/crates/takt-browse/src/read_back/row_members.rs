//! Parses only the members of a row that are compared with items.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use takt_client::parse_row;

use crate::read_back::definition::ReadBack;

/// The prefix of names that serde_json uses internally.
const INTERNAL_NAMES: &str = "$serde_json::private::";

/// Names of members. They are few, so a linear search is fastest.
#[derive(Debug)]
pub(super) struct RowMembers(Vec<String>);

impl RowMembers {
    /// Returns the names of the members to parse.
    pub(super) fn for_read_back(read_back: &ReadBack) -> Self {
        let declaration = &read_back.declaration;
        let lists =
            declaration.entry.iter().map(|entry| &entry.list).chain(read_back.locks.iter().map(|locks| &locks.list));
        let fields = read_back.sent.fields.iter().map(|field| &field.name);
        Self(declaration.key.iter().map(|pair| &pair.theirs).chain(lists).chain(fields).cloned().collect())
    }

    /// Parses only these members of a row. The other members are validated, because [`parse_row`] returns an invalid
    /// row as text. A row with one of serde_json's internal names is parsed completely.
    pub(super) fn value_of(&self, row: &str) -> Value {
        let mut read = serde_json::Deserializer::from_str(row);
        let object = read.deserialize_map(SelectedMembers(&self.0)).and_then(|object| read.end().map(|()| object));
        object.map_or_else(|_| parse_row(row), Value::Object)
    }
}

struct SelectedMembers<'a>(&'a [String]);

impl<'de> Visitor<'de> for SelectedMembers<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = map.next_key_seed(SelectedName(self.0))? {
            if let Some(name) = name {
                object.insert(name.to_owned(), map.next_value()?);
            } else {
                map.next_value_seed(ValidatedValue)?;
            }
        }
        Ok(object)
    }
}

/// Deserializes a member's name. Returns `None` if the name isn't selected.
struct SelectedName<'a>(&'a [String]);

impl<'de, 'a> DeserializeSeed<'de> for SelectedName<'a> {
    type Value = Option<&'a str>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Self::Value, D::Error> {
        name.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for SelectedName<'a> {
    type Value = Option<&'a str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        match name.starts_with(INTERNAL_NAMES) {
            true => Err(E::custom("a name of serde_json's own")),
            false => Ok(self.0.iter().map(String::as_str).find(|known| *known == name)),
        }
    }
}

/// A value that is validated without being built.
struct ValidatedValue;

impl<'de> DeserializeSeed<'de> for ValidatedValue {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValidatedValue {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<(), A::Error> {
        while parts.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key_seed(SelectedName(&[]))?.is_some() {
            map.next_value_seed(Self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
