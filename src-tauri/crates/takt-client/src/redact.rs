//! Removes secrets from what others answered and from errors, before any of it is stored, logged or shown.
//!
//! Owns the list of known secrets of a process (every secret that passes the vault is on it) and the names under which
//! unknown ones stand. Leaves to others what is a secret, and where texts come from.
//!
//! - [`Redactor::text`] is for words: error bodies, causes, log lines. Known secrets are found in every usual encoding, and
//!   what stands behind a name such as `Authorization` or `access_token` is removed whether it is known or not.
//! - [`Redactor::headers`] is for headers: as words, and the whole value where the name says that it is secret.
//! - [`Redactor::data`] is for rows and events, which must not change: only known secrets that are too long to be there by
//!   chance are removed.

mod encoding;
mod names;

use std::{borrow::Cow, collections::VecDeque, fmt, ops::Range, sync::Arc};

use memchr::memmem;
use parking_lot::RwLock;

use crate::Secret;
use encoding::{base64_forms, data_forms, decoded, plain};

/// Stands where a secret stood. It needs no escape in JSON, HTML or an address.
pub const REMOVED: &str = "[removed]";
/// Characters below which a secret can't be told from a usual word; the names find it nonetheless.
const MIN_SECRET_LENGTH: usize = 6;
/// The same in data, of a token and of anything else.
const MIN_TOKEN_LENGTH_IN_DATA: usize = 8;
const MIN_LENGTH_IN_DATA: usize = 16;
/// Secrets that are remembered: the tokens of some days. The oldest is forgotten first.
const MAX_SECRETS: usize = 256;
/// How often a text may be encoded.
const LEVELS: usize = 3;

/// What must not be told. Clones share what they know.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<VecDeque<KnownSecret>>>,
}

struct KnownSecret {
    text: String,
    /// Found in words: as it is, and within base64 at any place.
    in_words: Vec<Vec<u8>>,
    /// Found in data; empty where it is too short for that.
    in_data: Vec<Vec<u8>>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Redactor {
    /// From here on this is removed: a client secret, a password, a key.
    pub fn learn(&self, secret: &Secret) {
        self.add(secret.reveal(), MIN_LENGTH_IN_DATA);
    }

    /// The same of a token or a code, which no row holds by chance.
    pub fn learn_token(&self, secret: &Secret) {
        self.add(secret.reveal(), MIN_TOKEN_LENGTH_IN_DATA);
    }

    /// The value of a header that goes along with requests: the whole, and what stands behind its scheme.
    pub fn learn_header(&self, value: &Secret) {
        self.learn(value);
        if let Some((_, bare)) = value.reveal().split_once(' ') {
            self.learn(&Secret::new(bare.trim()));
        }
    }

    /// Words without secrets.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        let mut level = plain(text.as_bytes());
        let mut found = self.find_ranges(&level, true);
        for _ in 1..LEVELS {
            let Some(next) = decoded(&level) else { break };
            found.extend(self.find_ranges(&next, true));
            level = next;
        }
        if !found.is_empty() {
            text = Cow::Owned(String::from_utf8_lossy(&without(text.as_bytes(), found)).into_owned());
        }
        match names::without(&text) {
            Cow::Owned(changed) => Cow::Owned(changed),
            Cow::Borrowed(_) => text,
        }
    }

    /// The same of bytes that may be text.
    #[must_use]
    pub fn words(&self, bytes: Vec<u8>) -> Vec<u8> {
        let changed = match self.text(&String::from_utf8_lossy(&bytes)) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text.into_bytes()),
        };
        changed.unwrap_or(bytes)
    }

    /// Headers without secrets, by their names or by their values.
    #[must_use]
    pub fn headers(&self, headers: Vec<(String, String)>) -> Vec<(String, String)> {
        let bare = |(name, value): (String, String)| {
            let value =
                if names::is_secret_header(&name) { REMOVED.to_owned() } else { self.text(&value).into_owned() };
            (name, value)
        };
        headers.into_iter().map(bare).collect()
    }

    /// Data without known secrets; nothing else of it is changed.
    #[must_use]
    pub fn data(&self, bytes: Vec<u8>) -> Vec<u8> {
        let found = self.find_ranges(&plain(&bytes), false);
        if found.is_empty() { bytes } else { without(&bytes, found) }
    }

    fn add(&self, text: &str, shortest_in_data: usize) {
        if text.len() < MIN_SECRET_LENGTH {
            return;
        }
        let is_known = |known: &VecDeque<KnownSecret>| known.iter().any(|one| one.text == text);
        if is_known(&self.known.read()) {
            return;
        }
        let mut in_words = base64_forms(text.as_bytes());
        in_words.push(text.as_bytes().to_vec());
        let in_data = if text.len() < shortest_in_data { Vec::new() } else { data_forms(text) };
        let mut known = self.known.write();
        if known.len() >= MAX_SECRETS {
            known.pop_front();
        }
        known.push_back(KnownSecret { text: text.to_owned(), in_words, in_data });
    }

    /// Where secrets stand in what was decoded, as places of the text itself.
    fn find_ranges(&self, text: &encoding::Decoded<'_>, words: bool) -> Vec<Range<usize>> {
        let known = self.known.read();
        let forms = known.iter().flat_map(|known| if words { &known.in_words } else { &known.in_data });
        let mut found = Vec::new();
        for form in forms {
            let at = memmem::find_iter(text.bytes(), form);
            found.extend(at.map(|at| text.place(at..at + form.len())));
        }
        found
    }
}

/// A secret that stood in an address, as it is sent.
pub(crate) fn percent_decoded(secret: &Secret) -> Secret {
    let text = secret.reveal().as_bytes();
    let bytes = decoded(&plain(text)).map_or_else(|| text.to_vec(), |found| found.bytes().to_vec());
    Secret::new(String::from_utf8_lossy(&bytes))
}

/// The bytes with a mark in the place of each range. Ranges may touch and overlap.
fn without(bytes: &[u8], mut ranges: Vec<Range<usize>>) -> Vec<u8> {
    ranges.sort_by_key(|range| range.start);
    let mut left = Vec::with_capacity(bytes.len());
    let (mut at, mut open) = (0, false);
    for range in ranges {
        if range.start > at || !open {
            left.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
            left.extend_from_slice(REMOVED.as_bytes());
            open = true;
        }
        at = at.max(range.end);
    }
    left.extend_from_slice(bytes.get(at..).unwrap_or_default());
    left
}

#[cfg(test)]
mod tests;
