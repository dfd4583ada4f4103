//! The first rows of a text with another encoding or separator, before users decide on them.

use super::{
    encoding::TextEncoding,
    form::{TextChoice, TextForm},
    separator::{NO_SEPARATOR, announced_separator},
    split::Records,
};
use crate::{
    SheetError,
    formula_guard::{formula_text, unguard},
    source::Source,
};

/// The bytes of the text that are read.
const BYTES: usize = 64 * 1024;

/// Returns at most `max_rows` rows with content, with their numbers.
pub(crate) fn preview(
    source: &Source,
    choice: &TextChoice,
    max_rows: usize,
    usual: Option<&'static str>,
) -> Result<Vec<(u32, Vec<String>)>, SheetError> {
    let head = source.head(BYTES)?;
    let form = TextForm::detect(&Source::from_bytes(&*head), choice, usual)?;
    let encoding = TextEncoding::by_name(form.encoding).unwrap_or_else(|| TextEncoding::detect(&head));
    let text = encoding.decode(&head);
    let (_, body) = announced_separator(&text);
    let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
    let numbered = (1_u32..).zip(Records::new(body, separator).with_quotes(form.quotes));
    let mut rows: Vec<(u32, Vec<String>)> = numbered
        .map(|(row, record)| (row, record.into_iter().map(|field| plain(&field, &form)).collect::<Vec<_>>()))
        .filter(|(_, cells)| cells.iter().any(|cell| !cell.trim().is_empty()))
        .take(max_rows + 1)
        .collect();
    // If the text was cut, its last row may be incomplete.
    if rows.len() > max_rows || (head.len() as u64) < source.len() && rows.len() > 1 {
        rows.truncate(max_rows.min(rows.len() - 1));
    }
    Ok(rows)
}

fn plain(field: &str, form: &TextForm) -> String {
    if form.is_own { unguard(field).into_owned() } else { formula_text(field).unwrap_or_else(|| field.to_owned()) }
}
