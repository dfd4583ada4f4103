//! The members of a JSON object as the text that came: nothing is built of a value before somebody asks for it, and numbers
//! keep their letters.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// An object's members in their order, also where a name stands there twice.
pub(crate) struct RawMembers<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> RawMembers<'a> {
    /// Nothing where the text is no object.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    pub(crate) fn first(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }

    /// Nothing where it stands there with two values.
    pub(crate) fn only(&self, name: &str) -> Option<&'a str> {
        let value = self.first(name)?;
        self.0.iter().all(|(other, also)| other != name || *also == value).then_some(value)
    }
}

/// The part of a body that a dotted path names, as the text that came; an empty path is the body itself. Nothing where a
/// member of the path stands there with two values.
pub(crate) fn raw_at<'a>(text: &'a str, path: &str) -> Option<&'a str> {
    RawBody::of(text)?.at(path)
}

/// A body of which several parts are asked for: its own members are read once.
pub(crate) struct RawBody<'a> {
    text: &'a str,
    /// Absent where it is no object.
    members: Option<RawMembers<'a>>,
}

impl<'a> RawBody<'a> {
    /// Nothing where the text isn't JSON.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        if let Some(members) = RawMembers::of(text) {
            return Some(Self { text: text.trim_ascii(), members: Some(members) });
        }
        let whole: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self { text: whole.get(), members: None })
    }

    pub(crate) fn is_object(&self) -> bool {
        self.members.is_some()
    }

    /// As [`raw_at`].
    pub(crate) fn at(&self, path: &str) -> Option<&'a str> {
        if path.is_empty() {
            return Some(self.text);
        }
        let mut names = path.split('.');
        let first = self.members.as_ref()?.only(names.next()?)?;
        names.try_fold(first, |part, name| RawMembers::of(part)?.only(name))
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

/// Borrowed where nothing in it is escaped.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
