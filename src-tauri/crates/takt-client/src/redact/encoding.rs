//! The encodings in which a secret may occur: percent-encoding, escapes of JSON or HTML, and base64.

use std::{borrow::Cow, ops::Range};

use base64::{Engine, engine::general_purpose::STANDARD};
use url::form_urlencoded::byte_serialize;

/// The minimum length of base64 that is searched for. Shorter text could occur by chance.
const MIN_BASE64_LENGTH: usize = 8;
/// Larger texts are searched without decoding them.
const MAX_DECODED_BYTES: usize = 1024 * 1024;

/// A decoded text with the ranges of its bytes in the original text.
pub(super) struct DecodedText<'a> {
    bytes: Cow<'a, [u8]>,
    /// Start and end of each byte in the original text. Empty for a text that wasn't decoded.
    original_ranges: Vec<(u32, u32)>,
}

impl DecodedText<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Converts a range of the decoded bytes to a range of the original text.
    pub(super) fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let begin = self.original_ranges.get(range.start).map_or(range.start, |range| range.0 as usize);
        let end = self.original_ranges.get(range.end - 1).map_or(range.end, |range| range.1 as usize);
        begin..end
    }
}

/// Wraps a text that isn't decoded.
pub(super) fn undecoded_text(bytes: &[u8]) -> DecodedText<'_> {
    DecodedText { bytes: Cow::Borrowed(bytes), original_ranges: Vec::new() }
}

/// Decodes one level of percent-encoding, JSON escapes and HTML entities. Returns None if there are none.
pub(super) fn decode(text: &DecodedText<'_>) -> Option<DecodedText<'static>> {
    let bytes = text.bytes();
    if bytes.len() > MAX_DECODED_BYTES || memchr::memchr3(b'%', b'\\', b'&', bytes).is_none() {
        return None;
    }
    let (mut out, mut original_ranges, mut at, mut changed) = (Vec::with_capacity(bytes.len()), Vec::new(), 0, false);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let (character, length) = decode_character(rest);
        let range = text.original_range(at..at + length);
        let range = (u32::try_from(range.start).unwrap_or(u32::MAX), u32::try_from(range.end).unwrap_or(u32::MAX));
        for byte in &character {
            out.push(*byte);
            original_ranges.push(range);
        }
        changed |= length > 1;
        at += length;
    }
    changed.then_some(DecodedText { bytes: Cow::Owned(out), original_ranges })
}

/// Decodes the first character. Returns its bytes and its encoded length.
fn decode_character(text: &[u8]) -> (Vec<u8>, usize) {
    let found = match text.first() {
        Some(b'%') => {
            parse_hexadecimal(text.get(1..3)).and_then(|code| u8::try_from(code).ok()).map(|byte| (vec![byte], 3))
        }
        Some(b'\\') => decode_escape(text),
        Some(b'&') => decode_entity(text),
        _ => None,
    };
    found.unwrap_or_else(|| (text.iter().take(1).copied().collect(), 1))
}

fn decode_escape(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    match text.get(1)? {
        b'u' => parse_hexadecimal(text.get(2..6)).and_then(char::from_u32).map(|character| (utf8_bytes(character), 6)),
        b'x' => parse_hexadecimal(text.get(2..4)).and_then(char::from_u32).map(|character| (utf8_bytes(character), 4)),
        b'n' => Some((b"\n".to_vec(), 2)),
        b't' => Some((b"\t".to_vec(), 2)),
        b'r' => Some((b"\r".to_vec(), 2)),
        same @ (b'"' | b'\'' | b'\\' | b'/') => Some((vec![*same], 2)),
        _ => None,
    }
}

fn decode_entity(text: &[u8]) -> Option<(Vec<u8>, usize)> {
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
    Some((utf8_bytes(character), end + 1))
}

fn parse_hexadecimal(digits: Option<&[u8]>) -> Option<u32> {
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn utf8_bytes(character: char) -> Vec<u8> {
    character.to_string().into_bytes()
}

/// Returns the base64 of a secret at each offset and in both alphabets, without characters that depend on adjacent
/// bytes.
pub(super) fn base64_forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let mut padded = vec![0; before];
        padded.extend_from_slice(secret);
        let encoded = STANDARD.encode(&padded);
        let (begin, end) = ((before * 8).div_ceil(6), padded.len() * 8 / 6);
        let Some(form) = encoded.get(begin..end).filter(|form| form.len() >= MIN_BASE64_LENGTH) else { continue };
        forms.push(form.as_bytes().to_vec());
        let in_addresses = form.replace('+', "-").replace('/', "_");
        if in_addresses != form {
            forms.push(in_addresses.into_bytes());
        }
    }
    forms
}

/// Returns the forms of a secret in data: unchanged, escaped for JSON, and percent-encoded.
pub(super) fn data_forms(secret: &str) -> Vec<Vec<u8>> {
    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_matches('"').to_owned();
    let percent: String = byte_serialize(secret.as_bytes()).collect();
    let mut forms = vec![secret.to_owned(), json.replace('/', "\\/"), json, percent.replace('+', "%20"), percent];
    forms.sort();
    forms.dedup();
    forms.into_iter().map(String::into_bytes).collect()
}
