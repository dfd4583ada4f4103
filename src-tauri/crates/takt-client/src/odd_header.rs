//! Headers of a service whose values can't be: ignored, and said once.

use std::collections::BTreeMap;

use reqwest::header::HeaderMap;

/// Characters of a value that are kept.
const MAX_VALUE_LENGTH: usize = 80;

/// A header whose value can't be, as it came first. Not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredHeader {
    pub name: String,
    pub value: String,
}

/// What was ignored so far, the first value of each header.
#[derive(Debug, Default)]
pub(crate) struct OddHeaders(BTreeMap<&'static str, String>);

impl OddHeaders {
    /// The header's value, or nothing where it is absent; one that can't be read is noted.
    pub(crate) fn read<T>(
        &mut self,
        headers: &HeaderMap,
        name: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let value = headers.get(name)?;
        let text = String::from_utf8_lossy(value.as_bytes());
        let found = read(text.trim());
        if found.is_none() {
            self.note(name, text.trim());
        }
        found
    }

    pub(crate) fn note(&mut self, name: &'static str, value: &str) {
        if self.0.contains_key(name) {
            return;
        }
        let value: String = value.chars().take(MAX_VALUE_LENGTH).collect();
        tracing::warn!(header = name, value, "a header's value can't be, and is ignored");
        self.0.insert(name, value);
    }

    pub(crate) fn ignored(&self) -> Vec<IgnoredHeader> {
        self.0.iter().map(|(name, value)| IgnoredHeader { name: (*name).to_owned(), value: value.clone() }).collect()
    }
}
