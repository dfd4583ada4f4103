//! Parses parameters in a query or form, and finds repeated ones, which OAuth forbids.

use axum::http::{HeaderMap, header};
use mime::{CHARSET, Mime, UTF_8};

/// Parses the `Content-Type` header. None if it is absent, repeated or invalid.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<Mime> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()?.parse().ok()
}

/// Returns whether the charset of a media type is UTF-8 or unspecified.
pub(crate) fn is_utf_8(kind: &Mime) -> bool {
    kind.params().all(|(name, value)| name != CHARSET || value == UTF_8)
}

/// Decoded parameters in order.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
    first_repeated: Option<String>,
}

impl Parameters {
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut parameters = Self::default();
        for (name, value) in url::form_urlencoded::parse(text) {
            if parameters.first_repeated.is_none() && parameters.get(&name).is_some() {
                parameters.first_repeated = Some(name.clone().into_owned());
            }
            parameters.pairs.push((name.into_owned(), value.into_owned()));
        }
        parameters
    }

    /// Returns the first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the first value of a parameter. None if it is empty.
    pub(crate) fn get_nonempty(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Returns the value of a parameter. None if it is repeated.
    pub(crate) fn get_unique(&self, name: &str) -> Option<&str> {
        let mut values = self.pairs.iter().filter(|(known, _)| known == name);
        let first = values.next().map(|(_, value)| value.as_str());
        first.filter(|_| values.next().is_none())
    }

    /// Returns the name of the first repeated parameter.
    pub(crate) fn repeated_name(&self) -> Option<&str> {
        self.first_repeated.as_deref()
    }
}
