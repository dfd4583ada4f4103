//! The backups, damaged files and retention as shown to users.

use serde::{Deserialize, Serialize};
use takt_core::{policy::PolicyRetention, salvage::SalvagedFile};
use takt_journal::backup::StoredBackup;

/// How long data is kept. `None` means forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Days after a submission's end until its rows and requests are purged.
    pub rows_days: Option<u32>,
    /// Days until events are purged.
    pub events_days: Option<u32>,
    /// The most megabytes (10⁶ bytes) of rows and events together. The oldest are purged first.
    pub most_megabytes: Option<u32>,
    /// True if data is purged daily.
    pub scheduled: bool,
}

impl Retention {
    /// Returns the policy's retention, which is always scheduled.
    pub(super) fn of_policy(policy: &PolicyRetention) -> Self {
        let PolicyRetention { rows_days, events_days, most_megabytes } = *policy;
        Self { rows_days, events_days, most_megabytes, scheduled: true }
    }
}

/// The data that a purge removed or would remove.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PurgeView {
    pub dry_run: bool,
    /// Submissions whose rows and requests were removed. Their counts remain.
    pub submissions: u32,
    pub rows: u64,
    pub requests: u64,
    pub events: u32,
    /// The number of changes removed from the team's record. 0 without a team.
    pub changes: u32,
    /// The size of both files.
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// The sizes of the files in the home folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StorageView {
    pub journal_bytes: u64,
    pub events_bytes: u64,
    pub logs_bytes: u64,
    /// The size of unverified events, which their site hasn't signed.
    pub unverified_bytes: u64,
    /// The number of unverified events that weren't stored, because of the limit or a nearly full disk.
    pub unverified_omitted: u64,
    /// The time of the first unverified event that wasn't stored, in ISO 8601 and UTC.
    pub unverified_omitted_since: Option<String>,
    pub backups: Vec<BackupView>,
    /// The numbers of daily backups and of backups before updates that are kept.
    pub daily_kept: u32,
    pub before_updates_kept: u32,
    pub retention: Retention,
    /// True if the policy sets the retention.
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
    /// True if the backup was made before an update changed the file.
    pub before_update: bool,
}

pub(super) fn backups(file: SalvagedFile, stored: Vec<StoredBackup>) -> Vec<BackupView> {
    let view = |stored: StoredBackup| BackupView {
        file,
        path: stored.path.display().to_string(),
        bytes: stored.bytes,
        at: stored.at.to_string(),
        before_update: stored.before_update,
    };
    stored.into_iter().map(view).collect()
}
