//! A few members of a JSON text, without reading the rest of it: of every item that is sent only its key is compared.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The members of these names that the object has. What is no object has none. Nothing is read behind the last of them, so of a name
/// that stands there twice the first one may count: texts that were written down hold each name once.
pub(super) fn members(names: &[String], text: &str) -> Map<String, Value> {
    let mut members = Map::with_capacity(names.len());
    // It may end in the middle of the text, which reads as an error.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(MembersVisitor(names, &mut members));
    members
}

struct MembersVisitor<'a>(&'a [String], &'a mut Map<String, Value>);

impl<'de> Visitor<'de> for MembersVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while self.1.len() < self.0.len() {
            match map.next_key_seed(Name(self.0))? {
                Some(Some(name)) => drop(self.1.insert(name.to_owned(), map.next_value()?)),
                Some(None) => drop(map.next_value::<IgnoredAny>()?),
                None => break,
            }
        }
        Ok(())
    }
}

/// One of the names, or none.
struct Name<'a>(&'a [String]);

impl<'de, 'a> DeserializeSeed<'de> for Name<'a> {
    type Value = Option<&'a str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Name<'a> {
    type Value = Option<&'a str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().map(String::as_str).find(|name| *name == text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_asked_for_is_read() {
        let names = ["code".to_owned(), "operationCode".to_owned()];
        let read = |text: &str| Value::Object(members(&names, text));
        assert_eq!(read(r#"{"a":[1,{"code":2}],"code":"A","b":1e99}"#), json!({ "code": "A" }));
        assert_eq!(read(r#"{"co\u0064e":7,"operationCode":null}"#), json!({ "code": 7, "operationCode": null }));
        assert_eq!(read(r#""code""#), json!({}));
        assert_eq!(read("{"), json!({}));
        assert_eq!(read(r#"{"code":1,"code":2}"#), json!({ "code": 2 }));
        assert_eq!(read(r#"{"code":1,"operationCode":2,"more":"#), json!({ "code": 1, "operationCode": 2 }));
    }
}
