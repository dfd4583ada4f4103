//! The first rows of a text with other letters or another separator, before anybody decides on them.

use super::{NO_SEPARATOR, TextChoice, TextForm, announced_separator, encoding::Letters, split::Records};
use crate::{
    SheetError,
    formula_guard::{formula_text, unguard},
    source::Source,
};

/// No more of the text is looked at.
const BYTES: usize = 64 * 1024;

/// At most so many rows that hold anything, with their numbers.
pub(crate) fn preview(
    source: &Source,
    choice: &TextChoice,
    most: usize,
    usual: Option<&'static str>,
) -> Result<Vec<(u32, Vec<String>)>, SheetError> {
    let head = source.head(BYTES)?;
    let form = TextForm::of(&Source::of(&*head), choice, usual)?;
    let letters = Letters::by_name(form.encoding).unwrap_or_else(|| Letters::of(&head));
    let text = letters.decode(&head);
    let (_, body) = announced_separator(&text);
    let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
    let numbered = (1_u32..).zip(Records::new(body, separator).with_quotes(form.quotes));
    let mut rows: Vec<(u32, Vec<String>)> = numbered
        .map(|(row, record)| (row, record.into_iter().map(|field| plain(&field, &form)).collect::<Vec<_>>()))
        .filter(|(_, cells)| cells.iter().any(|cell| !cell.trim().is_empty()))
        .take(most + 1)
        .collect();
    // Where the text was cut, its last row may be, too.
    if rows.len() > most || (head.len() as u64) < source.len() && rows.len() > 1 {
        rows.truncate(most.min(rows.len() - 1));
    }
    Ok(rows)
}

fn plain(field: &str, form: &TextForm) -> String {
    if form.is_own { unguard(field).into_owned() } else { formula_text(field).unwrap_or_else(|| field.to_owned()) }
}
