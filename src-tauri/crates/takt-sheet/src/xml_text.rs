//! Text in XML parts: the encoding of a part, the characters of references, the values of attributes, and numbers.

use std::{
    borrow::Cow,
    io::{BufReader, Cursor, Read},
};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::{
    Reader, XmlVersion,
    encoding::DecodingReader,
    events::{BytesRef, BytesStart},
};

use crate::{SheetError, part_buffer::PartBuffer};

/// The number of bytes at the start of a part that are searched for a declaration of the encoding.
const HEAD_BYTES: usize = 256;
const BLOCK_BYTES: usize = 32 * 1024;

pub(crate) type XmlReader<'p> = Reader<PartBuffer<'p>>;

/// Returns a reader for a part in any encoding. An element without content is reported as a start and an end.
pub(crate) fn new_reader<'p>(mut part: impl Read + 'p) -> Result<XmlReader<'p>, SheetError> {
    let mut head = Vec::new();
    part.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(SheetError::damaged)?;
    let (has_mark, named) = (Encoding::for_bom(&head).is_some(), detect_encoding(&head));
    let input = Cursor::new(head).chain(part);
    let decoded = if has_mark || named.is_some() {
        let mut decoding = DecodingReader::new(BufReader::with_capacity(BLOCK_BYTES, input));
        // A byte order mark takes precedence.
        if let Some(encoding) = named.filter(|_| !has_mark) {
            decoding.set_encoding(encoding);
        }
        PartBuffer::new(decoding)
    } else {
        PartBuffer::new(input)
    };
    let mut reader = Reader::from_reader(decoded);
    reader.config_mut().expand_empty_elements = true;
    Ok(reader)
}

/// Returns the encoding of a part without a byte order mark, from its zero bytes or its declaration. Returns `None` for
/// UTF-8.
fn detect_encoding(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [b'<', 0, ..] => return Some(UTF_16LE),
        [0, b'<', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let head = String::from_utf8_lossy(head);
    let line = head.strip_prefix("<?xml")?.split_once("?>")?.0;
    let name = line.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = name.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let encoding = Encoding::for_label(name.get(1..)?.split(quote).next()?.as_bytes())?;
    (encoding != UTF_8 && encoding.is_ascii_compatible()).then_some(encoding)
}

/// Decodes a small part by its byte order mark, else by its declaration, else as UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let named = detect_encoding(bytes.get(..HEAD_BYTES).unwrap_or(bytes));
    named.unwrap_or(UTF_8).decode(bytes).0.into_owned()
}

/// Appends the character of a reference (`&amp;`, `&#10;`).
///
/// # Errors
/// If the entity isn't defined.
pub(crate) fn push_reference(reference: &BytesRef<'_>, text: &mut String) -> Result<(), SheetError> {
    let named = match reference.as_ref() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    };
    let letter = match named {
        Some(letter) => Some(letter),
        None => reference.resolve_char_ref().map_err(SheetError::damaged)?,
    };
    text.push(
        letter.ok_or_else(|| SheetError::damaged(format_args!("the entity &{}; isn't defined", reference.as_ref())))?,
    );
    Ok(())
}

/// Returns an attribute without a prefix, as Office parts write it. An attribute with a prefix belongs to an extension.
pub(crate) fn plain_attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().with_checks(false).flatten().find(|found| found.key.as_ref() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}

/// Returns whether an element preserves blanks around its texts, or `None` if it inherits that from its parent.
pub(crate) fn keeps_blanks(start: &BytesStart<'_>) -> Option<bool> {
    let found = start.attributes().with_checks(false).flatten().find(|found| found.key.as_ref() == "xml:space")?;
    Some(&*found.value == "preserve")
}

/// Parses a number. Integers of up to fifteen digits take a faster path, with the same result.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    if (1..=15).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let integer = text.bytes().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        return Some(integer as f64);
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_its_letters() {
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xC4</a>".as_slice();
        assert!(decode(latin).ends_with("<a>Ä</a>"));
        let wide: Vec<u8> = "<a>Ä</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide), "<a>Ä</a>");
        assert_eq!(decode("<a>Ä</a>".as_bytes()), "<a>Ä</a>");
    }

    #[test]
    fn numbers_are_what_the_language_reads() {
        for text in ["", "0", "007", "999999999999999", "1000000000000001", "-1.5E3", "1e400", "inf", "1,5", "٣"] {
            assert_eq!(parse_number(text), text.parse().ok(), "{text}");
        }
    }
}
