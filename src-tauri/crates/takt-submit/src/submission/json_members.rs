//! Reads a few members of a JSON text and skips the rest, since only the keys of sent items are compared.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// Returns the members with these names, in the names' order. A member is `None` if it is missing, or if the text isn't
/// an object.
///
/// Stops once all members are found. If a name occurs twice, the first value may be returned, but stored texts have
/// each name once.
pub(super) fn read_members(names: &[String], text: &str) -> Vec<Option<Value>> {
    let mut members = vec![None; names.len()];
    // Parsing may stop in the middle of the text, which is reported as an error.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(MembersVisitor(names, &mut members));
    members
}

struct MembersVisitor<'a>(&'a [String], &'a mut [Option<Value>]);

impl<'de> Visitor<'de> for MembersVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while self.1.iter().any(Option::is_none) {
            match map.next_key_seed(NameIndex(self.0))? {
                Some(Some(index)) => {
                    let value = map.next_value()?;
                    self.1.get_mut(index).map(|member| member.replace(value));
                }
                Some(None) => drop(map.next_value::<IgnoredAny>()?),
                None => break,
            }
        }
        Ok(())
    }
}

/// Deserializes a member's name into its index in the names.
struct NameIndex<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for NameIndex<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameIndex<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name == text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_requested_members_are_read() {
        let names = ["code".to_owned(), "operationCode".to_owned()];
        let read = |text: &str| read_members(&names, text);
        assert_eq!(read(r#"{"a":[1,{"code":2}],"code":"A","b":1e99}"#), [Some(json!("A")), None]);
        assert_eq!(read(r#"{"co\u0064e":7,"operationCode":null}"#), [Some(json!(7)), Some(json!(null))]);
        assert_eq!(read(r#""code""#), [None, None]);
        assert_eq!(read("{"), [None, None]);
        assert_eq!(read(r#"{"code":1,"code":2}"#), [Some(json!(2)), None]);
        assert_eq!(read(r#"{"code":1,"operationCode":2,"more":"#), [Some(json!(1)), Some(json!(2))]);
    }
}
