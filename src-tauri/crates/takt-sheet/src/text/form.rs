//! The form in which a text is read: its encoding, its separator and its quotes, as chosen or detected.

use serde::Serialize;

use super::{
    encoding::TextEncoding,
    encoding_detection::EncodingGuess,
    records::Quotes,
    separator::{detect_separator, split_announced_separator},
};
use crate::{
    SheetError,
    csv_dialect::{self, BYTE_ORDER_MARK},
    source::Source,
};

/// Bytes of a text that suffice to detect its separator.
const HEAD_BYTES: usize = 256 * 1024;
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];
/// The separator of the files that Takt writes.
const OWN_SEPARATOR: char = ',';

/// The form in which a text is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextForm {
    /// One of [`ENCODINGS`](crate::ENCODINGS), or another one that was detected.
    pub encoding: &'static str,
    /// Absent if each line is a single column.
    pub separator: Option<char>,
    pub quotes: Quotes,
    /// Encodings that decode some cell differently, the likeliest first. Empty if the encoding is certain or was
    /// chosen.
    pub rivals: Vec<&'static str>,
    /// False if one of the rivals is nearly as likely.
    pub is_clear: bool,
    /// True if Takt wrote the file as csv, so its texts are guarded against being read as formulas.
    pub is_written_by_takt: bool,
}

/// The user's choices for a text. Absent ones are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextChoice {
    /// The name in any letter case, see [`ENCODINGS`](crate::ENCODINGS).
    pub encoding: Option<String>,
    pub separator: Option<Separator>,
    pub quotes: Quotes,
}

/// A chosen separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// Each line is a single column.
    None,
    By(char),
}

impl TextForm {
    /// Returns the form of a text. Properties that weren't chosen are detected. `usual_encoding` is
    /// [`Limits::usual_encoding`](crate::Limits::usual_encoding).
    pub(crate) fn detect(
        source: &Source,
        choice: &TextChoice,
        usual_encoding: Option<&'static str>,
    ) -> Result<Self, SheetError> {
        let EncodingGuess { encoding, rivals, is_clear } = match &choice.encoding {
            Some(name) => TextEncoding::by_name(name)
                .ok_or_else(|| SheetError::UnknownChoice(name.clone()))
                .map(EncodingGuess::certain)?,
            None => TextEncoding::detect_source(source, usual_encoding)?,
        };
        let head = source.head(HEAD_BYTES)?;
        let is_takt_csv = is_written_by_takt(&head, encoding);
        let separator = match choice.separator {
            Some(Separator::None) => None,
            Some(Separator::By(character)) if SEPARATORS.contains(&character) => Some(character),
            Some(Separator::By(character)) => return Err(SheetError::UnknownChoice(character.to_string())),
            None if is_takt_csv => Some(OWN_SEPARATOR),
            None => {
                let text = encoding.decode(&head);
                let (announced, body) = split_announced_separator(&text);
                announced.or_else(|| detect_separator(body)).map(char::from)
            }
        };
        let rivals = rivals.into_iter().map(TextEncoding::name).collect();
        let is_written_by_takt = is_takt_csv && separator == Some(OWN_SEPARATOR) && choice.quotes == Quotes::Enclose;
        Ok(Self { encoding: encoding.name(), separator, quotes: choice.quotes, rivals, is_clear, is_written_by_takt })
    }
}

/// Returns whether Takt wrote a csv that begins with these bytes.
fn is_written_by_takt(head: &[u8], encoding: TextEncoding) -> bool {
    encoding.is_utf8()
        && head.starts_with(BYTE_ORDER_MARK.as_bytes())
        && csv_dialect::is_written_by_takt(&encoding.decode(head))
}
