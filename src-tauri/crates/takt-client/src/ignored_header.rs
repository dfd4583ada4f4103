//! Headers with invalid values, which are ignored and logged once each.

use std::collections::BTreeMap;

use reqwest::header::HeaderMap;

/// In characters. Longer values are cut.
const MAX_VALUE_LENGTH: usize = 80;

/// An ignored header with its first invalid value, which isn't trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredHeader {
    pub name: String,
    pub value: String,
}

/// The first invalid value of each ignored header, by name.
#[derive(Debug, Default)]
pub(crate) struct IgnoredHeaders(BTreeMap<&'static str, String>);

impl IgnoredHeaders {
    /// Parses a header's value and notes it if it is invalid. Returns None if the header is missing or invalid.
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

    pub(crate) fn to_list(&self) -> Vec<IgnoredHeader> {
        self.0.iter().map(|(name, value)| IgnoredHeader { name: (*name).to_owned(), value: value.clone() }).collect()
    }
}
