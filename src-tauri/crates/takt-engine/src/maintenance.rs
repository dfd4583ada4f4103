//! Maintains the home folder: backups, replaced damaged files, and the retention of rows, requests and events.
//!
//! Without a retention rule, nothing is purged. Unfinished submissions are never purged (see takt-journal's `purge`).

use std::{fs, path::Path, sync::Arc};

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use takt_core::{
    Clock, Code, Home, Problem,
    policy::{Policy, PolicyRetention},
    salvage,
};
use takt_inbox::events::EventStore;
use takt_journal::{
    EventPurge, Inbox, Journal, PurgeCounts, SharedChanges, Team,
    backup::{MAX_BACKUPS_BEFORE_UPDATES, MAX_DAILY_BACKUPS, StoredBackup},
};
use takt_sites::has_unscrubbed_secrets;

use crate::team::TeamMembership;

pub use takt_core::salvage::{SalvageView, SalvagedFile};

const RETENTION_SETTING: &str = "retention";
const PURGED_ON_SETTING: &str = "purged-on";
const BYTES_PER_MEGABYTE: u64 = 1_000_000;
/// The minimum age in days of data that is purged by size. Planners may still need younger data.
const MIN_AGE_DAYS_BY_SIZE: u32 = 1;

/// The retention of data. `None` means forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Days after a submission's end until its rows and requests are purged.
    pub rows_days: Option<u32>,
    /// Days until events are purged.
    pub events_days: Option<u32>,
    /// Limits rows and events together, in megabytes (10⁶ bytes). The oldest are purged first.
    pub most_megabytes: Option<u32>,
    /// True if data is purged daily.
    pub scheduled: bool,
}

impl Retention {
    /// Returns the policy's retention, which is always scheduled.
    fn from_policy(policy: &PolicyRetention) -> Self {
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
    /// The size of the journal and the events' file with their write-ahead logs, in bytes.
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// The storage sizes, backups and retention of a home folder.
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

/// Backups, purges, and storage sizes.
#[derive(Clone)]
pub struct Maintenance {
    pub(crate) home: Home,
    pub(crate) journal: Arc<Journal>,
    pub(crate) events: Arc<EventStore>,
    pub(crate) clock: Clock,
    pub(crate) policy: Arc<Policy>,
    pub(crate) team: TeamMembership,
}

takt_core::opaque_debug!(Maintenance);

impl Maintenance {
    /// Returns the membership in a team's database.
    #[must_use]
    pub fn team(&self) -> &TeamMembership {
        &self.team
    }

    /// Returns the policy that a company's IT sets.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns damaged files that were replaced, until the user has confirmed them.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn salvages(&self) -> Result<Vec<SalvageView>, Problem> {
        salvage::salvages(&self.journal)
    }

    /// Records that the window's damaged preferences were replaced by the backup made at `backup_at`, or by defaults.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn record_lost_preferences(&self, damaged_file: &Path, backup_at: Option<Timestamp>) -> Result<(), Problem> {
        salvage::record_lost_preferences(&self.journal, damaged_file, (self.clock)(), backup_at)
    }

