//! Which letters the bytes of a text file are: a byte order mark, else strict UTF-8, else UTF-16 by where its zeros stand,
//! else the likeliest of the old encodings. A person who knows better may say so.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How much is enough to tell an encoding.
const ENOUGH: usize = 256 * 1024;
/// A text may hold a stray control character, but not one in this many.
const CONTROL_SHARE: usize = 200;
/// What DOS called its western letters; not among those of the web, and still what old programs export.
const DOS: &str = "cp850";

/// Encodings that a person may choose, by name: those of western and central Europe first.
pub const ENCODINGS: [&str; 17] = [
    "UTF-8",
    "windows-1252",
    "ISO-8859-15",
    "macintosh",
    DOS,
    "windows-1250",
    "ISO-8859-2",
    "UTF-16LE",
    "UTF-16BE",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1257",
    "Shift_JIS",
    "EUC-KR",
    "GBK",
    "Big5",
];

/// How bytes become letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    Known(&'static Encoding),
    Dos,
}

impl Letters {
    /// Absent for a name that nobody knows.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let name = name.trim();
        if name.eq_ignore_ascii_case(DOS) || name.eq_ignore_ascii_case("ibm850") || name == "850" {
            return Some(Self::Dos);
        }
        Encoding::for_label(name.as_bytes()).map(Self::Known)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known(encoding) => encoding.name(),
            Self::Dos => DOS,
        }
    }

    /// The likeliest for these bytes, which may be a file's head.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        if let Some((encoding, _)) = Encoding::for_bom(bytes) {
            return Self::Known(encoding);
        }
        if let Some(encoding) = without_mark(bytes) {
            return Self::Known(encoding);
        }
        Self::Known(match std::str::from_utf8(bytes) {
            Ok(_) => UTF_8,
            // The head of a file may end within a letter.
            Err(error) if error.error_len().is_none() && error.valid_up_to() + 4 > bytes.len() => UTF_8,
            Err(_) => guess(bytes),
        })
    }

    /// Without the byte order mark, where there is one.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Known(encoding) => {
                let mark = Encoding::for_bom(bytes).filter(|(marked, _)| *marked == encoding);
                let from = mark.map_or(0, |(_, length)| length);
                encoding.decode_without_bom_handling(bytes.get(from..).unwrap_or_default()).0
            }
            Self::Dos => Cow::Owned(from_dos(bytes)),
        }
    }
}

/// The head of a file as text.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    Letters::of(bytes).decode(bytes)
}

/// Whether bytes could be a text at all.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    if Encoding::for_bom(head).is_some() || without_mark(head).is_some() {
        return true;
    }
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A);
    !head.contains(&0)
        && head.iter().filter(|byte| is_control(byte)).count() * CONTROL_SHARE <= head.len()
        && !head.starts_with(b"%PDF-")
        && !head.starts_with(b"{\\rtf")
}

/// UTF-16 that came without its mark: western letters leave every second byte zero, and the others never are.
fn without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..ENOUGH).unwrap_or(bytes);
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

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(..ENOUGH).unwrap_or(bytes), true);
    detector.guess(None, Utf8Detection::Deny)
}

fn from_dos(bytes: &[u8]) -> String {
    let upper: Vec<char> = DOS_LETTERS.chars().collect();
    let letter = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(index) => upper.get(usize::from(index)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(letter).collect()
}

/// From 0x80 on.
const DOS_LETTERS: &str = concat!(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ",
    "áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐",
    "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀",
    "ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_known_by_its_name() {
        for name in ENCODINGS {
            assert_eq!(Letters::by_name(name).map(Letters::name), Some(name));
        }
        assert_eq!(Letters::by_name("latin1").map(Letters::name), Some("windows-1252"));
        assert_eq!(Letters::by_name("klingon"), None);
    }

    #[test]
    fn dos_letters_are_those_of_dos() {
        assert_eq!(DOS_LETTERS.chars().count(), 128);
        assert_eq!(Letters::Dos.decode(b"St\x81ck;Gr\x94\xE1e;\x9A\xA4"), "Stück;Größe;Üñ");
    }
}
