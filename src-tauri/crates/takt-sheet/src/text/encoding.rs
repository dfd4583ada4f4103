//! Which letters the bytes of a text file are: a byte order mark, else strict UTF-8, else the likeliest of the old encodings.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// How much is enough to tell an encoding.
const ENOUGH: usize = 256 * 1024;
/// A text may hold a stray control character, but not one in this many.
const CONTROL_SHARE: usize = 200;

pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(bytes.get(length..).unwrap_or_default()).0;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        // The head of a file may end within a letter.
        Err(error) if error.error_len().is_none() && error.valid_up_to() + 4 > bytes.len() => {
            String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default())
        }
        Err(_) => guess(bytes).decode_without_bom_handling(bytes).0,
    }
}

/// Whether bytes could be a text at all.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    if Encoding::for_bom(head).is_some() {
        return true;
    }
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A);
    !head.contains(&0)
        && head.iter().filter(|byte| is_control(byte)).count() * CONTROL_SHARE <= head.len()
        && !head.starts_with(b"%PDF-")
        && !head.starts_with(b"{\\rtf")
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(..ENOUGH).unwrap_or(bytes), true);
    detector.guess(None, Utf8Detection::Deny)
}
