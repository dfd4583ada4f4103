//! The members of a JSON object as received text. Values are parsed only on request, so numbers don't lose digits.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The members of an object in order, including repeated ones.
pub(crate) struct RawMembers<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> RawMembers<'a> {
    /// Returns None if the text isn't an object.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    pub(crate) fn first_value(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }

    /// Returns the value of a member. None if it is repeated with different values.
    pub(crate) fn unambiguous_value(&self, name: &str) -> Option<&'a str> {
        let value = self.first_value(name)?;
        self.0.iter().all(|(other, also)| other != name || *also == value).then_some(value)
    }
}

/// Returns the text at a dotted path of a body. An empty path returns the whole body. None if a member on the path is
/// repeated with different values.
pub(crate) fn raw_value_at<'a>(text: &'a str, path: &str) -> Option<&'a str> {
    RawBody::parse(text)?.value_at(path)
}

/// A body whose members are parsed once, from which several parts can be read.
pub(crate) struct RawBody<'a> {
    text: &'a str,
    /// None if the body isn't an object.
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

    /// Like [`raw_value_at`], for this body.
    pub(crate) fn value_at(&self, path: &str) -> Option<&'a str> {
        if path.is_empty() {
            return Some(self.text);
        }
        let mut names = path.split('.');
        let first = self.members.as_ref()?.unambiguous_value(names.next()?)?;
        names.try_fold(first, |part, name| RawMembers::parse(part)?.unambiguous_value(name))
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

/// The name of a member, which is borrowed unless it contains escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
