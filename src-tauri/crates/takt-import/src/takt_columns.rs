//! Takt's own two columns, which it writes next to a planner's rows and recognizes in every language.

use std::{collections::BTreeMap, sync::LazyLock};

use takt_sheet::{Cell, RowSpan};

use crate::heading::normalize_heading;
use takt_core::{Language, RowResult, Words, finding::Severity};

/// By language, both headings and the word for an accepted row.
static COLUMN_WORDS: LazyLock<Vec<ColumnWords>> =
    LazyLock::new(|| Language::ALL.map(|language| ColumnWords::new(&Words::load(language))).to_vec());

#[derive(Debug, Clone)]
struct ColumnWords {
    headings: [String; 2],
    accepted: String,
}

impl ColumnWords {
    fn new(words: &Words) -> Self {
        Self {
            headings: headings(words).map(|heading| normalize_heading(&heading)),
            accepted: normalize_heading(&words.result_text(RowResult::Accepted)),
        }
    }
}

/// Returns the headings for status and reason, in this order.
pub(crate) fn headings(words: &Words) -> [String; 2] {
    ["status", "reason"].map(|name| words.text(&["own", name], &BTreeMap::new()))
}

/// Takt's own columns in a sheet, from an earlier copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaktColumns {
    /// The columns with their headings.
    columns: Vec<(u32, String)>,
    /// The first column for status, and the first for reason.
    pub(crate) status_and_reason: [Option<u32>; 2],
}

impl TaktColumns {
    /// Removes the headings of Takt's columns, so that these columns match no field and aren't part of the layout.
    pub(crate) fn extract(headings: &mut [String]) -> Self {
        let mut own = Self::default();
        for (column, heading) in (0_u32..).zip(headings) {
            let Some(kind) = column_kind(heading) else { continue };
            if let Some(first_column) = own.status_and_reason.get_mut(kind) {
                first_column.get_or_insert(column);
            }
            own.columns.push((column, std::mem::take(heading)));
        }
        own
    }

    /// Returns the original heading of a Takt column, or `None` for other columns.
    pub(crate) fn heading(&self, column: u32) -> Option<&str> {
        self.columns.iter().find(|(own, _)| *own == column).map(|(_, heading)| heading.as_str())
    }

    /// Returns the number of rows that had been accepted when the file was written.
    pub(crate) fn count_accepted(&self, rows: RowSpan<'_>) -> u32 {
        let Some(column) = self.status_and_reason[0] else { return 0 };
        let is_accepted = |cell: &Cell| {
            let status = normalize_heading(&cell.shown());
            !status.is_empty() && COLUMN_WORDS.iter().any(|known| known.accepted == status)
        };
        u32::try_from(rows.column(column).filter(is_accepted).count()).unwrap_or(u32::MAX)
    }
}

/// Returns a result as a shape and a word, so that it doesn't depend on color.
pub fn result_text(words: &Words, result: RowResult) -> String {
    let shape = match result {
        RowResult::Accepted => '●',
        RowResult::Rejected => '✕',
        RowResult::Unconfirmed => '?',
        RowResult::Pending => '○',
        RowResult::Sending => '◐',
        RowResult::Skipped => '–',
    };
    format!("{shape} {}", words.result_text(result))
}

/// Returns the status of a row before it's sent. A row with only notes can be sent.
pub(crate) fn check_status(words: &Words, severity: Option<Severity>, is_blocked: bool) -> String {
    match severity {
        Some(Severity::Error) => format!("▲ {}", words.severity_text(Severity::Error)),
        _ if is_blocked => format!("▲ {}", words.text(&["own", "held"], &BTreeMap::new())),
        Some(Severity::Warning) => format!("◆ {}", words.severity_text(Severity::Warning)),
        Some(Severity::Note) | None => words.text(&["own", "ready"], &BTreeMap::new()),
    }
}

/// Returns 0 for a status heading, 1 for a reason heading, and `None` for any other heading.
fn column_kind(heading: &str) -> Option<usize> {
    let heading = normalize_heading(heading);
    if heading.is_empty() {
        return None;
    }
    [0, 1].into_iter().find(|&kind| COLUMN_WORDS.iter().any(|known| known.headings.get(kind) == Some(&heading)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_known_in_every_language() {
        for language in Language::ALL {
            let words = Words::load(language);
            let [status, reason] = headings(&words);
            assert_ne!(status, "own.status");
            let mut headings = ["Code".to_owned(), reason.clone(), status, reason];
            let own = TaktColumns::extract(&mut headings);
            assert_eq!(own.status_and_reason, [Some(2), Some(1)], "{language:?}");
            assert_eq!(headings, ["Code", "", "", ""], "{language:?}");
            assert!(own.heading(3).is_some() && own.heading(0).is_none());
        }
        assert!(["Takt", "Status", "", "Taktzeit", "Reason"].into_iter().all(|heading| column_kind(heading).is_none()));
    }
}
