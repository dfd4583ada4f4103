//! The inbox: a site's events, received, kept, read and found again.
//!
//! Owns the receiver (`receiver`, `keeper`, `serving`, `connections`, `body`, `signature`, `pulse`), what events say (`read`, `reading`) and what is
//! shown of them (`view`), what is known of the floor (`floor`), events as files (`export`), sending them once more (`replay`)
//! and on to others (`forward`). Leaves to `answers` what is answered, to takt-journal the file, to takt-contract what the
//! service's events are, to the window and the command line when a receiver runs.
//!
//! What came is on disk before it is answered. An event is a view over its bytes: they are never changed.

mod body;
mod connections;
mod export;
mod floor;
mod forward;
mod keeper;
mod leaving;
mod pulse;
mod read;
mod reading;
mod receiver;
mod replay;
mod secrets;
mod serving;
mod signature;
mod terms;
mod view;

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use jiff::{Timestamp, civil::DateTime};
use takt_client::{Kind, Secret};
use takt_journal::{EventFilter, Inbox};
use tokio::sync::watch;

use crate::{Code, Engine, KeptFile, Problem, maintenance::keep_salvage, sites::PRACTICE};
use reading::Reading;
use receiver::Post;

pub use floor::*;
pub use forward::{
    Fault, ForwardPace, ForwardStop, ForwardTarget, Forwarded, TargetMiss, TargetStart, TargetState, TargetWish,
    TestSent,
};
pub(crate) use keeper::Keeper;
pub use receiver::{Receiver, RefusedCounts};
pub use replay::{Destination, Replay, ReplayPlan, Replayed};
pub(crate) use view::line;
pub use view::*;

/// How long whoever asks for a list waits for events that came and weren't read yet.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of the secret part of a receiver's address.
const PATH_BYTES: usize = 16;

/// How a receiver is to be.
#[derive(Clone)]
pub struct Receiving {
    /// Where it listens: on this computer alone, at any free port, unless somebody says otherwise.
    pub listen: SocketAddr,
    /// One of these has signed; absent: those that are kept for the site.
    pub secrets: Option<Vec<String>>,
}

impl Default for Receiving {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), secrets: None }
    }
}

impl fmt::Debug for Receiving {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Receiving").field("listen", &self.listen).finish_non_exhaustive()
    }
}

/// The inbox's parts, made when they are needed first.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    parts: Mutex<Option<(Arc<Inbox>, Reading)>>,
    pace: Mutex<ForwardPace>,
    /// Told whenever a target was changed.
    changed: watch::Sender<u64>,
}

impl Engine {
    /// Receives a site's events until the receiver is stopped or dropped. Other addresses than this computer's
    /// own are reached by others, too: the person must want that.
    pub async fn receive(&self, site: &str, receiving: Receiving) -> Result<Receiver, Problem> {
        let site = self.site(site)?.name;
        let (inbox, reading) = self.inbox()?;
        let secrets: Vec<Secret> = match receiving.secrets {
            Some(secrets) => {
                secrets.iter().try_for_each(|secret| self.check_event_secret(secret))?;
                secrets.into_iter().map(Secret::new).collect()
            }
            None => self.event_secrets(&site),
        };
        let redactor = self.kept_sites().vault(&site).redactor().clone();
        secrets.iter().for_each(|secret| redactor.learn(secret));
        let (listen, path) = (receiving.listen, self.event_path(&site)?);
        let post = Post { listen, path, secrets, redactor, site: site.clone() };
        let shelf = self.shelf(&post.site);
        let parts = (self.kept_contract(), inbox, self.kept_clock());
        let yard = self.yard(&site)?;
        let mut receiver = Receiver::start(post, parts, (self.site_clock_of(&site), shelf), &reading).await?;
        receiver.forward(yard);
        Ok(receiver)
    }

    /// Events that fit, newest first. What came and wasn't read yet is read before; after a flood as much of it as two seconds
    /// allow, and the list says how many are missing.
    pub async fn events(&self, query: &EventQuery, offset: u32, limit: u32) -> Result<EventList, Problem> {
        let (inbox, reading) = self.inbox()?;
        reading.catch_up(PATIENCE).await;
        let filter = self.event_filter(query)?;
        let found = off_the_threads(move || Ok((inbox.events(&filter, offset, limit)?, inbox.front()?)));
        let (page, (came, read)) = found.await?;
        let rows = page.rows.into_iter().map(|row| view::line(self.contract(), row)).collect();
        let unread = u32::try_from(came.saturating_sub(read)).unwrap_or_default();
        Ok(EventList { total: page.total, offset, rows, unread })
    }

