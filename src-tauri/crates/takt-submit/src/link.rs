//! A link between a template and a process as it is deleted, with what was known of it: on the cleanup list, and in the workbook
//! that is kept of a delete.

use serde::{Deserialize, Serialize};
use takt_contract::Contract;
use takt_sheet::writer::OutCell;

/// Ticks in a second.
const TICKS: f64 = 10_000_000.0;

/// A template-process link to delete.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub template_id: i64,
    pub process_code: String,
    /// Not part of a template's processes; a person gives it.
    pub operation_code: String,
}

/// A link on the cleanup list, with what was known of its process when it was put there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CleanupLink {
    #[serde(flatten)]
    pub link: Link,
    pub description: String,
    pub labor_seconds: Option<f64>,
    pub machine_seconds: Option<f64>,
}

impl From<Link> for CleanupLink {
    fn from(link: Link) -> Self {
        Self { link, description: String::new(), labor_seconds: None, machine_seconds: None }
    }
}

/// The fields that tell of a process beside its code, with the width that a column of theirs needs.
pub(crate) fn headings(contract: &Contract) -> Vec<(String, f64)> {
    let Some(cleanup) = contract.operations().iter().find_map(|read| read.cleanup.as_ref()) else { return Vec::new() };
    let widths = [(&cleanup.description, 36.0), (&cleanup.labor, 20.0), (&cleanup.machine, 22.0)];
    widths.map(|(name, width)| (name.clone(), width)).to_vec()
}

/// A span of time as a cell.
#[expect(clippy::cast_possible_truncation, reason = "a predicted time is far below 2^63 ticks")]
pub(crate) fn duration_cell(seconds: Option<f64>) -> OutCell {
    seconds.map_or(OutCell::Empty, |seconds| OutCell::Duration((seconds * TICKS).round() as i64))
}
