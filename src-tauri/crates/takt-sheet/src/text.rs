//! csv and its like: which letters the bytes are, which separator parts them, and the cells, all of them texts.
//!
//! Nothing is typed here: `00123` and `1,5` stay what they are until a field decides how to read them.

mod encoding;
mod separator;
mod split;

use crate::{Limits, Sheet, SheetError, sheet::SheetBuilder};
pub(crate) use encoding::{decode, looks_like_text};
use split::Records;

/// Never part of a text that passed as one.
const NO_SEPARATOR: u8 = 0;

pub(crate) fn read(bytes: &[u8], name: &str, limits: &Limits, cancel: &dyn Fn() -> bool) -> Result<Sheet, SheetError> {
    let text = decode(bytes);
    let (announced, body) = announced_separator(&text);
    if body.chars().all(|character| character.is_whitespace() || matches!(character, ';' | ',' | '|' | '"')) {
        return Err(SheetError::Empty);
    }
    let separator = announced.unwrap_or_else(|| separator::separator(body).unwrap_or(NO_SEPARATOR));
    let mut builder = SheetBuilder::new(name, limits, cancel);
    for (index, record) in Records::new(body, separator).enumerate() {
        let row = u32::try_from(index).unwrap_or(u32::MAX);
        for (column, field) in record.into_iter().enumerate() {
            builder.step()?;
            if !field.trim().is_empty() {
                let column = u32::try_from(column).unwrap_or(u32::MAX);
                builder.put(row, column, crate::Cell::text(field))?;
            }
        }
    }
    let sheet = builder.finish();
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
