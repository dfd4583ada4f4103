//! Detects the encoding of a text file: a byte order mark, else strict UTF-8, else UTF-16 by the position of zero
//! bytes, else the likeliest of the old encodings (`guess`). The user may choose another one.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::{
    encoding::TextEncoding,
    guess::{self, Guess, SAMPLE_BYTES},
    utf8::is_utf8,
};
use crate::{SheetError, source::Source};

/// A text may have a stray control character, but no more than one in this many bytes.
const CONTROL_SHARE: usize = 200;
/// The zero bytes that a short text may have.
const MAX_STRAY_ZEROS: usize = 8;

impl TextEncoding {
    /// Returns the likeliest encoding of these bytes, which may be a file's head.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        if let Some((encoding, _)) = Encoding::for_bom(bytes) {
            return Self::Known(encoding);
        }
        if let Some(encoding) = utf16_without_mark(bytes) {
            return Self::Known(encoding);
        }
        Self::Known(match std::str::from_utf8(bytes) {
            Ok(_) => UTF_8,
            // The head of a file may end within a character.
            Err(error) if error.error_len().is_none() && error.valid_up_to() + 4 > bytes.len() => UTF_8,
            Err(_) => guess::by_frequency(&[bytes]),
        })
    }

    /// Detects the encoding of a whole file, which is UTF-8 only if all of it is. `usual` is the computer's own
    /// encoding.
    pub(super) fn detect_source(source: &Source, usual: Option<&'static str>) -> Result<Guess, SheetError> {
        let head = source.head(SAMPLE_BYTES)?;
        let marked = Encoding::for_bom(&head).is_some() || utf16_without_mark(&head).is_some();
        if marked || is_utf8(source).map_err(SheetError::Unreadable)? {
            return Ok(Guess::certain(Self::detect(&head)));
        }
        guess::guess_source(source, usual).map_err(SheetError::Unreadable)
    }
}

/// Decodes the head of a file.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    TextEncoding::detect(bytes).decode(bytes)
}

/// Returns whether bytes could be a text. A few zero bytes are allowed.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    if Encoding::for_bom(head).is_some() || utf16_without_mark(head).is_some() {
        return true;
    }
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A);
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    let stray = zeros == 0 || (zeros <= MAX_STRAY_ZEROS && head.contains(&b'\n'));
    stray
        && head.iter().filter(|byte| is_control(byte)).count() * CONTROL_SHARE <= head.len().max(zeros * CONTROL_SHARE)
        && !head.starts_with(b"%PDF-")
        && !head.starts_with(b"{\\rtf")
}

/// Detects UTF-16 without a byte order mark. Every second byte of western characters is zero, and the others never are.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
    let pairs = head.len() / 2;
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let encoding = match (even, odd) {
        (0, odd) if odd * 2 > pairs => UTF_16LE,
        (even, 0) if even * 2 > pairs => UTF_16BE,
        _ => return None,
    };
    let text = encoding.decode_without_bom_handling(head.get(..pairs * 2)?).0;
    let is_control = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}');
    (!text.chars().any(is_control) && text.contains(['\n', '\r', '\t', ';', ','])).then_some(encoding)
}
