//! Damaged files that were replaced by what could be read of them: written down until a person has seen it.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_journal::{
    Journal, SubmissionId,
    salvage::{Salvage, SalvagedCounts},
};

use crate::Problem;

const SALVAGED: &str = "salvaged-files";

/// A file that can be replaced when it is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SalvagedFile {
    /// Submissions, sites, settings.
    Journal,
    /// Events that came.
    Events,
    /// How the window looks and where it stands.
    Preferences,
}

/// A damaged file that was replaced by what could be read of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SalvageView {
    pub file: SalvagedFile,
    pub at: String,
    /// Where the damaged file is kept.
    pub damaged_file: String,
    /// When the backup was made that took its place, where nothing could be read.
    pub backup_at: Option<String>,
    /// True where everything could be read.
    pub whole: bool,
    /// Submissions of which rows are missing, and how many.
    pub missing_rows: Vec<(SubmissionId, u32)>,
    /// How much is there again; absent of preferences.
    pub counts: Option<SalvagedCounts>,
}

/// Writes down what became of a damaged file, until a person has seen it.
///
/// # Errors
///
/// A [journal code](crate::problem#journal-codes): what was told before can't be read, or this can't be written.
pub fn record_salvage(journal: &Journal, file: SalvagedFile, salvage: &Salvage) -> Result<(), Problem> {
    tracing::error!(kept = %salvage.damaged_file.display(), read = salvage.read, "a damaged file was replaced");
    record(journal, salvage_view(file, salvage))
}

/// Writes down that the window's damaged preferences were replaced: by the copy of `backup_at`, or by nothing.
///
/// # Errors
///
/// As [`record_salvage`].
pub fn record_lost_preferences(
    journal: &Journal,
    damaged_file: &Path,
    at: Timestamp,
    backup_at: Option<Timestamp>,
) -> Result<(), Problem> {
    tracing::error!(kept = %damaged_file.display(), "the window's damaged preferences were replaced");
    record(
        journal,
        SalvageView {
            file: SalvagedFile::Preferences,
            at: at.to_string(),
            damaged_file: damaged_file.display().to_string(),
            backup_at: backup_at.map(|at| at.to_string()),
            whole: false,
            missing_rows: Vec::new(),
            counts: None,
        },
    )
}

fn record(journal: &Journal, salvage: SalvageView) -> Result<(), Problem> {
    let mut told = salvages(journal)?;
    told.push(salvage);
    Ok(journal.settings().set(SALVAGED, &serde_json::to_value(told).unwrap_or_default())?)
}

/// What no person has seen yet.
///
/// # Errors
///
/// A [journal code](crate::problem#journal-codes): the setting can't be read.
pub fn salvages(journal: &Journal) -> Result<Vec<SalvageView>, Problem> {
    let kept = journal.settings().get(SALVAGED)?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
}

/// A person knows.
///
/// # Errors
///
/// A [journal code](crate::problem#journal-codes): the setting can't be removed.
pub fn salvages_seen(journal: &Journal) -> Result<(), Problem> {
    journal.settings().remove(SALVAGED)?;
    Ok(())
}

fn salvage_view(file: SalvagedFile, salvage: &Salvage) -> SalvageView {
    SalvageView {
        file,
        at: salvage.at.to_string(),
        damaged_file: salvage.damaged_file.display().to_string(),
        backup_at: salvage.backup_at.map(|at| at.to_string()),
        whole: salvage.damaged_tables.is_empty() && salvage.backup_at.is_none(),
        missing_rows: salvage.missing_rows.clone(),
        counts: Some(salvage.counts),
    }
}
