//! Lists the distinct values of one field with their numbers of rows, so that the user can replace them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use takt_core::finding::FindingCode;
use takt_sheet::{RowSpan, SheetRow};

use crate::{cell_value::ReadValue, limit::violated_limit, row_mapper::RowMapper};

const MAX_LISTED_VALUES: usize = 200;

/// The distinct texts of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldValues {
    pub field: String,
    pub values: Vec<FieldValue>,
    /// Number of distinct values that aren't listed.
    pub more: u32,
    /// The values that the contract allows. Empty if any value is allowed.
    pub allowed: Vec<String>,
}

/// A text of the file, its replacement, and the value that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldValue {
    pub text: String,
    /// Number of rows with the text.
    pub count: u32,
    /// The text that replaces it in the mapping.
    pub to: Option<String>,
    /// The value that will be sent. `None` if it can't be read.
    pub read: Option<String>,
    /// The reason why the value can't be sent.
    pub wrong: Option<FindingCode>,
}

struct ValueOccurrences {
    count: u32,
    first: u32,
}

/// Returns the distinct values of a field. Values that can't be sent come first, then the most frequent ones.
pub(crate) fn field_values(mapper: &RowMapper<'_>, rows: RowSpan<'_>, target: usize) -> FieldValues {
    let mut occurrences: HashMap<String, ValueOccurrences> = HashMap::new();
    for (first, row) in (0_u32..).zip(rows.iter_for_columns(mapper.source_columns(target))) {
        let Some(text) = mapper.source_text(&row, target) else { continue };
        match occurrences.get_mut(text.as_ref()) {
            Some(occurrence) => occurrence.count += 1,
            None => {
                occurrences.insert(text.into_owned(), ValueOccurrences { count: 1, first });
            }
        }
    }
    let mut occurrences: Vec<(String, ValueOccurrences)> = occurrences.into_iter().collect();
    occurrences.sort_unstable_by_key(|(_, occurrence)| occurrence.first);
    let mut reader = rows.reader_for_columns(mapper.source_columns(target));
    let mut values: Vec<(u32, FieldValue)> = occurrences
        .into_iter()
        .filter_map(|(text, occurrence)| {
            Some((
                occurrence.first,
                field_value(mapper, &reader.get(occurrence.first as usize)?, target, text, occurrence.count),
            ))
        })
        .collect();
    values.sort_by_key(|(first, value)| (value.wrong.is_none(), std::cmp::Reverse(value.count), *first));
    let more = u32::try_from(values.len().saturating_sub(MAX_LISTED_VALUES)).unwrap_or(u32::MAX);
    let field = mapper.targets.fields.get(target);
    FieldValues {
        field: field.map(|field| field.path.clone()).unwrap_or_default(),
        values: values.into_iter().take(MAX_LISTED_VALUES).map(|(_, value)| value).collect(),
        more,
        allowed: field.map(|field| field.limits.values.clone()).unwrap_or_default(),
    }
}

fn field_value(mapper: &RowMapper<'_>, row: &SheetRow, target: usize, text: String, count: u32) -> FieldValue {
    let to = mapper.layout.field_rules.get(target).and_then(|rule| rule.values.get(&text));
    let to = to.map(|(cell, _)| cell.shown().into_owned());
    let read = mapper.read(row, target);
    let wrong = match &read {
        None => None,
        Some(Err(code)) => Some(*code),
        Some(Ok(value)) => {
            mapper.targets.fields.get(target).and_then(|field| violated_limit(field, value)).map(|(code, _)| code)
        }
    };
    FieldValue {
        text,
        count,
        to,
        read: read.and_then(Result::ok).map(|read: ReadValue<'_>| read.display_text()),
        wrong,
    }
}
