//! Whether there is a newer Takt: a person's settings for it, asking the channel, and what it said last.
//!
//! Nothing is asked before a person names a channel; nothing is installed here. What was found is compared with the version that
//! runs now, so that an update ends its own notice.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, civil::Date};
use semver::Version;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use takt_client::update_channel::{CHANNEL_TIMEOUT, Release, UpdateChannel, is_download};
use takt_core::{
    Clock, Language, Problem,
    policy::{Policy, PolicyUpdate},
    words::name,
};
use takt_journal::Journal;

use crate::Engine;

const SETTINGS: &str = "update";
const LAST_CHECK: &str = "update-check";
const DISMISSED: &str = "update-dismissed";
const INSTALLED: &str = env!("CARGO_PKG_VERSION");
/// After a check that succeeded.
const CHECK_INTERVAL: SignedDuration = SignedDuration::from_hours(24);
/// After a check that failed. A laptop may be back in its network by then.
const RETRY_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// What a person set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UpdateSettings {
    /// An https address or the path of a file; absent: nothing is asked.
    pub channel: Option<String>,
    /// Once a day by itself.
    pub daily: bool,
}

/// What a channel says of a version, in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReleaseView {
    pub version: String,
    /// The day, `2026-12-01`.
    pub date: Option<String>,
    /// Plain text. Not trusted.
    pub notes: Option<String>,
    /// An https address.
    pub download: Option<String>,
}

/// The settings, and what is known about a newer version.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UpdateView {
    pub settings: UpdateSettings,
    /// IT has set them.
    pub managed: bool,
    /// The version that runs.
    pub installed: String,
    /// When the channel last said something.
    pub checked: Option<String>,
    /// Why the latest check said nothing.
    pub problem: Option<Problem>,
    /// The newest version, where it is newer than the one that runs.
    pub newer: Option<ReleaseView>,
    /// A person has seen the notice of that version.
    pub dismissed: bool,
}

/// Where signed packages are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageSource {
    pub address: String,
    /// Of minisign: the line of letters of its file.
    pub public_key: String,
}

/// What a channel said when it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateCheck {
    /// The version that runs.
    pub installed: String,
    /// Whether `release` is newer.
    pub newer: bool,
    pub release: ReleaseView,
}

/// The latest check, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptCheck {
    channel: String,
    attempted: Timestamp,
    checked: Option<Timestamp>,
    /// Of the last check that said something.
    release: Option<Release>,
    problem: Option<Problem>,
}

/// The check for updates of one home.
#[derive(Clone)]
pub struct Updates {
    journal: Arc<Journal>,
    clock: Clock,
    policy: Arc<Policy>,
}

takt_core::opaque_debug!(Updates);

impl Updates {
    /// Those of an engine's home.
    #[must_use]
    pub fn of(engine: &Engine) -> Self {
        let maintenance = engine.maintenance();
        Self {
            journal: Arc::clone(&maintenance.journal),
            clock: Arc::clone(&maintenance.clock),
            policy: Arc::clone(&maintenance.policy),
        }
    }

