//! Template-process links to delete, with the known data of their processes.

use serde::{Deserialize, Serialize};
use takt_contract::Contract;
use takt_sheet::writer::OutCell;

/// A tick is 100 ns.
const TICKS_PER_SECOND: f64 = 10_000_000.0;

/// A template-process link to delete.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub template_id: i64,
    pub process_code: String,
    /// The user enters it, because a template's processes don't contain it.
    pub operation_code: String,
}

/// A link on the cleanup list, with the data of its process when it was added.
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

/// Returns the fields that describe a process in addition to its code, with their column widths.
pub(crate) fn process_headings(contract: &Contract) -> Vec<(String, f64)> {
    let Some(cleanup) = contract.operations().iter().find_map(|read| read.cleanup.as_ref()) else { return Vec::new() };
    let widths = [(&cleanup.description, 36.0), (&cleanup.labor, 20.0), (&cleanup.machine, 22.0)];
    widths.map(|(name, width)| (name.clone(), width)).to_vec()
}

/// Returns a cell with a duration, or an empty cell without one.
#[expect(clippy::cast_possible_truncation, reason = "a predicted time is far below 2^63 ticks")]
pub(crate) fn duration_cell(seconds: Option<f64>) -> OutCell {
    seconds.map_or(OutCell::Empty, |seconds| OutCell::Duration((seconds * TICKS_PER_SECOND).round() as i64))
}
