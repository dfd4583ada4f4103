//! The members of a JSON object as received text. Values are parsed only on request, and numbers keep their digits.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// An object's members in order, including repeated names.
pub(crate) struct RawMembers<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> RawMembers<'a> {
    /// Returns None if the text is no object.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    pub(crate) fn first(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }

    /// Returns the value of a member. None if it occurs with different values.
    pub(crate) fn only(&self, name: &str) -> Option<&'a str> {
        let value = self.first(name)?;
        self.0.iter().all(|(other, also)| other != name || *also == value).then_some(value)
    }
}

/// Returns the text at a dotted path of a body. An empty path is the body itself. None if a member on the path occurs
/// with different values.
pub(crate) fn raw_at<'a>(text: &'a str, path: &str) -> Option<&'a str> {
    RawBody::parse(text)?.at(path)
}

/// A body whose own members are parsed once, for reading several parts.
pub(crate) struct RawBody<'a> {
    text: &'a str,
    /// None if the body is no object.
    members: Option<RawMembers<'a>>,
}

impl<'a> RawBody<'a> {
    /// Returns None if the text isn't JSON.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        if let Some(members) = RawMembers::parse(text) {
            return Some(Self { text: text.trim_ascii(), members: Some(members) });
        }
        let value: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self { text: value.get(), members: None })
    }

    pub(crate) fn is_object(&self) -> bool {
        self.members.is_some()
    }

    /// Like [`raw_at`], on this body.
    pub(crate) fn at(&self, path: &str) -> Option<&'a str> {
        if path.is_empty() {
            return Some(self.text);
        }
        let mut names = path.split('.');
        let first = self.members.as_ref()?.only(names.next()?)?;
        names.try_fold(first, |part, name| RawMembers::parse(part)?.only(name))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(Cow<'de, str>, &'de str)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    members.push((name.0, value.get()));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Collect).map(Self)
    }
}

/// A member's name, borrowed unless it has escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
