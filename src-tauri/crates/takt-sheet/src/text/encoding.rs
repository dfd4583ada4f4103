//! The encodings of texts: their names, and decoding and encoding with them.

use std::borrow::Cow;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8};

const MAX_CHARACTER_BYTES: usize = 4;
/// The minimum memory that is reserved for decoding at a time.
const MIN_RESERVED_BYTES: usize = 1024;
/// The western code page of DOS. It isn't an encoding of the web, but old programs still export it.
pub(super) const DOS: &str = "cp850";

/// The names of the encodings that users may choose. Encodings of western and central Europe are first.
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

/// An encoding with a decoder: one of the web's encodings, or the DOS code page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    Known(&'static Encoding),
    Dos,
}

impl TextEncoding {
    /// Returns the encoding of this name, or `None` if it is unknown.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let name = name.trim();
        if name.eq_ignore_ascii_case(DOS) || name.eq_ignore_ascii_case("ibm850") || name == "850" {
            return Some(Self::Dos);
        }
        Encoding::for_label(name.as_bytes()).map(Self::Known)
    }

    pub(super) fn is_utf8(self) -> bool {
        self == Self::Known(UTF_8)
    }

    /// Returns whether each byte is a character.
    pub(super) fn is_single_byte(self) -> bool {
        match self {
            Self::Known(encoding) => encoding.is_single_byte(),
            Self::Dos => true,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known(encoding) => encoding.name(),
            Self::Dos => DOS,
        }
    }

    /// Returns a decoder for bytes in blocks. `head` is the beginning of the first block.
    pub(super) fn decoder(self, head: &[u8]) -> BlockDecoder {
        match self {
            Self::Known(encoding) => {
                let mark = Encoding::for_bom(head).filter(|(marked, _)| *marked == encoding);
                let decoder = encoding.new_decoder_without_bom_handling();
                BlockDecoder { decoder: Some(decoder), skip: mark.map_or(0, |(_, length)| length) }
            }
            Self::Dos => BlockDecoder { decoder: None, skip: 0 },
        }
    }

    /// Decodes bytes, without their byte order mark.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Known(encoding) => {
                let mark = Encoding::for_bom(bytes).filter(|(marked, _)| *marked == encoding);
                let from = mark.map_or(0, |(_, length)| length);
                encoding.decode_without_bom_handling(bytes.get(from..).unwrap_or_default()).0
            }
            Self::Dos => Cow::Owned(decode_dos(bytes)),
        }
    }

    /// Encodes a text that was decoded with this encoding.
    pub(super) fn encode(self, text: &str) -> Cow<'_, [u8]> {
        match self {
            Self::Known(encoding) => encoding.encode(text).0,
            Self::Dos => Cow::Owned(encode_dos(text)),
        }
    }
}

/// Decodes bytes in blocks, which may end within a character.
pub(super) struct BlockDecoder {
    /// Absent for the DOS code page.
    decoder: Option<Decoder>,
    /// Bytes of the byte order mark that are still to be skipped.
    skip: usize,
}

impl BlockDecoder {
    pub(super) fn push(&mut self, bytes: &[u8], is_last: bool, text: &mut String) {
        let skip = std::mem::take(&mut self.skip).min(bytes.len());
        let mut rest = bytes.get(skip..).unwrap_or_default();
        let Some(decoder) = &mut self.decoder else {
            text.push_str(&decode_dos(rest));
            return;
        };
        loop {
            let needed = decoder.max_utf8_buffer_length(rest.len()).unwrap_or(rest.len());
            text.reserve(needed.min(rest.len() + MAX_CHARACTER_BYTES).max(MIN_RESERVED_BYTES));
            let (result, read, _) = decoder.decode_to_string(rest, text, is_last);
            rest = rest.get(read..).unwrap_or_default();
            if result == CoderResult::InputEmpty {
                return;
            }
        }
    }
}

fn decode_dos(bytes: &[u8]) -> String {
    let upper: Vec<char> = DOS_CHARACTERS.chars().collect();
    let letter = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(index) => upper.get(usize::from(index)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(letter).collect()
}

fn encode_dos(text: &str) -> Vec<u8> {
    let byte = |letter: char| match DOS_CHARACTERS.chars().position(|upper| upper == letter) {
        Some(index) => u8::try_from(index + 0x80).unwrap_or(b'?'),
        None => u8::try_from(letter).ok().filter(u8::is_ascii).unwrap_or(b'?'),
    };
    text.chars().map(byte).collect()
}

/// The characters from 0x80 on.
const DOS_CHARACTERS: &str = concat!(
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
            assert_eq!(TextEncoding::by_name(name).map(TextEncoding::name), Some(name));
        }
        assert_eq!(TextEncoding::by_name("latin1").map(TextEncoding::name), Some("windows-1252"));
        assert_eq!(TextEncoding::by_name("klingon"), None);
    }

    #[test]
    fn dos_letters_are_those_of_dos() {
        assert_eq!(DOS_CHARACTERS.chars().count(), 128);
        assert_eq!(*TextEncoding::Dos.encode("Stück;Größe"), *b"St\x81ck;Gr\x94\xE1e");
        assert_eq!(TextEncoding::Dos.decode(b"St\x81ck;Gr\x94\xE1e;\x9A\xA4"), "Stück;Größe;Üñ");
    }
}
