//! The different values of one field, with how often they stand: what a person sees for replacing them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use takt_core::finding::FindingCode;
use takt_sheet::{RowSpan, SheetRow};

use crate::import::{check::Plan, pass, reading::ReadValue};

const MAX_SHOWN: usize = 200;

/// The different texts of the field's column, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldValues {
    pub field: String,
    pub values: Vec<FieldValue>,
    /// Different values that aren't listed.
    pub more: u32,
    /// The values that the contract allows; empty where any is.
    pub allowed: Vec<String>,
}

/// One of the file's texts, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldValue {
    pub text: String,
    /// Rows that hold it.
    pub count: u32,
    /// What is read in its place by the mapping.
    pub to: Option<String>,
    /// As it will be sent; absent where it can't be read.
    pub read: Option<String>,
    /// Why it can't be sent.
    pub wrong: Option<FindingCode>,
}

struct ValueOccurrences {
    count: u32,
    first: u32,
}

/// Those that can't be sent come first.
pub(in super::super) fn of_field(plan: &Plan<'_>, rows: RowSpan<'_>, target: usize) -> FieldValues {
    let mut seen: HashMap<String, ValueOccurrences> = HashMap::new();
    for (first, row) in (0_u32..).zip(rows.iter_of(plan.columns_of(target))) {
        let Some(text) = plan.written(&row, target) else { continue };
        match seen.get_mut(text.as_ref()) {
            Some(seen) => seen.count += 1,
            None => {
                seen.insert(text.into_owned(), ValueOccurrences { count: 1, first });
            }
        }
    }
    let mut seen: Vec<(String, ValueOccurrences)> = seen.into_iter().collect();
    seen.sort_unstable_by_key(|(_, seen)| seen.first);
    let mut reader = rows.reader_of(plan.columns_of(target));
    let mut values: Vec<(u32, FieldValue)> = seen
        .into_iter()
        .filter_map(|(text, seen)| {
            Some((seen.first, value(plan, &reader.get(seen.first as usize)?, target, text, seen.count)))
        })
        .collect();
    values.sort_by_key(|(first, value)| (value.wrong.is_none(), std::cmp::Reverse(value.count), *first));
    let more = u32::try_from(values.len().saturating_sub(MAX_SHOWN)).unwrap_or(u32::MAX);
    let field = plan.targets.fields.get(target);
    FieldValues {
        field: field.map(|field| field.path.clone()).unwrap_or_default(),
        values: values.into_iter().take(MAX_SHOWN).map(|(_, value)| value).collect(),
        more,
        allowed: field.map(|field| field.limits.values.clone()).unwrap_or_default(),
    }
}

fn value(plan: &Plan<'_>, row: &SheetRow, target: usize, text: String, count: u32) -> FieldValue {
    let to = plan.layout.ways.get(target).and_then(|way| way.values.get(&text));
    let to = to.map(|(cell, _)| cell.shown().into_owned());
    let read = plan.read(row, target);
    let wrong = match &read {
        None => None,
        Some(Err(code)) => Some(*code),
        Some(Ok(value)) => {
            plan.targets.fields.get(target).and_then(|field| pass::beyond(field, value)).map(|(code, _)| code)
        }
    };
    FieldValue { text, count, to, read: read.and_then(Result::ok).map(|read: ReadValue<'_>| read.shown()), wrong }
}
