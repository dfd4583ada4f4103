//! Checks for a newer version: settings, requests to the update channel, and the last result.
//!
//! Nothing is requested before the user sets a channel, and nothing is installed here. The last result is compared to
//! the running version, so that the notice disappears after an update.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, civil::Date};
use semver::Version;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use takt_client::update_channel::{CHANNEL_TIMEOUT, Release, UpdateChannel, can_open_in_browser};
use takt_core::{
    Clock, Language, Problem,
    blocking::run_blocking,
    policy::{Policy, PolicyUpdate},
    words::serialized_name,
};
use takt_journal::Journal;

use crate::Engine;

const UPDATE_SETTING: &str = "update";
const LAST_CHECK_SETTING: &str = "update-check";
const DISMISSED_SETTING: &str = "update-dismissed";
const INSTALLED_VERSION: &str = env!("CARGO_PKG_VERSION");
/// The interval after a successful check.
const CHECK_INTERVAL: SignedDuration = SignedDuration::from_hours(24);
/// The interval after a failed check. A laptop may be online again by then.
const RETRY_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// The user's update settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UpdateSettings {
    /// An https address or the path of a file. If `None`, there are no checks.
    pub channel: Option<String>,
    /// True if the channel is checked daily.
    pub daily: bool,
}

/// A version in a channel, in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReleaseView {
    pub version: String,
    /// The date, for example `2026-12-01`.
    pub date: Option<String>,
    /// Plain text. Not trusted.
    pub notes: Option<String>,
    /// An https address.
    pub download: Option<String>,
}

/// The settings, and the result of the last check.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UpdateView {
    pub settings: UpdateSettings,
    /// True if the policy sets the settings.
    pub managed: bool,
    /// The running version.
    pub installed: String,
    /// The time of the last successful check.
    pub checked: Option<String>,
    /// The reason why the latest check failed.
    pub problem: Option<Problem>,
    /// The newest version, if it is newer than the running one.
    pub newer: Option<ReleaseView>,
    /// True if the user has dismissed the notice of that version.
    pub dismissed: bool,
}

/// The source of signed packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageSource {
    pub address: String,
    /// The minisign public key: the base64 line of its file.
    pub public_key: String,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateCheck {
    /// The running version.
    pub installed: String,
    /// True if `release` is newer.
    pub newer: bool,
    pub release: ReleaseView,
}

/// The latest check as stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredCheck {
    channel: String,
    attempted: Timestamp,
    checked: Option<Timestamp>,
    /// The release of the last successful check.
    release: Option<Release>,
    problem: Option<Problem>,
}

/// The update check of a home folder.
#[derive(Clone)]
pub struct Updates {
    journal: Arc<Journal>,
    clock: Clock,
    policy: Arc<Policy>,
}

takt_core::opaque_debug!(Updates);

impl Updates {
    /// Creates the update check for the home folder of an engine.
    #[must_use]
    pub fn new(engine: &Engine) -> Self {
        let maintenance = engine.maintenance();
        Self {
            journal: Arc::clone(&maintenance.journal),
            clock: Arc::clone(&maintenance.clock),
            policy: Arc::clone(&maintenance.policy),
        }
    }

