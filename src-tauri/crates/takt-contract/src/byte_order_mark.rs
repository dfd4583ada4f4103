//! Removes byte order marks from JSON texts, which parsers may ignore (RFC 8259, 8.1), and converts UTF-16.

use std::borrow::Cow;

const MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns the bytes of a text without a byte order mark.
#[must_use]
pub fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Returns a text without a byte order mark.
#[must_use]
pub fn text_without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Converts a JSON text to UTF-8 without a byte order mark. UTF-16 is recognized by its mark or by an ASCII character
/// at the start. Other texts are returned without a mark.
#[must_use]
pub fn utf8_text(text: &[u8]) -> Cow<'_, [u8]> {
    type Unit = fn([u8; 2]) -> u16;
    let (units, unit): (&[u8], Unit) = match text {
        [0xFF, 0xFE, units @ ..] => (units, u16::from_le_bytes),
        [0xFE, 0xFF, units @ ..] => (units, u16::from_be_bytes),
        [1..=0x7F, 0, ..] => (text, u16::from_le_bytes),
        [0, 1..=0x7F, ..] => (text, u16::from_be_bytes),
        _ => return Cow::Borrowed(without_byte_order_mark(text)),
    };
    let (pairs, rest) = units.as_chunks();
    let decoded: Result<String, _> = char::decode_utf16(pairs.iter().copied().map(unit)).collect();
    match decoded {
        Ok(decoded) if rest.is_empty() => Cow::Owned(decoded.into_bytes()),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_read_with_a_mark_and_without() {
        let text = "{\"Note\":\"Gr\u{fc}\u{df}e \u{1F600}\"}";
        for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            for marked in [format!("\u{feff}{text}"), text.to_owned()] {
                let bytes: Vec<u8> = marked.encode_utf16().flat_map(unit).collect();
                assert_eq!(utf8_text(&bytes), text.as_bytes());
            }
        }
        for odd in [&b"\xFF\xFE{"[..], b"\xFF\xFE\x00\xD8", b"{", b"", b"\x00", b"\x00\x00{}", b"\xFC\x00", b"\x00\xFC"]
        {
            assert_eq!(utf8_text(odd), odd);
        }
        assert_eq!(utf8_text("\u{feff}{}".as_bytes()), &b"{}"[..]);
    }

    #[test]
    fn one_mark_at_the_beginning_is_passed_over() {
        assert_eq!(without_byte_order_mark("\u{feff}{}".as_bytes()), b"{}");
        assert_eq!(without_byte_order_mark(b"{}"), b"{}");
        assert_eq!((text_without_byte_order_mark("\u{feff}a"), text_without_byte_order_mark("a")), ("a", "a"));
        assert_eq!(without_byte_order_mark("\u{feff}\u{feff}".as_bytes()), MARK);
    }
}
