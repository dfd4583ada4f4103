//! Backups, damaged files and what is kept, as both faces show them.

use serde::{Deserialize, Serialize};
use takt_core::{policy::PolicyRetention, salvage::SalvagedFile};
use takt_journal::backup::StoredBackup;

/// How long things are kept. What is absent has no end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Days that a submission's rows and requests are kept after its end.
    pub rows_days: Option<u32>,
    /// Days that events are kept.
    pub events_days: Option<u32>,
    /// Millions of bytes that both together may take; the oldest go first.
    pub most_megabytes: Option<u32>,
    /// True where that is done once a day without being asked.
    pub scheduled: bool,
}

impl Retention {
    /// What IT sets is done without being asked.
    pub(super) fn of_policy(policy: &PolicyRetention) -> Self {
        let PolicyRetention { rows_days, events_days, most_megabytes } = *policy;
        Self { rows_days, events_days, most_megabytes, scheduled: true }
    }
}

/// What a purge removed, or would remove.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PurgeView {
    pub dry_run: bool,
    /// Submissions that lost their rows and requests; their counters stay.
    pub submissions: u32,
    pub rows: u64,
    pub requests: u64,
    pub events: u32,
    /// Of the team's record of changes; 0 without a team.
    pub changes: u32,
    /// Of both files on disk.
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// What the home folder takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StorageView {
    pub journal_bytes: u64,
    pub events_bytes: u64,
    pub logs_bytes: u64,
    /// Of events that weren't signed by their site.
    pub unverified_bytes: u64,
    /// How many of those weren't stored because the limit was reached or the disk was nearly full, and when the first of them came; ISO 8601 in UTC.
    pub unverified_omitted: u64,
    pub unverified_omitted_since: Option<String>,
    pub backups: Vec<BackupView>,
    /// The rule of the backups: so many of the daily ones stay, and so many of those before an update.
    pub daily_kept: u32,
    pub before_updates_kept: u32,
    pub retention: Retention,
    /// IT has set how long things are kept.
    pub retention_managed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BackupView {
    pub file: SalvagedFile,
    pub path: String,
    pub bytes: u64,
    pub at: String,
    /// Made before the file was changed for a newer Takt.
    pub before_update: bool,
}

pub(super) fn backups(file: SalvagedFile, kept: Vec<StoredBackup>) -> Vec<BackupView> {
    let view = |kept: StoredBackup| BackupView {
        file,
        path: kept.path.display().to_string(),
        bytes: kept.bytes,
        at: kept.at.to_string(),
        before_update: kept.before_update,
    };
    kept.into_iter().map(view).collect()
}