    /// Returns the policy's update settings, or else the user's.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn settings(&self) -> Result<UpdateSettings, Problem> {
        if let Some(PolicyUpdate { channel, daily, .. }) = self.policy.update.clone() {
            return Ok(UpdateSettings { daily: daily && channel.is_some(), channel });
        }
        Ok(self.load(UPDATE_SETTING)?.unwrap_or_default())
    }

    /// Stores the user's settings. An empty channel is treated as none. Without a channel there is no daily check.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): the channel is neither an https address nor the
    ///   absolute path of a file.
    /// - [`Code::Precondition`](takt_core::Code::Precondition) (`set-by-policy`): the policy sets the update settings.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn set_settings(&self, settings: &UpdateSettings) -> Result<(), Problem> {
        if self.policy.update.is_some() {
            return Err(Problem::obstacle("set-by-policy"));
        }
        let channel = settings.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty());
        channel.map(parse_channel).transpose()?;
        let daily = settings.daily && channel.is_some();
        self.store(UPDATE_SETTING, &UpdateSettings { channel: channel.map(str::to_owned), daily })
    }

    /// Returns the settings and the latest result in a language.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn view(&self, language: Language) -> Result<UpdateView, Problem> {
        let settings = self.settings()?;
        let last = self.last_check(&settings)?;
        let newer = last.as_ref().and_then(|last| last.release.clone()).filter(is_newer);
        let dismissed: Option<Version> = self.load(DISMISSED_SETTING)?;
        Ok(UpdateView {
            installed: INSTALLED_VERSION.to_owned(),
            checked: last.as_ref().and_then(|last| last.checked).map(|at| at.to_string()),
            problem: last.and_then(|last| last.problem),
            dismissed: newer.as_ref().is_some_and(|newer| dismissed.as_ref() == Some(&newer.version)),
            newer: newer.map(|newer| ReleaseView::from_release(&newer, language)),
            managed: self.policy.update.is_some(),
            settings,
        })
    }

    /// Checks the channel, and stores the release or the reason of a failure. Does nothing without a channel.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the result can't be stored. A failed check isn't an error.
    /// [`Self::view`] shows it.
    pub async fn check(&self) -> Result<(), Problem> {
        let updates = self.clone();
        let stored = run_blocking(move || {
            let settings = updates.settings()?;
            Ok((updates.last_check(&settings)?, settings.channel))
        });
        let (before, Some(channel)) = stored.await? else { return Ok(()) };
        let attempted = (self.clock)();
        let read = read_release(&channel).await;
        let now = (self.clock)();
        let check = match read {
            Ok(release) => {
                StoredCheck { channel, attempted, checked: Some(now), release: Some(release), problem: None }
            }
            Err(problem) => {
                let (checked, release) = before.map_or((None, None), |before| (before.checked, before.release));
                StoredCheck { channel, attempted, checked, release, problem: Some(problem) }
            }
        };
        let updates = self.clone();
        run_blocking(move || updates.store(LAST_CHECK_SETTING, &check)).await
    }

    /// Returns true if a daily check is due.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn is_due(&self) -> Result<bool, Problem> {
        let settings = self.settings()?;
        if !settings.daily || settings.channel.is_none() {
            return Ok(false);
        }
        let Some(last) = self.last_check(&settings)? else { return Ok(true) };
        let now = (self.clock)();
        // If the clock was set back, the check is due.
        let passed = |at: Timestamp, wait| at > now || now.duration_since(at) >= wait;
        let wait = if last.problem.is_none() { CHECK_INTERVAL } else { RETRY_INTERVAL };
        Ok(passed(last.attempted, wait))
    }

    /// Dismisses the notice of the newer version.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn dismiss_notice(&self) -> Result<(), Problem> {
        match self.newer_release()? {
            Some(newer) => self.store(DISMISSED_SETTING, &newer.version),
            None => Ok(()),
        }
    }

    /// Returns the https address to download the newer version from.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn download_address(&self) -> Result<Option<String>, Problem> {
        Ok(self.newer_release()?.and_then(|newer| newer.download).filter(|address| can_open_in_browser(address)))
    }

    /// Returns the package source of the newer version and its public key: `built_in`, or the key that the policy sets.
    /// Returns `None` without a newer version or a key, or if the policy sets a channel without a key.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn package_source(&self, built_in: Option<&str>) -> Result<Option<PackageSource>, Problem> {
        let key = match &self.policy.update {
            Some(managed) => managed.public_key.clone(),
            None => built_in.map(str::to_owned),
        };
        let address = self.newer_release()?.and_then(|newer| newer.updater);
        Ok(address.zip(key).map(|(address, public_key)| PackageSource { address, public_key }))
    }

    /// Checks any channel without storing the result.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): the channel is neither an https address nor the
    ///   absolute path of a file.
    /// - [`Code::UpdateChannelFailed`](takt_core::Code::UpdateChannelFailed) or
    ///   [`Code::FileUnreadable`](takt_core::Code::FileUnreadable): the channel can't be read.
    pub async fn check_channel(channel: &str, language: Language) -> Result<UpdateCheck, Problem> {
        let release = read_release(channel).await?;
        let release_view = ReleaseView::from_release(&release, language);
        Ok(UpdateCheck { installed: INSTALLED_VERSION.to_owned(), newer: is_newer(&release), release: release_view })
    }

    fn newer_release(&self) -> Result<Option<Release>, Problem> {
        let last = self.last_check(&self.settings()?)?;
        Ok(last.and_then(|last| last.release).filter(is_newer))
    }

    /// Returns the last check of the current channel.
    fn last_check(&self, settings: &UpdateSettings) -> Result<Option<StoredCheck>, Problem> {
        let last: Option<StoredCheck> = self.load(LAST_CHECK_SETTING)?;
        Ok(last.filter(|last| settings.channel.as_ref() == Some(&last.channel)))
    }

    /// Loads a setting. Unreadable values are treated as missing.
    fn load<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Problem> {
        let stored = self.journal.settings().get(key)?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()))
    }

    fn store<T: Serialize>(&self, key: &str, value: &T) -> Result<(), Problem> {
        Ok(self.journal.settings().set(key, &serde_json::to_value(value).unwrap_or_default())?)
    }
}

impl ReleaseView {
    fn from_release(release: &Release, language: Language) -> Self {
        Self {
            version: release.version.to_string(),
            date: release.date.map(|date: Date| date.to_string()),
            notes: release.notes_in(&serialized_name(language)).map(str::to_owned),
            download: release.download.clone(),
        }
    }
}

/// Returns true if the release is newer than the running version. Cargo's version is always valid.
fn is_newer(release: &Release) -> bool {
    Version::parse(INSTALLED_VERSION).is_ok_and(|installed| release.is_newer_than(&installed))
}

async fn read_release(channel: &str) -> Result<Release, Problem> {
    let failed = |error| Problem::from_channel_error(channel, &error);
    parse_channel(channel)?.read(CHANNEL_TIMEOUT).await.map_err(failed)
}

fn parse_channel(channel: &str) -> Result<UpdateChannel, Problem> {
    UpdateChannel::parse(channel).map_err(|error| Problem::from_channel_error(channel, &error))
}