    /// Marks the replaced files as confirmed, so that [`Self::salvages`] no longer returns them.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn confirm_salvages(&self) -> Result<(), Problem> {
        salvage::confirm_salvages(&self.journal)
    }

    /// Returns the sizes of files in the home folder, the backups, and the retention.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events' file can't be opened, or the retention can't be
    /// read.
    pub fn storage(&self) -> Result<StorageView, Problem> {
        let home = &self.home;
        let inbox = self.own_inbox()?;
        let mut backups = backup_views(SalvagedFile::Journal, self.journal.backups());
        if let Some(inbox) = &inbox {
            backups.extend(backup_views(SalvagedFile::Events, inbox.backups()));
        }
        let mut unverified = Vec::new();
        for inbox in self.all_inboxes()? {
            unverified.extend(inbox.unverified().by_site()?);
        }
        Ok(StorageView {
            unverified_bytes: unverified.iter().map(|site| site.bytes).sum(),
            unverified_omitted: unverified.iter().map(|site| site.omitted).sum(),
            unverified_omitted_since: unverified
                .iter()
                .filter_map(|site| site.omitted_first)
                .min()
                .map(|first| first.to_string()),
            journal_bytes: file_size(&home.journal()),
            events_bytes: file_size(&home.inbox()),
            logs_bytes: folder_size(&home.logs()),
            backups,
            daily_kept: MAX_DAILY_BACKUPS,
            before_updates_kept: MAX_BACKUPS_BEFORE_UPDATES,
            retention: self.retention()?,
            retention_managed: self.policy.retention.is_some(),
        })
    }

    /// Returns how long rows and events are kept.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn retention(&self) -> Result<Retention, Problem> {
        if let Some(managed) = &self.policy.retention {
            return Ok(Retention::from_policy(managed));
        }
        let stored = self.journal.settings().get(RETENTION_SETTING)?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Sets how long rows and events are kept.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: a number of days or megabytes is 0.
    /// - [`Code::Precondition`] (`set-by-policy`): the policy sets the retention.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn set_retention(&self, retention: &Retention) -> Result<(), Problem> {
        if self.policy.retention.is_some() {
            return Err(Problem::obstacle("set-by-policy"));
        }
        for days in [retention.rows_days, retention.events_days, retention.most_megabytes] {
            if days == Some(0) {
                return Err(Problem::new(Code::InvalidInput).parameter("what", "0"));
            }
        }
        Ok(self.journal.settings().set(RETENTION_SETTING, &serde_json::to_value(retention).unwrap_or_default())?)
    }

    /// Purges data by a rule. With `dry_run`, only counts the data that would be purged by age, but not by size.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal or the events can't be read or written. Data
    /// that was already purged stays purged.
    pub fn purge(&self, rule: &Retention, dry_run: bool) -> Result<PurgeView, Problem> {
        self.purge_inboxes(&self.all_inboxes()?, rule, dry_run)
    }

    /// Removes all unverified events, and resets the number of omitted ones. With `dry_run`, only returns the number of
    /// events.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events can't be read or written. Data that was already
    /// purged stays purged.
    pub fn purge_unverified(&self, dry_run: bool) -> Result<PurgeView, Problem> {
        let mut view = PurgeView { dry_run, bytes_before: self.stored_bytes(), ..PurgeView::default() };
        for inbox in self.all_inboxes()? {
            purge_events(&inbox, EventPurge::Unverified, dry_run, &mut view)?;
            if !dry_run {
                inbox.unverified().reset_omitted()?;
                inbox.shrink()?;
            }
        }
        view.bytes_after = self.stored_bytes();
        tracing::info!(events = view.events, dry_run, "events that aren't believed were purged");
        Ok(view)
    }

    /// Returns the team's inbox, and this computer's own one if it ever received events.
    fn all_inboxes(&self) -> Result<Vec<Arc<Inbox>>, Problem> {
        Ok(self.events.team_inbox().cloned().into_iter().chain(self.own_inbox()?).collect())
    }

    fn purge_inboxes(&self, inboxes: &[Arc<Inbox>], rule: &Retention, dry_run: bool) -> Result<PurgeView, Problem> {
        let mut view = PurgeView { dry_run, bytes_before: self.stored_bytes(), ..PurgeView::default() };
        if let Some(days) = rule.rows_days {
            self.purge_rows(self.days_ago(days), dry_run, &mut view)?;
        }
        if let Some(days) = rule.events_days {
            for inbox in inboxes {
                purge_events(inbox, EventPurge::ReceivedBefore(self.days_ago(days)), dry_run, &mut view)?;
            }
        }
        if let Some(max_megabytes) = rule.most_megabytes.filter(|_| !dry_run) {
            self.purge_by_size(u64::from(max_megabytes) * BYTES_PER_MEGABYTE, &mut view)?;
        }
        if view.submissions > 0 && !dry_run {
            self.journal.shrink()?;
        }
        if view.events > 0 && !dry_run {
            inboxes.iter().try_for_each(|inbox| inbox.shrink())?;
        }
        view.bytes_after = self.stored_bytes();
        tracing::info!(
            submissions = view.submissions,
            events = view.events,
            changes = view.changes,
            dry_run,
            "old rows and events were purged"
        );
        Ok(view)
    }

    /// Runs the regular tasks. Copies data to the team that was stored in this computer's files since joining, makes
    /// the day's backups, and purges once a day if a rule schedules it. Failed tasks are retried the next time.
    pub fn maintain(&self) {
        if let Err(problem) = self.team.carry_over_since_joining() {
            tracing::warn!(?problem, "what came after joining stays in this desk's own files for now");
        }
        let now = (self.clock)();
        let journal = has_unscrubbed_secrets(&self.journal)
            .and_then(|unclean| if unclean { Ok(()) } else { Ok(self.journal.back_up_daily(now).map(drop)?) });
        let events = self.own_inbox().and_then(|inbox| match inbox {
            Some(inbox) => Ok(inbox.back_up_daily(now).map(drop)?),
            None => Ok(()),
        });
        for result in [journal, events, self.purge_daily(now)] {
            if let Err(problem) = result {
                tracing::warn!(?problem, "the home folder can't be kept in order now");
            }
        }
    }

    fn purge_daily(&self, now: Timestamp) -> Result<(), Problem> {
        let rule = self.retention()?;
        let today = serde_json::json!(now.to_zoned_datetime(TimeZone::UTC).date().to_string());
        if !rule.scheduled || self.journal.settings().get(PURGED_ON_SETTING)? == Some(today.clone()) {
            return Ok(());
        }
        // A team's data is only purged manually, because one computer's rule shouldn't decide for others.
        let rule =
            if Team::from_journal(&self.journal).is_some() { Retention { rows_days: None, ..rule } } else { rule };
        let own: Vec<_> = self.own_inbox()?.into_iter().collect();
        self.purge_inboxes(&own, &rule, false)?;
        Ok(self.journal.settings().set(PURGED_ON_SETTING, &today)?)
    }

    fn purge_rows(&self, before: Timestamp, dry_run: bool, view: &mut PurgeView) -> Result<(), Problem> {
        for (id, purged) in self.journal.purgeable(before)? {
            if dry_run || self.journal.purge(id, before, (self.clock)())? {
                view.add(&purged);
            }
        }
        // Changes to mappings are purged with the rows that were sent with them.
        if let Some(changes) = SharedChanges::from_journal(&self.journal) {
            let purged = if dry_run { changes.purgeable(before)? } else { changes.purge(before)? };
            view.changes += u32::try_from(purged).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// Purges rows, then events, oldest first, until at most `max_bytes` are used.
    fn purge_by_size(&self, max_bytes: u64, view: &mut PurgeView) -> Result<(), Problem> {
        // A team's events aren't stored here.
        let (journal, inbox) = (&self.journal, self.own_inbox()?);
        let before = self.days_ago(MIN_AGE_DAYS_BY_SIZE);
        let used = || -> Result<u64, Problem> {
            Ok(journal.used_bytes()? + inbox.as_ref().map_or(Ok(0), |inbox| inbox.used_bytes())?)
        };
        // A team's history isn't stored here.
        let rows = if Team::from_journal(journal).is_some() { Vec::new() } else { journal.purgeable(before)? };
        for (id, purged) in rows {
            if used()? <= max_bytes {
                return Ok(());
            }
            if journal.purge(id, before, (self.clock)())? {
                view.add(&purged);
            }
        }
        let Some(inbox) = &inbox else { return Ok(()) };
        while used()? > max_bytes {
            match inbox.purge_some(EventPurge::ReceivedBefore(before))? {
                0 => return Ok(()),
                removed => view.events += removed,
            }
        }
        Ok(())
    }

    /// Returns this computer's own inbox, if it ever received events.
    fn own_inbox(&self) -> Result<Option<Arc<Inbox>>, Problem> {
        if self.home.inbox().exists() { self.events.own_inbox().map(Some) } else { Ok(None) }
    }

    fn stored_bytes(&self) -> u64 {
        file_size(&self.home.journal()) + file_size(&self.home.inbox())
    }

    fn days_ago(&self, days: u32) -> Timestamp {
        let span = SignedDuration::from_hours(i64::from(days) * 24);
        (self.clock)().checked_sub(span).unwrap_or(Timestamp::MIN)
    }
}

impl PurgeView {
    fn add(&mut self, purged: &PurgeCounts) {
        self.submissions += purged.submissions;
        self.rows += purged.rows;
        self.requests += purged.requests;
    }
}

fn backup_views(file: SalvagedFile, stored: Vec<StoredBackup>) -> Vec<BackupView> {
    let view = |stored: StoredBackup| BackupView {
        file,
        path: stored.path.display().to_string(),
        bytes: stored.bytes,
        at: stored.at.to_string(),
        before_update: stored.before_update,
    };
    stored.into_iter().map(view).collect()
}

/// Returns the size of a file and its write-ahead log.
fn file_size(file: &Path) -> u64 {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    [file, Path::new(&log)].into_iter().filter_map(|path| path.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn folder_size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).filter(fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
}

fn purge_events(inbox: &Inbox, purge: EventPurge, dry_run: bool, view: &mut PurgeView) -> Result<(), Problem> {
    if dry_run {
        view.events += u32::try_from(inbox.purgeable(purge)?).unwrap_or(u32::MAX);
        return Ok(());
    }
    loop {
        match inbox.purge_some(purge)? {
            0 => return Ok(()),
            removed => view.events += removed,
        }
    }
}
