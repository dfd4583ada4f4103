//! Records damaged files that were replaced by their readable content, until the user confirms them.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_journal::{
    Journal, SubmissionId,
    salvage::{Salvage, SalvagedCounts},
};

use crate::Problem;

const SALVAGED_FILES_SETTING: &str = "salvaged-files";

/// A file that is replaced if it is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum SalvagedFile {
    /// Submissions, sites, settings.
    Journal,
    /// Received events.
    Events,
    /// The window's appearance and position.
    Preferences,
}

/// A damaged file that was replaced by its readable content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SalvageView {
    pub file: SalvagedFile,
    pub at: String,
    /// The path of the damaged file, which is kept.
    pub damaged_file: String,
    /// The time of the backup that replaced it, if nothing was readable.
    pub backup_at: Option<String>,
    /// True if the whole file was readable.
    #[serde(rename = "whole")]
    pub complete: bool,
    /// Submissions with missing rows, each with the number of missing rows.
    pub missing_rows: Vec<(SubmissionId, u32)>,
    /// The counts of the restored data. `None` for preferences.
    pub counts: Option<SalvagedCounts>,
}

/// Records the replacement of a damaged file, until the user confirms it.
///
/// # Errors
///
/// A [journal code](crate::problem#journal-codes): earlier records can't be read, or this one can't be written.
pub fn record_salvage(journal: &Journal, file: SalvagedFile, salvage: &Salvage) -> Result<(), Problem> {
    tracing::error!(kept = %salvage.damaged_file.display(), read = salvage.read, "a damaged file was replaced");
    add_record(journal, salvage_view(file, salvage))
}

/// Records that the window's damaged preferences were replaced by the backup of `backup_at`, or by defaults.
///
/// # Errors
///
/// As for [`record_salvage`].
pub fn record_lost_preferences(
    journal: &Journal,
    damaged_file: &Path,
    at: Timestamp,
    backup_at: Option<Timestamp>,
) -> Result<(), Problem> {
    tracing::error!(kept = %damaged_file.display(), "the window's damaged preferences were replaced");
    add_record(
        journal,
        SalvageView {
            file: SalvagedFile::Preferences,
            at: at.to_string(),
            damaged_file: damaged_file.display().to_string(),
            backup_at: backup_at.map(|at| at.to_string()),
            complete: false,
            missing_rows: Vec::new(),
            counts: None,
        },
    )
}

fn add_record(journal: &Journal, salvage: SalvageView) -> Result<(), Problem> {
    let mut records = salvages(journal)?;
    records.push(salvage);
    Ok(journal.settings().set(SALVAGED_FILES_SETTING, &serde_json::to_value(records).unwrap_or_default())?)
}

/// Returns replaced files that the user hasn't confirmed.
///
/// # Errors
///
/// A [journal code](crate::problem#journal-codes): the setting can't be read.
pub fn salvages(journal: &Journal) -> Result<Vec<SalvageView>, Problem> {
    let stored = journal.settings().get(SALVAGED_FILES_SETTING)?;
    Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

/// Records that the user confirmed all replaced files.
///
/// # Errors
///
/// A [journal code](crate::problem#journal-codes): the setting can't be removed.
pub fn confirm_salvages(journal: &Journal) -> Result<(), Problem> {
    journal.settings().remove(SALVAGED_FILES_SETTING)?;
    Ok(())
}

fn salvage_view(file: SalvagedFile, salvage: &Salvage) -> SalvageView {
    SalvageView {
        file,
        at: salvage.at.to_string(),
        damaged_file: salvage.damaged_file.display().to_string(),
        backup_at: salvage.backup_at.map(|at| at.to_string()),
        complete: salvage.damaged_tables.is_empty() && salvage.backup_at.is_none(),
        missing_rows: salvage.missing_rows.clone(),
        counts: Some(salvage.counts),
    }
}
