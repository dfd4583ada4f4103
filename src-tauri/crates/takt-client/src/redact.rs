//! Removes secrets from responses and errors before they are stored, logged or shown.
//!
//! A [`Redactor`] contains the secrets of this process, and the names of members and headers with secret values.
//! [`Redactor::redact_text`] removes known secrets in all usual encodings, and values after names such as
//! `access_token`. [`Redactor::redact_headers`] also removes all values of secret headers. [`Redactor::redact_data`],
//! for rows and events, removes only known secrets that are too long to occur by chance.

mod encoding;
mod secret_names;

use std::{borrow::Cow, collections::VecDeque, fmt, ops::Range, sync::Arc};

use memchr::memmem;
use parking_lot::RwLock;

use crate::Secret;
use encoding::{base64_forms, data_forms, decode, undecoded_text};
pub use secret_names::SECRET_PLACEHOLDER;

/// The minimum length of a known secret in bytes. Shorter ones look like usual words, so only their names reveal them.
const MIN_SECRET_LENGTH: usize = 6;
/// The minimum length in bytes of tokens that are removed from data. `MIN_LENGTH_IN_DATA` is for other secrets.
const MIN_TOKEN_LENGTH_IN_DATA: usize = 8;
const MIN_LENGTH_IN_DATA: usize = 16;
/// The maximum number of known secrets, enough for the tokens of some days. The oldest is removed first.
const MAX_SECRETS: usize = 256;
/// The maximum number of nested encodings.
const MAX_DECODING_LEVELS: usize = 3;

/// Removes known secrets from texts and data. Clones share the known secrets.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<VecDeque<KnownSecret>>>,
}

struct KnownSecret {
    text: String,
    /// The forms that are removed from texts: the secret, and its base64 at any offset.
    text_forms: Vec<Vec<u8>>,
    /// The forms that are removed from data. Empty if the secret is too short.
    data_forms: Vec<Vec<u8>>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Redactor {
    /// Registers a client secret, a password or a key for removal.
    pub fn register_secret(&self, secret: &Secret) {
        self.add_secret(secret.reveal(), MIN_LENGTH_IN_DATA);
    }

    /// Registers a token or a code for removal. It may be shorter than other secrets, since no row contains one by
    /// chance.
    pub fn register_token(&self, secret: &Secret) {
        self.add_secret(secret.reveal(), MIN_TOKEN_LENGTH_IN_DATA);
    }

    /// Registers a request header's value, with and without its scheme.
    pub fn register_header(&self, value: &Secret) {
        self.register_secret(value);
        if let Some((_, token)) = value.reveal().split_once(' ') {
            self.register_secret(&Secret::new(token.trim()));
        }
    }

    /// Removes known secrets and the values after secret names from a text.
    #[must_use]
    pub fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        let mut level = undecoded_text(text.as_bytes());
        let mut found = self.find_ranges(&level, true);
        for _ in 1..MAX_DECODING_LEVELS {
            let Some(next) = decode(&level) else { break };
            found.extend(self.find_ranges(&next, true));
            level = next;
        }
        if !found.is_empty() {
            text = Cow::Owned(String::from_utf8_lossy(&replace_ranges(text.as_bytes(), found)).into_owned());
        }
        match secret_names::redact_values(&text) {
            Cow::Owned(changed) => Cow::Owned(changed),
            Cow::Borrowed(_) => text,
        }
    }

    /// Like [`Self::redact_text`], for bytes. Invalid UTF-8 is replaced if anything is removed.
    #[must_use]
    pub fn redact_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let changed = match self.redact_text(&String::from_utf8_lossy(&bytes)) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text.into_bytes()),
        };
        changed.unwrap_or(bytes)
    }

    /// Removes secrets from headers, by their names and their values.
    #[must_use]
    pub fn redact_headers(&self, headers: Vec<(String, String)>) -> Vec<(String, String)> {
        let redact = |(name, value): (String, String)| {
            let value = if secret_names::is_secret_header(&name) {
                SECRET_PLACEHOLDER.to_owned()
            } else {
                self.redact_text(&value).into_owned()
            };
            (name, value)
        };
        headers.into_iter().map(redact).collect()
    }

    /// Removes known secrets from data and changes no other bytes.
    #[must_use]
    pub fn redact_data(&self, bytes: Vec<u8>) -> Vec<u8> {
        let found = self.find_ranges(&undecoded_text(&bytes), false);
        if found.is_empty() { bytes } else { replace_ranges(&bytes, found) }
    }

    fn add_secret(&self, text: &str, min_length_in_data: usize) {
        if text.len() < MIN_SECRET_LENGTH {
            return;
        }
        let is_known = |known: &VecDeque<KnownSecret>| known.iter().any(|one| one.text == text);
        if is_known(&self.known.read()) {
            return;
        }
        let mut text_forms = base64_forms(text.as_bytes());
        text_forms.push(text.as_bytes().to_vec());
        let data_forms = if text.len() < min_length_in_data { Vec::new() } else { data_forms(text) };
        let mut known = self.known.write();
        if known.len() >= MAX_SECRETS {
            known.pop_front();
        }
        known.push_back(KnownSecret { text: text.to_owned(), text_forms, data_forms });
    }

    /// Returns the ranges of secrets in a decoded text, converted to ranges in the original text.
    fn find_ranges(&self, text: &encoding::DecodedText<'_>, is_text: bool) -> Vec<Range<usize>> {
        let known = self.known.read();
        let forms = known.iter().flat_map(|known| if is_text { &known.text_forms } else { &known.data_forms });
        let mut found = Vec::new();
        for form in forms {
            let at = memmem::find_iter(text.bytes(), form);
            found.extend(at.map(|at| text.original_range(at..at + form.len())));
        }
        found
    }
}

/// Percent-decodes a secret from an address to the form in which it is sent.
pub(crate) fn percent_decode(secret: &Secret) -> Secret {
    let text = secret.reveal().as_bytes();
    let bytes = decode(&undecoded_text(text)).map_or_else(|| text.to_vec(), |found| found.bytes().to_vec());
    Secret::new(String::from_utf8_lossy(&bytes))
}

/// Replaces each range with [`SECRET_PLACEHOLDER`]. Ranges that touch or overlap are replaced together.
fn replace_ranges(bytes: &[u8], mut ranges: Vec<Range<usize>>) -> Vec<u8> {
    ranges.sort_by_key(|range| range.start);
    let mut redacted = Vec::with_capacity(bytes.len());
    let (mut at, mut has_mark) = (0, false);
    for range in ranges {
        if range.start > at || !has_mark {
            redacted.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
            redacted.extend_from_slice(SECRET_PLACEHOLDER.as_bytes());
            has_mark = true;
        }
        at = at.max(range.end);
    }
    redacted.extend_from_slice(bytes.get(at..).unwrap_or_default());
    redacted
}

#[cfg(test)]
mod tests;