    /// One event with everything that is known about it; its body is shortened beyond what a person can look at.
    pub async fn event(&self, id: i64) -> Result<EventDetail, Problem> {
        let (inbox, reading) = self.inbox()?;
        reading.catch_up(PATIENCE).await;
        let found = off_the_threads(move || match (inbox.event(id)?, inbox.raw(id)?) {
            (Some(row), Some(raw)) => Ok(Some((row, raw, inbox.copies(id)?, inbox.answer(id)?))),
            _ => Ok(None),
        });
        let Some((row, raw, copies, answer)) = found.await? else {
            return Err(Problem::new(Code::Unknown).parameter("what", id.to_string()));
        };
        Ok(view::detail(self.contract(), row, raw, copies, answer))
    }

    /// Spans of time in which nothing could come, newest first.
    pub fn event_gaps(&self) -> Result<Vec<EventGap>, Problem> {
        let (inbox, _) = self.inbox()?;
        Ok(inbox.gaps(view::MOST_GAPS)?.into_iter().map(view::gap).collect())
    }

    /// Tells the number of the newest event that was read, whenever there is a newer one.
    pub fn watch_events(&self) -> Result<watch::Receiver<i64>, Problem> {
        Ok(self.inbox()?.1.watch())
    }

    /// ISO 8601; without an offset it is what a clock at the site shows, a day alone is its begin.
    fn moment_at(&self, site: &str, text: &str) -> Result<Timestamp, Problem> {
        let invalid = |cause: jiff::Error| Problem::new(Code::InvalidInput).parameter("what", text).details(cause);
        text.parse::<Timestamp>().or_else(|_| {
            let shown: DateTime = text.parse().map_err(invalid)?;
            shown.to_zoned(self.kept_sites().time_zone(site)).map(|zoned| zoned.timestamp()).map_err(invalid)
        })
    }

    /// What a person looks for, as the file is asked.
    fn event_filter(&self, query: &EventQuery) -> Result<EventFilter, Problem> {
        let clock = query.site.as_deref().unwrap_or(PRACTICE);
        let moment = |text: &Option<String>| text.as_deref().map(|text| self.moment_at(clock, text)).transpose();
        Ok(EventFilter {
            site: query.site.clone(),
            kinds: query.kinds.iter().copied().map(i64::from).collect(),
            states: query.states.clone(),
            station: query.station.clone(),
            employee: query.employee.clone(),
            order: query.order.clone(),
            text: query.text.clone(),
            since: moment(&query.since)?,
            until: moment(&query.until)?,
            up_to: query.up_to.map(i64::from),
            only: query.only.iter().copied().map(i64::from).collect(),
        })
    }

    /// The file of what came.
    pub(crate) fn kept_events(&self) -> Result<Arc<Inbox>, Problem> {
        self.inbox().map(|(inbox, _)| inbox)
    }

    fn inbox(&self) -> Result<(Arc<Inbox>, Reading), Problem> {
        let mut desk = self.kept_inbox().parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = &*desk {
            return Ok(parts.clone());
        }
        let (inbox, salvaged) = Inbox::open_or_salvage(&self.home().inbox(), self.now())?;
        if let Some(salvaged) = salvaged {
            keep_salvage(self.journal(), KeptFile::Events, &salvaged)?;
        }
        let inbox = Arc::new(inbox);
        let sites = Arc::clone(self.shared_sites());
        let zones: floor::Zones = Arc::new(move |site| sites.time_zone(site));
        let reading = Reading::new(self.kept_contract(), Arc::clone(&inbox), zones);
        *desk = Some((Arc::clone(&inbox), reading.clone()));
        Ok((inbox, reading))
    }

    /// The secret part of a site's address for events: made once, and the same from then on.
    fn event_path(&self, site: &str) -> Result<Secret, Problem> {
        let vault = self.kept_sites().vault(site);
        if let Some(path) = vault.get(site, Kind::EventPath) {
            return Ok(path);
        }
        let mut bytes = [0; PATH_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Problem::new(Code::Bug).details(error))?;
        let path = Secret::new(BASE64_URL_SAFE_NO_PAD.encode(bytes));
        vault.put(site, Kind::EventPath, &path);
        Ok(path)
    }
}

impl Desk {
    fn pace(&self) -> ForwardPace {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_pace(&self, pace: ForwardPace) {
        *self.pace.lock().unwrap_or_else(PoisonError::into_inner) = pace;
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn nudge(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// Waits for the disk elsewhere than on a thread that answers others.
async fn off_the_threads<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::new(Code::Bug).details(error)))
}
