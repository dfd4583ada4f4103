//! Parameters of a query string or a form: each at most once, as OAuth demands.

use axum::http::{HeaderMap, header};
use mime::{CHARSET, Mime, UTF_8};

/// What the only `Content-Type` header says. None where there isn't one, or it can't be read.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<Mime> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()?.parse().ok()
}

/// Whether a media type says nothing of the encoding but UTF-8.
pub(crate) fn is_utf_8(kind: &Mime) -> bool {
    kind.params().all(|(name, value)| name != CHARSET || value == UTF_8)
}

/// Decoded parameters in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
    repeated: Option<String>,
}

impl Parameters {
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut parameters = Self::default();
        for (name, value) in url::form_urlencoded::parse(text) {
            if parameters.repeated.is_none() && parameters.get(&name).is_some() {
                parameters.repeated = Some(name.clone().into_owned());
            }
            parameters.pairs.push((name.into_owned(), value.into_owned()));
        }
        parameters
    }

    /// The first value of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value, where there is one that isn't empty.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// The value of a name that came exactly once.
    pub(crate) fn sole(&self, name: &str) -> Option<&str> {
        let mut values = self.pairs.iter().filter(|(known, _)| known == name);
        let first = values.next().map(|(_, value)| value.as_str());
        first.filter(|_| values.next().is_none())
    }

    /// A parameter that came more than once.
    pub(crate) fn repeated(&self) -> Option<&str> {
        self.repeated.as_deref()
    }
}
