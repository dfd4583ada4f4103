//! How a secret can be written: percent-encoded, escaped as JSON or HTML requires, or as part of base64.

use std::{borrow::Cow, ops::Range};

use base64::{Engine, engine::general_purpose::STANDARD};
use url::form_urlencoded::byte_serialize;

/// A part of base64 that is shorter could stand anywhere.
const MIN_BASE64_LENGTH: usize = 8;
/// Larger texts are searched through as they are.
const MAX_DECODED_BYTES: usize = 1024 * 1024;

/// A text after some decoding, and where each of its bytes stood before.
pub(super) struct Decoded<'a> {
    bytes: Cow<'a, [u8]>,
    /// Begin and end of each byte in the text itself; empty where nothing was decoded.
    places: Vec<(u32, u32)>,
}

impl Decoded<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a range of the decoded bytes stands in the text itself.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        let begin = self.places.get(range.start).map_or(range.start, |place| place.0 as usize);
        let end = self.places.get(range.end - 1).map_or(range.end, |place| place.1 as usize);
        begin..end
    }
}

/// A text as it is.
pub(super) fn plain(bytes: &[u8]) -> Decoded<'_> {
    Decoded { bytes: Cow::Borrowed(bytes), places: Vec::new() }
}

/// One level of encoding undone: percent signs, escapes of JSON, entities of HTML. None where there are none.
pub(super) fn decoded(text: &Decoded<'_>) -> Option<Decoded<'static>> {
    let bytes = text.bytes();
    if bytes.len() > MAX_DECODED_BYTES || memchr::memchr3(b'%', b'\\', b'&', bytes).is_none() {
        return None;
    }
    let (mut out, mut places, mut at, mut changed) = (Vec::with_capacity(bytes.len()), Vec::new(), 0, false);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let (character, length) = unit(rest);
        let place = text.place(at..at + length);
        let place = (u32::try_from(place.start).unwrap_or(u32::MAX), u32::try_from(place.end).unwrap_or(u32::MAX));
        for byte in &character {
            out.push(*byte);
            places.push(place);
        }
        changed |= length > 1;
        at += length;
    }
    changed.then_some(Decoded { bytes: Cow::Owned(out), places })
}

/// The bytes that the text begins with once they are decoded, and how many bytes that took.
fn unit(text: &[u8]) -> (Vec<u8>, usize) {
    let found = match text.first() {
        Some(b'%') => hexadecimal(text.get(1..3)).and_then(|code| u8::try_from(code).ok()).map(|byte| (vec![byte], 3)),
        Some(b'\\') => escape(text),
        Some(b'&') => entity(text),
        _ => None,
    };
    found.unwrap_or_else(|| (text.iter().take(1).copied().collect(), 1))
}

fn escape(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    match text.get(1)? {
        b'u' => hexadecimal(text.get(2..6)).and_then(char::from_u32).map(|character| (utf8(character), 6)),
        b'x' => hexadecimal(text.get(2..4)).and_then(char::from_u32).map(|character| (utf8(character), 4)),
        b'n' => Some((b"\n".to_vec(), 2)),
        b't' => Some((b"\t".to_vec(), 2)),
        b'r' => Some((b"\r".to_vec(), 2)),
        same @ (b'"' | b'\'' | b'\\' | b'/') => Some((vec![*same], 2)),
        _ => None,
    }
}

fn entity(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(text.get(1..end)?).ok()?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((utf8(character), end + 1))
}

fn hexadecimal(digits: Option<&[u8]>) -> Option<u32> {
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn utf8(character: char) -> Vec<u8> {
    character.to_string().into_bytes()
}

/// What base64 makes of the bytes wherever they stand in what is encoded, in both alphabets: the characters that depend on
/// nothing else.
pub(super) fn base64_forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let mut whole = vec![0; before];
        whole.extend_from_slice(secret);
        let encoded = STANDARD.encode(&whole);
        let (begin, end) = ((before * 8).div_ceil(6), whole.len() * 8 / 6);
        let Some(form) = encoded.get(begin..end).filter(|form| form.len() >= MIN_BASE64_LENGTH) else { continue };
        forms.push(form.as_bytes().to_vec());
        let in_addresses = form.replace('+', "-").replace('/', "_");
        if in_addresses != form {
            forms.push(in_addresses.into_bytes());
        }
    }
    forms
}

/// How a secret stands in data: as it is, escaped for JSON, percent-encoded.
pub(super) fn data_forms(secret: &str) -> Vec<Vec<u8>> {
    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_matches('"').to_owned();
    let percent: String = byte_serialize(secret.as_bytes()).collect();
    let mut forms = vec![secret.to_owned(), json.replace('/', "\\/"), json, percent.replace('+', "%20"), percent];
    forms.sort();
    forms.dedup();
    forms.into_iter().map(String::into_bytes).collect()
}
