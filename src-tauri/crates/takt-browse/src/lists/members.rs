//! Lists the names of an object's members without parsing their values.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer as _,
    de::{IgnoredAny, MapAccess, Visitor},
};

/// Calls `on_member` with each member's name, in order. Values other than objects have none.
pub(super) fn members(json: &str, on_member: impl FnMut(&str)) {
    // Malformed JSON yields the names before the error.
    let _ = serde_json::Deserializer::from_str(json).deserialize_map(Names(on_member));
}

struct Names<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for Names<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            (self.0)(&name);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outer_names_are_told() {
        let names = |json: &str| {
            let mut names = Vec::new();
            members(json, |name| names.push(name.to_owned()));
            names
        };
        assert_eq!(names(r#"{"a":{"x":1},"b\u00e4":[{"y":2}],"c":null}"#), ["a", "bä", "c"]);
        assert_eq!(names("[1]"), [""; 0]);
        assert_eq!(names(r#"{"a":1,"#), ["a"]);
    }
}
