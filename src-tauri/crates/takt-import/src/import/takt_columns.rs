//! Takt's own two columns, as it writes them beside a planner's rows and knows them again in every language.

use std::{collections::BTreeMap, sync::LazyLock};

use takt_sheet::{Cell, RowSpan};

use super::heading::normalised;
use takt_core::{Language, RowResult, Words, finding::Severity};

/// By language: both headings, and how an accepted row is called.
static KNOWN: LazyLock<Vec<ColumnWords>> =
    LazyLock::new(|| Language::ALL.map(|language| ColumnWords::of(&Words::load(language))).to_vec());

#[derive(Debug, Clone)]
struct ColumnWords {
    headings: [String; 2],
    accepted: String,
}

impl ColumnWords {
    fn of(words: &Words) -> Self {
        Self {
            headings: headings(words).map(|heading| normalised(&heading)),
            accepted: normalised(&words.result(RowResult::Accepted)),
        }
    }
}

/// Status and reason, in this order.
pub(crate) fn headings(words: &Words) -> [String; 2] {
    ["status", "reason"].map(|name| words.text(&["own", name], &BTreeMap::new()))
}

/// Takt's own columns in a sheet, from an earlier time.
#[derive(Debug, Clone, Default)]
pub(super) struct TaktColumns {
    /// With their headings.
    columns: Vec<(u32, String)>,
    /// Status and reason: the first of each.
    pub(super) places: [Option<u32>; 2],
}

impl TaktColumns {
    /// Takes their headings out of the sheet's, so that no field is looked for and a layout is the same without them.
    pub(super) fn take(headings: &mut [String]) -> Self {
        let mut own = Self::default();
        for (column, heading) in (0_u32..).zip(headings) {
            let Some(kind) = kind(heading) else { continue };
            if let Some(place) = own.places.get_mut(kind) {
                place.get_or_insert(column);
            }
            own.columns.push((column, std::mem::take(heading)));
        }
        own
    }

    /// The heading of a column that is one of them.
    pub(super) fn heading(&self, column: u32) -> Option<&str> {
        self.columns.iter().find(|(own, _)| *own == column).map(|(_, heading)| heading.as_str())
    }

    /// Rows that had been accepted when the file was written.
    pub(super) fn accepted(&self, rows: RowSpan<'_>) -> u32 {
        let Some(column) = self.places[0] else { return 0 };
        let is_accepted = |cell: &Cell| {
            let status = normalised(&cell.shown());
            !status.is_empty() && KNOWN.iter().any(|known| known.accepted == status)
        };
        u32::try_from(rows.column(column).filter(is_accepted).count()).unwrap_or(u32::MAX)
    }
}

/// A result as a shape and a word: it must not hang on colour.
pub fn result(words: &Words, result: RowResult) -> String {
    let shape = match result {
        RowResult::Accepted => '●',
        RowResult::Rejected => '✕',
        RowResult::Unconfirmed => '?',
        RowResult::Pending => '○',
        RowResult::Sending => '◐',
        RowResult::Skipped => '–',
    };
    format!("{shape} {}", words.result(result))
}

/// How a row stands before it is sent. A row that has nothing but notes can be sent.
pub(super) fn standing(words: &Words, severity: Option<Severity>, held: bool) -> String {
    match severity {
        Some(Severity::Error) => format!("▲ {}", words.severity(Severity::Error)),
        _ if held => format!("▲ {}", words.text(&["own", "held"], &BTreeMap::new())),
        Some(Severity::Warning) => format!("◆ {}", words.severity(Severity::Warning)),
        Some(Severity::Note) | None => words.text(&["own", "ready"], &BTreeMap::new()),
    }
}

/// 0 for status, 1 for reason.
fn kind(heading: &str) -> Option<usize> {
    let heading = normalised(heading);
    if heading.is_empty() {
        return None;
    }
    [0, 1].into_iter().find(|&kind| KNOWN.iter().any(|known| known.headings.get(kind) == Some(&heading)))
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
            let own = TaktColumns::take(&mut headings);
            assert_eq!(own.places, [Some(2), Some(1)], "{language:?}");
            assert_eq!(headings, ["Code", "", "", ""], "{language:?}");
            assert!(own.heading(3).is_some() && own.heading(0).is_none());
        }
        assert!(["Takt", "Status", "", "Taktzeit", "Reason"].into_iter().all(|heading| kind(heading).is_none()));
    }
}
