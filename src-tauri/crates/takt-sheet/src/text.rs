//! csv and its like: which letters the bytes are, which separator parts them, and the cells, all of them texts.
//!
//! Nothing is typed here: `00123` and `1,5` stay what they are until a field decides how to read them.

mod encoding;
mod preview;
mod separator;
mod split;

use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::{Limits, Sheet, SheetError, sheet::SheetBuilder, watch::Watch};
pub use encoding::ENCODINGS;
use encoding::Letters;
pub(crate) use encoding::{decode, looks_like_text};
pub(crate) use preview::preview;
use split::Records;

/// Never part of a text that passed as one.
const NO_SEPARATOR: u8 = 0;

/// Enough of a text to tell its separator.
const HEAD: usize = 256 * 1024;
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];

/// How a text is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextForm {
    /// One of [`ENCODINGS`], or another that was found.
    pub encoding: &'static str,
    /// Absent where the whole line is one column.
    pub separator: Option<char>,
}

/// What a person says about a text. What is absent is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextChoice {
    /// By name, letter case ignored; see [`ENCODINGS`].
    pub encoding: Option<String>,
    pub separator: Option<Separator>,
}

/// A chosen separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// The whole line is one column.
    None,
    By(char),
}

impl TextForm {
    /// What the bytes look like, and what was chosen.
    pub(crate) fn of(bytes: &[u8], choice: &TextChoice) -> Result<Self, SheetError> {
        let letters = match &choice.encoding {
            Some(name) => Letters::by_name(name).ok_or_else(|| SheetError::UnknownChoice(name.clone()))?,
            None => Letters::of(bytes),
        };
        let separator = match choice.separator {
            Some(Separator::None) => None,
            Some(Separator::By(character)) if SEPARATORS.contains(&character) => Some(character),
            Some(Separator::By(character)) => return Err(SheetError::UnknownChoice(character.to_string())),
            None => {
                let text = letters.decode(bytes.get(..HEAD).unwrap_or(bytes));
                let (announced, body) = announced_separator(&text);
                announced.or_else(|| separator::separator(body)).map(char::from)
            }
        };
        Ok(Self { encoding: letters.name(), separator })
    }
}

pub(crate) fn read(
    bytes: &[u8],
    name: &str,
    form: &TextForm,
    limits: &Limits,
    watch: &Watch<'_>,
) -> Result<Sheet, SheetError> {
    let letters = Letters::by_name(form.encoding).unwrap_or_else(|| Letters::of(bytes));
    let text = letters.decode(bytes);
    let (_, body) = announced_separator(&text);
    if body.chars().all(|character| character.is_whitespace() || matches!(character, ';' | ',' | '|' | '"')) {
        return Err(SheetError::Empty);
    }
    let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
    let mut builder = SheetBuilder::new(name, limits, watch);
    let read = watch.expect(bytes.len() as u64);
    for (index, record) in Records::new(body, separator).enumerate() {
        read.fetch_add(record.iter().map(|field| field.len() as u64 + 1).sum(), Ordering::Relaxed);
        let row = u32::try_from(index).unwrap_or(u32::MAX);
        for (column, field) in record.into_iter().enumerate() {
            builder.step()?;
            if !field.trim().is_empty() {
                let column = u32::try_from(column).unwrap_or(u32::MAX);
                builder.put(row, column, crate::CellRef::of_text(&field))?;
            }
        }
    }
    let sheet = builder.finish()?;
    if sheet.rows.is_empty() { Err(SheetError::Empty) } else { Ok(sheet) }
}

/// Whether most rows have the same number of columns, and more than one.
pub(crate) fn looks_like_table(head: &str) -> bool {
    let (announced, body) = announced_separator(head);
    announced.is_some() || separator::is_table(body)
}

/// A first line `sep=;` as Excel writes and hides it, and what follows it.
fn announced_separator(text: &str) -> (Option<u8>, &str) {
    let announced = || {
        let rest = text.strip_prefix("sep=").or_else(|| text.strip_prefix("SEP="))?;
        let separator = rest.bytes().next().filter(u8::is_ascii)?;
        let rest = rest.get(1..)?;
        let body = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).or_else(|| rest.strip_prefix('\r'))?;
        Some((separator, body))
    };
    announced().map_or((None, text), |(separator, body)| (Some(separator), body))
}