    /// What a person set.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn settings(&self) -> Result<UpdateSettings, Problem> {
        if let Some(PolicyUpdate { channel, daily, .. }) = self.policy.update.clone() {
            return Ok(UpdateSettings { daily: daily && channel.is_some(), channel });
        }
        Ok(self.kept(SETTINGS)?.unwrap_or_default())
    }

    /// Keeps what a person set. An empty channel is none, and without one nothing is done daily.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): the channel is neither an https address nor the whole path of
    ///   a file.
    /// - [`Code::Precondition`](takt_core::Code::Precondition) (`set-by-policy`): IT has set it.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn set_settings(&self, settings: &UpdateSettings) -> Result<(), Problem> {
        if self.policy.update.is_some() {
            return Err(Problem::in_the_way("set-by-policy"));
        }
        let channel = settings.channel.as_deref().map(str::trim).filter(|place| !place.is_empty());
        channel.map(parsed).transpose()?;
        let daily = settings.daily && channel.is_some();
        self.keep(SETTINGS, &UpdateSettings { channel: channel.map(str::to_owned), daily })
    }

    /// The settings, and what the latest check said, in a language.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn view(&self, language: Language) -> Result<UpdateView, Problem> {
        let settings = self.settings()?;
        let last = self.last_check(&settings)?;
        let newer = last.as_ref().and_then(|last| last.release.clone()).filter(is_newer);
        let dismissed: Option<Version> = self.kept(DISMISSED)?;
        Ok(UpdateView {
            installed: INSTALLED.to_owned(),
            checked: last.as_ref().and_then(|last| last.checked).map(|at| at.to_string()),
            problem: last.and_then(|last| last.problem),
            dismissed: newer.as_ref().is_some_and(|newer| dismissed.as_ref() == Some(&newer.version)),
            newer: newer.map(|newer| ReleaseView::of(&newer, language)),
            managed: self.policy.update.is_some(),
            settings,
        })
    }

    /// Asks the channel that is set, and keeps what it says or why it said nothing. Without a channel nothing happens.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): what came can't be kept. That the channel says nothing is no error
    /// here: the [view](Self::view) tells it.
    pub async fn check(&self) -> Result<(), Problem> {
        let settings = self.settings()?;
        let Some(channel) = settings.channel.clone() else { return Ok(()) };
        let attempted = (self.clock)();
        let before = self.last_check(&settings)?;
        let read = read(&channel).await;
        let now = (self.clock)();
        let kept = match read {
            Ok(release) => KeptCheck { channel, attempted, checked: Some(now), release: Some(release), problem: None },
            Err(problem) => {
                let (checked, release) = before.map_or((None, None), |before| (before.checked, before.release));
                KeptCheck { channel, attempted, checked, release, problem: Some(problem) }
            }
        };
        self.keep(LAST_CHECK, &kept)
    }

    /// Whether the daily check is wished for and due.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn is_due(&self) -> Result<bool, Problem> {
        let settings = self.settings()?;
        if !settings.daily || settings.channel.is_none() {
            return Ok(false);
        }
        let Some(last) = self.last_check(&settings)? else { return Ok(true) };
        let now = (self.clock)();
        // A clock that was set back holds nothing up.
        let passed = |at: Timestamp, wait| at > now || now.duration_since(at) >= wait;
        let wait = if last.problem.is_none() { CHECK_INTERVAL } else { RETRY_INTERVAL };
        Ok(passed(last.attempted, wait))
    }

    /// A person has seen the notice of the newer version; the next version has one of its own.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn dismiss(&self) -> Result<(), Problem> {
        match self.newer()? {
            Some(newer) => self.keep(DISMISSED, &newer.version),
            None => Ok(()),
        }
    }

    /// Where the newer version is got from: an https address.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn download(&self) -> Result<Option<String>, Problem> {
        Ok(self.newer()?.and_then(|newer| newer.download).filter(|address| is_download(address)))
    }

    /// Where the newer version can be installed from, and by whose key its packages are signed: `built_in`, or what IT sets. None
    /// where there is no newer version, no key, or IT has set the channel and no key.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn package_source(&self, built_in: Option<&str>) -> Result<Option<PackageSource>, Problem> {
        let key = match &self.policy.update {
            Some(set) => set.public_key.clone(),
            None => built_in.map(str::to_owned),
        };
        let address = self.newer()?.and_then(|newer| newer.updater);
        Ok(address.zip(key).map(|(address, public_key)| PackageSource { address, public_key }))
    }

    /// Asks any channel, and keeps nothing.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): it is neither an https address nor the whole path of a file.
    /// - [`Code::UpdateChannelFailed`](takt_core::Code::UpdateChannelFailed) or
    ///   [`Code::FileUnreadable`](takt_core::Code::FileUnreadable): it can't be read.
    pub async fn ask(channel: &str, language: Language) -> Result<UpdateCheck, Problem> {
        let release = read(channel).await?;
        let release_view = ReleaseView::of(&release, language);
        Ok(UpdateCheck { installed: INSTALLED.to_owned(), newer: is_newer(&release), release: release_view })
    }

    fn newer(&self) -> Result<Option<Release>, Problem> {
        let last = self.last_check(&self.settings()?)?;
        Ok(last.and_then(|last| last.release).filter(is_newer))
    }

    /// Of the channel that is set now.
    fn last_check(&self, settings: &UpdateSettings) -> Result<Option<KeptCheck>, Problem> {
        let last: Option<KeptCheck> = self.kept(LAST_CHECK)?;
        Ok(last.filter(|last| settings.channel.as_ref() == Some(&last.channel)))
    }

    /// Nothing where nothing usable was kept.
    fn kept<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Problem> {
        let stored = self.journal.settings().get(key)?;
        Ok(stored.and_then(|kept| serde_json::from_value(kept).ok()))
    }

    fn keep<T: Serialize>(&self, key: &str, value: &T) -> Result<(), Problem> {
        Ok(self.journal.settings().set(key, &serde_json::to_value(value).unwrap_or_default())?)
    }
}

impl ReleaseView {
    fn of(release: &Release, language: Language) -> Self {
        Self {
            version: release.version.to_string(),
            date: release.date.map(|date: Date| date.to_string()),
            notes: release.notes_in(&name(language)).map(str::to_owned),
            download: release.download.clone(),
        }
    }
}

/// The version that runs is cargo's own, which always is one.
fn is_newer(release: &Release) -> bool {
    Version::parse(INSTALLED).is_ok_and(|installed| release.is_newer_than(&installed))
}

async fn read(channel: &str) -> Result<Release, Problem> {
    let failed = |error| Problem::of_channel(channel, &error);
    parsed(channel)?.read(CHANNEL_TIMEOUT).await.map_err(failed)
}

fn parsed(channel: &str) -> Result<UpdateChannel, Problem> {
    UpdateChannel::parse(channel).map_err(|error| Problem::of_channel(channel, &error))
}
